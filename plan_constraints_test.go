package ownergraph_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/plan"
)

// constrained is a store with rules of a database.
type constrained struct {
	*tap
	answer func(context.Context) ([]ownergraph.Constraint, error)
}

func (c constrained) Unwrap() ownergraph.Store { return c.tap }

func (c constrained) Constraints(ctx context.Context) ([]ownergraph.Constraint, error) {
	return c.answer(ctx)
}

// teamRule is a foreign key from the rows of objects b to the row of a.
func teamRule(effect graph.ConstraintEffect) ownergraph.Constraint {
	return ownergraph.Constraint{Table: "bs", Columns: []string{"a"}, Parent: "as", ParentColumns: []string{"id"}, OnDelete: "x", Effect: effect,
		OfObjects: true, Owners: []graph.Kind{"a"}, Dependents: []graph.Kind{"b"}}
}

// TestPlanConstraints: a plan names the constraints that its removals meet, for each propagation.
func TestPlanConstraints(t *testing.T) {
	const refers = ": bs.a refers to as.id (ON DELETE x)"
	const refuses = "no row that is still there refers to the row of the kind a (1 object), else the database refuses" + refers
	const weak = "only rows of dependents refer to the row of the kind a (1 object)" + refers
	const takes = "no row of a dependent that needs it goes with the row of the kind a (1 object)" + refers
	loose := func(c *ownergraph.Constraint) { c.OfObjects, c.Dependents = false, nil }
	unread := func(c *ownergraph.Constraint) { c.Unread, c.Owners, c.Dependents = true, nil, nil }
	for _, c := range []struct {
		objects string
		how     graph.Propagation
		effect  graph.ConstraintEffect
		edit    func(*ownergraph.Constraint)
		want    string
		reason  string
	}{
		{"a/s/a; b/s/b -> a/s/a!", graph.Background, graph.EffectRefuses, nil, refuses, "the owner goes first"},
		{"a/s/a; b/s/b -> a/s/a!", graph.Orphan, graph.EffectRefuses, nil, refuses, "the dependent stays"},
		{"a/s/a; b/s/b -> a/s/a!", graph.Foreground, graph.EffectRefuses, nil, weak, "the dependent goes first"},
		{"a/s/a; b/s/b -> a/s/a", graph.Foreground, graph.EffectRefuses, nil, refuses, "no deletion waits for the dependent"},
		{"a/s/a; c/s/c; b/s/b -> a/s/a!, c/s/c", graph.Foreground, graph.EffectRefuses, nil, refuses, "another owner keeps the dependent"},
		{"a/s/a", graph.Background, graph.EffectRefuses, nil, weak, "no dependent has a row"},
		{"a/s/a; c/s/c -> a/s/a", graph.Background, graph.EffectRefuses, nil, weak, "the dependent has no row in the table"},
		{"c/s/c; a/s/a -> c/s/c; b/s/b -> a/s/a", graph.Background, graph.EffectRefuses, nil, refuses, "the owner is below the target"},
		{"a/s/a", graph.Foreground, graph.EffectRefuses, loose, refuses, "rows of no objects stay in any order"},
		{"a/s/a; c/s/c -> a/s/a", graph.Background, graph.EffectRefuses, unread, refuses + "|" + strings.ReplaceAll(weak, "kind a", "kind c"), "any kind may have the rows"},
		{"a/s/a; b/s/b -> a/s/a!", graph.Background, graph.EffectPasses, nil, "", "the database clears the reference"},
		{"a/s/a; b/s/b -> a/s/a!", graph.Background, graph.EffectRemoves, nil, weak, "the dependent goes, too, and needs no row"},
		{"a/s/a; b/s/b[f] -> a/s/a!", graph.Background, graph.EffectRemoves, nil, takes, "its controller finds no row"},
		{"a/s/a; b/s/b -> a/s/a!", graph.Orphan, graph.EffectRemoves, nil, takes, "the dependent stays without its row"},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := newTap(t, c.objects)
			rule := teamRule(c.effect)
			if c.edit != nil {
				c.edit(&rule)
			}
			answer := func(context.Context) ([]ownergraph.Constraint, error) { return []ownergraph.Constraint{rule}, nil }
			r := collectOn(t, constrained{s, answer}, s, ownergraph.Config{ObserveOnly: true})
			r.idle()
			root, _, _ := strings.Cut(c.objects, ";")
			req := request(t, root, c.how)
			live, err := r.Plan(t.Context(), req)
			if err != nil {
				t.Fatal(err)
			}
			dump, err := ownergraph.PlanDump(t.Context(), ownergraph.Dump{Objects: s.Objects(), Constraints: []ownergraph.Constraint{rule}}, ownergraph.Config{}, req)
			if err != nil {
				t.Fatal(err)
			}
			for _, p := range []plan.Plan{live, dump} {
				if got := ruleTexts(p); got != c.want {
					t.Errorf("%s, %s: %q, want %q: %s", c.objects, c.how, got, c.want, c.reason)
				}
			}
		})
	}
}

// ruleTexts returns the assumptions of a plan about constraints.
func ruleTexts(p plan.Plan) string {
	var list []string
	for _, a := range p.Assumptions {
		if a.Type >= plan.RemovalsAllowed {
			list = append(list, a.String())
		}
	}
	return strings.Join(list, "|")
}

// TestPlanConstraintsUnread: a store that does not tell its constraints leaves the plan without
// them, and the plan says so.
func TestPlanConstraintsUnread(t *testing.T) {
	const head = "no foreign key of the database refuses, because its constraints could not be read: "
	for _, c := range []struct {
		answer       func(context.Context) ([]ownergraph.Constraint, error)
		want, reason string
	}{
		{func(context.Context) ([]ownergraph.Constraint, error) { return nil, errors.New("no right") }, head + "no right", "an error"},
		{func(context.Context) ([]ownergraph.Constraint, error) { panic("broken") }, head + "panic: broken", "a panic"},
		{func(ctx context.Context) ([]ownergraph.Constraint, error) { <-ctx.Done(); return nil, ctx.Err() }, head + context.DeadlineExceeded.Error(), "no answer in time"},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := newTap(t, "a; b -> a")
			r := collectOn(t, constrained{s, c.answer}, s, ownergraph.Config{ObserveOnly: true})
			r.idle()
			p, err := r.Plan(t.Context(), request(t, "a", graph.Background))
			if got := ruleTexts(p); err != nil || got != c.want {
				t.Errorf("%q, %v, want %q: %s", got, err, c.want, c.reason)
			}
			if !slices.ContainsFunc(p.Objects, func(o plan.Object) bool { return o.Outcome == plan.Removed }) {
				t.Errorf("the plan has no removal: %v", p)
			}
		})
	}
}
