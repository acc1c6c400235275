package ownergraph_test

import (
	"cmp"
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
)

// TestOrphanAgain: a reference to an owner that was orphaned and is gone has one outcome. It does
// not depend on the collectors that run, nor on their restarts.
func TestOrphanAgain(t *testing.T) {
	for _, c := range []struct {
		collectors int
		restart    bool
		reason     string
	}{
		{1, false, "the collector that ended the orphaning"},
		{1, true, "another one, which never saw the owner"},
		{2, false, "one that ended it, and one that saw it end"},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := newTap(t, "a; b -> a; c -> a; d")
			rigs := []*rig{collect(t, s, ownergraph.Config{})}
			for len(rigs) < c.collectors {
				rigs = append(rigs, collect(t, s, ownergraph.Config{}))
			}
			s.delete(t, "a", graph.Orphan)
			for _, r := range rigs {
				r.idle()
			}
			s.contains(t, "b; c; d")
			if c.restart {
				_ = rigs[0].stop()
				rigs[0] = collect(t, s, ownergraph.Config{})
				rigs[0].idle()
			}
			for _, dep := range []string{"b", "d"} {
				change := ownergraph.Change{AddOwner: &ownergraph.Owner{Key: keyOf(t, "a")}}
				if err := s.Store.Patch(t.Context(), keyOf(t, dep), ownergraph.Precondition{}, change); err != nil {
					t.Fatal(err)
				}
			}
			for _, r := range rigs {
				r.idle()
			}
			if got := s.shape(); got != "c" {
				t.Errorf("the store has %q, want c alone: %s", got, c.reason)
			}
			for _, r := range rigs {
				_ = r.stop()
			}
		})
	}
}

// TestOrphanAnswerLate: the answer of the write that ends an orphaning does not decide about the
// dependents. One that came between the fence and the end of the owner is kept, also if the watch is
// faster than the answer, or if the answer is lost.
func TestOrphanAnswerLate(t *testing.T) {
	for _, c := range []struct {
		delay  time.Duration
		answer error
		reason string
	}{
		{0, nil, "the answer comes first"},
		{5 * time.Second, nil, "the watch comes first"},
		{5 * time.Second, errors.New("connection lost"), "the answer is lost"},
		{5 * time.Second, ownergraph.ErrNotFound, "another engine was first"},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := newTap(t, "a; b -> a; d")
			s.call = func(_ context.Context, verb string, key ownergraph.Key, do func() error) error {
				if verb != "patch" || key.Kind != "a" {
					return do()
				}
				change := ownergraph.Change{AddOwner: &ownergraph.Owner{Key: keyOf(t, "a")}}
				if err := s.Store.Patch(t.Context(), keyOf(t, "d"), ownergraph.Precondition{}, change); err != nil {
					t.Error(err)
				}
				err := do()
				pass(c.delay)
				return cmp.Or(c.answer, err)
			}
			r := collect(t, s, ownergraph.Config{})
			r.idle()
			s.delete(t, "a", graph.Orphan)
			r.idle()
			if got := s.shape(); got != "b; d" {
				t.Errorf("the store has %q, want b and d: %s", got, c.reason)
			}
		})
	}
}
