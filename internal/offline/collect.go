package offline

import (
	"context"
	"errors"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/explain"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/plan"
)

// Collect runs a collector on a store until do returns.
func Collect(ctx context.Context, store ownergraph.Store, cfg ownergraph.Config, do func(context.Context, *ownergraph.Collector) error) error {
	c, err := ownergraph.New(store, cfg)
	if err != nil {
		return err
	}
	running, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	ended := make(chan error, 1)
	go func() { ended <- c.Run(running) }()
	err = do(ctx, c)
	cancel()
	return errors.Join(err, <-ended)
}

// Observe runs a collector that only observes on a copy, and calls do when it is idle.
func (c *Content) Observe(ctx context.Context, do func(context.Context, *ownergraph.Collector) error) error {
	copied, err := c.Copy()
	if err != nil {
		return err
	}
	cfg := ownergraph.Config{ObserveOnly: true, Level: c.Level, Policies: c.Policies}
	return Collect(ctx, constrained{copied, c.Constraints}, cfg, func(ctx context.Context, of *ownergraph.Collector) error {
		if _, err := of.WaitIdle(ctx); err != nil {
			return err
		}
		return do(ctx, of)
	})
}

// Explain returns the explanations of the keys, in their order. They have no times: those of
// the copy say nothing about the store.
//
//test:by TestExplanationsHaveNoTimes
func (c *Content) Explain(ctx context.Context, keys ...graph.Key) (list []explain.Explanation, err error) {
	err = c.Observe(ctx, func(ctx context.Context, of *ownergraph.Collector) error {
		for _, k := range keys {
			x, err := of.Explain(ctx, k)
			if err != nil {
				return err
			}
			x = withoutTimes(x)
			c.rewordExplanation(&x)
			list = append(list, x)
		}
		return nil
	})
	return list, err
}

func withoutTimes(x explain.Explanation) explain.Explanation {
	x.Look, x.Changed = time.Time{}, time.Time{}
	for i := range x.Owners {
		x.Owners[i].At = time.Time{}
	}
	clearTimes(x.Wait)
	return x
}

func clearTimes(list []explain.Condition) {
	for i := range list {
		list[i].Since, list[i].Next = time.Time{}, time.Time{}
		clearTimes(list[i].For)
	}
}

// Plan returns the forecast of a request that has a target.
func (c *Content) Plan(ctx context.Context, cfg ownergraph.Config, req plan.Request) (plan.Plan, error) {
	one := c.withoutDuplicates()
	p, err := ownergraph.PlanDump(ctx, one.Dump(), cfg, req)
	c.rewordPlan(&p)
	return p, err
}

// PlanDue returns the forecast of the writes that are due, or of a request. A collector first
// decides about each object of a copy, so the plan has no object that several owners keep.
func (c *Content) PlanDue(ctx context.Context, req plan.Request) (p plan.Plan, err error) {
	err = c.Observe(ctx, func(ctx context.Context, of *ownergraph.Collector) error {
		p, err = of.Plan(ctx, req)
		return err
	})
	c.rewordPlan(&p)
	return p, err
}
