package policy

import (
	"slices"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/inside"
)

// AddMoments sets Known, Mark, and the moments of the owners, of an observed node. The function known
// returns the moment at which the graph got the present version of a node, or its end. That is 0 for
// a phantom. It is pure, and may read a note of the node: see graph.Graph.SetNote. N is the node of
// FactsOf, and its graph has not changed since.
//
// A mark counts from the present version on. A caller who knows that the mark is older, without a
// gap, may set an earlier Mark afterwards. A mark that counts for no dependent has no moment.
//
//test:by TestAddMoments
func (in *Facts) AddMoments(n graph.Node, known func(graph.Node) Moment) {
	if in.Known = known(n); n.Waiting() || n.Orphaning() {
		in.Mark = in.Known
	}
	for i := range min(len(in.Owners), n.Owners()) {
		o, ok := OwnerOf(n, i)
		if !ok {
			continue
		}
		f := &in.Owners[i]
		if f.Changed = known(o); o.Waiting() || o.Orphaning() {
			f.Mark = f.Changed
		}
	}
}

// AddRing sets Ring for an object in a foreground deletion that waits for itself. The function known
// is that of AddMoments. The caller has set Fence. A fence confirms a ring if it began after the
// present version of every member was known. It reports whether a ring still waits for such a fence.
// Decide then returns Wait with NeedDependents, and the caller begins a fence. The work is that of
// graph.Graph.Rings, so an object without blocking dependents takes none.
//
//test:by TestAddRing
func (in *Facts) AddRing(n graph.Node, known func(graph.Node) Moment) (waits bool) {
	if in.Ring = nil; !n.Waiting() || in.Blocking == 0 {
		return false
	}
	for _, ring := range n.Inside(inside.Key{}).Graph().Rings() {
		if !slices.Contains(ring, n) {
			continue
		}
		for _, m := range ring {
			if known(m) >= max(in.Fence.Passed, in.Fence.Released) {
				return true
			}
		}
		in.Ring = referencesTo(n, ring)
	}
	return false
}

// referencesTo returns the indexes of the references of a member of a ring to its other members. An
// unresolved reference leads to the member with its UID.
func referencesTo(n graph.Node, ring []graph.Node) (indexes []int) {
	for i, o := range n.OwnerNodes() {
		claim := o.Inside(inside.Key{}).ByUID()
		if slices.ContainsFunc(ring, func(m graph.Node) bool {
			return m != n && (m == o || claim && m.Key().UID == o.Key().UID)
		}) {
			indexes = append(indexes, i)
		}
	}
	return indexes
}
