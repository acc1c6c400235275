package ownergraph_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/explain"
	"github.com/ownergraph/ownergraph/finalizer"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/policy"
)

// explains returns the explanation of an object in one line for each fact that a test
// compares: the decision, the owners, the ends with actor and text, and the pace.
func (s stepped) explains(key string) string {
	s.Helper()
	x, err := s.e.Explain(keyOf(s.T, key))
	if err != nil {
		s.Fatal(err)
	}
	return summary(&x)
}

func summary(x *explain.Explanation) string {
	out := []string{fmt.Sprintf("%s %s %s", x.State, x.Decision.Action, x.Decision.Reason.Code())}
	if x.Decision.Doubt != graph.DoubtUnset {
		out[0] += " " + x.Decision.Doubt.Code()
	}
	for _, o := range x.Owners {
		out = append(out, fmt.Sprintf("%s %s %s", o.Name, o.Class, o.Evidence))
	}
	for c := range x.Ends() {
		end := fmt.Sprintf("%s: %s %s", c.Key.Name, c.Reason.Code(), c.End)
		for _, word := range []string{c.Actor, c.Text} {
			if word != "" {
				end += " [" + word + "]"
			}
		}
		for _, k := range c.Ring {
			end += " " + k.Name
		}
		out = append(out, end)
	}
	pace, _ := x.Pace()
	return strings.Join(append(out, pace.String()), "; ")
}

// TestExplain: an explanation has the decision, the evidence about each owner, the ends of
// the chain and the pace.
func TestExplain(t *testing.T) {
	refused := fmt.Errorf("webhook gate.example.com denies it: %w", ownergraph.ErrRefused)
	for _, c := range []struct {
		name   string
		cfg    ownergraph.Config
		do     func(s *stepped)
		key    string
		want   string
		reason string
	}{
		{"alone", ownergraph.Config{}, func(s *stepped) { s.put("a#1") }, "a",
			"exists keep NoOwners; a: NoOwners user; resting", "a user alone can delete it"},
		{"owned", ownergraph.Config{}, func(s *stepped) { s.put("a#1; b#1 -> a; c#1 -> b") }, "c",
			"exists keep OwnerSolid; b solid watch-saw; a: NoOwners user; resting", "the chain goes on to the first owner"},
		{"only self", ownergraph.Config{}, func(s *stepped) { s.put("a#1 -> a"); s.run(nil) }, "a",
			"exists keep OnlySelf; a solid unset; a: OnlySelf ring a; stuck", "a ring of one"},
		{"own each other", ownergraph.Config{}, func(s *stepped) { s.put("a#1 -> b; b#1 -> a"); s.run(nil) }, "a",
			"exists keep OwnerSolid; b solid watch-saw; a: OwnerSolid ring a b; resting", "the ring has a name"},
		{"owner gone", ownergraph.Config{}, func(s *stepped) { s.put("a#1; b#1 -> a"); s.see(gone("a")) }, "b",
			"exists delete OwnersGone; a dangling watch-saw-go; b: OwnersGone work [its turn in the queue]; moving", "the watch saw it go"},
		{"delete under way", ownergraph.Config{}, func(s *stepped) {
			s.put("a#1; b#1 -> a")
			s.see(gone("a"))
			s.wants(engine.CallDelete, "the owner is gone")
		}, "b", "exists delete OwnersGone; a dangling watch-saw-go; b: OwnersGone work [the answer to a call (delete)]; moving", "a call is this engine's own work"},
		{"owner never seen", ownergraph.Config{}, func(s *stepped) { s.put("b#1 -> a") }, "b",
			"exists verify NeedOwner; a unknown listed; a: NeedOwner work [a read of the owner]; moving", "a read has to follow"},
		{"read under way", ownergraph.Config{}, func(s *stepped) {
			s.put("b#1 -> a")
			s.wants(engine.CallRead, "the owner is unknown")
		}, "b", "exists verify NeedOwner; a unknown listed; a: NeedOwner work [the answer to a read of the owner]; moving", "the read has begun"},
		{"a read found nothing", ownergraph.Config{OwnerName: graph.NameAbsent}, func(s *stepped) {
			s.put("b#1 -> a")
			s.done(s.wants(engine.CallRead, "the owner is unknown"), ownergraph.ErrNotFound)
		}, "b", "exists delete OwnersGone; a dangling read-found-nothing; b: OwnersGone work [its turn in the queue]; moving", "the read is the evidence"},
		{"unreadable owner", ownergraph.Config{}, func(s *stepped) {
			s.put("b#1 -> a")
			s.done(s.wants(engine.CallRead, "the owner is unknown"), refused)
		}, "b", "exists verify NeedOwner; a unknown listed; " +
			"a: OwnerUnknown store [reads of the owner fail] [webhook gate.example.com denies it: refused]; stuck", "the store refuses the read"},
		{"unserved kind", ownergraph.Config{}, func(s *stepped) { s.put("b#1 -> x"); s.run(nil) }, "b",
			"exists keep OwnerUnknown UnservedKind; x unknown unset; x: OwnerUnknown kind [x] [the store does not serve it]; stuck", "the kind has to be served"},
		{"finalizer", ownergraph.Config{}, func(s *stepped) { s.put("a#1~[x]"); s.run(nil) }, "a",
			"exists keep NeedFinalizers; a: NeedFinalizers controller [x]; pending", "its controller has to act"},
		{"refused write", ownergraph.Config{}, func(s *stepped) {
			s.put("a#1; b#1 -> a")
			s.see(gone("a"))
			s.done(s.wants(engine.CallDelete, "the owner is gone"), refused)
		}, "b", "exists delete OwnersGone; a dangling watch-saw-go; b: StoreRefused store [webhook gate.example.com denies it: refused]; stuck",
			"the store's words"},
		{"observes", ownergraph.Config{ObserveOnly: true}, func(s *stepped) { s.put("a#1; b#1 -> a"); s.see(gone("a")) }, "b",
			"exists delete OwnersGone; a dangling watch-saw-go; b: ObserveOnly writer [the collector of the store]; pending",
			"another engine has to act"},
		{"foreground", ownergraph.Config{}, func(s *stepped) {
			s.put("a#1~[foreground]; b#1~[x] -> a!")
			s.run(nil)
		}, "a", "exists wait NeedDependents; b: NeedFinalizers controller [x]; pending", "the chain leads to the dependent's finalizer"},
		{"foreground ring", ownergraph.Config{}, func(s *stepped) {
			s.put("a#1~[foreground] -> b!; b#1~[foreground] -> a!")
			s.next(engine.LaneStore)
		}, "a", "exists wait NeedDependents; b waiting watch-saw; a: NeedDependents ring [this engine] a b; moving",
			"the engine breaks such a ring"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newStepped(t, c.cfg, "a", "b", "c")
			c.do(&s)
			if got := s.explains(c.key); got != c.want {
				t.Errorf("got\n%s\nwant\n%s\n%s", got, c.want, c.reason)
			}
		})
	}
}

