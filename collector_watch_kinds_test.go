package ownergraph_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/guard"
	"github.com/ownergraph/ownergraph/internal/inside"
)

// TestCollectorRelistsHungWatch: a watch that was restarted for a listing hangs, and is
// restarted again.
func TestCollectorRelistsHungWatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTap(t, "a; b")
		runs := 0
		s.watch = func(ctx context.Context, sink sinkFunc, do watchFunc) error {
			runs++
			return do(ctx, func(ev ownergraph.Event) error {
				if ev.Type == graph.ListBegun && runs == 2 {
					<-ctx.Done()
					return ctx.Err()
				}
				if ev.Type == graph.Put && ev.Object.HasFinalizer("x") && runs == 1 {
					ev.Object.Version = ""
				}
				return sink(ev)
			})
		}
		r := collectOn(t, plain{s}, s, ownergraph.Config{})
		r.idle()
		if err := s.Patch(t.Context(), keyOf(t, "b"), ownergraph.Precondition{}, ownergraph.Change{AddFinalizer: "x"}); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		r.idle()
		if runs != 3 {
			t.Errorf("the watch ran %d times, want 3", runs)
		}
	})
}

// TestCollectorRelists: a watch brings an invalid event. The kind is listed anew, by the
// store's own power or by a new watch.
func TestCollectorRelists(t *testing.T) {
	for _, c := range []struct {
		name           string
		hide           func(*tap) ownergraph.Store
		lists, watches int
		reason         string
	}{
		{"lister", func(s *tap) ownergraph.Store { return s }, 1, 1, "the store lists the kind"},
		{"no lister", func(s *tap) ownergraph.Store { return plain{s} }, 0, 2, "the watch begins anew"},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newTap(t, "a; b -> a!; c -> b")
				lost := false
				s.watch = func(ctx context.Context, sink sinkFunc, do watchFunc) error {
					return do(ctx, func(ev ownergraph.Event) error {
						if ev.Type == graph.Gone && !lost {
							lost = true
							ev.Key.UID = "" // the watch goes on, and the removal is lost
						}
						if err := sink(ev); err != nil {
							t.Errorf("the sink ends the watch: %v", err)
						}
						return nil
					})
				}
				r := collectOn(t, c.hide(s), s, ownergraph.Config{})
				r.idle()
				began := time.Now()
				s.delete(t, "a", ownergraph.Background)
				synctest.Wait()
				if held := r.idle(); len(held) > 0 {
					t.Errorf("held: %s", lines(held))
				}
				s.contains(t, "")
				if d := time.Since(began); d > 0 {
					t.Errorf("the listing was put off for %v", d)
				}
				if l, w := s.count("list"), s.count("watch"); l != c.lists || w != c.watches || r.Stats().Refused != 1 {
					t.Errorf("%d listings, %d watches, %d events refused; want %d, %d, 1: %s",
						l, w, r.Stats().Refused, c.lists, c.watches, c.reason)
				}
			})
		})
	}
}

// TestCollectorRelistsOnce: the engine wants new listings of all kinds at once. One restart
// of the watch brings them all, also with slow listings.
func TestCollectorRelistsOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTap(t, "a; b; c; d; e")
		var late sinkFunc
		s.watch = func(ctx context.Context, sink sinkFunc, do watchFunc) error {
			late = sink
			return do(ctx, func(ev ownergraph.Event) error {
				if ev.Type == graph.Put {
					pass(20 * time.Second)
				}
				return sink(ev)
			})
		}
		r := collectOn(t, plain{s}, s, ownergraph.Config{CompareVersions: compareVersions})
		r.idle()
		old := ownergraph.Object{Key: keyOf(t, "c"), Version: "0"}
		if err := late(ownergraph.Event{Type: graph.Put, Object: old}); err != nil {
			t.Fatal(err)
		}
		r.idle()
		if n, w := r.Stats().Rewinds, s.count("watch"); n != 1 || w != 2 {
			t.Errorf("%d rewinds and %d watches, want 1 and 2", n, w)
		}
	})
}

