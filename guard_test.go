package ownergraph_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/guard"
	"github.com/ownergraph/ownergraph/plan"
	"github.com/ownergraph/ownergraph/policy"
)

// The finalizers of a guarded root, as the notation prints them.
const (
	heldBy  = graph.FinalizerHold
	guarded = graph.FinalizerHold + "," + graph.FinalizerNew
)

// protecting returns a config with one rule of protection.
func protecting(p guard.Protection) ownergraph.Config {
	return ownergraph.Config{Protect: []guard.Protection{p}}
}

// guarding returns a config with one guard.
func guarding(g guard.Guard) ownergraph.Config {
	return ownergraph.Config{Guards: []guard.Guard{g}}
}

// TestProtectedStays: a protected object stays with its dependents, and all others go (RULES,
// G1).
func TestProtectedStays(t *testing.T) {
	named := func(o graph.Object) bool { return o.Name == "b" }
	for _, c := range []struct {
		rule   guard.Protection
		start  string
		want   string // the cause
		reason string
	}{
		{guard.Protection{Names: []string{"b"}}, "k/a; k/b -> k/a; k/c -> k/b; k/d -> k/a", "by Protect[0]", "by name"},
		{guard.Protection{Name: "backups", Kinds: []graph.Kind{"l"}}, "k/a; l/b -> k/a; m/c -> l/b; k/d -> k/a", "by backups", "by kind"},
		{guard.Protection{Scopes: []string{"s"}, Where: named}, "k/s/a; k/s/b -> k/s/a; k/s/c -> k/s/b; k/s/d -> k/s/a", "by Protect[0]", "by scope and function"},
		{guard.Protection{Names: []string{"x"}}, "k/a; k/b[" + graph.FinalizerProtect + "] -> k/a; k/c -> k/b; k/d -> k/a", "by " + graph.FinalizerProtect, "by its own mark"},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := newTap(t, c.start)
			r := collect(t, s, protecting(c.rule))
			r.idle()
			parts := strings.Split(c.start, "; ")
			s.delete(t, parts[0], graph.Background)
			held := r.idle()
			if len(held) != 1 || held[0].Reason != policy.Protected || fmt.Sprint(held[0].Detail) != "["+c.want+"]" {
				t.Errorf("held: %v, want one object %q: %s", held, c.want, c.reason)
			}
			s.contains(t, strings.Join(parts[1:3], "; "))
		})
	}
}

// TestVerdict: a guard judges the whole cascade before the first delete, and the verdict is a
// write to the root (RULES, G2). A root that passes goes as it would without a guard (G8).
func TestVerdict(t *testing.T) {
	one, many := 1, 9
	protect := []guard.Protection{{Names: []string{"c"}}}
	for _, c := range []struct {
		guard  guard.Guard
		by     graph.Propagation
		want   string
		reason string
	}{
		{guard.Guard{Above: &many}, graph.Background, "c -> b", "three objects are few, and the rule keeps c"},
		{guard.Guard{Above: &many}, graph.Foreground, "c -> b", "the same in the foreground"},
		{guard.Guard{Above: &many}, graph.Orphan, "b; c -> b; d", "an orphan deletion ends the root alone"},
		{guard.Guard{Above: &one}, graph.Background, "a~[" + heldBy + "]; b -> a; c -> b; d -> a", "more than one object ends"},
		{guard.Guard{Above: &one}, graph.Foreground, "a~[" + heldBy + ",foreground]; b -> a; c -> b; d -> a", "more than one object ends"},
		{guard.Guard{Above: &one}, graph.Orphan, "b; c -> b; d", "none ends"},
		{guard.Guard{Protected: true}, graph.Background, "a~[" + heldBy + "]; b -> a; c -> b; d -> a", "c is protected"},
		{guard.Guard{Protected: true}, graph.Orphan, "b; c -> b; d", "c stays owned by b"},
		{guard.Guard{Always: true}, graph.Orphan, "a~[" + heldBy + ",orphan]; b -> a; c -> b; d -> a", "every deletion"},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := newTap(t, "a; b -> a; c -> b; d -> a")
			c.guard.Names = []string{"a"}
			cfg := guarding(c.guard)
			cfg.Protect = protect
			r := collect(t, s, cfg)
			r.idle()
			s.contains(t, "a["+guarded+"]; b -> a; c -> b; d -> a")
			s.delete(t, "a", c.by)
			r.idle()
			if c.want == "c -> b" {
				s.contains(t, c.want)
				return
			}
			s.contains(t, c.want)
			deletes := s.count("delete")
			r.idle()
			pass(time.Hour)
			if n := s.count("delete"); n != deletes {
				t.Errorf("%d deletes after the verdict: %s", n-deletes, c.reason)
			}
		})
	}
}

