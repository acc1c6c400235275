package ownergraph_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/finalizer"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/guard"
	"github.com/ownergraph/ownergraph/internal/probe"
	"github.com/ownergraph/ownergraph/policy"
)

// tenancy is a sweep of tenants, by name and by scope.
func tenancy(phases ...guard.Phase) guard.Sweep {
	return guard.Sweep{
		Finalizer: "x.io/tenant", Holder: "tenant",
		Members: []guard.Members{{By: guard.ByName, Delimiter: "-"}, {By: guard.ByScope, Delimiter: "-"}},
		Phases:  phases,
	}
}

func sweeping(s ...guard.Sweep) ownergraph.Config { return ownergraph.Config{Sweeps: s} }

// testSweep runs a collector with sweeps on a store in a bubble.
func testSweep(t *testing.T, objects string, cfg ownergraph.Config, test func(t *testing.T, r *rig)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		r := collect(t, newTap(t, objects), cfg)
		r.idle()
		test(t, r)
	})
}

// reports compares the held objects, one a line.
func (r *rig) reports(t *testing.T, want ...string) {
	t.Helper()
	if got := lines(r.idle()); got != strings.Join(want, "\n") {
		t.Errorf("held:\n%s\nwant:\n%s", got, strings.Join(want, "\n"))
	}
}

// TestSweepPhases: phases run in order. A phase with After begins when the objects of the
// earlier phases are gone. Each phase has its own propagation and grace period.
func TestSweepPhases(t *testing.T) {
	grace := int64(7)
	cfg := sweeping(tenancy(
		guard.Phase{Kinds: []graph.Kind{"definition"}, Propagation: graph.Foreground},
		guard.Phase{Kinds: []graph.Kind{"pod"}, After: true, GraceSeconds: &grace},
	))
	testSweep(t, "tenant/1; definition/1-d[x.io/slow]; pod/1-web/p; volume/1-v", cfg, func(t *testing.T, r *rig) {
		r.delete(t, "tenant/1", graph.Unset)
		r.reports(t, "definition/1-d: finalizers hold it (x.io/slow)",
			"tenant/1: its members are not gone (definition: 1 left, pod: 1 left, volume: 1 left)")
		r.contains(t, "definition/1-d~[x.io/slow]; pod/1-web/p; tenant/1~[x.io/tenant]; volume/1-v")
		r.finish(t, "definition/1-d", "x.io/slow")
		r.reports(t, "pod/1-web/p: its grace period has to end (7 s)", "tenant/1: its members are not gone (pod: 1 left)")
		none := int64(0)
		if err := r.Store.Delete(t.Context(), keyOf(t, "pod/1-web/p"), ownergraph.DeleteOptions{GraceSeconds: &none}); err != nil {
			t.Fatal(err)
		}
		r.reports(t)
		r.contains(t, "")
	})
}

// TestSweepStorm: a user creates a member before each delete. The sweep holds its holder
// and reports it, and its waves become rare. The sweep ends when the user stops.
func TestSweepStorm(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTap(t, "tenant/1[x.io/tenant]; volume/1-0")
		var calm atomic.Bool
		var n atomic.Int32
		s.call = func(ctx context.Context, verb string, _ ownergraph.Key, do func() error) error {
			if verb == "delete" && !calm.Load() { // a member is always left
				_, _ = s.Create(ctx, ownergraph.Object{Key: ownergraph.Key{Kind: "volume", Name: fmt.Sprint("1-", n.Add(1))}})
			}
			return do()
		}
		r := collect(t, s, sweeping(tenancy()))
		pass(time.Second)
		r.delete(t, "tenant/1", graph.Unset)
		pass(time.Hour)
		st := r.Stats()
		if probe.Requests(st) > 600 || st.Decisions > 4000 {
			t.Errorf("an hour of storm cost %d requests and %d decisions", probe.Requests(st), st.Decisions)
		}
		sweeps := r.Sweeps(9)
		if len(sweeps) != 1 || sweeps[0].MembersLeft != 1 || sweeps[0].Waves < 100 || sweeps[0].Members != int(n.Load())+1 || sweeps[0].MembersGone != int(n.Load()) {
			t.Errorf("%+v after %d new members", sweeps, n.Load())
		}
		calm.Store(true)
		r.reports(t)
		r.contains(t, "")
	})
}

