package ownergraph_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/guard"
	"github.com/ownergraph/ownergraph/internal/draft"
	"github.com/ownergraph/ownergraph/internal/portion"
	"github.com/ownergraph/ownergraph/plan"
	"github.com/ownergraph/ownergraph/policy"
)

// TestManyRootsOneTree: each of many marked roots over the same objects comes to a verdict. While
// there are too many of them the guard refuses, and the cause says so. An approval lets one go.
func TestManyRootsOneTree(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		many, n := 1000, portion.Number(30, 200)
		var roots, owners []string
		for i := range n {
			roots = append(roots, fmt.Sprintf("k/%d~[%s]", i, guarded))
			owners = append(owners, fmt.Sprintf("k/%d", i))
		}
		tree := "m/m -> " + strings.Join(owners, ", ") + "; c/1 -> m/m; c/2 -> m/m"
		s := newTap(t, strings.Join(roots, "; ")+"; "+tree)
		r := collect(t, s, guarding(guard.Guard{Kinds: []graph.Kind{"k"}, Above: &many}))
		r.idle()
		pass(time.Hour)
		refused := 0
		for _, h := range r.Held(1000) {
			if h.Reason != policy.DeletionRefused || !strings.Contains(h.String(), "too many guarded roots are judged with it") {
				t.Errorf("held: %s, want a refusal that names its cause", h)
			}
			refused++
		}
		if refused > 0 != (n > draft.MaxNested+1) || refused == n || len(s.Objects()) > 0 && len(s.Objects()) != refused+3 {
			t.Fatalf("%d of %d roots are refused, and %d objects are left", refused, n, len(s.Objects()))
		}
		for _, h := range r.Held(1000) {
			if err := r.Approve(t.Context(), h.Key, ownergraph.Approval{AtMost: &many}); err != nil {
				t.Fatal(err)
			}
		}
		pass(time.Hour)
		s.contains(t, "")
	})
}

// TestTooManyNestedRoots: a root above a chain of too many roots is refused, because its plan does
// not know what goes.
func TestTooManyNestedRoots(t *testing.T) {
	for _, c := range []struct {
		chain  int
		left   int
		reason string
	}{
		{portion.Number(20, draft.MaxNested+1), 0, "as many others as may be are judged with the first one"},
		{draft.MaxNested + 2, draft.MaxNested + 2, "one too many"},
	} {
		synctest.Test(t, func(t *testing.T) {
			list, many := []string{"k/0"}, 1000
			for i := 1; i < c.chain; i++ {
				list = append(list, fmt.Sprintf("k/%d -> k/%d", i, i-1))
			}
			s := newTap(t, strings.Join(list, "; "))
			r := collect(t, s, guarding(guard.Guard{Kinds: []graph.Kind{"k"}, Above: &many}))
			r.idle()
			s.delete(t, "k/0", graph.Background)
			held := r.idle()
			if n := len(s.Objects()); n != c.left || c.left > 0 && !strings.Contains(lines(held), "too many guarded roots") {
				t.Errorf("%d objects are left of %d, want %d: %s; held: %s", n, c.chain, c.left, c.reason, lines(held))
			}
		})
	}
}

// TestPlanUnknownVerdicts: a plan cannot tell the verdict about a guarded root below its target
// where labels are not known, or where such roots are too many. No definite outcome rests on such
// a verdict, so it comes true. The plan names the labels (RULES, P3 and P4).
func TestPlanUnknownVerdicts(t *testing.T) {
	many := 1000
	roots := []string{"top"}
	for i := range 70 {
		roots = append(roots, fmt.Sprintf("k/%d -> top; c/%d -> k/%d", i, i, i))
	}
	for _, c := range []struct {
		start, assumed string
		cfg            ownergraph.Config
		reason         string
	}{
		{"top; tenant/1 -> top; c/1 -> tenant/1; volume/a", "volume", byLabel(guard.Guard{Kinds: []graph.Kind{"tenant"}, Above: &many}), "the engine selects the members"},
		{"top; k/1 -> top; c/1 -> k/1", "", ownergraph.Config{
			Guards: []guard.Guard{{Kinds: []graph.Kind{"k"}, Above: &many}}, Protect: []guard.Protection{{Kinds: []graph.Kind{"c"}, Selector: "keep=yes"}},
		}, "the engine selects the protected objects"},
		{strings.Join(roots, "; "), "", guarding(guard.Guard{Kinds: []graph.Kind{"k"}, Above: &many}), "each root is judged on its own"},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := newTap(t, c.start)
			r := collect(t, s, c.cfg)
			r.idle()
			p, err := r.Plan(t.Context(), request(t, "top", graph.Background))
			if err != nil {
				t.Fatal(err)
			}
			s.delete(t, "top", graph.Background)
			pass(20 * time.Minute)
			if unmet := p.Unmet(s.Objects()); len(unmet) > 0 {
				t.Errorf("%d of %d objects are left, and the plan says %s: %s", len(s.Objects()), len(p.Objects), unmet[0], c.reason)
			}
			assumed := slices.ContainsFunc(p.Assumptions, func(a plan.Assumption) bool { return a.Type == plan.LabelsUnknown && a.Name == c.assumed })
			if assumed != (c.assumed != "") {
				t.Errorf("the plan assumes %v, want the labels of %q: %s", p.Assumptions, c.assumed, c.reason)
			}
		})
	}
}

// byLabel returns a Config with a guard, and with a sweep of volumes by labels.
func byLabel(g guard.Guard) ownergraph.Config {
	sweep := labelled("")
	sweep.Members[0].Kinds = []graph.Kind{"volume"}
	cfg := sweeping(sweep)
	cfg.Guards = []guard.Guard{g}
	return cfg
}
