package ownergraph_test

import (
	"context"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/finalizer"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/guard"
	"github.com/ownergraph/ownergraph/internal/probe"
)

// TestNotBegun: the engine asks at once again for a call that the caller gives back, and
// counts it once.
func TestNotBegun(t *testing.T) {
	sweep := guard.Sweep{Finalizer: "x.io/t", Holder: "t", Members: []guard.Members{{By: guard.ByLabel, Label: "x.io/of"}}}
	cfg := ownergraph.Config{
		Sweeps:   []guard.Sweep{sweep},
		Handlers: map[string]finalizer.Handler{"x.io/h": func(context.Context, graph.Object) error { return nil }},
	}
	lanes := [...]engine.Lane{engine.LaneStore, engine.LaneHandler, engine.LaneControl}
	for _, tc := range []struct {
		notation string
		want     engine.CallType
		reason   string
	}{
		{"o/a#1~[foregroundDeletion]; d/b#2 -> o/a!", engine.CallDelete, "the dependent has to go"},
		{"o/a#1~[orphan]; d/b#2 -> o/a", engine.CallPatch, "the dependent loses its reference"},
		{"o/a#1~[foregroundDeletion]", engine.CallFence, "the dependents have to be known"},
		{"d/b#2 -> o/a", engine.CallRead, "the owner is unknown"},
		{"o/a#1~[x.io/h]", engine.CallHandle, "the handler has to run"},
		{"t/a#1~[x.io/t]", engine.CallSelect, "the members are unknown"},
	} {
		s := newStepped(t, cfg, "o", "d", "t")
		s.put(tc.notation)
		ask := func() (c engine.Call) {
			for range 9 {
				for _, lane := range lanes {
					switch c = s.next(lane); c.Type {
					case tc.want:
						return c
					case engine.CallFence:
						s.done(c, nil)
						s.pass(uint64(c.ID))
					}
				}
			}
			t.Fatalf("%s: no %s", tc.reason, tc.want)
			return c
		}
		first := ask()
		before := s.e.Stats()
		s.done(first, ownergraph.ErrNotBegun)
		again := ask()
		first.ID, again.ID = 0, 0
		if first.Type != again.Type || first.Key != again.Key {
			t.Errorf("%s: %s %s is given back, and then it is %s %s", tc.reason, first.Type, first.Key, again.Type, again.Key)
		}
		after := s.e.Stats()
		if probe.Requests(after) != probe.Requests(before) || after.Calls.Of(engine.CallHandle) != before.Calls.Of(engine.CallHandle) || after.InFlight != before.InFlight {
			t.Errorf("%s: counted %+v, want %+v", tc.reason, after, before)
		}
		if err := probe.Check(s.e); err != nil {
			t.Error(err)
		}
	}
}

// TestListNotBegun: a listing that is given back is asked for at once, though the one
// before was a moment ago.
func TestListNotBegun(t *testing.T) {
	s := newStepped(t, ownergraph.Config{}, "a")
	s.see(graph.Event{Type: graph.Rewound, Reason: "restored"})
	for range 4 {
		c := s.next(engine.LaneControl)
		if c.Type != engine.CallList || c.Kind != "a" {
			t.Fatalf("%s %s, want the listing again", c.Type, c.Kind)
		}
		s.done(c, ownergraph.ErrNotBegun)
	}
	s.done(s.next(engine.LaneControl), nil)
	if c := s.next(engine.LaneControl); c.Type == engine.CallList {
		t.Errorf("asked again within %v", time.Second)
	}
}
