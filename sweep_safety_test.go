package ownergraph_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/finalizer"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/inside"
	"github.com/ownergraph/ownergraph/policy"
)

// pass has a fence passed by kinds, and by the set of kinds for "".
func (s stepped) passed(fence uint64, kinds ...graph.Kind) {
	s.Helper()
	for _, k := range kinds {
		s.see(graph.Event{Type: graph.FencePassed, Kind: k, Fence: fence})
	}
}

// TestSweepNamesake: while an engine has not heard yet that a tenant is gone, and
// that another one has its name, it sees what is the new one's. It deletes
// nothing: a fence has to pass that began after it saw the member, and that tells
// it first.
func TestSweepNamesake(t *testing.T) {
	s := newStepped(t, sweeping(tenancy()), "tenant", "volume")
	s.put("tenant/1#2~[x.io/tenant]")
	s.passed(s.begin("nothing is left, but for what nobody has told yet"), "volume")
	s.put("volume/1-new#9") // tenant/1 has been released by another engine, and its namesake has begun to work
	s.wants(ownergraph.CallUnset, "the fence began before the volume was seen")
	s.passed(1, "tenant", "")
	fence := s.begin("the volume came after it")
	s.see(graph.Event{Type: graph.Gone, Key: keyOf(t, "tenant/1")})
	s.put("tenant/1@new#8[x.io/tenant]")
	s.passed(fence, "tenant", "volume", "")
	s.wants(ownergraph.CallUnset, "the volume is the new tenant's")
	if held := s.e.Held(9); len(held) > 0 || s.e.Stats().Sweeps.Running > 0 {
		t.Errorf("held %v", held)
	}
}

// TestSweepWaitsForFence: a member that was seen before its holder's mark goes
// behind a fence that began after the mark; and the holder goes behind another
// one, that began when nothing was left.
func TestSweepWaitsForFence(t *testing.T) {
	s := newStepped(t, sweeping(tenancy()), "tenant", "volume")
	s.put("tenant/1#1[x.io/tenant]; volume/1-a#1; volume/x#1~[foregroundDeletion]")
	s.passed(s.begin("x waits for one"), "tenant", "volume", "")
	s.put("tenant/1#2~[x.io/tenant]")
	s.see(graph.Event{Type: graph.Gone, Key: keyOf(t, "volume/x")})
	s.wants(ownergraph.CallUnset, "no fence has passed that began after the mark")
	fence := s.begin("the volume has to go")
	s.passed(fence, "volume", "")
	s.wants(ownergraph.CallUnset, "the kind of the holder has not passed it")
	s.passed(fence, "tenant")
	c := s.wants(ownergraph.CallDelete, "the tenant was there when the volume was")
	if want := (ownergraph.Precondition{UID: "volume/1-a", Version: "1"}); c.Options.Precondition != want {
		t.Errorf("%+v, want %+v", c.Options.Precondition, want)
	}
	s.done(c, nil)
	s.see(graph.Event{Type: graph.Gone, Key: keyOf(t, "volume/1-a")})
	s.wants(ownergraph.CallUnset, "another volume may be on its way")
	fence = s.begin("nothing is left")
	s.put("volume/1-b#4")
	s.passed(fence, "tenant", "volume", "")
	s.wants(ownergraph.CallUnset, "there was one on its way")
}

// TestSweepOrphaning: a holder that is deleted to orphan what it owns sweeps
// nothing before that is done.
func TestSweepOrphaning(t *testing.T) {
	owned := finalizer.Sweep{Finalizer: "x.io/o", Holder: "tenant", Members: []finalizer.Members{{By: finalizer.ByOwner}}}
	swept(t, "tenant/1; volume/a -> tenant/1; volume/b", sweeping(owned), func(t *testing.T, r *rig) {
		r.delete(t, "tenant/1", ownergraph.Orphan)
		r.reports(t)
		r.holds(t, "volume/a; volume/b")
	})
}

