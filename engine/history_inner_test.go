package engine

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/history"
	"github.com/ownergraph/ownergraph/internal/core/inflight"
	"github.com/ownergraph/ownergraph/policy"
)

// listed returns an engine for which the kinds a, b and c are listed with the objects.
func listed(t testing.TB, cfg Config, objects ...string) *Engine {
	t.Helper()
	e, err := New(Level1, cfg)
	if err != nil {
		t.Fatal(err)
	}
	e.now = time.Unix(1000, 0)
	events := []graph.Event{{Type: graph.KindsKnown, Kinds: []graph.KindInfo{{Kind: "a"}, {Kind: "b"}, {Kind: "c"}}}}
	for _, k := range []graph.Kind{"a", "b", "c"} {
		events = append(events, graph.Event{Type: graph.ListBegun, Kind: k})
	}
	for _, o := range objects {
		events = append(events, put(o))
	}
	for _, k := range []graph.Kind{"a", "b", "c"} {
		events = append(events, graph.Event{Type: graph.ListEnded, Kind: k})
	}
	for _, ev := range events {
		if err := e.Observe(e.now, ev); err != nil {
			t.Fatal(err)
		}
	}
	return e
}

func goneOf(name string) graph.Event {
	return graph.Event{Type: graph.Gone, Key: put(name + "#1").Object.Key}
}

// call returns the next store call of the type. It answers each other call with an error.
func (e *Engine) call(t *testing.T, want CallType, other error) Call {
	t.Helper()
	for range 1000 {
		c, at := e.Next(e.now, LaneStore)
		switch {
		case c.Type == want:
			return c
		case c.Type != CallUnset:
			if err := e.Done(e.now, c.ID, Result{Err: other}); err != nil {
				t.Fatal(err)
			}
		case at.IsZero() || at.After(e.now):
			t.Fatalf("there is no %v", want)
		}
	}
	return Call{}
}

// TestProof checks X4: the proof of a deletion has the version that the call carried, and
// for each owner the evidence.
func TestProof(t *testing.T) {
	for _, c := range []struct {
		objects []string
		events  []graph.Event
		want    []history.OwnerProof
		reason  string
	}{
		{[]string{"a#1", "b#7[x] -> a"}, []graph.Event{goneOf("a")}, []history.OwnerProof{{Class: graph.Dangling, Source: history.WatchGone, Since: time.Unix(1000, 0)}}, "the watch showed the end of the owner"},
		{[]string{"b#7 -> a!"}, nil, []history.OwnerProof{{Class: graph.Dangling, Source: history.ReadAbsent, Since: time.Unix(1000, 0)}}, "a read did not find the owner"},
		{[]string{"a#1", "b#7 -> a, c, b"}, []graph.Event{goneOf("a")}, []history.OwnerProof{{Class: graph.Dangling, Source: history.WatchGone, Since: time.Unix(1000, 0)}, {Class: graph.Dangling, Source: history.ReadAbsent, Since: time.Unix(1000, 0)}, {Self: true}}, "each owner has evidence of its own"},
	} {
		e := listed(t, Config{}, c.objects...)
		e.observeEach(t, c.events...)
		call := e.call(t, CallDelete, graph.ErrNotFound)
		if err := e.Done(e.now, call.ID, Result{}); err != nil {
			t.Fatal(err)
		}
		want := put(c.objects[len(c.objects)-1]).Object
		for _, last := range []string{"", "b#8~[x]"} { // the end shows the judged version, or another one
			f := e.clone()
			if f.now = f.now.Add(time.Minute); last != "" {
				f.observeEach(t, put(last))
			}
			f.observeEach(t, goneOf("b"))
			got, ok := f.history.Find(call.Key)
			if !ok || !got.Own || got.Proof.Version != call.Options.Precondition.Version || got.Proof.Call != uint64(call.ID) || got.Proof.Outcome != inflight.Succeeded || got.Proof.Reason != policy.OwnersGone || got.Proof.Action != policy.Delete {
				t.Fatalf("%s: %t, %+v", c.reason, ok, got)
			}
			if len(got.Proof.Owners) != len(c.want) || !got.Ended.Equal(f.now) {
				t.Fatalf("%s: %+v", c.reason, got)
			}
			for i, o := range got.Proof.Owners {
				w := c.want[i]
				if w.Self {
					w.Class = o.Class
				}
				if w.Owner = want.Owners[i]; !o.Since.Equal(w.Since) || o.Owner != w.Owner || o.Class != w.Class || o.Source != w.Source || o.Self != w.Self {
					t.Errorf("%s: owner %d is %+v, want %+v", c.reason, i, o, w)
				}
			}
			if last == "" && !reflect.DeepEqual(got.Object, want) || last != "" && !reflect.DeepEqual(got.Object, put(last).Object) {
				t.Errorf("%s: the object was %s", c.reason, got.Object)
			}
			if err := f.check(); err != nil {
				t.Error(err)
			}
		}
		if _, ok := e.history.Find(call.Key); ok {
			t.Errorf("%s: a clone has changed the history of the engine", c.reason)
		}
	}
}