// TestCollectorKindSick: the store reports a kind sick. The kind stays sick while the watch
// breaks and comes back.
func TestCollectorKindSick(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, b := newTap(t, "a; b -> a!; x"), &breaker{}
		s.watch = b.watch
		r := collect(t, s, ownergraph.Config{})
		r.idle()
		if err := s.Inside(inside.Key{}).Sicken("x", "disk full"); err != nil {
			t.Fatal(err)
		}
		b.set(false) // breaks once
		s.delete(t, "a", ownergraph.Foreground)
		if held := lines(r.idle()); held != "a: dependents hold it (b)\nb: a sick kind holds the fence (x: disk full)" {
			t.Errorf("held: %s", held)
		}
		s.contains(t, "a~[foreground]; b~[foreground] -> a!; x")
		if got := health(r.Kinds()); got != "[{a true } {b true } {x true disk full}]" {
			t.Errorf("kinds %s", got)
		}
		if err := s.Inside(inside.Key{}).Recover("x"); err != nil {
			t.Fatal(err)
		}
		r.idle()
		s.contains(t, "x")
		if got := health(r.Kinds()); got != "[{a true } {b true } {x true }]" {
			t.Errorf("kinds %s", got)
		}
	})
}

// TestCollectorRecoveredUnlisted: a new watch reports that a kind has recovered before the watch
// has listed it. The kind stays sick, since the engine may have missed events.
func TestCollectorRecoveredUnlisted(t *testing.T) {
	kinds := ownergraph.Event{Type: graph.KindsKnown, Kinds: []ownergraph.KindInfo{{Kind: "a"}}}
	of := func(t graph.EventType) ownergraph.Event { return ownergraph.Event{Type: t, Kind: "a"} }
	refused := ownergraph.Event{Type: graph.KindsKnown, Kinds: []ownergraph.KindInfo{{Kind: "b"}, {Kind: "b", Scoped: true}}}
	const well, down = "[{a true }]", "[{a true watch: made by the test}]"
	const anew = "[{a true watch: restarted for a new listing}]"
	synctest.Test(t, func(t *testing.T) {
		s := newTap(t, "a")
		say := make(chan ownergraph.Event)
		s.watch = func(ctx context.Context, sink sinkFunc, _ watchFunc) error {
			for {
				select {
				case <-ctx.Done():
					return ctx.Err()
				case ev := <-say:
					if ev.Type == graph.EventUnset {
						return errTest
					}
					if err := sink(ev); err != nil {
						return err
					}
				}
			}
		}
		r := collect(t, s, ownergraph.Config{})
		for i, step := range []struct {
			ev     ownergraph.Event
			want   string
			reason string
		}{
			{kinds, "[{a false }]", "not listed yet"},
			{of(graph.ListBegun), "[{a false }]", "the listing is under way"},
			{of(graph.ListEnded), well, "the listing is complete"},
			{ownergraph.Event{}, down, "the watch breaks"},
			{kinds, down, "the new watch has not listed it"},
			{of(graph.KindRecovered), down, "nor when it says that all is well"},
			{of(graph.ListBegun), down, "the listing is under way"},
			{of(graph.ListEnded), well, "the listing is complete"},
			{of(graph.KindSick), "[{a true sick}]", "by the watch's own word"},
			{of(graph.KindRecovered), well, "a watch that did not break is believed"},
			{ownergraph.Event{}, down, "the watch breaks again"},
			{kinds, down, "the new watch has not listed it"},
			{of(graph.KindVanished), "[]", "a kind that is not served is not sick"},
			{kinds, "[{a false }]", "it is back, and not listed yet"},
			{of(graph.ListBegun), "[{a false }]", "the listing is under way"},
			{of(graph.ListEnded), well, "the listing is complete"},
			{ownergraph.Event{}, down, "the watch breaks once more"},
			{refused, anew, "a set of kinds that is refused takes none away, and is asked for again"},
			{kinds, anew, "the new watch has not listed it"},
			{of(graph.ListBegun), anew, "the listing is under way"},
			{of(graph.ListEnded), well, "the listing is complete"},
		} {
			say <- step.ev
			synctest.Wait()
			if got := health(r.Kinds()); got != step.want {
				t.Errorf("step %d, %s: kinds %s, want %s: %s", i+1, step.ev.Type, got, step.want, step.reason)
			}
		}
	})
}

