package ownergraph_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
)

// TestWaitIdleFenceTakenBack has a fence pass while a write is still under way, and
// then an event that takes the fence back. WaitIdle asks for another fence.
func TestWaitIdleFenceTakenBack(t *testing.T) {
	for _, c := range []struct {
		name   string
		event  func(s *tap, say func(ownergraph.Event)) error
		reason string
	}{
		{"kind joins", func(s *tap, _ func(ownergraph.Event)) error {
			return s.AddKind(graph.KindInfo{Kind: "new"})
		}, "a definition is installed during a cascade"},
		{"rewind", func(_ *tap, say func(ownergraph.Event)) error {
			say(ownergraph.Event{Type: graph.Rewound, Reason: "restored", Epoch: "1"})
			return nil
		}, "a store is restored during a cascade"},
		{"refused set", func(s *tap, say func(ownergraph.Event)) error {
			say(ownergraph.Event{Type: graph.KindsKnown, Kinds: []ownergraph.KindInfo{{}}})
			say(ownergraph.Event{Type: graph.KindsKnown, Kinds: []ownergraph.KindInfo{{Kind: "a"}, {Kind: "b"}}})
			return nil
		}, "a set of kinds is refused, and the next one is not"},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, release := newTap(t, "a; b -> a"), make(chan struct{})
				var say func(ownergraph.Event)
				s.watch = func(ctx context.Context, sink sinkFunc, do watchFunc) error {
					say = func(ev ownergraph.Event) { _ = sink(ev) }
					return do(ctx, sink)
				}
				s.call = func(_ context.Context, verb string, _ ownergraph.Key, do func() error) error {
					if verb == "delete" {
						<-release
					}
					return do()
				}
				r := collect(t, s, ownergraph.Config{})
				r.idle()
				s.delete(t, "a", ownergraph.Background)
				ended := make(chan error, 1)
				ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
				defer cancel()
				go func() { _, err := r.WaitIdle(ctx); ended <- err }()
				synctest.Wait()
				if n := r.Stats().Fences; n != 2 || len(ended) > 0 {
					t.Fatalf("%d fences have passed, and %d waits are over, before the event", n, len(ended))
				}
				if err := c.event(s, say); err != nil {
					t.Fatal(err)
				}
				synctest.Wait()
				close(release)
				if err := <-ended; err != nil {
					t.Errorf("%v: %s", err, c.reason)
				}
				s.holds(t, "")
			})
		})
	}
}
