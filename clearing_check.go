package ownergraph

import (
	"fmt"
	"maps"
	"slices"

	"github.com/ownergraph/ownergraph/internal/core/observed"
)

// checkClearings verifies that the tables of sweeps are as the graph says.
func (e *Engine) checkClearings() error {
	c := &e.clear
	for id, o := range c.known {
		if !e.graph.InUse(id) || !e.graph.Node(id).Object().Equal(o) {
			return fmt.Errorf("E8: holder %s is not as the graph shows it", o.Key)
		}
	}
	for name, ids := range c.holders {
		for _, id := range ids {
			if o, ok := c.known[id]; !ok || !slices.Contains(c.names(name.plan, o), name) || o.Scope != name.scope || !c.plans[name.plan].IsHolder(o) {
				return fmt.Errorf("E8: node %d is no holder %q", id, name.name)
			}
		}
	}
	for _, id := range c.sorted() {
		if err := e.checkClearing(id, c.runs[id]); err != nil {
			return err
		}
	}
	return nil
}

// checkClearing counts the members of one sweep anew.
func (e *Engine) checkClearing(run runID, r *clearing) error {
	c := &e.clear
	if c.idOf(r) != run {
		return fmt.Errorf("E8: the sweep of %s is not found under its holder", r.holder.Key)
	}
	left, kinds, held, all := make([]int, len(r.left)), map[Kind]int{}, 0, 0
	for id, ms := range c.members {
		for _, m := range ms {
			if m.run != run {
				continue
			}
			if !e.graph.InUse(id) || e.graph.Node(id).State() != observed.Observed || e.graph.Node(id).Key().Kind != m.kind {
				return fmt.Errorf("E8: node %d is no member of %s", id, r.holder.Key)
			}
			left[m.phase]++
			all++
			kinds[m.kind]++
			if e.held.Has(id) {
				held++
			}
		}
	}
	if !slices.Equal(left, r.left) || !maps.Equal(kinds, r.kinds) || held != r.blocked || all != r.members {
		return fmt.Errorf("E8: %s has %v, %v and %d held members, and counts %v, %v and %d",
			r.holder.Key, left, kinds, held, r.left, r.kinds, r.blocked)
	}
	if c.walked <= r.turned {
		return nil
	}
	for id := range observed.NodeID(e.graph.Cap()) { // every node has been asked
		if !e.graph.InUse(id) || e.graph.Node(id).State() != observed.Observed {
			continue
		}
		o := e.graph.Node(id).Object()
		is := slices.ContainsFunc(c.members[id], func(m membership) bool { return m.run == run })
		if want := e.belongs(r, id, o); r.node != 0 && is != want && c.plans[r.plan].IsHolder(r.holder) {
			return fmt.Errorf("E8: %s is counted as a member of %s: %t, want %t", o.Key, r.holder.Key, is, want)
		}
	}
	return nil
}

// belongs reports whether an object is a member of a clearing, as far as is known.
func (e *Engine) belongs(r *clearing, id observed.NodeID, o Object) bool {
	for claim := range e.claims(r.plan, id, o, true) {
		if !claim.Shadow && e.clear.plans[r.plan].Holds(r.holder, o, claim) {
			return true
		}
	}
	return false
}
