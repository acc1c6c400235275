package ownergraph_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/guard"
	"github.com/ownergraph/ownergraph/plan"
	"github.com/ownergraph/ownergraph/policy"
)

// tenantGuard is a guard of tenants: the deletion of more than a number of members needs an
// approval.
func tenantGuard(limit int) []guard.Guard {
	return []guard.Guard{{Name: "tenants", Kinds: []graph.Kind{"tenant"}, Above: &limit}}
}

// TestGuardedHolder: a guard counts the members of a holder before the sweep deletes one. A
// refusal deletes none, and an approval sweeps all. The plan of the approval counts members,
// their dependents, and no object of another tenant.
func TestGuardedHolder(t *testing.T) {
	const members = "volume/1-a; volume/1-b; pod/1-web/p; other/x -> volume/1-a; tenant/2; volume/2-a"
	for _, c := range []struct {
		reason  string
		limit   int
		refused bool
	}{
		{"three members and a dependent of one of them are too many", 3, true},
		{"as many objects as the limit pass", 4, false},
	} {
		t.Run(c.reason, func(t *testing.T) {
			cfg := sweeping(tenancy())
			cfg.Guards = tenantGuard(c.limit)
			testSweep(t, "tenant/1; "+members, cfg, func(t *testing.T, r *rig) {
				tenant, err := r.Store.Get(t.Context(), keyOf(t, "tenant/1"))
				if want := []string{graph.FinalizerHold, graph.FinalizerNew, "x.io/tenant"}; err != nil || !slices.Equal(tenant.Finalizers, want) {
					t.Fatalf("the finalizers are %q, error %v, want %q: the sweep's comes last", tenant.Finalizers, err, want)
				}
				r.delete(t, "tenant/1", graph.Background)
				held := r.idle()
				if refused := len(held) > 0 && held[0].Reason == policy.DeletionRefused; refused != c.refused {
					t.Fatalf("held: %v, want a refusal: %t", held, c.refused)
				}
				if c.refused {
					r.approves(t, tenant.Key)
				}
				r.gone(t, "tenant/1", "volume/1-a", "volume/1-b", "pod/1-web/p", "other/x")
				r.stay(t, "tenant/2", "volume/2-a")
			})
		})
	}
}

// approves approves a refused deletion of four objects, and checks that no object goes before.
func (r *rig) approves(t *testing.T, tenant ownergraph.Key) {
	t.Helper()
	if n := r.count("delete"); n > 0 {
		t.Errorf("%d deletes after a refusal", n)
	}
	r.stay(t, "volume/1-a", "volume/1-b", "pod/1-web/p", "other/x")
	few, enough := 3, 4
	if err := r.Approve(t.Context(), tenant, ownergraph.Approval{AtMost: &few}); !errors.Is(err, plan.ErrChanged) {
		t.Errorf("an approval of three objects: %v", err)
	}
	r.idle()
	r.stay(t, "volume/1-a", "volume/1-b", "pod/1-web/p", "other/x")
	if err := r.Approve(t.Context(), tenant, ownergraph.Approval{AtMost: &enough}); err != nil {
		t.Errorf("an approval of four objects: %v", err)
	}
	r.idle()
}

// gone checks that the store has none of the objects, and stay that it has all, unmarked.
func (r *rig) gone(t *testing.T, keys ...string) {
	t.Helper()
	for _, k := range keys {
		if o, err := r.Store.Get(t.Context(), keyOf(t, k)); !errors.Is(err, ownergraph.ErrNotFound) {
			t.Errorf("%s stays: %v, %v", k, o, err)
		}
	}
}

func (r *rig) stay(t *testing.T, keys ...string) {
	t.Helper()
	for _, k := range keys {
		if o, err := r.Store.Get(t.Context(), keyOf(t, k)); err != nil || o.Deleting {
			t.Errorf("%s goes: %v, %v", k, o, err)
		}
	}
}

// TestHeldHolderContests: a tenant whose deletion a guard refuses keeps its claims. Members that
// it shares with another tenant stay, and go after the approval.
func TestHeldHolderContests(t *testing.T) {
	cfg := sweeping(tenancy())
	cfg.Guards = []guard.Guard{{Names: []string{"1-b"}, Always: true}}
	testSweep(t, "tenant/1; tenant/1-b; volume/1-b-x; volume/1-y", cfg, func(t *testing.T, r *rig) {
		r.delete(t, "tenant/1-b", graph.Background)
		r.idle()
		r.delete(t, "tenant/1", graph.Background)
		r.idle()
		r.gone(t, "volume/1-y")
		r.stay(t, "volume/1-b-x")
	})
}

// TestOrderedHolder: a sweep goes on while the end of its holder waits for an object of an
// earlier phase.
func TestOrderedHolder(t *testing.T) {
	cfg := sweeping(tenancy())
	cfg.Guards = []guard.Guard{{Kinds: []graph.Kind{"tenant"}, Phases: []guard.Phase{{Kinds: []graph.Kind{"other"}}}}}
	testSweep(t, "tenant/1; other/x[x.io/y] -> tenant/1; volume/1-a", cfg, func(t *testing.T, r *rig) {
		r.delete(t, "tenant/1", graph.Foreground)
		r.idle()
		r.gone(t, "volume/1-a")
		if o, err := r.Store.Get(t.Context(), keyOf(t, "tenant/1")); err != nil || !o.HasFinalizer(graph.FinalizerForeground) {
			t.Errorf("the holder is %v, %v, want that it waits", o, err)
		}
	})
}