// TestSweepStatus: the status counts the members of a sweep, and those left by kind and
// phase. It names the blocking objects with their reasons.
func TestSweepStatus(t *testing.T) {
	cfg := sweeping(tenancy(guard.Phase{Name: "pods", Kinds: []graph.Kind{"pod"}}, guard.Phase{Name: "the rest", After: true}))
	testSweep(t, "tenant/1; pod/1-x/a[x.io/slow]; pod/1-x/b; volume/1-a; secret/1-x/s", cfg, func(t *testing.T, r *rig) {
		r.delete(t, "tenant/1", graph.Unset)
		r.idle()
		got := fmt.Sprintf("%+v", r.Sweeps(9))
		const want = "[{Holder:tenant/1 Finalizer:x.io/tenant Gone:false Members:4 MembersGone:1 MembersLeft:3 Phases:[1 2 0] Open:1 " +
			"Kinds:[{Kind:pod Count:1} {Kind:secret Count:1} {Kind:volume Count:1}] Held:1 Blocked:0 " +
			"By:[pod/1-x/a: finalizers hold it (x.io/slow)] Waves:1 Halted:false}]"
		if got != want {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
		if n := len(r.Sweeps(0)) + len(r.Sweeps(-1)); n != 0 {
			t.Errorf("%d sweeps, want none with a limit of 0 or less", n)
		}
		r.finish(t, "pod/1-x/a", "x.io/slow")
		r.reports(t)
		if len(r.Sweeps(9)) != 0 {
			t.Error("the sweep is over")
		}
	})
}

// TestSweepDecisions: OnDecision gets the guarded holder, each delete with its holder, and
// the progress of the sweep.
func TestSweepDecisions(t *testing.T) {
	var mu sync.Mutex
	var got []string
	cfg := sweeping(tenancy(guard.Phase{Name: "pods", Kinds: []graph.Kind{"pod"}}))
	cfg.Workers = 1
	cfg.OnDecision = func(d engine.DecisionEvent) {
		mu.Lock()
		defer mu.Unlock()
		if d.Action.Writes() {
			got = append(got, fmt.Sprintf("%s %s: %s %s", d.Action, d.Key, d.Reason, d.Holder))
		}
		if s := d.Sweep; s != nil && d.Reason != policy.NeedMembers {
			got = append(got, fmt.Sprintf("%s: %s: %d of %d gone, %v %v", d.Key, d.Reason, s.MembersGone, s.Members, s.Phases, s.Kinds))
		}
	}
	testSweep(t, "tenant/1; pod/1-x/p; volume/1-a", cfg, func(t *testing.T, r *rig) {
		r.delete(t, "tenant/1", graph.Unset)
		r.idle()
		mu.Lock()
		defer mu.Unlock()
		const want = `attach tenant/1: its members have to go before it ""
delete pod/1-x/p: its holder is being deleted tenant/1
delete volume/1-a: its holder is being deleted tenant/1
tenant/1: a fence has to pass: 2 of 2 gone, [0 0] []
release tenant/1: its members are gone ""
tenant/1: its members are gone: 2 of 2 gone, [0 0] []`
		if have := strings.Join(slices.Compact(got), "\n"); have != want { // a fence of WaitIdle's may pass in between
			t.Errorf("got\n%s\nwant\n%s", have, want)
		}
	})
}

func TestConfigSweeps(t *testing.T) {
	other := tenancy()
	other.Finalizer = "x.io/other"
	empty := tenancy()
	empty.Members = nil
	for _, tc := range []struct {
		cfg          ownergraph.Config
		want, reason string
	}{
		{sweeping(empty), "Sweeps[0]: plan sweep", "it has no members"},
		{sweeping(tenancy(), tenancy()), "Sweeps[1]: finalizer \"x.io/tenant\": another sweep has it", "two sweeps would release it"},
		{ownergraph.Config{Sweeps: []guard.Sweep{tenancy()}, Handlers: map[string]finalizer.Handler{"x.io/tenant": func(context.Context, graph.Object) error { return nil }}},
			"a handler has it", "the same"},
		{ownergraph.Config{Sweeps: []guard.Sweep{tenancy()}, Ignore: []graph.Kind{"tenant"}}, "kind \"tenant\" takes no part", "the sweep would see no holder"},
	} {
		if _, err := engine.New(ownergraph.Level2, tc.cfg); !errors.Is(err, ownergraph.ErrInvalid) || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("engine.New: %v, want %q: %s", err, tc.want, tc.reason)
		}
	}
	if _, err := engine.New(ownergraph.Level2, sweeping(tenancy(), other)); err != nil {
		t.Errorf("engine.New: %v: the sweeps have finalizers of their own", err)
	}
}
