package ownergraph_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/guard"
)

// changeAfterSelect changes the object once as a user, after the first selection.
func (s *tap) changeAfterSelect(t *testing.T, key string) {
	first := true
	s.call = func(_ context.Context, verb string, _ ownergraph.Key, do func() error) error {
		err := do()
		if verb == "select" && first {
			first = false
			s.label(t, key, "n=1")
			pass(time.Second)
		}
		return err
	}
}

// TestGuardsBesideLabels: guards judge beside a protection by labels, also roots below roots. An
// object that changes between the selection and the judgement delays the verdict.
func TestGuardsBesideLabels(t *testing.T) {
	none, three := 0, 3
	for _, c := range []struct {
		guards []guard.Guard
		change string
		passes bool
		reason string
	}{
		{[]guard.Guard{{Kinds: []graph.Kind{"r", "k"}, Protected: true}}, "", true, "none is protected"},
		{[]guard.Guard{{Kinds: []graph.Kind{"r", "k"}, Above: &three}}, "", true, "three objects end"},
		{[]guard.Guard{{Kinds: []graph.Kind{"r"}, Protected: true}}, "c/1", true, "the labels are asked for again"},
		{[]guard.Guard{{Kinds: []graph.Kind{"r"}, Above: &none}}, "c/1", false, "objects of unknown labels may end"},
		{[]guard.Guard{{Kinds: []graph.Kind{"r"}, Above: &none}, {Kinds: []graph.Kind{"k"}, Above: &three}}, "c/1", false, "below a root below"},
	} {
		synctest.Test(t, func(t *testing.T) {
			cfg := ownergraph.Config{Guards: c.guards, Protect: []guard.Protection{{Kinds: []graph.Kind{"c"}, Selector: "keep=yes"}}}
			s := newTap(t, "r/a; k/b -> r/a; c/1 -> k/b; c/2 -> r/a")
			if c.change != "" {
				s.changeAfterSelect(t, c.change)
			}
			r := collect(t, s, cfg)
			r.idle()
			s.delete(t, "r/a", graph.Background)
			pass(time.Hour)
			if left := len(s.Objects()); c.passes && left != 0 || !c.passes && left != 4 {
				t.Errorf("%d objects are left of 4: %s; held: %s", left, c.reason, lines(r.Held(9)))
			}
		})
	}
}

// TestVerdictNamesSelections: a root that waits for labels names the selection that fails.
func TestVerdictNamesSelections(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		nine := 9
		cfg := guarding(guard.Guard{Names: []string{"a"}, Above: &nine})
		cfg.Protect = []guard.Protection{{Selector: "keep=yes"}}
		s := newTap(t, "a; b -> a; z")
		s.call = func(_ context.Context, verb string, key ownergraph.Key, do func() error) error {
			if verb == "select" && key.Kind == "z" {
				return fmt.Errorf("no labels: %w", ownergraph.ErrInvalid)
			}
			return do()
		}
		r := collect(t, s, cfg)
		r.idle()
		s.delete(t, "a", graph.Background)
		pass(time.Hour)
		if held := lines(r.Held(9)); !strings.Contains(held, "z: no labels") {
			t.Errorf("held: %s", held)
		}
	})
}
