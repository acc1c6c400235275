package engine

import (
	"fmt"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/history"
	"github.com/ownergraph/ownergraph/internal/core/inflight"
)

// TestProofOfTombstone: the watch showed the end of an owner to which nothing referred. A
// later dependent dies of that end, and no read has proven it (RULES, X4).
func TestProofOfTombstone(t *testing.T) {
	e := listed(t, Config{}, "a#1")
	e.observeEach(t, goneOf("a"), put("b#1 -> a"))
	call := e.call(t, CallDelete, nil)
	if err := e.Done(e.now, call.ID, Result{}); err != nil {
		t.Fatal(err)
	}
	e.observeEach(t, goneOf("b"))
	got, ok := e.history.Find(call.Key)
	if !ok || len(got.Proof.Owners) != 1 || got.Proof.Owners[0].Class != graph.Dangling || got.Proof.Owners[0].Source != history.WatchGone {
		t.Errorf("%t, %+v, want the watch as the witness", ok, got.Proof)
	}
}

// TestProofAfterConflict: after a conflict the call carries the version that a read has
// answered, which the watch has still to show. The proof has that version (RULES, X4).
func TestProofAfterConflict(t *testing.T) {
	e := listed(t, Config{}, "a#1", "b#1 -> a")
	e.observeEach(t, goneOf("a"))
	first := e.call(t, CallDelete, nil)
	if err := e.Done(e.now, first.ID, Result{Err: graph.ErrConflict}); err != nil {
		t.Fatal(err)
	}
	read := e.call(t, CallRead, nil)
	if err := e.Done(e.now, read.ID, Result{Object: put("b#5 -> a").Object}); err != nil {
		t.Fatal(err)
	}
	second := e.call(t, CallDelete, graph.ErrNotFound) // the owner is read again
	if v := second.Options.Precondition.Version; v != "5" {
		t.Fatalf("the second delete carries version %s, want 5", v)
	}
	if err := e.Done(e.now, second.ID, Result{}); err != nil {
		t.Fatal(err)
	}
	e.observeEach(t, goneOf("b"))
	got, ok := e.history.Find(second.Key)
	if !ok || got.Proof.Version != "5" || got.Proof.Outcome != inflight.Succeeded || got.Object.Version != "1" {
		t.Errorf("%t, the object was %s, the proof is %+v, want version 5", ok, got.Object, got.Proof)
	}
}

// TestRootAfterRewind: a rewind makes the roots unknown, also those of owners in the graph.
// The nearest absent owner stands in, labelled so (RULES, Root).
func TestRootAfterRewind(t *testing.T) {
	e := listed(t, Config{}, "a#1", "b#1 -> a", "c#1 -> b")
	e.observeEach(t, goneOf("a"), goneOf("b"))
	n, _ := e.graph.Lookup(put("c#1").Object.Key)
	if r := rootsOf(e, n); fmt.Sprint(r) != fmt.Sprint(Root{Keys: []graph.Key{put("a#1").Object.Key}}) {
		t.Fatalf("the root is %+v before the rewind", r)
	}
	e.observeEach(t, graph.Event{Type: graph.Rewound, Reason: "restored"})
	for _, k := range []graph.Kind{"a", "b", "c"} {
		e.observeEach(t, graph.Event{Type: graph.ListBegun, Kind: k})
		if k == "c" {
			e.observeEach(t, put("c#1 -> b"))
		}
		e.observeEach(t, graph.Event{Type: graph.ListEnded, Kind: k})
	}
	e.call(t, CallDelete, graph.ErrNotFound) // b is proven absent by a read
	if r := rootsOf(e, n); fmt.Sprint(r) != fmt.Sprint(Root{Keys: []graph.Key{put("b#1").Object.Key}, Nearest: true}) {
		t.Errorf("the root is %+v after the rewind, want b as the nearest owner", r)
	}
}

// TestRootsLeftOut: an object with more roots than the bound counts the others, and so do
// the objects below it (RULES, Root).
func TestRootsLeftOut(t *testing.T) {
	const roots = history.MaxRoots + 3
	var objects []string
	all := "b#1 -> "
	for i := range roots {
		objects = append(objects, fmt.Sprintf("a/%d#1", i))
		if i > 0 {
			all += ", "
		}
		all += fmt.Sprintf("a/%d", i)
	}
	e := listed(t, Config{}, append(objects, "a/last#1", all, "c#1 -> b, a/last")...)
	for i := range roots {
		e.observeEach(t, goneOf(fmt.Sprintf("a/%d", i)))
	}
	e.now = e.now.Add(time.Second)
	e.observeEach(t, goneOf("b"), goneOf("a/last"))
	n, _ := e.graph.Lookup(put("c#1").Object.Key)
	if r := rootsOf(e, n); len(r.Keys) != history.MaxRoots || r.More != roots+1-history.MaxRoots || r.Nearest {
		t.Errorf("%d roots and %d more, want %d in all", len(r.Keys), r.More, roots+1)
	}
}
