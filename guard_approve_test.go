package ownergraph_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/guard"
	"github.com/ownergraph/ownergraph/plan"
)

// TestApproveUnknownLabels: a collector that has begun after a refusal knows no labels. It
// approves nothing before the store has told them: neither a bound, nor a plan that keeps the
// objects of unknown labels.
func TestApproveUnknownLabels(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		one, two := 1, 2
		cfg := guarding(guard.Guard{Names: []string{"a"}, Always: true})
		cfg.Protect = []guard.Protection{{Selector: "keep=yes"}}
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
		s.contains(t, shape)
		if err := r.Approve(t.Context(), keyOf(t, "a"), ownergraph.Approval{AtMost: &two}); err != nil {
			t.Error(err)
		}
		r.idle()
		s.contains(t, "")
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
		r := collect(t, s, guarding(guard.Guard{Names: []string{"a"}, Always: true}))
		r.idle()
		s.delete(t, "a", graph.Background)
		r.idle()
		done := make(chan error, 2)
		for range 2 {
			go func() { done <- r.Approve(t.Context(), keyOf(t, "a"), ownergraph.Approval{AtMost: &one}) }()
		}
		if one, other := <-done, <-done; (one == nil) == (other == nil) { // in any order
			t.Errorf("errors: %v and %v, want one", one, other)
		}
		r.idle()
		s.contains(t, "")
		if g := r.Stats().Guards; g.HoldRemoved != 0 {
			t.Errorf("%+v: no other writer has removed the hold", g)
		}
	})
}

// TestApproveRepeated: an approval of a root with phases repeats its deletion in the foreground, and
// plans and compares again. Another deletion than the compared one is not approved.
func TestApproveRepeated(t *testing.T) {
	for _, c := range []struct {
		verb   string // after the collector's first call of it on the root, or before a patch
		change func(t *testing.T, s *tap)
		passes bool
		reason string
	}{
		{"", nil, true, "no other writer"},
		{"delete", func(t *testing.T, s *tap) { s.touch(t, "a") }, true, "the content is the same"},
		{"patch", func(t *testing.T, s *tap) { s.touch(t, "a") }, true, "the content is the same at the write"},
		{"delete", func(t *testing.T, s *tap) { s.delete(t, "a", graph.Orphan) }, false, "repeated as orphan at once"},
		{"get", func(t *testing.T, s *tap) { s.delete(t, "a", graph.Orphan) }, false, "repeated as orphan before the second plan"},
		{"patch", func(t *testing.T, s *tap) { s.delete(t, "a", graph.Orphan) }, false, "repeated as orphan after the second plan"},
		{"delete", func(t *testing.T, s *tap) { s.create(t, "c/d -> a@a") }, false, "an object has come below the root"},
	} {
		for _, bound := range []bool{false, true} {
			synctest.Test(t, func(t *testing.T) {
				s := newTap(t, "a; b -> a; c -> b")
				g := guard.Guard{Names: []string{"a"}, Always: true, Phases: []guard.Phase{{Kinds: []graph.Kind{"b"}}}}
				r := collect(t, s, guarding(g))
				r.idle()
				s.delete(t, "a", graph.Background)
				r.idle()
				p, err := r.Plan(t.Context(), request(t, "a", graph.Unset))
				if err != nil {
					t.Fatal(err)
				}
				a := ownergraph.Approval{Fingerprint: p.Fingerprint}
				if bound {
					a = ownergraph.Approval{AtMost: upTo(2)}
				}
				changed := c.change == nil
				s.call = func(_ context.Context, verb string, k ownergraph.Key, do func() error) error {
					early := verb == "patch"
					if !changed && verb == c.verb && k.Name == "a" && early {
						changed = true
						c.change(t, s)
					}
					err := do()
					if !changed && verb == c.verb && k.Name == "a" && !early {
						changed = true
						c.change(t, s)
					}
					return err
				}
				err = r.Approve(t.Context(), keyOf(t, "a"), a)
				pass(time.Hour)
				switch {
				case !changed:
					t.Errorf("no call of %s: %s", c.verb, c.reason)
				case c.passes && (err != nil || s.shape() != ""):
					t.Errorf("%v, and the store has %s: %s", err, s.shape(), c.reason)
				case !c.passes && (!errors.Is(err, plan.ErrChanged) || len(s.Objects()) < 3):
					t.Errorf("%v, and the store has %s: %s", err, s.shape(), c.reason)
				}
			})
		}
	}
}
