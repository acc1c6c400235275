package ownergraph_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/guard"
	"github.com/ownergraph/ownergraph/plan"
)

// TestDeletePlannedUnguarded: a target that a guard selects is not deleted before it carries the
// finalizers of guards. A target that no guard can hold is.
func TestDeletePlannedUnguarded(t *testing.T) {
	for _, c := range []struct {
		cfg     ownergraph.Config
		refused string // the finalizer that the store refuses
		lacks   string // named in the error
		reason  string
	}{
		{ownergraph.Config{}, graph.FinalizerHold, graph.FinalizerHold, "the store refuses hold"},
		{ownergraph.Config{}, graph.FinalizerNew, graph.FinalizerNew, "the store refuses new"},
		{ownergraph.Config{ObserveOnly: true}, "", "", "the collector only observes"},
		{ownergraph.Config{}, "", "", "both are on"},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := newTap(t, "k/a; c/b -> k/a")
			c.cfg.Guards = []guard.Guard{{Kinds: []graph.Kind{"k"}, Always: true}}
			store := &refusing{tap: s, finalizer: c.refused}
			r := collectOn(t, store, s, c.cfg)
			pass(time.Hour)
			if n := store.refused.Load(); n >= maxRefused {
				t.Errorf("%d writes are refused in an hour: %s", n, c.reason)
			}
			shape := s.shape()
			p, err := r.Plan(t.Context(), request(t, "k/a", graph.Background))
			if err != nil {
				t.Fatal(err)
			}
			err = r.DeletePlanned(t.Context(), p)
			want := fmt.Sprintf("delete planned: k/a: finalizers: guard Guards[0] selects it, and %s is not on yet: plan changed", c.lacks)
			switch {
			case c.lacks == "" && err != nil:
				t.Errorf("%v: %s", err, c.reason)
			case c.lacks != "" && (!errors.Is(err, plan.ErrChanged) || err.Error() != want):
				t.Errorf("%v, want %s: %s", err, want, c.reason)
			case c.lacks != "":
				pass(time.Hour)
				s.contains(t, shape)
			}
		})
	}
}

// refusing is a store that refuses to put a finalizer on. After maxRefused refusals it no longer
// answers such writes. So a collector that repeats it at once ends, and lets time pass.
type refusing struct {
	*tap
	finalizer string
	refused   atomic.Int64
}

const maxRefused = 1000

func (s *refusing) Patch(ctx context.Context, k ownergraph.Key, p ownergraph.Precondition, c ownergraph.Change) error {
	if s.finalizer != "" && c.AddFinalizer == s.finalizer {
		if s.refused.Add(1) > maxRefused {
			<-ctx.Done()
		}
		return fmt.Errorf("no: %w", ownergraph.ErrRefused)
	}
	return s.tap.Patch(ctx, k, p, c)
}

// TestDeletePlannedUnfit: a guard cannot hold an object of a kind that may not own. So it does not
// keep the user from its deletion.
func TestDeletePlannedUnfit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTap(t, "a")
		r := collectOn(t, ownless{s}, s, guarding(guard.Guard{Names: []string{"a"}, Always: true}))
		r.idle()
		p, err := r.Plan(t.Context(), request(t, "a", graph.Background))
		if err == nil {
			err = r.DeletePlanned(t.Context(), p)
		}
		if err != nil {
			t.Error(err)
		}
		s.contains(t, "")
	})
}

// ownless is a store whose kinds may not own.
type ownless struct{ *tap }

func (s ownless) Watch(ctx context.Context, sink func([]ownergraph.Event) error) error {
	return s.tap.Watch(ctx, func(batch []ownergraph.Event) error {
		for i := range batch {
			batch[i].Kinds = slices.Clone(batch[i].Kinds)
			for j := range batch[i].Kinds {
				batch[i].Kinds[j].NoOwner = true
			}
		}
		return sink(batch)
	})
}

// TestDeletePlannedProtectedTarget: a request that refuses protected objects refuses a protected
// target, and sees a protected object beyond its limit. Labels that do not protect hinder nothing.
func TestDeletePlannedProtectedTarget(t *testing.T) {
	for _, c := range []struct {
		rule    guard.Protection
		labels  string
		limit   int
		refused string
		reason  string
	}{
		{guard.Protection{Names: []string{"a"}}, "", 0, "k/a", "by name"},
		{guard.Protection{Kinds: []graph.Kind{"k"}, Selector: "keep=yes"}, "keep=yes", 0, "k/a", "by label"},
		{guard.Protection{Kinds: []graph.Kind{"k"}, Selector: "keep=yes"}, "keep=no", 0, "", "by no label"},
		{guard.Protection{Names: []string{"z"}}, "", 1, "z/z", "beyond the limit"},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := newTap(t, "k/a; c/b -> k/a; z/z -> k/a")
			s.label(t, "k/a", c.labels)
			r := collect(t, s, protecting(c.rule))
			r.idle()
			req := request(t, "k/a", graph.Background)
			req.RefuseProtected, req.Limit = true, c.limit
			p, err := r.Plan(t.Context(), req)
			if err != nil {
				t.Fatal(err)
			}
			err = r.DeletePlanned(t.Context(), p)
			pass(time.Hour)
			switch {
			case c.refused == "" && err != nil:
				t.Errorf("%v: %s", err, c.reason)
			case c.refused != "" && (!errors.Is(err, plan.ErrProtected) || !strings.HasSuffix(err.Error(), ": "+c.refused) || len(s.Objects()) != 3):
				t.Errorf("%v, and the store has %s: %s", err, s.shape(), c.reason)
			}
		})
	}
}
