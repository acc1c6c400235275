package ownergraph_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
)

// TestFollowWithoutHistory: a deletion that ended before the call is known by the engine's
// memory of absent objects, too. Config.History may keep none.
func TestFollowWithoutHistory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTap(t, "p/s/a; p/s/b -> p/s/a")
		r := collect(t, s, ownergraph.Config{History: -1})
		r.idle()
		s.delete(t, "p/s/a", ownergraph.Background)
		r.idle()
		for _, key := range []ownergraph.Key{keyOf(t, "p/s/a"), {Kind: "p", Scope: "s", Name: "a"}} {
			r.follow(key).want(t, "1 known, 1 gone, 0 left, 0 held, done true", "the root is gone")
		}
	})
}

// TestFollowBlind: a deletion is not over while the engine cannot see all members: a kind
// is not listed yet, or the watch is down.
func TestFollowBlind(t *testing.T) {
	var down bool
	for _, c := range []struct {
		watch  func(ctx context.Context, sink sinkFunc, do watchFunc) error
		reason string
	}{
		{func(ctx context.Context, sink sinkFunc, do watchFunc) error {
			return do(ctx, func(ev ownergraph.Event) error {
				if ev.Type == graph.ListEnded && ev.Kind == "q" {
					return nil
				}
				return sink(ev)
			})
		}, "the listing of q does not end"},
		{func(ctx context.Context, sink sinkFunc, do watchFunc) error {
			if down {
				return errTest
			}
			err := do(ctx, func(ev ownergraph.Event) error {
				if down = ev.Type == graph.Gone; down {
					return errors.Join(sink(ev), errTest)
				}
				return sink(ev)
			})
			return err
		}, "the watch breaks with the end of the root"},
	} {
		synctest.Test(t, func(t *testing.T) {
			down = false
			s := newTap(t, "p/s/a; q/s/x")
			s.watch = c.watch
			r := collect(t, s, ownergraph.Config{})
			pass(time.Second)
			outcome := r.follows(keyOf(t, "p/s/a"))
			s.delete(t, "p/s/a", ownergraph.Background)
			f := outcome()
			p := f.all[len(f.all)-1]
			if !errors.Is(f.err, context.DeadlineExceeded) || p.Done || p.Gone != 1 || p.Left != 0 {
				t.Errorf("%+v, %v: %s", p, f.err, c.reason)
			}
		})
	}
}

// TestFollowCounts: a progress counts the calls since the call of Follow alone.
func TestFollowCounts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTap(t, "p/s/a; p/s/b -> p/s/a!; p/s/c; p/s/d -> p/s/c")
		r := collect(t, s, ownergraph.Config{})
		r.idle()
		s.delete(t, "p/s/a", ownergraph.Foreground)
		r.idle()
		outcome := r.follows(keyOf(t, "p/s/c"))
		s.delete(t, "p/s/c", ownergraph.Background)
		f := outcome()
		if p := f.all[len(f.all)-1]; f.err != nil || p.Writes != 1 || p.Fences != 0 {
			t.Errorf("%+v, %v, want one write and no fence", p, f.err)
		}
	})
}

// TestAwaitAll: a wait for several objects goes on until the last of them is gone, in any
// order of the keys.
func TestAwaitAll(t *testing.T) {
	for _, names := range []string{"p/s/a p/s/b", "p/s/b p/s/a"} {
		synctest.Test(t, func(t *testing.T) {
			s := newTap(t, "p/s/a; p/s/b*")
			r := collect(t, s, ownergraph.Config{})
			r.idle()
			var keys []ownergraph.Key
			for name := range strings.FieldsSeq(names) {
				keys = append(keys, keyOf(t, name))
			}
			done := make(chan error, 1)
			go func() { done <- r.Await(t.Context(), keys...) }()
			s.delete(t, "p/s/a", ownergraph.Background)
			s.delete(t, "p/s/b", ownergraph.Background)
			pass(time.Minute)
			select {
			case err := <-done:
				t.Errorf("%s: %v, and b is left", names, err)
				return
			default:
			}
			s.finish(t, "p/s/b", "foreign")
			if err := <-done; err != nil {
				t.Errorf("%s: %v", names, err)
			}
		})
	}
}

// TestAwaitLooksAgain: an object that comes below the root shows with the fence. The wait
// goes on until it is gone, too.
func TestAwaitLooksAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTap(t, "a; c/x")
		gate := make(chan struct{})
		s.watch = func(ctx context.Context, sink sinkFunc, do watchFunc) error {
			return do(ctx, func(ev ownergraph.Event) error {
				if ev.Type == graph.Put && ev.Object.Name == "late" && len(ev.Object.Finalizers) > 0 {
					<-gate
				}
				return sink(ev)
			})
		}
		r := collect(t, s, ownergraph.Config{})
		r.idle()
		s.delete(t, "a", ownergraph.Background)
		r.idle()
		s.create(t, "c/late[x] -> a")
		done := make(chan error, 1)
		go func() { done <- r.Await(t.Context(), keyOf(t, "a")) }()
		pass(time.Second)
		close(gate)
		pass(time.Second)
		select {
		case err := <-done:
			t.Errorf("%v, and c/late is left", err)
			return
		default:
		}
		for _, o := range s.Objects() {
			if o.Name == "late" {
				if err := s.Store.Patch(t.Context(), o.Key, ownergraph.Precondition{}, ownergraph.Change{DropFinalizer: "x"}); err != nil {
					t.Fatal(err)
				}
			}
		}
		pass(time.Second)
		if err := <-done; err != nil {
			t.Error(err)
		}
		s.contains(t, "c/x")
	})
}
