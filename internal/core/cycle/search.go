package cycle

import (
	"slices"
	"time"

	"github.com/ownergraph/ownergraph/internal/core/effect"
	"github.com/ownergraph/ownergraph/internal/core/observed"
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
}

// Step begins a search that is due, or goes on with one over at most limit nodes and
// references.
func (d *Detector) Step(m Moment, limit int, out *effect.List) {
	if d.isDue(m.Now, m.Quiet) {
		d.begin(m.Nodes)
	}
	if d.search == nil || !d.search.Step(m.Nodes.Graph, limit) {
		return
	}
	found := d.search.Rings()
	d.search, d.searched = nil, nil
	for _, members := range found {
		d.keep(m, members, out)
	}
}

// begin begins a search with the suspects that still wait. The mark of a withheld node counts
// for no dependent, so no ring leads through it (RULES, G3).
func (d *Detector) begin(v record.Nodes) {
	d.searched = slices.DeleteFunc(d.suspects, func(id observed.NodeID) bool {
		if !v.InUse(id) {
			return true
		}
		v.Edit(id).Suspect = false
		return !v.Node(id).Waiting()
	})
	d.suspects = nil
	d.search = observed.NewRingSearch(d.searched)
	d.search.Skip = func(id observed.NodeID) bool { return v.State(id).Withheld }
}

// keep notes a found cycle. Its first member is decided when the fence has passed. One
// member suffices, because each unblocked reference changes the cycle.
func (d *Detector) keep(m Moment, members []observed.NodeID, out *effect.List) {
	if d.found == nil {
		d.found = map[int32]cycle{}
	}
	d.last++
	d.count++
	v, first := m.Nodes, members[0]
	for _, id := range members {
		delete(d.found, v.State(id).Cycle) // an older cycle of the same node
		v.Edit(id).Cycle = d.last
		if v.Node(id).Key().Compare(v.Node(first).Key()) < 0 {
			first = id
		}
	}
	d.found[d.last] = cycle{m.Stamps.Stamp(), first, members}
	d.Blocked(v, first, m.Now, m.Passed, out)
	if !m.Fences {
		out.Do(effect.WakeFence)
	}
}

// Confirmed returns the indexes of the references of a waiting node that stay inside of
// its cycle, if a fence has confirmed the cycle. The fences up to passed count.
func (d *Detector) Confirmed(v record.Nodes, id observed.NodeID, passed seq.Stamp) []int {
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
