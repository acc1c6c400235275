package ownergraph_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/adapters/memory"
	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/finalizer"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/guard"
	"github.com/ownergraph/ownergraph/share"
)

// spread gives each object a UID that makes the slots of the objects differ: UUIDs, or other texts.
func spread(t *testing.T, objects string, seed int) *tap {
	t.Helper()
	list, err := graph.Parse(objects)
	if err != nil {
		t.Fatal(err)
	}
	uid := func(k *graph.Key) {
		text := fmt.Sprintf("%x-%s", uint64(seed+1)*0x9e3779b97f4a7c15, strings.Repeat(string(k.UID), 3))
		if k.UID = graph.UID(text); seed%2 == 1 {
			sum := sha256.Sum256([]byte(text))
			k.UID = graph.UID(fmt.Sprintf("%x-%x-%x-%x-%x", sum[:4], sum[4:6], sum[6:8], sum[8:10], sum[10:16]))
		}
	}
	for i := range list {
		uid(&list[i].Key)
		for j := range list[i].Owners {
			uid(&list[i].Owners[j].Key)
		}
	}
	s, err := memory.New(memory.Config{Objects: list, UIDPrefix: "new-"})
	if err != nil {
		t.Fatal(err)
	}
	return &tap{Store: s}
}

// named deletes the object with a kind and a name, as a user.
func (s *tap) named(t *testing.T, place string, p graph.Propagation) {
	t.Helper()
	k := keyOf(t, place)
	if err := s.Store.Delete(t.Context(), graph.Key{Kind: k.Kind, Scope: k.Scope, Name: k.Name}, ownergraph.DeleteOptions{Propagation: p}); err != nil {
		t.Fatal(err)
	}
}

// handled is a config with a handler of the finalizer x.
func handled() ownergraph.Config {
	return ownergraph.Config{Handlers: map[string]finalizer.Handler{"x": func(context.Context, graph.Object) error { return nil }}}
}

// shared are cascades that use every part of an engine.
var shared = []struct {
	reason, objects, root string
	propagation           graph.Propagation
	config                func() ownergraph.Config
}{
	{"background, over two levels", "a; b/1 -> a; b/2 -> a; c/1 -> b/1; c/2 -> b/2; c/3 -> b/1, b/2; d -> a, e; e", "a", graph.Background, nil},
	{"foreground", "a; b/1 -> a!; b/2 -> a!; c/1 -> b/1!; c/2 -> b/2!; c/3 -> b/1!, b/2!; d -> a!, e; e", "a", graph.Foreground, nil},
	{"orphan", "a; b/1 -> a; b/2 -> a; b/3 -> a; b/4 -> a, e; e", "a", graph.Orphan, nil},
	{"a ring of foreground deletions", "a -> c!; b -> a!; c -> b!; d -> a!", "a", graph.Foreground, nil},
	{"handlers", "a[x]; b/1[x] -> a!; b/2[x] -> a!; c[x] -> b/1!", "a", graph.Foreground, handled},
	{"an owner that is not served", "a; b/1 -> a; b/2 -> a, z/unseen", "a", graph.Background, nil},
	{"phases of a guard", "r; pod/1 -> r!; pod/2 -> r!; claim/1 -> r!; claim/2 -> r!; role -> r!", "r", graph.Foreground, inPhases},
	{"phases beside a protected object", "r; pod/1 -> r!; pod/kept -> r; claim/1 -> r!; claim/2 -> r!", "r", graph.Foreground, func() ownergraph.Config {
		cfg := inPhases()
		cfg.Protect = []guard.Protection{{Names: []string{"kept"}}}
		return cfg
	}},
	{"a verdict", "a; b/1 -> a; b/2 -> a", "a", graph.Background, func() ownergraph.Config {
		limit := 9
		return guarding(guard.Guard{Kinds: []graph.Kind{"a"}, Above: &limit})
	}},
	{"a sweep", "tenant/t; b/t/1; b/t/2; c/t/1; c/u/2; tenant/u", "tenant/t", graph.Background, func() ownergraph.Config {
		return ownergraph.Config{Sweeps: []guard.Sweep{guard.ScopeSweep("tenant", "x.io/sweep")}}
	}},
	{"a brake below its limit", "a; b/1 -> a; b/2 -> a; b/3 -> a", "a", graph.Background, func() ownergraph.Config {
		return ownergraph.Config{Brake: engine.Brake{PerCascade: 30}}
	}},
}

