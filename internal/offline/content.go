package offline

import (
	"cmp"
	"context"
	"slices"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/live"
)

// Content is a part of a store as data. It is a value, and no function changes its slices
// or its map.
type Content struct {
	Kinds   []graph.KindInfo
	Objects []graph.Object
	// Partial are the kinds of which objects may be missing, with the reason. An owner of
	// such a kind that is not among the objects is unknown.
	Partial map[graph.Kind]string
	// Unlisted are kinds that are not among Kinds, and that the store may serve. Every other
	// kind that is not among Kinds is not served.
	Unlisted live.Unlisted
	Level    ownergraph.Level
	// Constraints are the rules of the store's database.
	Constraints []graph.Constraint
	// Policies lets the policies of references act, as ownergraph.Config.Policies does.
	Policies bool
}

// Dump returns the content for ownergraph.PlanDump.
func (c *Content) Dump() ownergraph.Dump {
	d := ownergraph.Dump{Kinds: c.Kinds, Objects: c.Objects, Level: c.Level, Constraints: c.Constraints}
	for _, k := range c.Kinds {
		if _, is := c.Partial[k.Kind]; is {
			d.Partial = append(d.Partial, k.Kind)
		}
	}
	return d
}

const sharedUID = "an object of the kind has the UID of another one, and the copy has one of them"

// withoutDuplicates returns a content in which each UID is there once. A server may serve one
// object under two kinds, and no memory store takes that. The kind of an object that is left
// out becomes partial.
//
//test:by TestDuplicateUIDs
func (c Content) withoutDuplicates() Content {
	seen := make(map[graph.UID]graph.Kind, len(c.Objects))
	twice := false
	for i := range c.Objects {
		o := &c.Objects[i]
		before, is := seen[o.UID]
		twice = twice || is && o.UID != ""
		if !is || o.Kind < before {
			seen[o.UID] = o.Kind
		}
	}
	if !twice {
		return c
	}
	objects := slices.Clone(c.Objects)
	slices.SortStableFunc(objects, func(a, b graph.Object) int { return cmp.Compare(a.Kind, b.Kind) })
	partial := make(map[graph.Kind]string, len(c.Partial)+1)
	for k, why := range c.Partial {
		partial[k] = why
	}
	clear(seen)
	c.Objects = slices.DeleteFunc(objects, func(o graph.Object) bool {
		if _, is := seen[o.UID]; is && o.UID != "" {
			partial[o.Kind] = cmp.Or(partial[o.Kind], sharedUID)
			return true
		}
		seen[o.UID] = o.Kind
		return false
	})
	c.Partial = partial
	return c
}

// constrained is a copy of a store with the rules of the store's database.
type constrained struct {
	ownergraph.Store
	list []graph.Constraint
}

// Unwrap returns the copy, which has the other powers.
func (c constrained) Unwrap() ownergraph.Store { return c.Store }

// Constraints returns the rules.
func (c constrained) Constraints(context.Context) ([]graph.Constraint, error) { return c.list, nil }
