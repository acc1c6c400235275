package ownergraph_test

import (
	"errors"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/graph"
)

var (
	errBusy     = errors.New("busy")
	errNoAnswer = errors.New("connection reset")
)

// next returns the next call of the lane, once all other work is done.
func (s stepped) next(lane engine.Lane) engine.Call {
	s.Helper()
	for {
		c, at := s.e.Next(s.now, lane)
		if c.Type != engine.CallUnset || at.IsZero() || at.After(s.now) {
			return c
		}
	}
}

// wants fails unless the next store call is of the type.
func (s stepped) wants(want engine.CallType, reason string) engine.Call {
	s.Helper()
	c := s.next(engine.LaneStore)
	if c.Type != want {
		s.Errorf("%s %s, want %s: %s", c.Type, c.Key, want, reason)
	}
	return c
}

func (s stepped) answer(c engine.Call, notation string) {
	s.Helper()
	o, err := graph.ParseObject(notation)
	if err == nil {
		err = s.e.Done(s.now, c.ID, engine.Result{Object: o})
	}
	if err != nil {
		s.Fatal(err)
	}
}

func gone(kind graph.Kind) graph.Event {
	return graph.Event{Type: graph.Gone, Key: graph.Key{Kind: kind, UID: graph.UID(kind), Name: string(kind)}}
}

func begun(k graph.Kind) graph.Event { return graph.Event{Type: graph.ListBegun, Kind: k} }
func ended(k graph.Kind) graph.Event { return graph.Event{Type: graph.ListEnded, Kind: k} }
func rewound() graph.Event           { return graph.Event{Type: graph.Rewound, Reason: "restored"} }

// begin returns the fence that is wanted, handed out and begun.
func (s stepped) begin(reason string) uint64 {
	s.Helper()
	c := s.next(engine.LaneControl)
	for ; c.Type == engine.CallList; c = s.next(engine.LaneControl) {
		s.done(c, nil)
	}
	if c.Type != engine.CallFence {
		s.Fatalf("%s, want a fence: %s", c.Type, reason)
	}
	s.done(c, nil)
	return uint64(c.ID)
}

// passed reports that kinds have passed a fence, "" for the set of kinds.
func (s stepped) passed(fence uint64, kinds ...graph.Kind) {
	s.Helper()
	for _, k := range kinds {
		s.see(graph.Event{Type: graph.FencePassed, Kind: k, Fence: fence})
	}
}

// lasts lets an engine work for a time. The function answer gives the error of each call.
// It returns the number of calls, and the number of rounds through the lanes.
func (s *stepped) lasts(span time.Duration, answer func(engine.Call) error, live map[graph.Key]graph.Object) (requests, turns int) {
	s.Helper()
	for end := s.now.Add(span); s.now.Before(end); turns++ {
		if turns > 100_000 {
			s.Fatalf("asked %d times, %v before the end", turns, end.Sub(s.now))
		}
		next := end
		for _, lane := range []engine.Lane{engine.LaneControl, engine.LaneStore} {
			c, at := s.e.Next(s.now, lane)
			if c.Type != engine.CallUnset {
				requests++
				r := engine.Result{Err: answer(c), Fence: uint64(c.ID)}
				if r.Object = live[c.Key]; c.Type == engine.CallRead && r.Err == nil && r.Object.UID == "" {
					r.Err = ownergraph.ErrNotFound
				}
				if err := s.e.Done(s.now, c.ID, r); err != nil {
					s.Fatal(err)
				}
				at = s.now
			}
			if !at.IsZero() && at.Before(next) {
				next = at
			}
		}
		s.now = next
	}
	return requests, turns
}

// page is the next selection that the engine asks for.
func (s *stepped) page(reason string) engine.Call {
	s.Helper()
	for range 100 {
		c := s.next(engine.LaneControl)
		switch c.Type {
		case engine.CallSelect:
			return c
		case engine.CallFence:
			s.done(c, nil)
			s.pass(uint64(c.ID))
		case engine.CallUnset:
			s.next(engine.LaneStore)
			s.now = s.now.Add(time.Second)
		}
	}
	s.Fatalf("no selection: %s", reason)
	return engine.Call{}
}

// shows answers a selection with objects "key#version" that carry the tenant's name.
func (s *stepped) shows(c engine.Call, more string, objects ...string) {
	s.Helper()
	s.selected(c, more, "1", objects...)
}

// selected answers it with objects that carry a value.
func (s *stepped) selected(c engine.Call, more, value string, objects ...string) {
	s.Helper()
	page := ownergraph.SelectPage{More: more}
	for _, text := range objects {
		o, err := graph.ParseObject(text)
		if err != nil {
			s.Fatal(err)
		}
		page.Objects = append(page.Objects, graph.LabelMatch{Key: o.Key, Version: o.Version, Value: value})
	}
	if err := s.e.Done(s.now, c.ID, engine.Result{Selected: page}); err != nil {
		s.Fatal(err)
	}
}
