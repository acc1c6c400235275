package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/plan"
	"github.com/ownergraph/ownergraph/policy"
)

// planned returns the end that the plan of the root's deletion forecasts. The plan changes nothing.
func planned(ctx context.Context, c *ownergraph.Collector, st store, keys []graph.Key, s schema) (e end, err error) {
	p, err := c.Plan(ctx, plan.Request{Delete: []plan.Target{{Key: keys[0], Propagation: graph.Background}}})
	if err != nil {
		return e, err
	}
	after, err := endOf(ctx, st, keys, true)
	if err == nil && after != s.whole() {
		err = fmt.Errorf("the plan has changed the world: %s", after)
	}
	if err != nil {
		return e, err
	}
	return s.endOfPlan(p, keys)
}

// endOfPlan reads the end from a plan. A plan with a refusal of a guard goes on as if the guard passed, so
// the refusal counts. A plan that the store refuses may not remove a row.
func (s schema) endOfPlan(p plan.Plan, keys []graph.Key) (e end, err error) {
	e = s.whole()
	if e.refused = len(p.Refusals) > 0; !e.refused {
		e.refused = slices.ContainsFunc(p.Verdicts, func(v plan.Verdict) bool { return v.Refused() })
		if e.refused {
			return e, nil
		}
	}
	for i, key := range keys {
		o, ok := p.At(key)
		switch {
		case !ok:
			continue
		case o.Possible:
			return e, fmt.Errorf("the plan has several ends for t%d", i)
		case o.Outcome == plan.Removed:
			e.left[i], e.refs[i] = false, set{}
		}
	}
	for n := range p.Steps {
		step := &p.Steps[n]
		if i := slices.Index(keys, step.Key); i >= 0 && (step.Action == policy.Trim || step.Action == policy.Orphan) {
			for _, owner := range step.Owners {
				if to := slices.Index(keys, owner); to >= 0 {
					e.refs[i][to] = false
				}
			}
		}
	}
	if e.refused && e != s.whole() {
		return e, fmt.Errorf("the plan has a refusal, and changes the world: %s", e)
	}
	return e, nil
}
