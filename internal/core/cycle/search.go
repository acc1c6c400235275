package cycle

import (
	"github.com/ownergraph/ownergraph/internal/inside"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/effect"
	"github.com/ownergraph/ownergraph/internal/core/record"
	"github.com/ownergraph/ownergraph/internal/core/seq"
)

// Moment is the state of the engine at one step of a search.
type Moment struct {
	Nodes  record.Nodes
	Stamps *seq.Counter
	Now    time.Time
	Passed seq.Stamp // the newest fence that has passed began
	Quiet  bool      // no call, expectation or fence is under way
	Fences bool      // the store has fences
	// Foreign reports whether a node is of another share, nil without shares.
	Foreign func(graph.NodeID) bool
}

// Step begins a search that is due, or goes on with one over at most limit nodes and
// references. Then it notes the found cycles, and clears the nodes that it began with, in
// steps, too.
func (d *Detector) Step(m Moment, limit int, out *effect.List) {
	if d.isDue(m.Now, m.Quiet) {
		d.begin(m.Nodes)
	}
	if d.search == nil || d.rest == nil && !d.search.Step(m.Nodes.Graph, limit) {
		return
	}
	if d.rest == nil {
		d.rest = &rest{rings: d.search.Rings()}
	}
	for ; limit > 0 && len(d.rest.rings) > 0; limit-- {
		d.keep(m, out)
	}
	for ; limit > 0 && len(d.searched) > 0; limit-- {
		id := d.searched[0]
		if d.searched = d.searched[1:]; m.Nodes.InUse(id) {
			m.Nodes.Edit(id).Suspect = false
		}
	}
	if len(d.rest.rings)+len(d.searched) == 0 {
		d.search, d.searched, d.rest = nil, nil, nil
	}
}

// rest is the rest of the work of a search whose rings are found.
type rest struct {
	rings [][]graph.NodeID // to be noted
	at    int              // the member of the first ring to be noted next
	first graph.NodeID     // of the members before, by key
}

// begin begins a search with the suspects. The search leaves out those that no longer wait. The
// mark of a withheld node counts for no dependent, so no ring leads through it (RULES, G3).
func (d *Detector) begin(v record.Nodes) {
	d.searched, d.suspects = d.suspects, nil
	d.search = graph.Inside(inside.Key{}).NewRingSearch(d.searched)
	d.search.Skip = func(id graph.NodeID) bool { return v.State(id).Withheld }
}

// keep notes one member of a found cycle. After the last one the cycle counts, and its first
// member is decided when the fence has passed. One member suffices, because each unblocked
// reference changes the cycle.
func (d *Detector) keep(m Moment, out *effect.List) {
	r := d.rest
	members := r.rings[0]
	if r.at == 0 {
		d.last++
		r.first = members[0]
	}
	v, id := m.Nodes, members[r.at]
	if !v.InUse(id) { // it can be in no cycle
		r.rings, r.at = r.rings[1:], 0
		return
	}
	delete(d.found, v.State(id).Cycle) // an older cycle of the same node
	v.Edit(id).Cycle = d.last
	if v.Node(id).Key().Compare(v.Node(r.first).Key()) < 0 {
		r.first = id
	}
	if r.at++; r.at < len(members) {
		return
	}
	if d.found == nil {
		d.found = map[int32]cycle{}
	}
	d.count++
	d.found[d.last] = cycle{m.Stamps.Stamp(), r.first, members}
	if m.Foreign == nil || !m.Foreign(r.first) {
		d.Blocked(v, r.first, m.Now, m.Passed, out)
	}
	if !m.Fences {
		out.Do(effect.WakeFence)
	}
	r.rings, r.at = r.rings[1:], 0
}

// Confirmed returns the indexes of the references of a waiting node that stay inside of
// its cycle, if a fence has confirmed the cycle. The fences up to passed count.
func (d *Detector) Confirmed(v record.Nodes, id graph.NodeID, passed seq.Stamp) []int {
	c, ok := d.of(v, id)
	if !ok || passed <= c.seen {
		return nil
	}
	var in []int
	n, number := v.Node(id), v.State(id).Cycle
	for i := range n.Owners() {
		o := v.OwnerID(id, i)
		if o != id && n.OwnerAt(i).Block && v.State(o).Cycle == number {
			in = append(in, i)
		}
	}
	return in
}
