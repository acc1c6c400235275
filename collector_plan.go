package ownergraph

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/internal/core/seed"
	"github.com/ownergraph/ownergraph/internal/draft"
	"github.com/ownergraph/ownergraph/internal/forecast"
	"github.com/ownergraph/ownergraph/internal/run"
	"github.com/ownergraph/ownergraph/internal/spell"
	"github.com/ownergraph/ownergraph/plan"
)

// Plan returns the forecast of the deletions of a request, or of the writes that are due
// without any. It writes nothing, and asks nothing of the store but its constraints, if the store
// is a Constrainer (RULES, P1). Without an answer in Config.CallTimeout the plan says so. The engine
// copies the affected objects in steps of a fraction of a millisecond, and goes on in
// between. Then a fork of it runs on the copy, on the goroutine of the caller. The caller
// owns the plan.
//
// The cost is in proportion to the affected objects and their references: the targets, all
// objects below them, and the owners of these. The search for a target
// without a UID looks at each object. So does a request without a target, and a Config with sweeps.
//
// Plan works while Run runs, also with Config.ObserveOnly: it forecasts as if the collector
// wrote. Call Synced before it, because a kind that is not listed holds objects. The error
// wraps ErrNotFound for a target that the collector has not observed, ErrInvalid for a
// wrong request or one of more than 10,000 targets, ErrKindUnknown before the collector
// knows a kind, ErrClosed after its end, and the cause of a context that ends. It wraps
// plan.ErrBound if the fork makes more calls than its objects and references explain.
//
// The plan does not have what the collector does anyway outside of the affected objects. So
// it leaves out the sweeps of holders that are gone, except for their effects on these.
//
//test:by internal/proof/properties.TestPlanIsTheRun
//test:by internal/proof/properties.TestPlanOfRandomWorlds internal/proof/e2e.TestPlansOfNamespaces
//test:by TestPlanAsksNothing TestPlanGoesOn TestPlanErrors internal/forecast.TestPlanBound TestPlanLabels
//test:by TestPlanLevel1 TestPlanManyTargets TestPlanTooEarly TestPlanConstraints
func (c *Collector) Plan(ctx context.Context, req plan.Request) (plan.Plan, error) {
	p, _, err := c.plan(ctx, req)
	return p, err
}

// plan is Plan, and returns the targets as they were, in their order.
func (c *Collector) plan(ctx context.Context, req plan.Request) (plan.Plan, []Object, error) {
	req, err := draft.CheckRequest(ctx, req)
	if err != nil {
		return plan.Plan{}, nil, err
	}
	copied, facts, err := c.copyFor(ctx, seed.New(req, 0))
	if err != nil {
		return plan.Plan{}, nil, err
	}
	if rules, ok := As[Constrainer](c.store); ok {
		facts.Constraints, facts.Unconstrained = run.ReadConstraints(ctx, rules, c.cfg.CallTimeout)
	}
	return forecast.Plan(ctx, c.engine.Settings(), copied, facts)
}

// copyFor copies the state that the request can affect, slice by slice.
func (c *Collector) copyFor(ctx context.Context, p *seed.Copy) (_ *seed.Copy, facts seed.Seed, err error) {
	if c.over() {
		return nil, facts, ErrClosed
	}
	c.locked(func(e engine.Driver, _ time.Time) { p.Restart(e.Seed()) })
	defer c.locked(func(e engine.Driver, _ time.Time) { p.Close(e.Seed()) })
	for done := false; !done && err == nil; {
		if ctx.Err() != nil {
			return nil, facts, fmt.Errorf("plan: %w", context.Cause(ctx))
		}
		c.locked(func(e engine.Driver, at time.Time) {
			if err = e.Err(); err == nil {
				done, facts, err = stepCopy(e, at, p)
			}
		})
	}
	return p, facts, err
}

// stepCopy does a slice of a copy under the engine's lock, and returns the seed at the end.
func stepCopy(e engine.Driver, at time.Time, p *seed.Copy) (done bool, facts seed.Seed, err error) {
	defer run.CatchFunction(&err, "plan")
	v := e.Seed()
	if done, err = p.Step(v); done {
		facts = p.Seed(v, e.SeedRest(at))
	}
	return done, facts, err
}

// PlanStore returns the forecast for a store without a running collector. It observes the
// store until every kind is listed, plans as Collector.Plan does, and ends. It writes
// nothing. The error names the kinds that are not listed when ctx ends. The other errors are
// those of Collector.Plan.
//
//test:by TestPlanStore
func PlanStore(ctx context.Context, store Store, cfg Config, req plan.Request) (plan.Plan, error) {
	if ctx == nil {
		return plan.Plan{}, draft.ErrNoContext
	}
	cfg.ObserveOnly, cfg.Record = true, ""
	c, err := New(store, cfg)
	if err != nil {
		return plan.Plan{}, err
	}
	running, stop := context.WithCancel(ctx)
	var work errgroup.Group
	work.Go(func() error { return c.Run(running) })
	p, err := planSynced(ctx, c, req)
	stop()
	return p, errors.Join(err, work.Wait())
}

func planSynced(ctx context.Context, c *Collector, req plan.Request) (plan.Plan, error) {
	if err := c.Synced(ctx); err != nil {
		return plan.Plan{}, fmt.Errorf("plan: %w", err)
	}
	return c.Plan(ctx, req)
}

