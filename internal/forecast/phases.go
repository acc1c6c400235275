package forecast

import (
	"slices"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/guard"
	"github.com/ownergraph/ownergraph/internal/core/excerpt"
	"github.com/ownergraph/ownergraph/internal/core/order"
	"github.com/ownergraph/ownergraph/plan"
)

// orderedParts is the question in which phases the parts of a copy are deleted.
type orderedParts struct {
	parts      []excerpt.Part
	dependents [][]int32 // by part
	members    [][]int32 // of the sweeps of a part, or nil
	guards     []guard.Guard
	roots      map[int32]int      // the guard of each ordered root, by part
	goes       func(i int32) bool // the deletion removes the part, or marks it
}

// partPhase is the phase of a part, from 1. It is 0 without one.
type partPhase struct {
	phase   int
	forward bool
}

// phasesOf returns the phase of each part. A part below several roots has the earliest one.
//
//test:by ownergraph.TestPlanPhases
func phasesOf(q orderedParts) []partPhase {
	out, own := make([]partPhase, len(q.parts)), make([]int, len(q.parts))
	for root, guard := range q.roots {
		below := q.below(root)
		phases := q.guards[guard].Phases
		mine, index := make([]int, len(below)), make(map[int32]int, len(below))
		for n, i := range below {
			mine[n], index[i] = order.PhaseOf(phases, q.parts[i].Object), n
		}
		owners, members := make([][]int, len(below)), make([][]int, len(below))
		for n, i := range below {
			for _, d := range q.dependents[i] {
				if at, ok := index[d]; ok {
					owners[at] = append(owners[at], n)
				}
			}
			for _, d := range q.membersOf(i) {
				if at, ok := index[d]; ok {
					members[n] = append(members[n], at)
				}
			}
		}
		for n, phase := range order.Derive(mine, owners, members) {
			i := below[n]
			if out[i].phase == 0 || phase+1 < out[i].phase {
				out[i].phase = phase + 1
			}
			if own[i] == 0 || mine[n]+1 < own[i] {
				own[i] = mine[n] + 1
			}
			out[i].forward = out[i].phase < own[i]
		}
	}
	return out
}

func (q *orderedParts) membersOf(i int32) []int32 {
	if q.members == nil {
		return nil
	}
	return q.members[i]
}

// below returns the parts below a root that go, sorted.
func (q *orderedParts) below(root int32) (out []int32) {
	seen, todo := map[int32]bool{root: true}, []int32{root}
	for len(todo) > 0 {
		i := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, d := range q.dependents[i] {
			if !seen[d] && q.parts[d].State == excerpt.Exists && q.goes(d) {
				seen[d] = true
				todo, out = append(todo, d), append(out, d)
			}
		}
	}
	slices.Sort(out)
	return out
}

// noteRoot notes a part that waits in the forecast and is an ordered root.
func (f *forecast) noteRoot(i int32, o *graph.Object) {
	if o.Propagation() != graph.Foreground || o.MarkWithheld() {
		return
	}
	if g := f.fork.OrderOf(o); g >= 0 {
		if f.ordered == nil {
			f.ordered = map[int32]int{}
		}
		f.ordered[i] = g
	}
}

// addPhases sets the phase of each object of a plan that has come to rest.
func (f *forecast) addPhases(objects []plan.Object) {
	if len(f.ordered) == 0 {
		return
	}
	phases := phasesOf(orderedParts{
		parts: f.Parts, dependents: f.links.dependents, members: f.links.sweeps, guards: f.cfg.Guards, roots: f.ordered,
		goes: func(i int32) bool {
			now, stays := f.store.At(f.Parts[i].Object.Key)
			return !stays || now.Deleting
		},
	})
	for n := range objects {
		if i, ok := f.links.index.Of(objects[n].Key); ok {
			objects[n].Phase, objects[n].Forward = phases[i].phase, phases[i].forward
		}
	}
}