// TestSweepByOwner: what an anchor owns goes before it; what somebody else who
// holds owns too is contested.
func TestSweepByOwner(t *testing.T) {
	owned := finalizer.Sweep{Finalizer: "x.io/o", Holder: "tenant", Members: []finalizer.Members{{By: finalizer.ByOwner}}}
	swept(t, "tenant/1; tenant/2; volume/a -> tenant/1; volume/b -> tenant/1, tenant/2; volume/c -> team/x, tenant/1; team/x[x.io/z]", sweeping(owned), func(t *testing.T, r *rig) {
		r.delete(t, "tenant/1", graph.Unset)
		r.reports(t, "tenant/1: its members are not gone (volume: 2 left)",
			"volume/b: another object has a claim on it (tenant/1, tenant/2)", "volume/c: another object has a claim on it (team/x, tenant/1)")
		r.delete(t, "tenant/2", graph.Unset)
		r.reports(t, "tenant/1: its members are not gone (volume: 1 left)", "volume/c: another object has a claim on it (team/x, tenant/1)")
		r.delete(t, "team/x", graph.Unset)
		r.finish(t, "team/x", "x.io/z")
		r.reports(t)
		r.holds(t, "")
	})
}

// TestSweepNested: a namespace that is a tenant's, and holds itself, is no rival
// of the tenant: each may be deleted, and takes its own along.
func TestSweepNested(t *testing.T) {
	scopes := finalizer.Sweep{Finalizer: "x.io/scope", Holder: "ns", Members: []finalizer.Members{{By: finalizer.ByScope}},
		Phases: []finalizer.Phase{{Name: "workloads", Kinds: []graph.Kind{"pod"}}, {Name: "the rest", After: true}}}
	const world = "tenant/1; tenant/2; ns/1-a; ns/1-b; ns/2-a; pod/1-a/p; pod/1-b/p; pod/2-a/p; secret/1-a/s; secret/1-b/s"
	for _, tc := range []struct{ name, del, holds, reason string }{
		{"namespace", "ns/1-a", "ns/1-b[x.io/scope]; ns/2-a[x.io/scope]; pod/1-b/p; pod/2-a/p; secret/1-b/s; tenant/1[x.io/tenant]; tenant/2[x.io/tenant]",
			"the tenant lives, and one of its namespaces goes"},
		{"tenant", "tenant/1", "ns/2-a[x.io/scope]; pod/2-a/p; tenant/2[x.io/tenant]", "all of its namespaces go"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			swept(t, world, sweeping(tenancy(), scopes), func(t *testing.T, r *rig) {
				r.delete(t, tc.del, graph.Unset)
				r.reports(t)
				r.holds(t, tc.holds)
			})
		})
	}
}

// TestSweepersTogether: two collectors sweep at once; what both do costs a
// conflict, or finds that it is done, and never an object.
func TestSweepersTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		objects := "tenant/1; tenant/2"
		for i := range 50 {
			objects += fmt.Sprintf("; volume/1-%d; volume/2-%d", i, i)
		}
		s := newTap(t, objects)
		a, b := collect(t, s, sweeping(tenancy())), collect(t, s, sweeping(tenancy()))
		a.idle()
		b.idle()
		s.delete(t, "tenant/1", graph.Unset)
		a.idle()
		b.idle()
		if got := strings.Count(s.shape(), ";") + 1; got != 51 || strings.Contains(s.shape(), "1-1;") {
			t.Errorf("%d objects are left: %s", got, s.shape())
		}
		if n := a.Stats().Calls[ownergraph.CallRead] + b.Stats().Calls[ownergraph.CallRead] + a.Stats().Calls[ownergraph.CallDelete] + b.Stats().Calls[ownergraph.CallDelete]; n > 200 {
			t.Errorf("%d reads and deletes for 50 members", n)
		}
	})
}