// TestApprove: an approval by a bound or by the fingerprint of a plan begins the cascade of a
// refused root (RULES, G4). A deletion that is repeated as orphan is approved in the same way.
func TestApprove(t *testing.T) {
	none, three := 0, 3
	for _, c := range []struct {
		by, again graph.Propagation
		approval  func(p plan.Plan) ownergraph.Approval
		want      string
		reason    string
	}{
		{graph.Background, graph.Unset, func(plan.Plan) ownergraph.Approval { return ownergraph.Approval{AtMost: &three} }, "", "three objects end"},
		{graph.Foreground, graph.Unset, func(p plan.Plan) ownergraph.Approval { return ownergraph.Approval{Fingerprint: p.Fingerprint} }, "", "the plan is the same"},
		{graph.Background, graph.Orphan, func(plan.Plan) ownergraph.Approval { return ownergraph.Approval{AtMost: &none} }, "b; c -> b; d", "an orphan deletion ends none"},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := newTap(t, "a; b -> a; c -> b; d -> a")
			r := collect(t, s, guarding(guard.Guard{Names: []string{"a"}, Always: true}))
			r.idle()
			s.delete(t, "a", c.by)
			r.idle()
			if c.again != graph.Unset {
				s.delete(t, "a", c.again)
				r.idle()
			}
			p, err := r.Plan(t.Context(), plan.Request{Delete: []plan.Target{{Key: keyOf(t, "a")}}})
			if err != nil || len(p.Verdicts) != 1 || !p.Verdicts[0].Refused() {
				t.Fatalf("plan: %v, verdicts %v, want a refusal: %s", err, p.Verdicts, c.reason)
			}
			if err := r.Approve(t.Context(), keyOf(t, "a"), c.approval(p)); err != nil {
				t.Fatalf("%v: %s", err, c.reason)
			}
			r.idle()
			s.contains(t, c.want)
		})
	}
}

// TestApproveErrors: an approval that does not fit writes nothing.
func TestApproveErrors(t *testing.T) {
	less, one, many := -1, 1, 9
	synctest.Test(t, func(t *testing.T) {
		s := newTap(t, "a; b -> a; c -> b; e")
		r := collect(t, s, guarding(guard.Guard{Names: []string{"a", "e"}, Always: true}))
		r.idle()
		before, err := r.Plan(t.Context(), plan.Request{Delete: []plan.Target{{Key: keyOf(t, "a")}}})
		if err != nil {
			t.Fatal(err)
		}
		s.delete(t, "a", graph.Background)
		r.idle()
		shape := s.shape()
		other := keyOf(t, "a")
		other.UID = "another"
		for _, c := range []struct {
			key    ownergraph.Key
			a      ownergraph.Approval
			is     error
			reason string
		}{
			{keyOf(t, "a"), ownergraph.Approval{}, ownergraph.ErrInvalid, "it approves nothing"},
			{keyOf(t, "a"), ownergraph.Approval{AtMost: &one, Fingerprint: "x"}, ownergraph.ErrInvalid, "both fields"},
			{keyOf(t, "a"), ownergraph.Approval{AtMost: &less}, ownergraph.ErrInvalid, "a negative bound"},
			{keyOf(t, "a").Place(), ownergraph.Approval{AtMost: &many}, ownergraph.ErrInvalid, "a key without a UID may be of another object later"},
			{other, ownergraph.Approval{AtMost: &many}, ownergraph.ErrNotFound, "another UID"},
			{keyOf(t, "e"), ownergraph.Approval{AtMost: &many}, ownergraph.ErrInvalid, "it is not being deleted"},
			{keyOf(t, "b"), ownergraph.Approval{AtMost: &many}, ownergraph.ErrInvalid, "it is no root"},
			{keyOf(t, "a"), ownergraph.Approval{AtMost: &one}, plan.ErrChanged, "two objects end"},
			{keyOf(t, "a"), ownergraph.Approval{Fingerprint: before.Fingerprint}, plan.ErrChanged, "a plan from before the mark is out of date"},
			{keyOf(t, "a"), ownergraph.Approval{Fingerprint: strings.Repeat("0", 64)}, plan.ErrChanged, "of another plan"},
		} {
			if err := r.Approve(t.Context(), c.key, c.a); !errors.Is(err, c.is) {
				t.Errorf("Approve(%s, %+v) = %v, want %v: %s", c.key, c.a, err, c.is, c.reason)
			}
		}
		r.idle()
		s.contains(t, shape)
	})
}