// TestExplainHandler: a handler that fails is the end, with the number of its failures, its
// words, and the time of the next try.
func TestExplainHandler(t *testing.T) {
	s := newStepped(t, ownergraph.Config{Handlers: map[string]finalizer.Handler{
		"x": func(context.Context, graph.Object) error { return nil },
	}}, "a")
	s.put("a#1~[x]")
	for range 3 {
		c := s.next(engine.LaneHandler)
		for c.Type == engine.CallUnset {
			s.now = s.now.Add(time.Second)
			s.next(engine.LaneStore)
			c = s.next(engine.LaneHandler)
		}
		s.done(c, errBusy)
	}
	s.next(engine.LaneStore)
	x, err := s.e.Explain(keyOf(t, "a"))
	if err != nil {
		t.Fatal(err)
	}
	pace, next := x.Pace()
	if pace != explain.Stuck || next.End != explain.Handler || next.Actor != "x" || next.Tries != 3 || next.Text != "busy" {
		t.Errorf("%s: %+v", pace, next)
	}
	if want := s.now.Add(4 * time.Second); !next.Next.Equal(want) || !x.Look.Equal(want) {
		t.Errorf("the next try is at %v, and the next look at %v, want %v", next.Next, x.Look, want)
	}
}

// TestExplainSick: a kind that is sick is the end, with its words, for a fence and for an
// owner that is not listed.
func TestExplainSick(t *testing.T) {
	s := newStepped(t, ownergraph.Config{}, "a")
	s.serve("a", "b")
	s.put("a#1 -> b")
	s.now = s.now.Add(time.Hour)
	sick := s.now
	s.see(graph.Event{Type: graph.KindSick, Kind: "b", Reason: "the server is down"})
	s.run(nil)
	want := "exists wait NeedListing; b unknown unset; a: NeedListing kind [b] [the server is down]; stuck"
	s.now = s.now.Add(time.Hour)
	s.see(graph.Event{Type: graph.KindSick, Kind: "b", Reason: "the server is down"})
	if x, err := s.e.Explain(keyOf(t, "a")); err != nil || len(x.Wait) != 1 || !x.Wait[0].Since.Equal(sick) {
		t.Errorf("%+v, error %v: want the time of the first report, %v", x.Wait, err, sick)
	}
	if got := s.explains("a"); got != want {
		t.Errorf("an owner: got\n%s\nwant\n%s", got, want)
	}
	s.put("a/2#1~[foreground]")
	s.passed(s.begin("the mark wants it"), "a", "")
	s.next(engine.LaneStore)
	want = "exists wait FenceHeld; 2: FenceHeld kind [b] [the server is down]; stuck"
	if got := s.explains("a/2"); got != want {
		t.Errorf("a fence: got\n%s\nwant\n%s", got, want)
	}
}