// TestCollectorSickThoughListed: the store reports a kind sick while a new watch lists it
// anew. The kind is well when the store reports that, and not before.
func TestCollectorSickThoughListed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTap(t, "a; b -> a")
		runs := 0
		s.watch = func(ctx context.Context, sink sinkFunc, do watchFunc) error {
			if runs++; runs == 1 {
				ctx, stop := context.WithTimeout(ctx, time.Second)
				defer stop()
				_ = do(ctx, sink)
				return errBusy
			}
			return do(ctx, func(ev ownergraph.Event) error {
				err := sink(ev)
				if err == nil && ev.Type == graph.KindsKnown {
					err = sink(ownergraph.Event{Type: graph.KindSick, Kind: "a", Reason: "overload"})
				}
				return err
			})
		}
		r := collect(t, s, ownergraph.Config{})
		pass(10 * time.Second)
		for _, k := range r.Kinds() {
			if want := map[ownergraph.Kind]string{"a": "overload"}[k.Kind]; k.Sick != want {
				t.Errorf("%s: %q, want %q", k.Kind, k.Sick, want)
			}
		}
	})
}

// TestCollectorRestoreInFlight: an owner goes, the delete of its dependent is on its
// way, and a restore brings the owner back before it arrives. The version that it is
// conditioned on is void then, and both objects stay.
func TestCollectorRestoreInFlight(t *testing.T) {
	for _, tc := range []struct {
		name  string
		store func(*tap) ownergraph.Store
	}{
		{"level 2", func(s *tap) ownergraph.Store { return s }},
		{"level 1", func(s *tap) ownergraph.Store { return plain{s} }},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newTap(t, "a; b -> a")
				arrives := make(chan struct{})
				s.call = func(ctx context.Context, verb string, _ ownergraph.Key, do func() error) error {
					if verb == "delete" {
						select {
						case <-arrives:
						case <-ctx.Done(): // the time of the call is over, and it is carried out all the same
						}
					}
					return do()
				}
				before := s.Inside(inside.Key{}).Snapshot()
				r := collectOn(t, tc.store(s), s, ownergraph.Config{})
				r.idle()
				s.delete(t, "a", ownergraph.Background)
				synctest.Wait()
				if n := s.count("delete"); n != 1 {
					t.Fatalf("%d deletes are on their way, want one", n)
				}
				if err := s.Inside(inside.Key{}).Restore(before); err != nil {
					t.Fatal(err)
				}
				close(arrives)
				r.idle()
				pass(time.Hour)
				s.contains(t, "a; b -> a")
				if st := r.Stats(); st.Writes.Conflicts != 1 || st.Gone != 1 {
					t.Errorf("%d conflicts and %d gone, want one conflict, and the owner that had gone", st.Writes.Conflicts, st.Gone)
				}
			})
		})
	}
}

// TestRestoredPlainStore: a store without optional powers that was restored once
// announces that with every watch. A sweep on it ends all the same, and the watch is not
// restarted again and again (R5).
func TestRestoredPlainStore(t *testing.T) {
	for _, c := range []struct {
		before bool
		reason string
	}{
		{true, "the collector begins after the restore, and has nothing to take back"},
		{false, "it observes the restore, and takes it once"},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := newTap(t, "holder/x#1; member/1#2 -> holder/x; member/2#3 -> holder/x")
			restore := func() {
				if err := s.Inside(inside.Key{}).Restore(s.Inside(inside.Key{}).Snapshot()); err != nil {
					t.Fatal(err)
				}
			}
			if c.before {
				restore()
			}
			r := collectOn(t, plain{s}, s, ownergraph.Config{Sweeps: []guard.Sweep{{
				Finalizer: "x.io/sweep", Holder: "holder", Members: []guard.Members{{By: guard.ByOwner}},
			}}})
			<-time.After(time.Minute)
			if !c.before {
				restore()
				<-time.After(time.Minute)
			}
			key := ownergraph.Key{Kind: "holder", Name: "x"}
			if err := s.Store.Delete(context.Background(), key, ownergraph.DeleteOptions{}); err != nil {
				t.Fatal(err)
			}
			<-time.After(24 * time.Hour)
			if left := s.Objects(); len(left) > 0 {
				t.Errorf("%v are left after a day: %s", left, c.reason)
			}
			if n := s.count("watch"); n > 40 {
				t.Errorf("%d watches in a day: %s", n, c.reason)
			}
			_ = r.stop()
		})
	}
}
