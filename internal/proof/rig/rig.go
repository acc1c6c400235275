// Package rig makes small engines for the tests of packages that drive one.
package rig

import (
	"strconv"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/graph"
)

// Now is the time of the engines.
func Now() time.Time { return time.Unix(1000, 0) }

// Put returns the event of an object in the notation of graph.ParseObject.
func Put(text string) graph.Event {
	o, err := graph.ParseObject(text)
	if err != nil {
		panic(err)
	}
	return graph.Event{Type: graph.Put, Object: o}
}

// Gone returns the event of the end of an object.
func Gone(name string) graph.Event {
	return graph.Event{Type: graph.Gone, Key: Put(name + "#1").Object.Key}
}

// Many returns a root of the kind a with n leaves of the kind b, for Listed.
func Many(n int) []string {
	objects := []string{"a#1"}
	for i := range n {
		objects = append(objects, "b/"+strconv.Itoa(i)+"#1 -> a")
	}
	return objects
}

// Observe shows events to an engine, one by one. A refused event fails the test.
func Observe(t testing.TB, e *engine.Engine, events ...graph.Event) {
	t.Helper()
	for _, ev := range events {
		if err := e.Observe(Now(), ev); err != nil {
			t.Fatal(err)
		}
	}
}

// Answer reports an error for each store call, until there is none left.
func Answer(t testing.TB, e *engine.Engine, result error) {
	t.Helper()
	for {
		c, at := e.Next(Now(), engine.LaneStore)
		switch {
		case c.Type != engine.CallUnset:
			if err := e.Done(Now(), c.ID, engine.Result{Err: result}); err != nil {
				t.Fatal(err)
			}
		case at.IsZero() || at.After(Now()):
			return
		}
	}
}

// Listed returns an engine of level 1 that has observed a listing of the kinds a, b and c.
func Listed(t testing.TB, cfg engine.Config, objects ...string) *engine.Engine {
	t.Helper()
	e, err := engine.New(engine.Level1, cfg)
	if err != nil {
		t.Fatal(err)
	}
	kinds := []graph.KindInfo{{Kind: "a"}, {Kind: "b"}, {Kind: "c"}}
	var puts []graph.Object
	for _, o := range objects {
		puts = append(puts, Put(o).Object)
	}
	Observe(t, e, Listing(kinds, puts)...)
	return e
}

// Listing returns the events of a complete listing.
func Listing(kinds []graph.KindInfo, objects []graph.Object) []graph.Event {
	events := []graph.Event{{Type: graph.KindsKnown, Kinds: kinds}}
	for _, k := range kinds {
		events = append(events, graph.Event{Type: graph.ListBegun, Kind: k.Kind})
	}
	for _, o := range objects {
		events = append(events, graph.Event{Type: graph.Put, Object: o})
	}
	for _, k := range kinds {
		events = append(events, graph.Event{Type: graph.ListEnded, Kind: k.Kind})
	}
	return events
}