// TestExplainKeys: a key that names no object, or several, is an error that says so.
func TestExplainKeys(t *testing.T) {
	s := newStepped(t, ownergraph.Config{}, "a", "b")
	s.put("a/x@1#1; a/x@2#1; a/y@3#1; b/z@4#1 -> a/w@5, a/y@6")
	s.see(graph.Event{Type: graph.Put, Object: graph.Object{Key: graph.Key{Kind: "a", Name: "v", UID: "7"}, Version: "1"}},
		graph.Event{Type: graph.Gone, Key: graph.Key{Kind: "a", Name: "v", UID: "7"}})
	for _, k := range []graph.Key{{Kind: "a", Name: "r", UID: "11"}, {Kind: "a", Name: "r", UID: "10"}, {Kind: "a", Name: "s", UID: "12"}} {
		s.see(graph.Event{Type: graph.Put, Object: graph.Object{Key: k, Version: "1"}}, graph.Event{Type: graph.Gone, Key: k})
	}
	s.put("b/t@13#1 -> a/s@14, a/s@15")
	for _, c := range []struct {
		key    graph.Key
		state  explain.State
		text   string
		err    error
		reason string
	}{
		{graph.Key{Kind: "a", Name: "y"}, explain.Exists, "", nil, "the live object goes before a reference to another UID"},
		{graph.Key{Kind: "a", Name: "y", UID: "3"}, explain.Exists, "", nil, "the key is full"},
		{graph.Key{Kind: "a", Name: "w"}, explain.Referred, "", nil, "only a reference names it"},
		{graph.Key{Kind: "a", Name: "v"}, explain.Gone, "", nil, "the watch saw it go"},
		{graph.Key{Kind: "a", Name: "v", UID: "7"}, explain.Gone, "", nil, "the watch saw it go"},
		{graph.Key{Kind: "a", Name: "r"}, explain.Gone, "", nil, "two objects had the name one after the other, and the second went last"},
		{graph.Key{Kind: "a", Name: "s"}, explain.Gone, "", nil, "references with other UIDs do not hide an object that is gone"},
		{graph.Key{Kind: "a", Name: "x"}, 0, "explain a/x: uid: 2 objects have these coordinates: 1, 2: invalid", ownergraph.ErrInvalid, "two live objects"},
		{graph.Key{Kind: "a", Name: "u"}, 0, "explain a/u: not found", ownergraph.ErrNotFound, "no object has the name"},
		{graph.Key{Kind: "q", Name: "x"}, 0, "", ownergraph.ErrNotFound, "no object has the kind"},
		{graph.Key{Kind: "a", Name: "x", UID: "9"}, 0, "", ownergraph.ErrNotFound, "no object has the UID"},
		{graph.Key{Name: "x"}, 0, "", ownergraph.ErrInvalid, "the kind is empty"},
		{graph.Key{Kind: "a"}, 0, "", ownergraph.ErrInvalid, "the name is empty"},
	} {
		x, err := s.e.Explain(c.key)
		if x.State != c.state || !errors.Is(err, c.err) || c.text != "" && err.Error() != c.text {
			t.Errorf("%v: %s, error %v: %s", c.key, x.State, err, c.reason)
		}
	}
	if x, err := s.e.Explain(graph.Key{Kind: "a", Name: "r"}); err != nil || x.Key.UID != "10" {
		t.Errorf("%s, error %v, want the object that went last", x.Key, err)
	}
}

// TestExplainTimes: evidence has the time at which it became known, and the record of times
// survives a copy of the engine.
func TestExplainTimes(t *testing.T) {
	s := newStepped(t, ownergraph.Config{}, "a", "b")
	s.put("a#1; b#1 -> a")
	s.now = s.now.Add(time.Hour)
	s.see(gone("a"))
	at := s.now
	s.now = s.now.Add(time.Minute)
	s.wants(engine.CallDelete, "the owner is gone")
	x, err := s.e.Explain(keyOf(t, "b"))
	if err != nil {
		t.Fatal(err)
	}
	if got := x.Owners[0].At; !got.Equal(at) {
		t.Errorf("the owner went at %v, want %v", got, at)
	}
	if got := x.Wait[0].Since; !got.Equal(s.now) {
		t.Errorf("the call began at %v, want %v", got, s.now)
	}
	if !x.Changed.Equal(time.Unix(0, 0)) {
		t.Errorf("the last change was at %v", x.Changed)
	}
}

// TestExplainBounds: an object with many dependents has a bounded explanation, which counts
// the others.
func TestExplainBounds(t *testing.T) {
	s := newStepped(t, ownergraph.Config{}, "a", "b")
	s.put("a#1~[foreground]")
	for i := range 1000 {
		s.put(fmt.Sprintf("b/%d#1~[x] -> a!", i))
	}
	s.run(nil)
	x, err := s.e.Explain(keyOf(t, "a"))
	if err != nil {
		t.Fatal(err)
	}
	if len(x.Wait)+x.Cut != 1000 || len(x.Wait) != 8 || x.Decision.Reason != policy.NeedDependents {
		t.Errorf("%d conditions and %d left out, with %s", len(x.Wait), x.Cut, x.Decision.Reason)
	}
}
