package sim

import (
	"math/rand/v2"
	"slices"

	"github.com/ownergraph/ownergraph/finalizer"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/proof/oracle"
)

// noEngine is the number of no engine.
const noEngine = -1

// drawPolicies draws the engine for which policies do not act. In most worlds there is none. It is not
// the first of several, because that one always writes. An engine with a share holds the objects of its
// share that have a policy, so that no engine goes on with them.
func (o *options) drawPolicies() {
	r := rand.New(rand.NewPCG(o.seed, 0xed6f))
	o.unpolicied = noEngine
	if r.IntN(4) == 0 && !o.has(shares) {
		o.unpolicied = min(o.engines-1, 1)
	}
}

// policied reports whether the policies of references act for an engine.
func (o options) policied(side int) bool { return o.has(policies) && side != o.unpolicied }

// policy draws the policy of a reference. A few have one that no engine knows.
func (o options) policy(r *rand.Rand) graph.OnDelete {
	const unknown = graph.OnDeleteCascade + 6
	all := []graph.OnDelete{
		graph.OnDeleteUnset, graph.OnDeleteUnset, graph.OnDeleteUnset, graph.OnDeleteRelease, graph.OnDeleteRelease,
		graph.OnDeleteRestrict, graph.OnDeleteCascade, graph.OnDeleteCascade,
	}
	if r.IntN(100) == 0 {
		return unknown
	}
	return all[r.IntN(len(all))]
}

// repolicy draws a new policy of a reference.
func (s *sim) repolicy(objects []graph.Object) (step, bool) {
	o := objects[s.rng.IntN(len(objects))]
	if len(o.Owners) == 0 {
		return step{}, false
	}
	r := graph.Owner{Key: o.Owners[s.rng.IntN(len(o.Owners))].Key, OnDelete: s.o.policy(s.rng)}
	return step{op: opUser, action: &oracle.Action{Verb: oracle.Repolicy, Object: graph.Object{Key: o.Key, Owners: []graph.Owner{r}}}}, true
}

// policiesDiffer reports whether policies act for some engines and not for others.
func (s *sim) policiesDiffer() bool {
	return s.o.has(policies) && s.o.engines > 1 && s.o.unpolicied != noEngine
}

// restricted reports whether a store of level 3 refuses the deletion of a target.
func (c *comparison) restricted() bool {
	return c.s.w.Strict && slices.ContainsFunc(c.before, func(o graph.Object) bool {
		p, planned := c.plan.At(o.Key)
		return planned && p.Root && c.s.w.Refuses(oracle.Action{Verb: oracle.Background, Object: graph.Object{Key: o.Key}})
	})
}

// withholdsMark reports whether another object restricts a marked holder. With every propagation its mark
// counts for no member then.
func (s *sim) withholdsMark() bool {
	return slices.ContainsFunc(s.w.Store.Objects(), func(o graph.Object) bool {
		return s.o.has(policies) && o.Deleting && s.sweeps.IsHolder(o) && s.restricts(o)
	})
}

// restricts reports whether another object restricts this one.
func (s *sim) restricts(o graph.Object) bool {
	return slices.ContainsFunc(s.w.Store.Objects(), func(d graph.Object) bool { return finalizer.Restricts(d, o) })
}

// unrestrict drops every restrict reference, so that users can delete every object.
func (s *sim) unrestrict() {
	for _, o := range slices.Clone(s.w.Store.Objects()) {
		for _, r := range o.Owners {
			if r.OnDelete == graph.OnDeleteRestrict {
				s.w.Do(oracle.Action{Verb: oracle.DropRef, Object: graph.Object{Key: o.Key, Owners: []graph.Owner{{Key: r.Key}}}})
			}
		}
	}
}
