package live

import (
	"slices"

	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/policy"
)

// Unlisted are the kinds of dump.Content.Unlisted. A copy of the dump does not serve them, and
// the cluster may. So an answer about the dump calls them not listed.
type Unlisted []graph.KindInfo

// Has reports whether a kind is one of them.
func (u Unlisted) Has(k graph.Kind) bool {
	return slices.ContainsFunc(u, func(i graph.KindInfo) bool { return i.Kind == k })
}

// Doubt returns a doubt of the copy about one of an object's owners, in terms of the dump.
//
//test:by TestUnlistedDoubt
func (u Unlisted) Doubt(d graph.Doubt, owners []graph.Owner) graph.Doubt {
	about := func(o graph.Owner) bool {
		return d == graph.UnservedKind && !o.Unresolved || d == graph.UnresolvedScope && o.Unresolved
	}
	found := false
	for _, o := range owners {
		is := u.Has(o.Kind)
		if found = found || is && about(o); !is && o.Unresolved && about(o) {
			return d // another owner has this doubt, too
		}
	}
	if found {
		return graph.Unlisted
	}
	return d
}

// reword returns the held objects of the copy in terms of the dump. The objects are in order.
func (u Unlisted) reword(list []engine.Held, objects []graph.Object) []engine.Held {
	for i := range list {
		h := &list[i]
		if at, ok := slices.BinarySearchFunc(objects, h.Key, func(o graph.Object, k graph.Key) int { return o.Compare(k) }); ok && h.Reason == policy.OwnerUnknown {
			h.Doubt = u.Doubt(h.Doubt, objects[at].Owners)
		}
	}
	return list
}
