package world

import (
	"testing"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/probe"
	"github.com/ownergraph/ownergraph/internal/proof/oracle"
)

func TestThreeNodes(t *testing.T) {
	for _, tc := range []struct{ start, act, want, reason string }{
		{"a; b -> a; c -> b", "bg a", "", "the background cascade deletes all objects"},
		{"a; b -> a!; c -> b!", "fg a", "", "the foreground cascade deletes all objects"},
		{"a; b -> a; c -> b", "orphan a", "b; c -> b", "orphaning keeps the dependents"},
		{"a; b; c -> a, b", "bg a", "b; c -> b", "a solid owner keeps the object"},
		{"a -> c!; b -> a!; c -> b!", "fg a", "", "a ring does not block itself"},
	} {
		start, err := graph.Parse(tc.start)
		if err != nil {
			t.Fatal(err)
		}
		w, err := New(ownergraph.Level2, ownergraph.Config{}, 1, nil, start)
		if err != nil {
			t.Fatal(err)
		}
		if err := w.RunToRest(); err != nil {
			t.Fatal(err)
		}
		a, err := oracle.ParseAction(tc.act)
		if err != nil {
			t.Fatal(err)
		}
		w.Do(a)
		if err := w.RunToRest(); err != nil {
			t.Fatal(err)
		}
		objs := w.Store.Objects()
		for i := range objs {
			objs[i].Version, objs[i].Generation = "", 0
		}
		t.Log(w.Requests, w.Sides[0].Engine.Held(5))
		if got := graph.Format(objs); got != tc.want {
			t.Errorf("%s; %s (%s): got %q, want %q", tc.start, tc.act, tc.reason, got, tc.want)
		}
		if err := probe.Check(w.Sides[0].Engine); err != nil {
			t.Error(err)
		}
	}
}
