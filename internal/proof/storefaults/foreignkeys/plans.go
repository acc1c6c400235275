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

// forecast is the end that a plan has. The end of an open row may depend on the order of the writes (RULES, P3).
type forecast struct {
	end
	open set
}

// planned returns the end that the plan of the root's deletion forecasts. The plan changes nothing.
func planned(ctx context.Context, c *ownergraph.Collector, st store, keys []graph.Key, s schema, how graph.Propagation) (f forecast, err error) {
	p, err := c.Plan(ctx, plan.Request{Delete: []plan.Target{{Key: keys[0], Propagation: how}}})
	if err != nil {
		return f, err
	}
	after, err := endOf(ctx, st, keys, true)
	if err == nil && after != s.whole() {
		err = fmt.Errorf("the plan has changed the world: %s", after)
	}
	if err != nil {
		return f, err
	}
	return s.endOfPlan(p, keys)
}

// endOfPlan reads the end from a plan. A plan with a refusal of a guard goes on as if the guard passed, so
// the refusal counts. A plan that the store refuses may not remove a row.
func (s schema) endOfPlan(p plan.Plan, keys []graph.Key) (f forecast, err error) {
	f.end = s.whole()
	if f.refused = len(p.Refusals) > 0; !f.refused {
		f.refused = slices.ContainsFunc(p.Verdicts, func(v plan.Verdict) bool { return v.Refused() })
		if f.refused {
			return f, nil
		}
	}
	for i, key := range keys {
		o, ok := p.At(key)
		switch {
		case !ok:
			continue
		case o.Possible:
			f.open[i] = true
		case o.Outcome == plan.Removed:
			f.left[i], f.refs[i] = false, set{}
		}
	}
	for n := range p.Steps {
		step := &p.Steps[n]
		if i := slices.Index(keys, step.Key); i >= 0 && (step.Action == policy.Trim || step.Action == policy.Orphan) {
			for _, owner := range step.Owners {
				if to := slices.Index(keys, owner); to >= 0 {
					f.refs[i][to] = false
				}
			}
		}
	}
	if f.refused && f.end != s.whole() {
		return f, fmt.Errorf("the plan has a refusal, and changes the world: %s", f)
	}
	return f, nil
}

// judge compares a plan with the real end. Only a foreground deletion beside a ring of cascades may have open rows.
func (f forecast) judge(s schema, real end, foreground bool) error {
	if f.open != (set{}) && !(foreground && s.hasCascadeRing()) {
		return fmt.Errorf("the plan has several ends: %s, open: %v", f.end, f.open)
	}
	for i, open := range f.open {
		if open {
			f.left[i], f.refs[i] = real.left[i], real.refs[i]
		}
	}
	if f.end != real {
		return fmt.Errorf("planned %s, got %s", f.end, real)
	}
	return nil
}
