package engine

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph/graph"
)

// TestObserveAll: events together leave the engine in the same state as one by one. The
// error has each refused event.
func TestObserveAll(t *testing.T) {
	events := []graph.Event{
		{Type: graph.KindsKnown, Kinds: []graph.KindInfo{{Kind: "a"}, {Kind: "b"}}},
		{Type: graph.ListBegun, Kind: "a"},
	}
	for i := range 100 {
		events = append(events, put(fmt.Sprintf("a/o%d#1", i)), put(fmt.Sprintf("b/d%d#1 -> a/o%d!", i, i/2)), put("x/y#1"), put(fmt.Sprintf("b/d%d#1 -> a/o%d!", i/2, i/4)))
	}
	events = append(events, graph.Event{Type: graph.ListEnded, Kind: "a"}, graph.Event{Type: graph.Gone, Key: events[2].Object.Key})
	now := time.Unix(0, 0)
	one, all := newEngine(t), newEngine(t)
	refused := 0
	for _, ev := range events {
		if err := one.Observe(now, ev); err != nil {
			refused++
		}
	}
	err := insider{all}.ObserveAll(now, events)
	if joined, ok := err.(interface{ Unwrap() []error }); !ok || len(joined.Unwrap()) != refused || refused != 100 || !errors.Is(err, graph.ErrInvalid) {
		t.Errorf("%d events were refused one by one, and together %v", refused, err)
	}
	if one.fingerprint(nil) != all.fingerprint(nil) || !reflect.DeepEqual(one.Stats(), all.Stats()) || all.check() != nil {
		t.Errorf("one by one %+v, together %+v, %v", one.Stats(), all.Stats(), all.check())
	}
}

func newEngine(t *testing.T) *Engine {
	t.Helper()
	e, err := New(Level2, Config{})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// seeing returns a function that shows events to an engine. A refused event fails the test.
func seeing(t *testing.T, e *Engine, now time.Time) func(...graph.Event) {
	return func(events ...graph.Event) {
		t.Helper()
		if err := (insider{e}).ObserveAll(now, events); err != nil {
			t.Fatal(err)
		}
	}
}

// TestListedTwice: one listing leaves an object out, and the next listing brings it before
// the pruning of the first has reached it. The engine decides the object again, at the same
// version or at another one. A decision from before does not count.
func TestListedTwice(t *testing.T) {
	for _, again := range []string{"p/x#2 -> a/a", "p/x#3 -> a/a"} {
		listedTwice(t, again)
	}
}

func listedTwice(t *testing.T, again string) {
	e, now := newEngine(t), time.Unix(1, 0)
	see := seeing(t, e, now)
	crowd := func(version int) (out []graph.Event) {
		for i := range 2 * steps {
			out = append(out, put(fmt.Sprintf("p/%d#%d -> a/b%s", i, version, strings.Repeat(", a/b", version)))) // the fast path cannot keep it
		}
		return out
	}
	begun, ended := graph.Event{Type: graph.ListBegun, Kind: "p"}, graph.Event{Type: graph.ListEnded, Kind: "p"}
	see(graph.Event{Type: graph.KindsKnown, Kinds: []graph.KindInfo{{Kind: "a"}, {Kind: "p"}}}, graph.Event{Type: graph.ListBegun, Kind: "a"}, begun,
		put("a/a#1"), put("a/b#1"), put("p/x#1 -> a/b"), put("p/y#1 -> a/a"))
	see(crowd(1)...)
	see(graph.Event{Type: graph.ListEnded, Kind: "a"}, ended, graph.Event{Type: graph.Gone, Key: put("a/a#1").Object.Key})
	calls := func() (names []string) {
		for c, at := e.Next(now, LaneStore); c.ID != 0 || !at.IsZero() && !at.After(now); c, at = e.Next(now, LaneStore) {
			if c.ID != 0 {
				names = append(names, c.Type.String()+" "+c.Key.Name)
			}
		}
		return names
	}
	calls()
	see(put("p/x#2 -> a/a"), begun)
	see(crowd(2)...)
	see(put("p/y#1 -> a/a"), ended)
	if c, _ := e.Next(now, LaneStore); c.ID != 0 {
		t.Fatalf("%s %s: the listing has left it out, its sweep has still to say so", c.Type, c.Key)
	}
	see(begun, put(again), put("p/y#1 -> a/a"))
	see(crowd(2)...)
	see(ended)
	got := calls()
	if now = now.Add(2 * time.Second); again == "p/x#2 -> a/a" { // nothing is new of it, so that it waits
		got = append(got, calls()...)
	}
	if len(got) != 1 || got[0] != "delete x" {
		t.Errorf("%q, want the end of x, whose owner is gone", got)
	}
}