// TestUnfitHolder: a holder whose name has the delimiter in it sweeps nothing. Neither a plan nor
// the judgement of its deletion counts the objects that its sweep would take.
func TestUnfitHolder(t *testing.T) {
	limit := 2
	cfg := ownergraph.Config{
		Sweeps: []guard.Sweep{{
			Finalizer: "x.io/tenant", Holder: "t", Unguarded: true,
			Members: []guard.Members{{By: guard.ByScope, Delimiter: "-", Suffix: true, Selector: "keep!=yes"}},
		}},
		Guards: []guard.Guard{{Name: "two", Where: func(graph.Object) bool { return true }, Above: &limit}},
	}
	// The holder, an object of its scope and a third object refer to each other in a ring.
	const ring = "p/m-z-z--/x; p/n-z-z--/p[foreground]; t/-[x.io/tenant] -> p/n-z-z--/p; t/z-z-- -> t/-!"
	testSweep(t, ring, cfg, func(t *testing.T, r *rig) {
		root := keyOf(t, "t/z-z--")
		p, err := r.Plan(t.Context(), plan.Request{Delete: []plan.Target{{Key: root, Propagation: graph.Background}}})
		if err != nil || len(p.Verdicts) != 1 || p.Verdicts[0].Refused() || p.Verdicts[0].Ends != 0 {
			t.Errorf("%v, verdicts %+v, want one that passes with no other object", err, p.Verdicts)
		}
		r.delete(t, "t/z-z--", graph.Background)
		r.idle()
		r.gone(t, "t/z-z--")
		r.stay(t, "p/m-z-z--/x", "p/n-z-z--/p", "t/-")
	})
}

// TestUnfitRival: a holder that sweeps nothing keeps objects from the sweep of another holder by
// its claim. They go because it goes, so the verdict about it counts them (RULES, G2).
func TestUnfitRival(t *testing.T) {
	for _, c := range []struct {
		reason, root string
		limit        int
		refused      bool
	}{
		{"two objects that the sweep of tenant/1 deletes next", "tenant/1-b", 1, true},
		{"as many objects as the limit pass", "tenant/1-b", 2, false},
		{"the holder is below the root, and counts too", "org/o", 2, true},
		{"as many objects as the limit pass, with a holder below the root", "org/o", 3, false},
	} {
		t.Run(c.reason, func(t *testing.T) {
			cfg := sweeping(tenancy())
			cfg.Guards = []guard.Guard{{Names: []string{"1-b", "o"}, Above: &c.limit}}
			const start = "org/o; tenant/1~[x.io/tenant]; tenant/1-b -> org/o; volume/1-b-x; volume/1-b-y; volume/2-b"
			testSweep(t, start, cfg, func(t *testing.T, r *rig) {
				r.idle()
				r.stay(t, "volume/1-b-x", "volume/1-b-y")
				r.delete(t, c.root, graph.Background)
				held := r.idle()
				if refused := slices.ContainsFunc(held, func(h engine.Held) bool { return h.Reason == policy.DeletionRefused }); refused != c.refused {
					t.Errorf("held: %s, want a refusal: %t", lines(held), c.refused)
				}
				if c.refused {
					r.stay(t, "volume/1-b-x", "volume/1-b-y", "volume/2-b")
					return
				}
				r.gone(t, "volume/1-b-x", "volume/1-b-y", "tenant/1", "tenant/1-b")
				r.stay(t, "volume/2-b")
			})
		})
	}
}

// TestUnfitRivalOfGoneHolder: the same, where the other holder is gone and its sweep goes on.
func TestUnfitRivalOfGoneHolder(t *testing.T) {
	none, sweep := 0, tenancy()
	sweep.Unguarded = true
	cfg := sweeping(sweep)
	cfg.Guards = []guard.Guard{{Names: []string{"1-b"}, Above: &none}}
	testSweep(t, "tenant/1~[x]; tenant/1-b; volume/1-b-x", cfg, func(t *testing.T, r *rig) {
		r.finish(t, "tenant/1", "x")
		r.idle()
		r.gone(t, "tenant/1")
		r.delete(t, "tenant/1-b", graph.Background)
		if held := r.idle(); len(held) == 0 || held[0].Reason != policy.DeletionRefused {
			t.Errorf("held: %s, want a refusal", lines(held))
		}
		r.stay(t, "volume/1-b-x")
	})
}

// TestUnfitRivalOfTarget: a plan of both holders deletes an object that each deletion alone leaves.
// The engine counts it for the holder that goes last, so the end of neither is definite.
func TestUnfitRivalOfTarget(t *testing.T) {
	none := 0
	cfg := sweeping(tenancy())
	cfg.Guards = []guard.Guard{{Names: []string{"1-b"}, Above: &none}}
	testSweep(t, "tenant/1; tenant/1-b; volume/1-b-x", cfg, func(t *testing.T, r *rig) {
		first, last := keyOf(t, "tenant/1"), keyOf(t, "tenant/1-b")
		p, err := r.Plan(t.Context(), plan.Request{Delete: []plan.Target{{Key: first}, {Key: last}}})
		if err != nil {
			t.Fatal(err)
		}
		if o, ok := p.At(last); !ok || !o.Possible || len(p.Verdicts) != 1 || p.Verdicts[0].Ends != 0 {
			t.Errorf("%s, verdicts %+v, want a possible end of tenant/1-b", outcomes(p), p.Verdicts)
		}
		r.delete(t, "tenant/1", graph.Background)
		r.idle()
		r.delete(t, "tenant/1-b", graph.Background)
		r.idle()
		r.stay(t, "volume/1-b-x")
		if unmet := p.Unmet(r.Objects()); len(unmet) > 0 {
			t.Errorf("%v: the plan is wrong", unmet)
		}
	})
}