// TestSweepWithoutFences: a store of level 1 is swept as well. The holder is read,
// every kind is listed again before it is released, and the release says that it
// is best effort.
func TestSweepWithoutFences(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTap(t, "tenant/1; tenant/2; volume/1-a; volume/2-a; pod/1-x/p")
		var mu sync.Mutex
		var best []string
		cfg := sweeping(tenancy())
		cfg.OnDecision = func(d ownergraph.DecisionEvent) {
			mu.Lock()
			defer mu.Unlock()
			if d.Action.Writes() && d.BestEffort {
				best = append(best, d.Reason.String())
			}
		}
		r := collectOn(t, plain{s}, s, cfg)
		r.idle()
		r.delete(t, "tenant/1", graph.Unset)
		pass(1e9)
		r.reports(t)
		r.holds(t, "tenant/2[x.io/tenant]; volume/2-a")
		mu.Lock()
		defer mu.Unlock()
		if got := r.Stats(); got.Calls[ownergraph.CallRead] != 1 || got.Calls[ownergraph.CallFence] != 0 || fmt.Sprint(best) != "[its members are gone]" {
			t.Errorf("%v, %+v", best, got)
		}
	})
}

// TestSweepDecisions: the hook sees who is guarded, whose sweep deletes what, and
// how far it is.
func TestSweepDecisions(t *testing.T) {
	var mu sync.Mutex
	var got []string
	cfg := sweeping(tenancy(finalizer.Phase{Name: "pods", Kinds: []graph.Kind{"pod"}}))
	cfg.Workers = 1
	cfg.OnDecision = func(d ownergraph.DecisionEvent) {
		mu.Lock()
		defer mu.Unlock()
		if d.Action.Writes() {
			got = append(got, fmt.Sprintf("%s %s: %s %s", d.Action, d.Key, d.Reason, d.Holder))
		}
		if s := d.Sweep; s != nil && d.Reason != policy.NeedMembers {
			got = append(got, fmt.Sprintf("%s: %s: %d of %d gone, %v %v", d.Key, d.Reason, s.MembersGone, s.Members, s.Phases, s.Kinds))
		}
	}
	swept(t, "tenant/1; pod/1-x/p; volume/1-a", cfg, func(t *testing.T, r *rig) {
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

// TestObserveOnlySweeps: what a sweep would do is shown, and nothing is done.
func TestObserveOnlySweeps(t *testing.T) {
	cfg := sweeping(tenancy())
	cfg.ObserveOnly = true
	swept(t, "tenant/1~[x.io/tenant]; tenant/2; volume/1-a", cfg, func(t *testing.T, r *rig) {
		r.holds(t, "tenant/1~[x.io/tenant]; tenant/2; volume/1-a")
		if s := r.Stats(); s.Calls[ownergraph.CallDelete]+s.Calls[ownergraph.CallPatch] > 0 {
			t.Errorf("%+v", s)
		}
	})
}

func TestConfigSweeps(t *testing.T) {
	other := tenancy()
	other.Finalizer = "x.io/other"
	nobody := tenancy()
	nobody.Members = nil
	for _, tc := range []struct {
		cfg          ownergraph.Config
		want, reason string
	}{
		{sweeping(nobody), "Sweeps[0]: plan sweep", "it has no members"},
		{sweeping(tenancy(), tenancy()), "Sweeps[1]: finalizer \"x.io/tenant\": another sweep has it", "who would release it?"},
		{ownergraph.Config{Sweeps: []finalizer.Sweep{tenancy()}, Handlers: map[string]finalizer.Handler{"x.io/tenant": func(context.Context, graph.Object) error { return nil }}},
			"a handler has it", "the same"},
		{ownergraph.Config{Sweeps: []finalizer.Sweep{tenancy()}, Ignore: []graph.Kind{"tenant"}}, "kind \"tenant\" takes no part", "nobody would see it"},
	} {
		if _, err := ownergraph.NewEngine(ownergraph.Level2, tc.cfg); !errors.Is(err, ownergraph.ErrInvalid) || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("NewEngine: %v, want %q: %s", err, tc.want, tc.reason)
		}
	}
	if _, err := ownergraph.NewEngine(ownergraph.Level2, sweeping(tenancy(), other)); err != nil {
		t.Errorf("NewEngine: %v: the sweeps have finalizers of their own", err)
	}
}

// TestSweepConfirm: of a holder with many members nothing is deleted before
// somebody has confirmed its deletion; until then they can be given away. One
// with few needs nobody.
func TestSweepConfirm(t *testing.T) {
	anchored := finalizer.Sweep{
		Finalizer: "x.io/anchor", Holder: "tenant", Members: []finalizer.Members{{By: finalizer.ByOwner}},
		Confirm: "x.io/confirm", ConfirmAbove: 1,
	}
	const world = "tenant/1; tenant/2; tenant/3; volume/a -> tenant/1; volume/b -> tenant/1; volume/c -> tenant/1; volume/d -> tenant/3"
	const both = "[x.io/confirm,x.io/anchor]"
	for _, tc := range []struct {
		name   string
		do     func(t *testing.T, r *rig)
		held   []string
		holds  string
		reason string
	}{
		{"nobody", func(*testing.T, *rig) {}, []string{"tenant/1: it has so many members that its deletion needs a confirmation (volume: 3 left)"},
			"tenant/1~" + both + "; tenant/2" + both + "; tenant/3" + both +
				"; volume/a -> tenant/1; volume/b -> tenant/1; volume/c -> tenant/1; volume/d -> tenant/3", "it may be a mistake"},
		{"confirmed", func(t *testing.T, r *rig) { r.finish(t, "tenant/1", "x.io/confirm") }, nil,
			"tenant/2" + both + "; tenant/3" + both + "; volume/d -> tenant/3", "it is none"},
		{"moved", func(t *testing.T, r *rig) {
			for _, name := range []string{"a", "b"} {
				o, err := r.Store.Get(t.Context(), keyOf(t, "volume/"+name))
				if err != nil {
					t.Fatal(err)
				}
				o.Owners[0].Key = keyOf(t, "tenant/2")
				if _, err := r.Update(t.Context(), o); err != nil {
					t.Fatal(err)
				}
			}
		}, nil, "tenant/2" + both + "; tenant/3" + both + "; volume/a -> tenant/2; volume/b -> tenant/2; volume/d -> tenant/3", "the rest is few"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			swept(t, world, sweeping(anchored), func(t *testing.T, r *rig) {
				r.delete(t, "tenant/1", graph.Unset)
				r.idle()
				tc.do(t, r)
				r.reports(t, tc.held...)
				r.holds(t, tc.holds)
			})
		})
	}
	t.Run("few", func(t *testing.T) {
		swept(t, world, sweeping(anchored), func(t *testing.T, r *rig) {
			r.delete(t, "tenant/3", graph.Unset)
			r.reports(t)
			r.holds(t, "tenant/1"+both+"; tenant/2"+both+"; volume/a -> tenant/1; volume/b -> tenant/1; volume/c -> tenant/1")
		})
	})
}

// TestSweepConfirmCounts: that there are few members is known only behind a fence.
func TestSweepConfirmCounts(t *testing.T) {
	sweep := tenancy()
	sweep.Confirm = "x.io/confirm"
	s := newStepped(t, sweeping(sweep), "tenant", "volume")
	s.put("tenant/1#2~[x.io/confirm,x.io/tenant]")
	s.wants(ownergraph.CallUnset, "a volume may be on its way")
	fence := s.begin("how many are there?")
	s.passed(fence, "tenant", "")
	s.put("volume/1-a#1")
	s.passed(fence, "volume")
	s.wants(ownergraph.CallUnset, "there is one, and none may be swept unconfirmed")
	s.see(graph.Event{Type: graph.Gone, Key: keyOf(t, "volume/1-a")})
	s.wants(ownergraph.CallUnset, "another one may have come before it went")
	s.passed(s.begin("and how many now?"), "tenant", "volume", "")
	if c := s.wants(ownergraph.CallPatch, "there is none"); c.Change.DropFinalizer != "x.io/confirm" {
		t.Errorf("%+v", c.Change)
	}
}

// TestSweepUnservedHolder: when the kind of the holders is not served any more,
// nobody can tell whether the holder is there, and nothing more is deleted.
func TestSweepUnservedHolder(t *testing.T) {
	s := newStepped(t, sweeping(tenancy()), "tenant", "volume")
	s.put("tenant/1#2~[x.io/tenant]")
	s.wants(ownergraph.CallUnset, "nothing is left")
	s.see(graph.Event{Type: graph.KindVanished, Kind: "tenant"})
	s.put("volume/1-a#1")
	for range 3 { // the audit, and a fence of those kinds that there are
		s.wants(ownergraph.CallUnset, "the tenant may be gone, and another one there")
		if c := s.next(ownergraph.LaneControl); c.Type == ownergraph.CallFence {
			s.done(c, nil)
			s.passed(c.Fence, "volume", "")
		}
	}
}

// TestSweepUnservedMember: what is known of a kind that is not served any more
// holds the holder, and is swept when it is served again.
func TestSweepUnservedMember(t *testing.T) {
	swept(t, "tenant/1; widget/1-w; volume/1-a", sweeping(tenancy()), func(t *testing.T, r *rig) {
		if err := r.Inside(inside.Key{}).RemoveKind("widget"); err != nil {
			t.Fatal(err)
		}
		r.delete(t, "tenant/1", graph.Unset)
		r.reports(t, "tenant/1: its members are not gone (widget: 1 left)", "widget/1-w: its kind is not served")
		if err := r.Inside(inside.Key{}).AddKind(graph.KindInfo{Kind: "widget"}); err != nil {
			t.Fatal(err)
		}
		r.reports(t)
		r.holds(t, "")
	})
}

// TestSweepReadsHolder: without fences a member goes when a read that began after
// it was seen has shown the holder, and a listing everybody else who holds.
func TestSweepReadsHolder(t *testing.T) {
	e, err := ownergraph.NewEngine(ownergraph.Level1, sweeping(tenancy()))
	if err != nil {
		t.Fatal(err)
	}
	s := stepped{t, e, time.Unix(0, 0)}
	s.see(graph.Event{Type: graph.KindsKnown, Kinds: []graph.KindInfo{{Kind: "tenant"}, {Kind: "volume"}}})
	s.list("tenant", "volume")
	tenant, _ := graph.ParseObject("tenant/1#2~[x.io/tenant]")
	s.put("tenant/1#2~[x.io/tenant]; volume/1-a#1")
	read := s.wants(ownergraph.CallRead, "is the tenant there?")
	if list := s.next(ownergraph.LaneControl); list.Type != ownergraph.CallList || list.Kind != "tenant" {
		t.Errorf("%s %s, want a listing of tenants", list.Type, list.Kind)
	} else {
		s.done(list, nil)
	}
	s.see(begun("tenant"), graph.Event{Type: graph.Put, Object: tenant}, ended("tenant"))
	s.wants(ownergraph.CallUnset, "the listing may have been taken before the volume was")
	s.done(read, graph.ErrNotFound)
	s.wants(ownergraph.CallUnset, "the tenant is gone: the watch will say so")
	s.now = s.now.Add(time.Minute)
	read = s.wants(ownergraph.CallRead, "it has not")
	s.answer(read, "tenant/1#2~[x.io/tenant]")
	s.wants(ownergraph.CallDelete, "it was there after all: the store has lied")
}

// TestSweepOfKindsLost: without fences, a holder is not let go after a set of kinds was
// refused, before there is one that is not: it may have had members that nobody knows.
func TestSweepOfKindsLost(t *testing.T) {
	e, err := ownergraph.NewEngine(ownergraph.Level1, sweeping(tenancy()))
	if err != nil {
		t.Fatal(err)
	}
	s := stepped{t, e, time.Unix(0, 0)}
	kinds := []graph.KindInfo{{Kind: "tenant"}, {Kind: "volume"}}
	s.see(graph.Event{Type: graph.KindsKnown, Kinds: kinds})
	s.list("tenant", "volume")
	s.put("tenant/1#2~[x.io/tenant]")
	s.wants(ownergraph.CallUnset, "every kind has to be listed")
	if err := e.Observe(s.now, graph.Event{Type: graph.KindsKnown, Kinds: append(kinds, graph.KindInfo{Kind: "widget"}, graph.KindInfo{Kind: "widget", Scoped: true})}); err == nil {
		t.Fatal("a kind that is described twice was taken")
	}
	tenant, _ := graph.ParseObject("tenant/1#2~[x.io/tenant]")
	relist := func() {
		for range 4 {
			s.now = s.now.Add(time.Minute)
			for c := s.next(ownergraph.LaneControl); c.Type == ownergraph.CallList; c = s.next(ownergraph.LaneControl) {
				s.done(c, nil)
				if c.Kind == "" { // the set of kinds does not come
					continue
				}
				s.see(begun(c.Kind))
				if c.Kind == "tenant" {
					s.see(graph.Event{Type: graph.Put, Object: tenant})
				}
				s.see(ended(c.Kind))
			}
		}
	}
	relist()
	s.wants(ownergraph.CallUnset, "a widget may be of the tenant")
	s.see(graph.Event{Type: graph.KindsKnown, Kinds: kinds})
	relist()
	s.wants(ownergraph.CallPatch, "there are no widgets")
}

// TestSweepNewKindOfHolders: a member is not deleted before the set of kinds has passed
// the fence, too, where a kind of holders is not served: it may be by now, and have one
// who has a claim on it.
func TestSweepNewKindOfHolders(t *testing.T) {
	cluster := finalizer.Sweep{Finalizer: "x.io/cluster", Holder: "cluster", Members: []finalizer.Members{{By: finalizer.ByName, Delimiter: "-"}}}
	kinds := []graph.KindInfo{{Kind: "tenant"}, {Kind: "volume"}, {Kind: "cluster"}}
	begin := func() (stepped, uint64) {
		s := newStepped(t, sweeping(tenancy(), cluster), "tenant", "volume")
		s.put("tenant/1#1[x.io/tenant]; volume/1-a#1")
		s.put("tenant/1#2~[x.io/tenant]")
		s.wants(ownergraph.CallUnset, "no fence has passed that began after the mark")
		return s, s.begin("the volume has to go")
	}
	s, fence := begin()
	s.passed(fence, "tenant", "volume")
	s.wants(ownergraph.CallUnset, "there may be clusters by now")
	s.see(graph.Event{Type: graph.KindsKnown, Kinds: kinds})
	s.list("cluster")
	s.put("cluster/1#3[x.io/cluster]")
	s.passed(s.begin("the set of kinds is another"), "tenant", "volume", "cluster", "")
	s.wants(ownergraph.CallUnset, "the volume may be the cluster's")

	s, _ = begin()
	if err := s.e.Observe(s.now, graph.Event{Type: graph.KindsKnown, Kinds: append(kinds, graph.KindInfo{Kind: "cluster", Scoped: true})}); err == nil {
		t.Fatal("a kind that is described twice was taken")
	}
	s.passed(s.begin("the former one is void"), "tenant", "volume", "")
	s.wants(ownergraph.CallUnset, "there may be clusters, and nobody knows")
	if !s.e.Idle() {
		t.Error("not idle, and nothing will come")
	}
	s.see(graph.Event{Type: graph.KindsKnown, Kinds: kinds[:2]})
	s.passed(s.begin("the set of kinds is known"), "tenant", "volume", "")
	s.wants(ownergraph.CallDelete, "there are no clusters")
}

// TestSweepGhostGivesWay: what a holder that went unguarded has left is its
// namesake's as soon as there is one.
func TestSweepGhostGivesWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTap(t, "tenant/1; volume/1-a")
		var once sync.Once
		s.call = func(ctx context.Context, verb string, key ownergraph.Key, do func() error) error {
			if verb == "patch" {
				once.Do(func() {
					_ = s.Store.Delete(ctx, key, ownergraph.DeleteOptions{})
					_, _ = s.Create(ctx, ownergraph.Object{Key: key.Place()})
				})
			}
			return do()
		}
		sweep := tenancy()
		sweep.Unguarded = true
		r := collect(t, s, sweeping(sweep))
		r.reports(t)
		r.holds(t, "tenant/1@new-1[x.io/tenant]; volume/1-a")
		if st := r.Stats(); st.Sweeps.Unguarded != 1 || st.Sweeps.Running != 0 || st.Calls[ownergraph.CallDelete] != 0 {
			t.Errorf("%+v", st)
		}
	})
}
