package ownergraph

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph/graph"
)

// TestObserveAll: events together leave the engine as they do one by one, and
// each one that is refused is told.
func TestObserveAll(t *testing.T) {
	events := []Event{
		{Type: graph.KindsKnown, Kinds: []KindInfo{{Kind: "a"}, {Kind: "b"}}},
		{Type: graph.ListBegun, Kind: "a"},
	}
	for i := range 100 {
		events = append(events, put(fmt.Sprintf("a/o%d#1", i)), put(fmt.Sprintf("b/d%d#1 -> a/o%d!", i, i/2)), put("x/y#1"), put(fmt.Sprintf("b/d%d#1 -> a/o%d!", i/2, i/4)))
	}
	events = append(events, Event{Type: graph.ListEnded, Kind: "a"}, Event{Type: graph.Gone, Key: events[2].Object.Key})
	now := time.Unix(0, 0)
	one, all := newEngine(t), newEngine(t)
	refused := 0
	for _, ev := range events {
		if err := one.Observe(now, ev); err != nil {
			refused++
		}
	}
	err := all.ObserveAll(now, events)
	if joined, ok := err.(interface{ Unwrap() []error }); !ok || len(joined.Unwrap()) != refused || refused != 100 || !errors.Is(err, ErrInvalid) {
		t.Errorf("%d events were refused one by one, and together %v", refused, err)
	}
	if one.Fingerprint(nil) != all.Fingerprint(nil) || one.Stats() != all.Stats() || all.Check() != nil {
		t.Errorf("one by one %+v, together %+v, %v", one.Stats(), all.Stats(), all.Check())
	}
}

func newEngine(t *testing.T) *Engine {
	t.Helper()
	e, err := NewEngine(Level2, Config{})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// TestRefusedOfUnserved: an event of a kind that is not served says nothing of the
// kind that is served under its name later.
func TestRefusedOfUnserved(t *testing.T) {
	e, now := newEngine(t), time.Unix(0, 0)
	see := func(events ...Event) {
		t.Helper()
		if err := e.ObserveAll(now, events); err != nil {
			t.Fatal(err)
		}
	}
	a, b := KindInfo{Kind: "a"}, KindInfo{Kind: "b"}
	see(Event{Type: graph.KindsKnown, Kinds: []KindInfo{a, b}}, Event{Type: graph.KindsKnown, Kinds: []KindInfo{a}})
	if err := e.Observe(now, put("b/o#1")); err == nil {
		t.Fatal("an object of a kind that is not served was taken")
	}
	see(Event{Type: graph.KindsKnown, Kinds: []KindInfo{a, b}})
	for _, k := range e.Kinds() {
		if k.Sick != "" {
			t.Errorf("kind %s is sick: %s", k.Kind, k.Sick)
		}
	}
}