// DeletePlanned carries out the deletions of a plan (RULES, P5). It waits for a fence that
// begins after the call, plans again, and compares. Then it deletes each target under its
// UID and version. The collector's Run does the rest of the cascade, so DeletePlanned does
// not wait for it.
//
// With Request.RefuseProtected it deletes nothing either if a target is protected, or if a
// protected object would stay. The error wraps plan.ErrProtected and names the first of them. The
// call waits until the store has told whether labels protect the targets.
//
// It deletes nothing if a guard selects an unmarked target that lacks a finalizer of guards. The
// error wraps plan.ErrChanged, and names the target and the finalizer. The engine puts both on as
// soon as it can, and [Collector.Held] says what keeps it from that.
//
// If the plans differ it deletes nothing, and the error is a *plan.ChangedError that wraps
// plan.ErrChanged and names the differences. A target that is gone is a difference, and the
// error then wraps ErrNotFound, too. It plans again if a target changes in between
// without a change of the plan, at most 8 times. If the store fails the delete of one of
// several targets, the error names the targets that were not sent. What others commit
// between the fence and the deletion mark is not covered.
//
// The error wraps ErrInvalid for a plan that deletes nothing, and for one of which this
// store has no object: it is of another store, or too old. It wraps plan.ErrBound as that of
// Collector.Plan does.
//
//test:by TestDeletePlanned TestDeletePlannedChanged TestDeletePlannedGone TestDeletePlannedForeign
//test:by TestDeletePlannedProtected TestDeletePlannedProtectedTarget TestDeletePlannedUnguarded
func (c *Collector) DeletePlanned(ctx context.Context, p plan.Plan) error {
	if ctx == nil {
		return draft.ErrNoContext
	}
	if len(p.Request.Delete) == 0 {
		return fmt.Errorf("delete planned: Request.Delete: empty: %w", ErrInvalid)
	}
	sent := 0
	for try := 0; ; try++ {
		targets, err := c.planAgain(ctx, p)
		if err != nil {
			return err
		}
		for ; sent < len(targets); sent++ {
			if err = c.deleteTarget(ctx, targets[sent], DeleteOptions{Propagation: p.Request.Delete[sent].Propagation}); err != nil {
				break
			}
		}
		switch {
		case err == nil:
			return nil
		case sent > 0 || !errors.Is(err, ErrConflict) || try == maxPlanTries:
			return fmt.Errorf("delete planned: %w%s", err, notSent(targets[sent:]))
		}
	}
}

// maxPlanTries bounds the plans of one DeletePlanned after the first.
const maxPlanTries = 8

// planAgain plans behind a fence, and returns the targets if the plan is the same.
func (c *Collector) planAgain(ctx context.Context, p plan.Plan) ([]Object, error) {
	req := p.Request
	if req.RefuseProtected {
		req.Limit = 0 // a limit leaves out protected objects
		if err := c.knowTargets(ctx, &req); err != nil {
			return nil, fmt.Errorf("delete planned: %w", err)
		}
	}
	if err := c.passFence(ctx); err != nil {
		return nil, fmt.Errorf("delete planned: %w", err)
	}
	now, targets, err := c.plan(ctx, req)
	known := func(o plan.Object) bool { return c.isObserved(o.Key) }
	if errors.Is(err, ErrNotFound) && !slices.ContainsFunc(p.Objects[:min(len(p.Objects), 1000)], known) {
		return nil, fmt.Errorf("delete planned: no object of the plan exists (%s): it is of another store, or too old: %w", spell.Counted(len(p.Objects), "object", "objects"), ErrInvalid)
	}
	if errors.Is(err, ErrNotFound) {
		err = c.goneTargets(p, err)
	}
	if err != nil {
		return nil, fmt.Errorf("delete planned: %w", err)
	}
	if err = plan.Compare(p, now); err == nil {
		err = c.allowTargets(&now, targets)
	}
	if err != nil {
		return nil, fmt.Errorf("delete planned: %w", err)
	}
	return targets, nil
}

// goneTargets adds to an error that the targets which do not exist are a change of the plan.
func (c *Collector) goneTargets(p plan.Plan, err error) error {
	gone := &plan.ChangedError{}
	for _, t := range slices.SortedFunc(slices.Values(p.Request.Delete), func(a, b plan.Target) int { return a.Key.Compare(b.Key) }) {
		if !c.isObserved(t.Key) {
			gone.Differences = append(gone.Differences, plan.Difference{Key: t.Key, Want: "a target"})
		}
	}
	if n := len(gone.Differences); n == 0 {
		return err
	} else if n > run.MaxNames {
		gone.Differences, gone.More = gone.Differences[:run.MaxNames], n-run.MaxNames
	}
	return fmt.Errorf("%w: %w", gone, err)
}

func (c *Collector) isObserved(k Key) (yes bool) {
	c.locked(func(e engine.Driver, _ time.Time) { yes = e.IsObserved(k) })
	return yes
}

func (c *Collector) deleteTarget(ctx context.Context, o Object, opts DeleteOptions) error {
	ctx, end := context.WithTimeout(ctx, c.cfg.CallTimeout)
	defer end()
	opts.Precondition = Precondition{UID: o.UID, Version: o.Version}
	return c.store.Delete(ctx, o.Key, opts)
}

// notSent names the targets after a failed one.
func notSent(left []Object) string {
	if len(left) < 2 {
		return ""
	}
	var names []string
	for _, o := range left[1:] {
		names = append(names, o.Key.String())
	}
	return "; not sent: " + run.FirstNames(names, len(names))
}

// passFence waits for a fence that begins after the call, on a store of level 2. The error of
// a context that ends names the kinds that have not passed it.
func (c *Collector) passFence(ctx context.Context) error {
	err := c.waitObserved(ctx)
	if err == nil || errors.Is(err, ErrClosed) {
		return err
	}
	var why []string
	c.locked(func(_ engine.Driver, now time.Time) { why = c.waitsFor(now) })
	return fmt.Errorf("wait for a fence: %s: %w", cmp.Or(strings.Join(why, ", "), "not begun"), err)
}