// TestProofOfWaiting: the proof names the evidence of the waiting owner, and since when it
// was marked.
func TestProofOfWaiting(t *testing.T) {
	e := listed(t, Config{}, "a#1~[foreground]", "b#7 -> a!")
	read := e.call(t, CallRead, nil)
	if err := e.Done(e.now, read.ID, Result{Object: put("a#1~[foreground]").Object}); err != nil {
		t.Fatal(err)
	}
	call := e.call(t, CallDelete, nil)
	e.observeEach(t, goneOf("b"))
	if got, _ := e.history.Find(call.Key); got.Proof.Outcome != inflight.OutcomeUnset || !got.Own {
		t.Errorf("the call is under way: %+v", got)
	}
	if err := e.Done(e.now, call.ID, Result{}); err != nil {
		t.Fatal(err)
	}
	got, _ := e.history.Find(call.Key)
	want := history.OwnerProof{Owner: put("b#7 -> a!").Object.Owners[0], Class: graph.Waiting, Source: history.ReadWaiting, Since: time.Unix(1000, 0)}
	if len(got.Proof.Owners) != 1 || got.Proof.Owners[0] != want || got.Proof.Outcome != inflight.Succeeded {
		t.Errorf("%+v, want %+v", got.Proof, want)
	}
	if len(got.Root.Keys) != 1 || got.Root.Keys[0].Name != "a" || got.Root.Nearest {
		t.Errorf("the root is %+v, want a: the object had no owner", got.Root)
	}
}

// TestNotOwn: an entry claims only the deletions that this engine made, or may have made. It
// says of each whether the object was garbage.
func TestNotOwn(t *testing.T) {
	for _, c := range []struct {
		object  string
		err     error // of the delete, nil without one
		late    bool  // the end comes before the answer
		own     bool
		garbage history.Garbage
		reason  string
	}{
		{"b#1 -> a", errors.New("no answer"), false, true, history.WasGarbage, "the outcome is unknown"},
		{"b#1 -> a", graph.ErrRefused, false, false, history.WasGarbage, "the store refused the delete, and another actor made it"},
		{"b#1 -> a", graph.ErrNotFound, false, false, history.WasGarbage, "the object had gone before"},
		{"b#1 -> a", graph.ErrConflict, true, false, history.WasGarbage, "the answer says later that the engine was not first"},
		{"b#1 -> c", nil, false, false, history.NoGarbage, "another actor deleted an object with a solid owner"},
		{"b#1", nil, false, false, history.NoGarbage, "an object without an owner"},
		{"b#1 -> c/unseen", nil, false, false, history.GarbageUnknown, "its owner was not observed"},
	} {
		e := listed(t, Config{}, "a#1", "c#1", c.object)
		e.observeEach(t, goneOf("a"))
		answer := func() {}
		if c.err != nil {
			call := e.call(t, CallDelete, nil)
			answer = func() {
				if err := e.Done(e.now, call.ID, Result{Err: c.err}); err != nil {
					t.Fatal(err)
				}
			}
		}
		if !c.late {
			answer()
		}
		e.observeEach(t, goneOf("b"))
		if c.late {
			answer()
		}
		got, ok := e.history.Find(graph.Key{Kind: "b", Name: "b"})
		if !ok || got.Own != c.own || got.Garbage != c.garbage || !c.own && !reflect.DeepEqual(got.Proof, history.Proof{}) {
			t.Errorf("%t, %+v: %s", ok, got, c.reason)
		}
	}
}

// TestDecisionRoot: the event of a decision to delete names the roots, also where the
// engine writes nothing. Another event names none.
func TestDecisionRoot(t *testing.T) {
	for _, only := range []bool{false, true} {
		var got []string
		e := listed(t, Config{ObserveOnly: only, OnDecision: func(d DecisionEvent) {
			if d.Action == policy.Delete {
				got = append(got, fmt.Sprint(d.Key.Name, " ", d.Root.Keys, d.Root.Nearest))
			} else if !reflect.DeepEqual(d.Root, Root{}) {
				t.Errorf("%s: a decision to %s has the root %v", d.Key, d.Action, d.Root)
			}
		}}, "a#1", "b#1 -> a", "c#1 -> b")
		e.observeEach(t, goneOf("a"))
		e.answer(t, e.now, nil)
		e.observeEach(t, goneOf("b"))
		e.answer(t, e.now, nil)
		want := fmt.Sprint("b ", []graph.Key{put("a#1").Object.Key}, false, "|c ", []graph.Key{put("a#1").Object.Key}, false)
		if strings.Join(slices.Compact(got), "|") != want {
			t.Errorf("%q, want %q", got, want)
		}
		n, _ := e.graph.Lookup(put("c#1").Object.Key)
		if r := rootsOf(e, n); len(r.Keys) != 1 || r.Keys[0].Name != "a" {
			t.Errorf("the root of c would be %+v", r)
		}
	}
}

// TestRootTombstone: an owner that left the graph keeps its root. A rewind makes every root
// unknown.
func TestRootTombstone(t *testing.T) {
	e := listed(t, Config{}, "a#1", "b#1 -> a")
	e.observeEach(t, goneOf("a"), goneOf("b"))
	f := e.clone()
	f.observeEach(t, graph.Event{Type: graph.Rewound, Reason: "restored"}, graph.Event{Type: graph.ListBegun, Kind: "b"}, graph.Event{Type: graph.ListEnded, Kind: "b"})
	for _, c := range []struct {
		e      *Engine
		want   Root
		reason string
	}{
		{e, Root{Keys: []graph.Key{put("a#1").Object.Key}}, "b was deleted because of a"},
		{f, Root{Nearest: true}, "its absence is void, and so is its root"},
	} {
		c.e.observeEach(t, put("c#1 -> b"))
		n, _ := c.e.graph.Lookup(put("c#1").Object.Key)
		if r := rootsOf(c.e, n); !reflect.DeepEqual(r, c.want) {
			t.Errorf("%+v, want %+v: %s", r, c.want, c.reason)
		}
	}
}

// rootsOf returns the roots of a node's deletion.
func rootsOf(e *Engine, n graph.Node) Root { return driver{e}.RootsOf(n.Key()) }