// ofShares runs a cascade with n collectors, each with its share, and returns the objects and the
// number of the writes and refusals.
func ofShares(t *testing.T, at, n, seed int) (left string, writes int, conflicts uint64) {
	synctest.Test(t, func(t *testing.T) {
		c := shared[at]
		s := spread(t, c.objects, seed)
		var names []string
		for i := range n {
			names = append(names, fmt.Sprint("member-", i))
		}
		sets, err := share.Divide(names)
		if err != nil {
			t.Fatal(err)
		}
		var all []*rig
		for i := range n {
			cfg := ownergraph.Config{}
			if c.config != nil {
				cfg = c.config()
			}
			cfg.Share = sets[i]
			all = append(all, collect(t, s, cfg))
		}
		untilQuiet(all)
		s.named(t, c.root, c.propagation)
		untilQuiet(all)
		for _, r := range all {
			conflicts += r.Stats().Writes.Conflicts
			if h := r.Stats().ByStatus.Of(engine.StatusStuck); n > 1 && h > 0 && !strings.Contains(c.objects, "unseen") {
				t.Errorf("%s: %d objects are stuck: %s", c.reason, h, lines(r.Held(9)))
			}
			if set := r.Stats().Share; !slices.Contains(sets, set) {
				t.Errorf("the share is %v", set)
			}
		}
		left, writes = s.shape(), s.count("patch")+s.count("delete")
	})
	return left, writes, conflicts
}

// untilQuiet waits until all collectors are idle one after another, twice: the last write of one may be
// the work of another.
func untilQuiet(all []*rig) {
	for range 3 {
		for _, r := range all {
			r.idle()
		}
		pass(time.Second)
	}
}

// maxMore bounds the writes that another order of events brings: an object with two owners may lose
// the first one before it goes.
const maxMore = 2

// TestSharesTogether: collectors with disjoint shares do the work of one, and no write is refused
// (RULES, H2 and H3).
func TestSharesTogether(t *testing.T) {
	for at, c := range shared {
		want, alone, _ := ofShares(t, at, 1, 0)
		for seed := range 4 {
			want, alone := want, alone
			if seed > 0 {
				want, alone, _ = ofShares(t, at, 1, seed)
			}
			for _, n := range []int{2, 3} {
				got, writes, conflicts := ofShares(t, at, n, seed)
				if got != want || writes > alone+maxMore || conflicts > 0 {
					t.Errorf("%s, seed %d, %d collectors: %d writes, %d refused, and the store has\n%s\nwant about %d writes, and\n%s",
						c.reason, seed, n, writes, conflicts, got, alone, want)
				}
			}
		}
	}
}

// TestShareCancelsHandlers: the run of a handler ends when its object leaves the share. It is no
// failure, and it runs again when the object is back.
func TestShareCancelsHandlers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var causes []error
		began := make(chan struct{}, 9)
		s := newTap(t, "a[x]")
		r := collect(t, s, ownergraph.Config{Handlers: map[string]finalizer.Handler{"x": func(ctx context.Context, _ graph.Object) error {
			began <- struct{}{}
			if len(causes) > 0 {
				return nil
			}
			<-ctx.Done()
			causes = append(causes, context.Cause(ctx))
			return ctx.Err()
		}}})
		r.idle()
		s.delete(t, "a", graph.Background)
		<-began
		if err := r.SetShare(share.None(), time.Time{}); err != nil {
			t.Fatal(err)
		}
		r.idle()
		if len(causes) != 1 || !strings.Contains(causes[0].Error(), "left the share") || r.Stats().FailedHandlers != 0 {
			t.Errorf("causes %v, %d failures, want one end by the share", causes, r.Stats().FailedHandlers)
		}
		if err := r.SetShare(share.All(), time.Time{}); err != nil {
			t.Fatal(err)
		}
		r.idle()
		s.contains(t, "")
		if err := r.stop(); err != nil {
			t.Fatal(err)
		}
		if err := r.SetShare(share.All(), time.Time{}); !errors.Is(err, ownergraph.ErrClosed) {
			t.Errorf("error %v after the end", err)
		}
	})
}

