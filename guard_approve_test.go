package ownergraph_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/finalizer"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/plan"
)

// TestApproveUnknownLabels: a collector that has begun after a refusal knows no labels. It
// approves nothing before the store has told them: neither a bound, nor a plan that keeps the
// objects of unknown labels.
func TestApproveUnknownLabels(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		one, two := 1, 2
		cfg := guarding(finalizer.Guard{Names: []string{"a"}, Always: true})
		cfg.Protect = []finalizer.Protection{{Selector: "keep=yes"}}
		s := newTap(t, "a~["+heldBy+"]; b -> a; c -> a")
		r := collect(t, s, cfg)
		r.idle()
		shape := s.shape()
		p, err := r.Plan(t.Context(), request(t, "a", graph.Unset))
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range []ownergraph.Approval{{AtMost: &one}, {Fingerprint: p.Fingerprint}} {
			if err := r.Approve(t.Context(), keyOf(t, "a"), a); !errors.Is(err, plan.ErrChanged) {
				t.Errorf("%+v: %v, want a refusal: the labels are not known", a, err)
			}
		}
		pass(time.Minute) // the store tells them
		for _, a := range []ownergraph.Approval{{AtMost: &one}, {Fingerprint: p.Fingerprint}} {
			if err := r.Approve(t.Context(), keyOf(t, "a"), a); !errors.Is(err, plan.ErrChanged) {
				t.Errorf("%+v: %v, want a refusal: both objects end", a, err)
			}
		}
		s.holds(t, shape)
		if err := r.Approve(t.Context(), keyOf(t, "a"), ownergraph.Approval{AtMost: &two}); err != nil {
			t.Error(err)
		}
		r.idle()
		s.holds(t, "")
	})
}

// TestApproveTwice: of two approvals at once the second fails, and the release is reported as
// approved.
func TestApproveTwice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		one := 1
		s := newTap(t, "a; b -> a")
		s.call = func(_ context.Context, verb string, _ ownergraph.Key, do func() error) error {
			if verb == "patch" { // both have planned before the first write
				pass(time.Second)
			}
			return do()
		}
		r := collect(t, s, guarding(finalizer.Guard{Names: []string{"a"}, Always: true}))
		r.idle()
		s.delete(t, "a", graph.Background)
		r.idle()
		done := make(chan error, 2)
		for range 2 {
			go func() { done <- r.Approve(t.Context(), keyOf(t, "a"), ownergraph.Approval{AtMost: &one}) }()
		}
		if first, second := <-done, <-done; first != nil || second == nil {
			t.Errorf("errors: %v and %v, want one", first, second)
		}
		r.idle()
		s.holds(t, "")
		if g := r.Stats().Guards; g.HoldRemoved != 0 {
			t.Errorf("%+v: no other writer has removed the hold", g)
		}
	})
}
