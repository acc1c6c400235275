package ownergraph_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/finalizer"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/inside"
	"github.com/ownergraph/ownergraph/internal/probe"
)

// tenancy is a sweep of tenants, by name and by scope.
func tenancy(phases ...finalizer.Phase) finalizer.Sweep {
	return finalizer.Sweep{
		Finalizer: "x.io/tenant", Holder: "tenant",
		Members: []finalizer.Members{{By: finalizer.ByName, Delimiter: "-"}, {By: finalizer.ByScope, Delimiter: "-"}},
		Phases:  phases,
	}
}

func sweeping(s ...finalizer.Sweep) ownergraph.Config { return ownergraph.Config{Sweeps: s} }

// swept runs a collector with sweeps on a store in a bubble.
func swept(t *testing.T, objects string, cfg ownergraph.Config, test func(t *testing.T, r *rig)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		r := collect(t, newTap(t, objects), cfg)
		r.idle()
		test(t, r)
	})
}

// reports checks what is held, in lines.
func (r *rig) reports(t *testing.T, want ...string) {
	t.Helper()
	if got := lines(r.idle()); got != strings.Join(want, "\n") {
		t.Errorf("held:\n%s\nwant:\n%s", got, strings.Join(want, "\n"))
	}
}

// TestSweep: the finalizer is put on every holder, also on those that were there
// before, and a holder that is deleted takes its own along, and nothing else.
// That costs one write for each member, two for the holder, and two fences.
func TestSweep(t *testing.T) {
	swept(t, "tenant/1; tenant/11; volume/1-a; volume/11-a; volume/1; pod/1-web/x; pod/11-web/x; pod/web/1-y", sweeping(tenancy()), func(t *testing.T, r *rig) {
		r.holds(t, "pod/1-web/x; pod/11-web/x; pod/web/1-y; tenant/1[x.io/tenant]; tenant/11[x.io/tenant]; volume/1; volume/1-a; volume/11-a")
		before := r.Stats()
		r.delete(t, "tenant/1", graph.Unset)
		r.reports(t)
		r.holds(t, "pod/11-web/x; tenant/11[x.io/tenant]; volume/1; volume/11-a")
		s := r.Stats()
		if s.Sweeps.Ended != 1 || s.Sweeps.Running != 0 || s.Sweeps.Members != 3 || s.Sweeps.MembersGone != 3 || s.Writes.Conflicts+s.Calls[ownergraph.CallRead]+s.Sweeps.Unguarded != 0 {
			t.Errorf("%+v", s)
		}
		if s.Calls[ownergraph.CallDelete]-before.Calls[ownergraph.CallDelete] != 3 || s.Calls[ownergraph.CallPatch]-before.Calls[ownergraph.CallPatch] != 1 || s.Calls[ownergraph.CallFence]-before.Calls[ownergraph.CallFence] > 3 { // one of WaitIdle's
			t.Errorf("%+v, before %+v", s, before)
		}
	})
}

// TestSweepAfterRestart: a holder that was marked while nobody ran is swept.
func TestSweepAfterRestart(t *testing.T) {
	swept(t, "tenant/1~[x.io/tenant]; volume/1-a; tenant/2~[x.io/tenant]", sweeping(tenancy()), func(t *testing.T, r *rig) {
		r.holds(t, "")
	})
}

// TestSweepPhases: phases are run in order, and one that waits begins when those
// before it are really gone; propagation and grace period are the phase's.
func TestSweepPhases(t *testing.T) {
	grace := int64(7)
	cfg := sweeping(tenancy(
		finalizer.Phase{Kinds: []graph.Kind{"definition"}, Propagation: graph.Foreground},
		finalizer.Phase{Kinds: []graph.Kind{"pod"}, After: true, GraceSeconds: &grace},
	))
	swept(t, "tenant/1; definition/1-d[x.io/slow]; pod/1-web/p; volume/1-v", cfg, func(t *testing.T, r *rig) {
		r.delete(t, "tenant/1", graph.Unset)
		r.reports(t, "definition/1-d: finalizers hold it (x.io/slow)",
			"tenant/1: its members are not gone (definition: 1 left, pod: 1 left, volume: 1 left)")
		r.holds(t, "definition/1-d~[x.io/slow]; pod/1-web/p; tenant/1~[x.io/tenant]; volume/1-v")
		r.finish(t, "definition/1-d", "x.io/slow")
		r.reports(t, "pod/1-web/p: its grace period has to end (7 s)", "tenant/1: its members are not gone (pod: 1 left)")
		none := int64(0)
		if err := r.Store.Delete(t.Context(), keyOf(t, "pod/1-web/p"), ownergraph.DeleteOptions{GraceSeconds: &none}); err != nil {
			t.Fatal(err)
		}
		r.reports(t)
		r.holds(t, "")
	})
}

