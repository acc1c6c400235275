// Package grace finds the grace period that a delete of a foreground cascade carries (RULES, E6). It
// reads the graph, and changes nothing.
package grace

import (
	"fmt"
	"slices"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/reads"
	"github.com/ownergraph/ownergraph/internal/core/record"
	"github.com/ownergraph/ownergraph/policy"
)

// Periods has the kinds whose objects have grace periods. The zero value has none, and carries
// nothing. It is safe for concurrent use.
type Periods struct{ kinds []graph.Kind }

// New returns the periods of the kinds. An error wraps graph.ErrInvalid and names the field.
//
//test:by TestNew
func New(kinds []graph.Kind) (Periods, error) {
	kinds = slices.Clone(kinds)
	slices.Sort(kinds)
	for i, k := range kinds {
		switch {
		case k == "":
			return Periods{}, fmt.Errorf("configure engine: PropagateGrace: an empty kind: %w", graph.ErrInvalid)
		case i > 0 && k == kinds[i-1]:
			return Periods{}, fmt.Errorf("configure engine: PropagateGrace: kind %q twice: %w", k, graph.ErrInvalid)
		}
	}
	return Periods{kinds}, nil
}

// Any reports whether there is such a kind.
func (p Periods) Any() bool { return len(p.kinds) > 0 }

// Has reports whether objects of the kind have grace periods.
func (p Periods) Has(k graph.Kind) bool {
	_, ok := slices.BinarySearch(p.kinds, k)
	return ok
}

// maxOwners bounds the waiting owners above one object that count. The nearest ones count.
const maxOwners = 1024

// Carry adds the period that a delete of an object carries to its decision. The facts are those of
// the decision. A decision keeps a period that it has, as that of a sweep's phase. The work is in
// proportion to the waiting owners above the object, and bounded. The graph may not show yet that an
// owner waits, which a read has shown. Then the period is that of the read.
//
//test:by TestCarry TestOf TestOfRandom TestCarryOfRead
func (p Periods) Carry(v record.Nodes, r *reads.Machine, id graph.NodeID, in *policy.Facts, d *policy.Decision) {
	if d.Action != policy.Delete || d.GraceSeconds != nil || in.Deleting || !p.Has(v.Node(id).Kind()) {
		return
	}
	w := walk{periods: p, nodes: v, seen: map[graph.NodeID]bool{id: true}}
	for i := range in.Owners { // one for each reference of the node
		switch owner := v.OwnerID(id, i); {
		case !decides(in, d, i):
		case in.Owners[i].Read == policy.ReadWaiting:
			w.addRead(owner, r)
		default:
			w.add(owner)
		}
	}
	if seconds := w.shortest(); seconds > 0 {
		d.GraceSeconds, d.GraceAtMost = &seconds, true
	}
}

// decides reports whether the delete rests on the waiting owner of a reference.
func decides(in *policy.Facts, d *policy.Decision, i int) bool {
	switch d.Reason {
	case policy.CascadeOwnerWaits:
		return slices.Contains(d.Owners, i)
	case policy.OwnersWaiting:
		return in.Owners[i].OnDelete == graph.OnDeleteUnset
	}
	return false
}

// walk visits the waiting owners above an object, each once.
type walk struct {
	periods Periods
	nodes   record.Nodes
	seen    map[graph.NodeID]bool
	queue   []graph.NodeID
	read    map[graph.NodeID]int64 // the periods that reads have shown, and the graph has not
}

// add adds an owner that waits, if its mark counts.
func (w *walk) add(id graph.NodeID) {
	if id == 0 || w.seen[id] {
		return
	}
	w.seen[id] = true
	n, s := w.nodes.Node(id), record.State{}
	if n.Waiting() && !n.Restricted() && !w.nodes.Peek(id, &s).Withheld {
		w.queue = append(w.queue, id)
	}
}

// addRead adds an owner of the object that waits by its last read. Where the graph shows that too, the
// period is that of the graph.
func (w *walk) addRead(id graph.NodeID, r *reads.Machine) {
	x, ok := r.Result(id)
	if !ok || w.seen[id] || w.nodes.Node(id).Waiting() {
		w.add(id)
		return
	}
	if w.read == nil {
		w.read = map[graph.NodeID]int64{}
	}
	w.seen[id], w.read[id] = true, x.Grace
	w.queue = append(w.queue, id)
}

// period returns the grace period of an owner that waits.
func (w *walk) period(n graph.Node) int64 {
	if s, ok := w.read[n.ID()]; ok {
		return s
	}
	return n.Object().GraceSeconds
}

// shortest returns the shortest period of the owners of named kinds, 0 for none.
func (w *walk) shortest() (seconds int64) {
	for i := 0; i < min(len(w.queue), maxOwners); i++ {
		n := w.nodes.Node(w.queue[i])
		if w.periods.Has(n.Kind()) {
			if own := w.period(n); own > 0 && (seconds == 0 || own < seconds) {
				seconds = own
			}
		}
		for at := range n.Owners() {
			w.add(w.nodes.OwnerID(n.ID(), at))
		}
	}
	return seconds
}
