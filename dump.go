package ownergraph

import (
	"context"
	"fmt"
	"time"

	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/internal/draft"
	"github.com/ownergraph/ownergraph/internal/forecast"
	"github.com/ownergraph/ownergraph/internal/inside"
	"github.com/ownergraph/ownergraph/internal/run"
	"github.com/ownergraph/ownergraph/plan"
)

// Dump is the content of a store as data, such as the output of a backup. It is a value.
type Dump struct {
	// Kinds are the kinds that the store serves.
	Kinds []KindInfo
	// Partial names those of the kinds of which the dump may lack objects. An owner of such a kind
	// that the dump does not have is unknown. Every other kind is there in full.
	Partial []Kind
	// Objects are the objects, in any order. Objects of kinds that are not in Kinds add
	// the kind, which is scoped if the object has a scope.
	Objects []Object
	// Level is the level of the store. LevelUnset stands for Level2.
	Level Level
	// Constraints are the rules of the store's database (Constrainer). Nil: none are known.
	Constraints []Constraint
}

// PlanDump returns the forecast for objects that are given as data. The result is that of
// Collector.Plan for a store with this content, and so are the errors. The error wraps ErrInvalid,
// and names the object or the field, if no store could have the content.
// The panic of a function of cfg is an error that names the function, as in each plan.
//
//test:by TestPlanDump TestPlanFailing internal/draft.TestCheckDump
func PlanDump(ctx context.Context, d Dump, cfg Config, req plan.Request) (out plan.Plan, err error) {
	defer run.CatchFunction(&err, "plan")
	req, err = draft.CheckRequest(ctx, req)
	if err != nil {
		return plan.Plan{}, err
	}
	if err := draft.CheckDump(d.Kinds, d.Partial, d.Objects); err != nil {
		return plan.Plan{}, fmt.Errorf("plan: %w", err)
	}
	if d.Level == LevelUnset {
		d.Level = Level2
	}
	cfg.CompareVersions, cfg.OnDecision, cfg.ObserveOnly = nil, nil, true
	in, err := engine.New(d.Level, cfg)
	if err != nil {
		return plan.Plan{}, fmt.Errorf("plan: %w", err)
	}
	e := in.Inside(inside.Key{}).Driver()
	now := time.Time{}.AddDate(100, 0, 0) // any time serves
	if err := in.Inside(inside.Key{}).ObserveAll(now, draft.DumpEvents(d.Kinds, d.Partial, d.Objects)); err != nil {
		return plan.Plan{}, fmt.Errorf("plan: %w", err)
	}
	for more := true; more && !e.IsPruned(); { // a kind is listed once its pruning is over
		var c engine.Call
		more, _ = e.NextInto(now, engine.LaneHandler, &c)
	}
	out, err = forecast.PlanAtOnce(ctx, e, now, req, d.Constraints)
	out.Busy = false // nothing works on a dump
	return out, err
}