// TestSweepHeld: whatever cannot be swept holds the holder, with the reason;
// everything else goes.
func TestSweepHeld(t *testing.T) {
	typo := tenancy(finalizer.Phase{Kinds: []graph.Kind{"definitoin"}})
	for _, tc := range []struct {
		name           string
		sweep          finalizer.Sweep
		objects, holds string
		held           string
		reason         string
	}{
		{"finalizer", tenancy(), "volume/1-a[x.io/z]; volume/1-b", "tenant/1~[x.io/tenant]; volume/1-a~[x.io/z]",
			"tenant/1: its members are not gone (volume: 1 left)\nvolume/1-a: finalizers hold it (x.io/z)", "somebody else's finalizer"},
		{"contested by name", tenancy(), "tenant/1-2[x.io/z]; volume/1-2-a; volume/1-b", "tenant/1~[x.io/tenant]; tenant/1-2[x.io/z]; volume/1-2-a",
			"tenant/1: its members are not gone (volume: 1 left)\n" +
				"tenant/1-2: its members cannot be told from the members of others (sweep tenant/1-2: members[0]: the holder's name has the delimiter \"-\" in it: invalid)\n" +
				"volume/1-2-a: another object has a claim on it (tenant/1-2)", "it may be read as the other's"},
		{"contested twice", tenancy(), "tenant/2[x.io/tenant]; pod/1-web/2-a", "pod/1-web/2-a; tenant/1~[x.io/tenant]; tenant/2[x.io/tenant]",
			"pod/1-web/2-a: another object has a claim on it (tenant/2)\ntenant/1: its members are not gone (pod: 1 left)", "its name is the other's"},
		{"kind not served", typo, "volume/1-a", "tenant/1~[x.io/tenant]; volume/1-a",
			"tenant/1: its sweep names a kind that is not served (definitoin)", "a phase that matches nothing"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			swept(t, "tenant/1[x.io/tenant]; "+tc.objects, sweeping(tc.sweep), func(t *testing.T, r *rig) {
				r.delete(t, "tenant/1", graph.Unset)
				r.reports(t, strings.Split(tc.held, "\n")...)
				r.holds(t, tc.holds)
			})
		})
	}
}

// TestSweepSickKind: a sick kind holds the release and nothing else, and is
// named; when it is well, what it hid is swept too.
func TestSweepSickKind(t *testing.T) {
	swept(t, "tenant/1; volume/1-a; secret/1-s; pod/x/p", sweeping(tenancy()), func(t *testing.T, r *rig) {
		if err := r.Inside(inside.Key{}).Sicken("pod", "webhook down"); err != nil {
			t.Fatal(err)
		}
		r.create(t, "pod/1-web/p")
		r.delete(t, "tenant/1", graph.Unset)
		r.reports(t, "tenant/1: a sick kind holds the fence (pod: webhook down)")
		r.holds(t, "pod/1-web/p@new-1; pod/x/p; tenant/1~[x.io/tenant]")
		if err := r.Inside(inside.Key{}).Recover("pod"); err != nil {
			t.Fatal(err)
		}
		r.reports(t)
		r.holds(t, "pod/x/p")
	})
}

// TestSweepNewKind: a kind that appears while a sweep is under way is in it.
func TestSweepNewKind(t *testing.T) {
	swept(t, "tenant/1; volume/1-a[x.io/z]", sweeping(tenancy()), func(t *testing.T, r *rig) {
		r.delete(t, "tenant/1", graph.Unset)
		r.idle()
		if err := r.Inside(inside.Key{}).AddKind(graph.KindInfo{Kind: "widget"}); err != nil {
			t.Fatal(err)
		}
		r.create(t, "widget/1-w")
		r.finish(t, "volume/1-a", "x.io/z")
		r.reports(t)
		r.holds(t, "")
	})
}

