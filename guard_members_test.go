package ownergraph_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/guard"
	"github.com/ownergraph/ownergraph/plan"
	"github.com/ownergraph/ownergraph/policy"
)

// TestGuardedHolderByLabel: a guard counts the members that labels name before its verdict, also
// those of a holder below the root (RULES, G2). The plan of a held root shows them.
func TestGuardedHolderByLabel(t *testing.T) {
	for _, c := range []struct {
		guard   guard.Guard
		refused bool
		reason  string
	}{
		{guard.Guard{Kinds: []graph.Kind{"tenant"}, Above: upTo(2)}, true, "two members and a dependent are too many"},
		{guard.Guard{Kinds: []graph.Kind{"tenant"}, Above: upTo(3)}, false, "as many as the limit pass"},
		{guard.Guard{Kinds: []graph.Kind{"tenant"}, Always: true}, true, "every deletion"},
		{guard.Guard{Kinds: []graph.Kind{"tenant"}, Protected: true}, true, "a member is protected"},
		{guard.Guard{Kinds: []graph.Kind{"org"}, Above: upTo(3)}, true, "the holder is below the root, and counts too"},
		{guard.Guard{Kinds: []graph.Kind{"org"}, Above: upTo(4)}, false, "as many as the limit pass, of a holder below the root"},
	} {
		t.Run(c.reason, func(t *testing.T) {
			cfg := sweeping(labelled(""))
			cfg.Guards = []guard.Guard{c.guard}
			if c.guard.Protected {
				cfg.Protect = []guard.Protection{{Names: []string{"b"}}}
			}
			testSweep(t, "org/o; tenant/1 -> org/o; volume/a; volume/b; other/x -> volume/a; volume/c", cfg, func(t *testing.T, r *rig) {
				r.label(t, "volume/a", "x.io/of=1")
				r.label(t, "volume/b", "x.io/of=1")
				r.label(t, "volume/c", "x.io/of=2")
				r.idle()
				root := keyOf(t, string(c.guard.Kinds[0])+"/"+map[graph.Kind]string{"org": "o", "tenant": "1"}[c.guard.Kinds[0]])
				r.delete(t, root.String(), graph.Background)
				held := r.idle()
				if refused := len(held) > 0 && held[0].Reason == policy.DeletionRefused; refused != c.refused {
					t.Fatalf("held: %s, want a refusal: %t", lines(held), c.refused)
				}
				if c.refused {
					r.stay(t, "volume/a", "volume/b", "other/x")
					r.approvesPlanned(t, root)
				}
				if !c.guard.Protected {
					r.gone(t, "volume/a", "volume/b", "other/x", "tenant/1")
				}
				r.stay(t, "volume/c")
			})
		})
	}
}

// approvesPlanned approves exactly the plan of a held root.
func (r *rig) approvesPlanned(t *testing.T, root ownergraph.Key) {
	t.Helper()
	p, err := r.Plan(t.Context(), plan.Request{Delete: []plan.Target{{Key: root}}})
	if err != nil || len(p.Verdicts) != 1 || p.Verdicts[0].Unknown || len(p.Objects) < 4 {
		t.Fatalf("plan: %v, verdicts %v, objects %s", err, p.Verdicts, outcomes(p))
	}
	few := p.Verdicts[0].Ends - 1
	if err := r.Approve(t.Context(), root, ownergraph.Approval{AtMost: &few}); !errors.Is(err, plan.ErrChanged) {
		t.Errorf("an approval of %d objects: %v", few, err)
	}
	if err := r.Approve(t.Context(), root, ownergraph.Approval{Fingerprint: p.Fingerprint}); err != nil {
		t.Errorf("an approval of the plan: %v", err)
	}
	r.idle()
}

// TestApproveUnknown: no approval covers a plan without all labels. It waits for the selections,
// and compares the objects that these bring.
func TestApproveUnknown(t *testing.T) {
	for _, c := range []struct {
		cfg    ownergraph.Config
		reason string
	}{
		{sweeping(labelled("")), "members by labels"},
		{protecting(guard.Protection{Kinds: []graph.Kind{"volume"}, Selector: "keep=yes"}), "protection by labels"},
	} {
		c.cfg.Guards = []guard.Guard{{Kinds: []graph.Kind{"tenant"}, Always: true}}
		testSweep(t, "tenant/1; volume/a -> tenant/1; volume/b", c.cfg, func(t *testing.T, r *rig) {
			r.label(t, "volume/b", "x.io/of=1")
			r.idle()
			r.delete(t, "tenant/1", graph.Background)
			r.idle()
			var sick atomic.Bool
			sick.Store(true)
			r.call = func(_ context.Context, verb string, _ ownergraph.Key, do func() error) error {
				if verb == "select" && sick.Load() {
					return errors.New("no answer")
				}
				return do()
			}
			shape := r.shape()
			ctx, stop := context.WithTimeout(t.Context(), time.Minute)
			defer stop()
			if err := r.Approve(ctx, keyOf(t, "tenant/1"), ownergraph.Approval{AtMost: upTo(99)}); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("%v, want a wait for the labels: %s", err, c.reason)
			}
			r.contains(t, shape)
			sick.Store(false)
			pass(time.Minute)
			if err := r.Approve(t.Context(), keyOf(t, "tenant/1"), ownergraph.Approval{AtMost: upTo(0)}); !errors.Is(err, plan.ErrChanged) {
				t.Errorf("an approval of no object: %v: %s", err, c.reason)
			}
			if err := r.Approve(t.Context(), keyOf(t, "tenant/1"), ownergraph.Approval{AtMost: upTo(2)}); err != nil {
				t.Errorf("an approval of two objects: %v: %s", err, c.reason)
			}
			r.idle()
			r.gone(t, "tenant/1", "volume/a")
		})
	}
}

func upTo(n int) *int { return &n }
