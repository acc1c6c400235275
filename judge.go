package ownergraph

import (
	"context"

	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/internal/core/seed"
	"github.com/ownergraph/ownergraph/internal/forecast"
	"github.com/ownergraph/ownergraph/internal/inside"
	"github.com/ownergraph/ownergraph/plan"
)

// Judge returns the verdict that a CallJudge of an engine asks for. It plans the cascade of the guarded
// root on a copy of the engine's state, as if the guard had passed (RULES, G2). It changes nothing,
// and makes no call. A Collector does the same in steps. Judge is for the goroutine that owns the
// engine.
//
// An error wraps ErrNotFound for a root that is not observed, and ErrInvalid for another call
// or a root without a guard. It wraps plan.ErrBound if the fork makes more calls than its objects
// and references explain. Another error says that the plan lacks labels. Pass the last two to
// Done: the engine selects the labels and asks again. With a bound the root stays held, and Held
// and Explain have the error.
//
//test:by TestJudgeErrors internal/forecast.TestJudgeBound TestGuardedHolderByLabel
func Judge(ctx context.Context, e *engine.Engine, c engine.Call) (plan.Verdict, error) {
	return forecast.Judge(ctx, e.Inside(inside.Key{}).Driver(), &c)
}

// judge returns the verdict that a CallJudge asks for, in steps.
func (c *Collector) judge(ctx context.Context, root Key) (plan.Verdict, error) {
	p, facts, err := c.copyFor(ctx, seed.New(plan.Request{Delete: []plan.Target{{Key: root}}}, 0))
	if err != nil {
		return plan.Verdict{}, err
	}
	return forecast.Verdict(ctx, c.engine.Settings(), p, facts)
}