// TestSweepUnguarded: a holder that went before it was guarded is reported, and
// swept where a setting says so, also one that is gone.
func TestSweepUnguarded(t *testing.T) {
	for _, tc := range []struct {
		name, tenant string
		unguarded    bool
		holds        string
		held         string
		counted      uint64
		reason       string
	}{
		{"marked", "tenant/1[x.io/z]~", false, "tenant/1~[x.io/z]; volume/1-a", "tenant/1: it was deleted before its sweep could guard it (x.io/tenant)", 0, "by default it is only reported"},
		{"marked", "tenant/1[x.io/z]~", true, "tenant/1~[x.io/z]", "tenant/1: finalizers hold it (x.io/z)", 0, "the setting says so"},
		{"gone", "tenant/1", false, "volume/1-a", "", 1, "by default it is only reported"},
		{"gone", "tenant/1", true, "", "", 1, "the setting says so"},
	} {
		t.Run(fmt.Sprintf("%s/%t", tc.name, tc.unguarded), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newTap(t, strings.Replace(tc.tenant, "[x.io/z]~", "~[x.io/z]", 1)+"; volume/1-a")
				if tc.name == "gone" { // whoever deletes it is faster than the guard
					s.call = func(ctx context.Context, verb string, key ownergraph.Key, do func() error) error {
						if verb == "patch" && key.Kind == "tenant" {
							_ = s.Store.Delete(ctx, key, ownergraph.DeleteOptions{})
						}
						return do()
					}
				}
				sweep := tenancy()
				sweep.Unguarded = tc.unguarded
				r := collect(t, s, sweeping(sweep))
				r.reports(t, slices.DeleteFunc([]string{tc.held}, func(l string) bool { return l == "" })...)
				r.holds(t, tc.holds)
				if got := r.Stats().Sweeps.Unguarded; got != tc.counted {
					t.Errorf("%d holders were unguarded, want %d: %s", got, tc.counted, tc.reason)
				}
			})
		})
	}
}

// TestSweepConflicts: a member that somebody touches is judged again, and one
// that comes back under its name is a new object, judged on its own.
func TestSweepConflicts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTap(t, "tenant/1[x.io/tenant]; volume/1-a; volume/1-b")
		again := map[string]int{}
		s.call = func(ctx context.Context, verb string, key ownergraph.Key, do func() error) error {
			if verb != "delete" {
				return do()
			}
			again[key.Name]++
			switch {
			case again[key.Name] > 1:
			case key.Name == "1-a":
				o, err := s.Store.Get(ctx, key)
				if err == nil {
					o.ObservedGeneration++
					_, err = s.Update(ctx, o)
				}
				if err != nil {
					return err
				}
			case key.Name == "1-b":
				_ = s.Store.Delete(ctx, key, ownergraph.DeleteOptions{})
				_, _ = s.Create(ctx, ownergraph.Object{Key: ownergraph.Key{Kind: "volume", Name: "1-b"}})
			}
			return do()
		}
		cfg := sweeping(tenancy())
		cfg.Workers = 1
		r := collect(t, s, cfg)
		r.idle()
		r.delete(t, "tenant/1", graph.Unset)
		r.reports(t)
		r.holds(t, "")
		if again["1-a"] != 2 || again["1-b"] != 2 || r.Stats().Writes.Conflicts == 0 {
			t.Errorf("deletes %v, %d conflicts: nothing is deleted that was not judged", again, r.Stats().Writes.Conflicts)
		}
	})
}

// TestSweepStorm: against somebody who creates a member before one goes, the
// sweep holds and reports, in waves that become rare, and ends when he does.
func TestSweepStorm(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTap(t, "tenant/1[x.io/tenant]; volume/1-0")
		var calm atomic.Bool
		var n atomic.Int32
		s.call = func(ctx context.Context, verb string, _ ownergraph.Key, do func() error) error {
			if verb == "delete" && !calm.Load() { // it is never empty
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
		r.holds(t, "")
	})
}

// TestSweepStatus: how far a sweep is, what is left of which kind and phase, and
// who blocks it and why.
func TestSweepStatus(t *testing.T) {
	cfg := sweeping(tenancy(finalizer.Phase{Name: "pods", Kinds: []graph.Kind{"pod"}}, finalizer.Phase{Name: "the rest", After: true}))
	swept(t, "tenant/1; pod/1-x/a[x.io/slow]; pod/1-x/b; volume/1-a; secret/1-x/s", cfg, func(t *testing.T, r *rig) {
		r.delete(t, "tenant/1", graph.Unset)
		r.idle()
		got := fmt.Sprintf("%+v", r.Sweeps(9))
		const want = "[{Holder:tenant/1 Finalizer:x.io/tenant Gone:false Members:4 MembersGone:1 MembersLeft:3 Phases:[1 2 0] Open:1 " +
			"Kinds:[{Kind:pod Count:1} {Kind:secret Count:1} {Kind:volume Count:1}] Blocked:1 " +
			"By:[pod/1-x/a: finalizers hold it (x.io/slow)] Waves:1 Halted:false}]"
		if got != want {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
		if n := len(r.Sweeps(0)) + len(r.Sweeps(-1)); n != 0 {
			t.Errorf("%d sweeps, none were asked for", n)
		}
		r.finish(t, "pod/1-x/a", "x.io/slow")
		r.reports(t)
		if len(r.Sweeps(9)) != 0 {
			t.Error("the sweep is over")
		}
	})
}
