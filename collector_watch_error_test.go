package ownergraph_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
)

// slip is what a store returns that forgets that a nil pointer in an error is none.
type slip struct{ text string }

func (s *slip) Error() string { return s.text }

// TestCollectorWatchErrorPanics: the text of the watch's error is the store's code,
// and a panic there is an error of that watch.
func TestCollectorWatchErrorPanics(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTap(t, "a; b -> a")
		runs := 0
		s.watch = func(ctx context.Context, sink sinkFunc, do watchFunc) error {
			if runs++; runs > 1 {
				return do(ctx, sink)
			}
			ctx, stop := context.WithTimeout(ctx, time.Second)
			defer stop()
			_ = do(ctx, sink)
			return (*slip)(nil)
		}
		r := collect(t, s, ownergraph.Config{})
		pass(10 * time.Second)
		r.idle()
		if err := r.stop(); err != nil || runs != 2 {
			t.Errorf("Run: %v, after %d watches", err, runs)
		}
	})
}

// TestCollectorSickThoughListed: a kind that the store calls sick, while what the
// break of a watch left in doubt is listed anew, is well when the store says so.
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
