package main

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
)

// view is the state of a watch: the objects of each kind by its last listing.
type view struct {
	t       *testing.T
	known   map[graph.Kind]bool
	listing map[graph.Kind]map[graph.Key]bool // under way
	listed  map[graph.Kind]map[graph.Key]bool
}

func newView(t *testing.T) *view {
	return &view{t, map[graph.Kind]bool{}, map[graph.Kind]map[graph.Key]bool{}, map[graph.Kind]map[graph.Key]bool{}}
}

// sink checks the order of the events. The kinds come first, and each object is in a
// listing of its kind.
func (v *view) sink(batch []graph.Event) error {
	for _, e := range batch {
		if err := v.take(e); err != nil {
			return err
		}
	}
	return nil
}

func (v *view) take(e graph.Event) error {
	switch e.Type {
	case graph.KindsKnown:
		for _, k := range e.Kinds {
			v.known[k.Kind] = true
		}
	case graph.ListBegun:
		if !v.known[e.Kind] || v.listing[e.Kind] != nil {
			v.t.Errorf("listing of %s: unknown, or under way", e.Kind)
		}
		v.listing[e.Kind] = map[graph.Key]bool{}
	case graph.Put:
		if v.listing[e.Object.Kind] == nil {
			return fmt.Errorf("%s is outside of a listing", e.Object.Key)
		}
		v.listing[e.Object.Kind][e.Object.Key] = true
	case graph.ListEnded:
		v.listed[e.Kind], v.listing[e.Kind] = v.listing[e.Kind], nil
	default:
		v.t.Errorf("event %v", e)
	}
	return nil
}

// TestWatch: a watch reports every kind, even an empty one, and each change in a new
// listing.
func TestWatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewStore("a", "b")
		x := create(t, s, "a", "x")
		ctx, cancel := context.WithCancel(t.Context())
		v, done := newView(t), make(chan error, 1)
		go func() { done <- s.Watch(ctx, v.sink) }()
		check := func(reason string, a, b map[graph.Key]bool) {
			t.Helper()
			synctest.Wait()
			if diff := cmp.Diff(map[graph.Kind]map[graph.Key]bool{"a": a, "b": b}, v.listed); diff != "" {
				t.Errorf("%s (-want +got):\n%s", reason, diff)
			}
		}
		check("at first", map[graph.Key]bool{x.Key: true}, map[graph.Key]bool{})
		y := create(t, s, "b", "y")
		check("after a creation", map[graph.Key]bool{x.Key: true}, map[graph.Key]bool{y.Key: true})
		if err := s.Delete(ctx, x.Key, graph.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
		again := create(t, s, "a", "x")
		check("after a name went and came", map[graph.Key]bool{again.Key: true}, map[graph.Key]bool{y.Key: true})
		cancel()
		if err := <-done; err != context.Canceled {
			t.Errorf("Watch = %v, want %v", err, context.Canceled)
		}
	})
}

// TestWatchMissesNothing: a change during a sink's call is not lost, and blocks no
// writer.
func TestWatchMissesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewStore("a")
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		v, first := newView(t), true
		go func() {
			_ = s.Watch(ctx, func(batch []graph.Event) error {
				if first {
					first = false
					if _, err := s.Create("a", "x"); err != nil {
						t.Error(err)
					}
				}
				return v.sink(batch)
			})
		}()
		synctest.Wait()
		if len(v.listed["a"]) != 1 {
			t.Errorf("listed: %v, want the object that came late", v.listed)
		}
	})
}

func TestWatchEndsWithItsSink(t *testing.T) {
	full := errors.New("made by the test")
	if err := NewStore("a").Watch(t.Context(), func([]graph.Event) error { return full }); !errors.Is(err, full) {
		t.Errorf("Watch = %v, want %v", err, full)
	}
}

// TestCollector: the collector works on the store as on any other. It marks the writes
// that are best effort without a fence.
func TestCollector(t *testing.T) {
	tests := []struct {
		propagation graph.Propagation
		left        []string
		bestEffort  bool
		reason      string
	}{
		{graph.Background, nil, false, "an absent owner is proof enough"},
		{graph.Foreground, nil, true, "the team went last, but there may have been more"},
		{graph.Orphan, []string{"docs", "site"}, true, "the repositories stay, but there may have been more"},
	}
	for _, tt := range tests {
		t.Run(tt.propagation.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := NewStore("Team", "Repo")
				team := create(t, s, "Team", "blue")
				for _, name := range []string{"docs", "site"} {
					create(t, s, "Repo", name, graph.Owner{Key: team.Key, Block: true})
				}
				c, err := ownergraph.New(s, ownergraph.Config{})
				if err != nil || ownergraph.LevelOf(s) != ownergraph.Level1 {
					t.Fatal(err, ownergraph.LevelOf(s))
				}
				ctx, stop := context.WithCancel(t.Context())
				ended := make(chan error, 1)
				go func() { ended <- c.Run(ctx) }()
				synctest.Wait()
				if err := s.Delete(ctx, team.Key, graph.DeleteOptions{Propagation: tt.propagation}); err != nil {
					t.Fatal(err)
				}
				synctest.Wait()
				held, err := c.WaitIdle(ctx)
				if err != nil || len(held) > 0 {
					t.Errorf("WaitIdle = %v, %v", held, err)
				}
				var left []string
				for _, name := range []string{"docs", "site"} {
					if o, err := s.Get(ctx, graph.Key{Kind: "Repo", Name: name}); err == nil && len(o.Owners) == 0 {
						left = append(left, name)
					}
				}
				_, err = s.Get(ctx, team.Key)
				if diff := cmp.Diff(tt.left, left); diff != "" || !errors.Is(err, graph.ErrNotFound) {
					t.Errorf("the team: %v; repositories (-want +got):\n%s%s", err, diff, tt.reason)
				}
				if stats := c.Stats(); (stats.Writes.BestEffort > 0) != tt.bestEffort {
					t.Errorf("%d writes are best effort: %s", stats.Writes.BestEffort, tt.reason)
				}
				stop()
				if err := <-ended; err != nil {
					t.Error(err)
				}
			})
		})
	}
}
