package ownergraph_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/inside"
	"github.com/ownergraph/ownergraph/internal/probe"
)

// eight is an owner of eight objects.
const eight = "a; p/1 -> a; p/2 -> a; p/3 -> a; p/4 -> a; p/5 -> a; p/6 -> a; p/7 -> a; p/8 -> a"

// gate delays calls of one verb until it is opened.
type gate struct{ open chan struct{} }

func newGate() gate { return gate{make(chan struct{})} }

func (g gate) pass(ctx context.Context) error {
	select {
	case <-g.open:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// gated returns a store whose calls of some verbs wait for a gate.
func gated(t *testing.T, gates map[string]gate) (s *tap, sink *sinkFunc) {
	s, sink = newTap(t, eight), new(sinkFunc)
	s.call = func(ctx context.Context, verb string, _ ownergraph.Key, do func() error) error {
		if g, ok := gates[verb]; ok {
			if err := g.pass(ctx); err != nil {
				return err
			}
		}
		return do()
	}
	s.watch = func(ctx context.Context, to sinkFunc, do watchFunc) error {
		*sink = to
		return do(ctx, to)
	}
	return s, sink
}

// TestCollectorPrefetch: a call that waits for a worker counts neither as made nor as
// under way.
func TestCollectorPrefetch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		deletes := newGate()
		s, _ := gated(t, map[string]gate{"delete": deletes})
		r := collect(t, s, ownergraph.Config{Workers: 2})
		r.idle()
		s.delete(t, "a", ownergraph.Background)
		synctest.Wait()
		if got := r.Stats(); got.InFlight != 2 || got.Calls.Of(engine.CallDelete) != 2 {
			t.Errorf("%d calls under way, %d deletes counted, want 2 and 2", got.InFlight, got.Calls.Of(engine.CallDelete))
		}
		close(deletes.open)
		r.idle()
		if got := r.Stats(); got.InFlight != 0 || got.Calls.Of(engine.CallDelete) != 8 || s.count("delete") != 8 {
			t.Errorf("%d calls under way, %d deletes counted, %d made; want 0, 8 and 8", got.InFlight, got.Calls.Of(engine.CallDelete), s.count("delete"))
		}
		s.contains(t, "")
	})
}

// TestCollectorRevokes: a call that was prefetched before a rewind is not begun after the
// rewind.
func TestCollectorRevokes(t *testing.T) {
	for _, tc := range []struct {
		reason string
		event  func(s *tap) ownergraph.Event
		within int // deletes that are made before the new listings
	}{
		{"history went backwards: all absence has to be proven anew", func(*tap) ownergraph.Event {
			return graph.Event{Type: graph.Rewound, Reason: "restored"}
		}, 2},
		{"nothing has happened: the prefetched calls are made", func(s *tap) ownergraph.Event {
			o, _ := s.Store.Get(context.Background(), keyOf(t, "p/8"))
			return graph.Event{Type: graph.Put, Object: o}
		}, 8},
	} {
		synctest.Test(t, func(t *testing.T) {
			deletes, lists := newGate(), newGate()
			s, sink := gated(t, map[string]gate{"delete": deletes, "list": lists})
			r := collect(t, s, ownergraph.Config{Workers: 2})
			r.idle()
			s.delete(t, "a", ownergraph.Background)
			synctest.Wait()
			if err := (*sink)(tc.event(s)); err != nil {
				t.Fatal(err)
			}
			close(deletes.open)
			synctest.Wait()
			if got := s.count("delete"); got != tc.within {
				t.Errorf("%s: %d deletes before the listings, want %d", tc.reason, got, tc.within)
			}
			close(lists.open)
			r.idle()
			s.contains(t, "")
		})
	}
}

// TestCollectorPrefetchCounts: a call of the store that asks for the figures is counted
// itself. There are never more calls under way than workers.
func TestCollectorPrefetchCounts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTap(t, eight)
		var r *rig
		s.call = func(_ context.Context, verb string, _ ownergraph.Key, do func() error) error {
			if verb == "delete" {
				if made, got := s.count(verb), r.Stats(); got.Calls.Of(engine.CallDelete) < uint64(made) || got.InFlight > 2 {
					t.Errorf("%d deletes counted of %d that began, %d calls under way of 2 workers", got.Calls.Of(engine.CallDelete), made, got.InFlight)
				}
				pass(time.Millisecond)
			}
			return do()
		}
		r = collect(t, s, ownergraph.Config{Workers: 2})
		r.idle()
		s.delete(t, "a", ownergraph.Background)
		pass(time.Minute) // WaitIdle would have a fence under way, too
		s.contains(t, "")
	})
}

// TestCollectorWorkers: the same deletions end the same with one worker, with twenty, and without a
// memory of owners that are gone.
func TestCollectorWorkers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		objects, deletions := drawForest(t)
		want := ""
		for i, cfg := range []ownergraph.Config{
			{Workers: 1}, {Workers: 20}, probe.Tuned(ownergraph.Config{Workers: 3}, inside.Tuning{AbsentOwners: -1, OrphanedOwners: -1}),
		} {
			end, err := play(objects, deletions, cfg)
			if err != nil {
				t.Fatal(err)
			}
			if i > 0 && end != want {
				t.Fatalf("%d workers, memory %d: %q; with one worker: %q", cfg.Workers, probe.Tuning(&cfg).AbsentOwners, end, want)
			}
			want = end
		}
	})
}
