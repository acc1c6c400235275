package sweep

import (
	"fmt"
	"maps"
	"slices"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/inside"
)

// Check verifies the invariant of Sweeps.
func (sw *Sweeps) Check(v View) error {
	for id, o := range sw.known {
		if !v.Graph.Inside(inside.Key{}).InUse(id) || !v.Graph.Node(id).Object().Equal(o) {
			return fmt.Errorf("N8: holder %s is not as the graph shows it", o.Key)
		}
	}
	for name, ids := range sw.holders {
		for _, id := range ids {
			if o, ok := sw.known[id]; !ok || !slices.Contains(sw.names(name.plan, o), name) || o.Scope != name.scope || !sw.plans[name.plan].IsHolder(o) {
				return fmt.Errorf("N8: node %d is no holder %q", id, name.name)
			}
		}
	}
	for _, id := range sw.sorted() {
		if err := sw.checkRun(v, id, sw.runs[id]); err != nil {
			return err
		}
	}
	return nil
}

// checkRun counts the members of one run anew.
func (sw *Sweeps) checkRun(v View, of RunID, r *run) error {
	if sw.idOf(r) != of {
		return fmt.Errorf("N8: the sweep of %s is not found under its holder", r.holder.Key)
	}
	left, kinds, all, count := make([]int, len(r.left)), map[graph.Kind]int{}, 0, run{}
	for id, ms := range sw.members {
		for _, m := range ms {
			if m.run != of {
				continue
			}
			if !v.Graph.Inside(inside.Key{}).InUse(id) || v.Graph.Node(id).State() != graph.Observed || v.Graph.Node(id).Key().Kind != m.kind {
				return fmt.Errorf("N8: node %d is no member of %s", id, r.holder.Key)
			}
			left[m.phase]++
			all++
			kinds[m.kind]++
			count.countHeld(id, v.Held.StatusAt(id), 1)
		}
	}
	if !slices.Equal(left, r.left) || !maps.Equal(kinds, r.kinds) || count.held != r.held || count.blocked != r.blocked || all != r.members {
		return fmt.Errorf("N8: %s has %v, %v, %d held and %d blocked members, and counts %v, %v, %d and %d",
			r.holder.Key, left, kinds, count.held, count.blocked, r.left, r.kinds, r.held, r.blocked)
	}
	if sw.walked <= r.since {
		return nil
	}
	for id := range graph.NodeID(v.Graph.Inside(inside.Key{}).Cap()) { // every node has been asked
		if !v.Graph.Inside(inside.Key{}).InUse(id) || v.Graph.Node(id).State() != graph.Observed {
			continue
		}
		o := v.Graph.Node(id).Object()
		is := slices.ContainsFunc(sw.members[id], func(m membership) bool { return m.run == of })
		if want := sw.belongs(v, r, id, o); r.node != 0 && is != want && sw.plans[r.plan].IsHolder(r.holder) {
			return fmt.Errorf("N8: %s is counted as a member of %s: %t, want %t", o.Key, r.holder.Key, is, want)
		}
	}
	return nil
}

// belongs reports whether an object is a member of a run by its known claims.
func (sw *Sweeps) belongs(v View, r *run, id graph.NodeID, o graph.Object) bool {
	for claim := range sw.claims(v, r.plan, id, o, true) {
		if !claim.Shadow && sw.plans[r.plan].Names(r.holder, o, claim) {
			return true
		}
	}
	return false
}
