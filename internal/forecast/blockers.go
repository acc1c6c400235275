package forecast

import (
	"cmp"
	"slices"

	"github.com/ownergraph/ownergraph/graph"
)

// withoutBlocker returns the targets in the foreground that have dependents, and none that blocks. Such a
// target does not wait for its dependents.
//
//test:by ownergraph.TestPlanWithoutBlocker
func (f *forecast) withoutBlocker() (out []graph.Key) {
	for _, t := range f.req.Delete {
		i, ok := f.links.index.Of(t.Key)
		if !ok || f.waitsAnyway(i) {
			continue
		}
		o := &f.Parts[i].Object
		foreground := cmp.Or(t.Propagation, o.Propagation()) == graph.Foreground
		blocks := func(d int32) bool { return blocksEnd(&f.Parts[d].Object, o.Key) }
		if list := f.links.dependents[i]; foreground && len(list) > 0 && !slices.ContainsFunc(list, blocks) {
			out = append(out, o.Key)
		}
	}
	return out
}

// waitsAnyway reports whether a target waits for other objects than its blocking dependents: it is the
// root of an order in phases, a holder or a container.
func (f *forecast) waitsAnyway(i int32) bool {
	_, ordered := f.ordered[i]
	return ordered || f.links.sweeps != nil && len(f.links.sweeps[i]) > 0 || f.contents.Container(i).Members != graph.MembershipUnset
}

// blocksEnd reports whether a dependent holds the end of a foreground deletion of the owner: by a
// reference with its UID, whose coordinates match or are not resolved.
func blocksEnd(dependent *graph.Object, owner graph.Key) bool {
	return slices.ContainsFunc(dependent.Owners, func(r graph.Owner) bool {
		return r.Block && r.UID == owner.UID && (r.Unresolved || r.Key == owner)
	})
}