// TestShareEndsHandlers: the run of a handler ends at the end of the share, and is no failure, also if
// the object is back before the run returns.
func TestShareEndsHandlers(t *testing.T) {
	for _, c := range []struct {
		reason string
		leave  func(r *rig) []error
	}{
		{"the share ends", func(r *rig) []error {
			err := r.SetShare(share.All(), time.Now().Add(time.Second))
			pass(2 * time.Second)
			return []error{err, r.SetShare(share.All(), time.Time{})}
		}},
		{"the object leaves and is back", func(r *rig) []error {
			return []error{r.SetShare(share.None(), time.Time{}), r.SetShare(share.All(), time.Time{})}
		}},
	} {
		synctest.Test(t, func(t *testing.T) {
			began, runs := make(chan struct{}, 9), 0
			s := newTap(t, "a[x]")
			r := collect(t, s, ownergraph.Config{Handlers: map[string]finalizer.Handler{"x": func(ctx context.Context, _ graph.Object) error {
				began <- struct{}{}
				if runs++; runs > 1 {
					return nil
				}
				<-ctx.Done()
				return ctx.Err()
			}}})
			r.idle()
			s.delete(t, "a", graph.Background)
			<-began
			if err := errors.Join(c.leave(r)...); err != nil {
				t.Fatal(err)
			}
			r.idle()
			if n := r.Stats().FailedHandlers; n != 0 || runs != 2 {
				t.Errorf("%s: %d runs, %d failures, want 2 and none", c.reason, runs, n)
			}
			s.contains(t, "")
		})
	}
}

// TestShareTakeover: a standby has observed everything, and ends the cascade that another collector
// leaves (RULES, H2).
func TestShareTakeover(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := spread(t, "a; b/1 -> a; b/2 -> a; b/3 -> a; c/1 -> b/1; c/2 -> b/2", 0)
		first := collect(t, s, ownergraph.Config{})
		standby := collect(t, s, ownergraph.Config{Share: share.None()})
		untilQuiet([]*rig{first, standby})
		if err := first.SetShare(share.All(), time.Now().Add(time.Minute)); err != nil {
			t.Fatal(err)
		}
		pass(time.Minute) // nothing renews it
		s.named(t, "a", graph.Background)
		if untilQuiet([]*rig{first, standby}); s.count("delete") > 0 {
			t.Errorf("%d deletes without a share", s.count("delete"))
		}
		gets := s.count("get")
		if err := standby.SetShare(share.All(), time.Time{}); err != nil {
			t.Fatal(err)
		}
		if untilQuiet([]*rig{first, standby}); s.count("delete") != 5 || s.count("get") != gets {
			t.Errorf("%d deletes, %d reads, want 5 and none", s.count("delete"), s.count("get")-gets)
		}
		s.contains(t, "")
	})
}

// TestShareEndsPrefetch: a call that was prefetched in time is not begun after the end of the share,
// also while no turn of the engine can run (RULES, H1).
func TestShareEndsPrefetch(t *testing.T) {
	deletes, late := newGate(), make(chan struct{}, 8)
	s, _ := gated(t, map[string]gate{"delete": deletes})
	var until atomic.Pointer[time.Time]
	made := s.call
	s.call = func(ctx context.Context, verb string, key ownergraph.Key, do func() error) error {
		if end := until.Load(); end != nil && verb == "delete" && time.Now().After(*end) {
			late <- struct{}{}
		}
		return made(ctx, verb, key, do)
	}
	r := collect(t, s, ownergraph.Config{Workers: 2, OnDecision: func(e ownergraph.DecisionEvent) {
		if end := until.Load(); end != nil && e.Key.Name == "late" { // the engine is locked
			<-time.After(time.Until(*end) + time.Millisecond)
			close(deletes.open)
			select {
			case <-late:
				t.Error("a delete begins after the end of the share")
			case <-time.After(50 * time.Millisecond):
			}
			until.Store(nil)
		}
	}})
	r.idle()
	s.delete(t, "a", ownergraph.Background)
	for s.count("delete") < 2 {
		runtime.Gosched()
	}
	end := time.Now().Add(100 * time.Millisecond)
	if err := r.SetShare(share.All(), end); err != nil {
		t.Fatal(err)
	}
	until.Store(&end)
	s.create(t, "p/late -> a")
	for until.Load() != nil {
		runtime.Gosched()
	}
	if err := r.SetShare(share.All(), time.Time{}); err != nil {
		t.Fatal(err)
	}
	if r.idle(); s.count("delete") != 9 {
		t.Errorf("%d deletes after the share is back, want 9", s.count("delete"))
	}
}
