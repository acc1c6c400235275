package ownergraph_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/guard"
	"github.com/ownergraph/ownergraph/internal/probe"
	"github.com/ownergraph/ownergraph/policy"
)

var everything = engine.Extent{All: true}

// pause pauses an engine, and returns the report.
func (s stepped) pause(what engine.Extent) engine.PauseReport {
	s.Helper()
	x, err := s.e.Pause(s.now, what)
	if err != nil {
		s.Fatal(err)
	}
	return x
}

func (s stepped) resume(what engine.Extent) {
	s.Helper()
	if err := s.e.Resume(s.now, what); err != nil {
		s.Fatal(err)
	}
}

// TestPauseRevokes: a pause raises the revision, so a caller gives back the calls that it
// has not begun. The calls that it has begun stay in the report until their results.
func TestPauseRevokes(t *testing.T) {
	s := newStepped(t, ownergraph.Config{}, "a", "b", "c")
	s.put("a#1; b#1 -> a; c#1 -> a")
	s.see(gone("a"))
	first, second := s.wants(engine.CallDelete, "a is gone"), s.wants(engine.CallDelete, "a is gone")
	before := s.e.Revision()
	x := s.pause(everything)
	if s.e.Revision() == before || len(x.UnderWay) != 2 {
		t.Errorf("revision %d after %d, under way %q, want another revision and both deletes", s.e.Revision(), before, x.UnderWay)
	}
	s.done(first, ownergraph.ErrNotBegun)
	s.wants(engine.CallUnset, "everything is paused")
	if x := s.pause(everything); len(x.UnderWay) != 1 || s.e.Revision() != before+1 {
		t.Errorf("under way %q at revision %d, want one delete, and no other revocation", x.UnderWay, s.e.Revision())
	}
	s.done(second, nil)
	if x := s.e.Paused(); len(x) != 1 || len(x[0].UnderWay) > 0 {
		t.Errorf("paused %+v, want no call under way", x)
	}
	if err := probe.Check(s.e); err != nil {
		t.Error(err)
	}
	s.resume(everything)
	if c := s.wants(engine.CallDelete, "the pause is over"); c.Key != first.Key {
		t.Errorf("%s, want the delete that was given back", c.Key)
	}
}

// TestPausesOverlap: each pause ends on its own, and an object stays held until no pause
// covers it.
func TestPausesOverlap(t *testing.T) {
	s := newStepped(t, ownergraph.Config{}, "a", "b")
	s.put("a#1; b#1 -> a")
	b, global := engine.Extent{Kind: "b"}, engine.Extent{InScope: true}
	for _, what := range []engine.Extent{global, b, everything} {
		s.pause(what)
	}
	s.see(gone("a"))
	for _, c := range []struct {
		reason string
		end    engine.Extent
		left   string
		detail string
	}{
		{"a pause that is not in force", engine.Extent{Kind: "a"}, "everything, kind b, the global objects", "everything, kind b, the global objects"},
		{"everything", everything, "kind b, the global objects", "kind b, the global objects"},
		{"the kind", b, "the global objects", "the global objects"},
	} {
		s.resume(c.end)
		s.wants(engine.CallUnset, c.reason)
		var left []string
		for _, x := range s.e.Paused() {
			left = append(left, x.What.String())
		}
		held := s.e.Held(9)
		if got := strings.Join(left, ", "); got != c.left || len(held) != 1 || strings.Join(held[0].Detail, ", ") != c.detail || held[0].Status != engine.StatusPending {
			t.Errorf("%s ends: paused %s, held %v, want %s and %s", c.reason, got, held, c.left, c.detail)
		}
		if got, want := s.explains("b"), "b: Paused user ["+c.detail+"]"; !strings.Contains(got, want) {
			t.Errorf("%s ends: the explanation is %s, want %q in it", c.reason, got, want)
		}
	}
	s.resume(global)
	s.wants(engine.CallDelete, "no pause is left")
	if held := s.e.Held(9); len(held) > 0 || len(s.e.Paused()) > 0 {
		t.Errorf("held %v and paused %v after the last end", held, s.e.Paused())
	}
}

// TestPauseErrors: a wrong extent pauses nothing, and a broken engine says that it is.
func TestPauseErrors(t *testing.T) {
	s := newStepped(t, ownergraph.Config{}, "a")
	for _, c := range []struct {
		reason string
		what   engine.Extent
		text   string
	}{
		{"it is empty", engine.Extent{}, "pause nothing: want exactly one of everything, a scope and a kind: invalid"},
		{"it has two parts", engine.Extent{All: true, Kind: "a"}, "pause everything: want exactly one of everything, a scope and a kind: invalid"},
		{"the scope does not count", engine.Extent{Kind: "a", Scope: "s"}, "pause kind a: a scope without InScope: invalid"},
	} {
		_, err := s.e.Pause(s.now, c.what)
		if !errors.Is(err, ownergraph.ErrInvalid) || err.Error() != c.text {
			t.Errorf("%s: error %v, want %s", c.reason, err, c.text)
		}
		if err := s.e.Resume(s.now, c.what); !errors.Is(err, ownergraph.ErrInvalid) {
			t.Errorf("%s: resume: error %v", c.reason, err)
		}
	}
	if len(s.e.Paused()) > 0 {
		t.Errorf("%v is paused", s.e.Paused())
	}
}

// TestPauseReports: OnDecision and the log get each beginning and each end once, with the
// kind or the scope as the key.
func TestPauseReports(t *testing.T) {
	var events []string
	var log journal
	s := newStepped(t, ownergraph.Config{Logger: log.logger(), OnDecision: func(d engine.DecisionEvent) {
		if d.Reason == policy.Paused {
			events = append(events, d.Action.String()+" "+string(d.Key.Kind)+"/"+d.Key.Scope)
		}
	}}, "a")
	for range 2 {
		s.pause(engine.Extent{Kind: "a"})
		s.pause(engine.Extent{InScope: true, Scope: "s"})
	}
	for range 2 {
		s.resume(engine.Extent{Kind: "a"})
	}
	if got, want := strings.Join(events, ", "), "wait a/, wait /s, unset a/"; got != want {
		t.Errorf("the events are %s, want %s", got, want)
	}
	if p, r := log.lines("msg=paused"), log.lines("msg=resumed"); len(p) != 2 || len(r) != 1 || !strings.Contains(p[0], `extent="kind a"`) {
		t.Errorf("the log has %q and %q", p, r)
	}
}

// TestPauseClone: the state of a pause is a part of a copy and of the fingerprint.
func TestPauseClone(t *testing.T) {
	s := newStepped(t, ownergraph.Config{}, "a", "b")
	s.put("a#1; b#1 -> a")
	s.next(engine.LaneStore)
	before := probe.Fingerprint(s.e, nil)
	s.pause(everything)
	paused := probe.Clone(s.e)
	s.resume(everything)
	s.next(engine.LaneStore)
	if got := probe.Fingerprint(s.e, nil); got != before || probe.Fingerprint(paused, nil) == before {
		t.Error("the fingerprint does not tell a paused engine from one that is not")
	}
	if len(paused.Paused()) != 1 || len(s.e.Paused()) != 0 {
		t.Errorf("the copy has %v, and the engine %v", paused.Paused(), s.e.Paused())
	}
}

// TestPauseOfASweep: the explanation of a member that a pause keeps back names the pause.
func TestPauseOfASweep(t *testing.T) {
	s := newStepped(t, sweeping(guard.ScopeSweep("tenant", "x.io/sweep")), "tenant", "pod")
	s.put("tenant/1#1")
	s.pause(everything)
	s.run(nil)
	if got := s.explains("tenant/1"); !strings.Contains(got, "Paused user") || !strings.Contains(got, "everything") {
		t.Errorf("the explanation is %s, want the pause", got)
	}
	if held := s.e.Held(9); len(held) != 1 || held[0].Reason != policy.Paused {
		t.Errorf("held %v, want the holder", held)
	}
}

// TestPauseUnknownEnds: a write of unknown outcome stays named over a read, and until
// another version or the end. A restart of the listing with the same version tells nothing.
func TestPauseUnknownEnds(t *testing.T) {
	for _, c := range []struct {
		reason string
		event  graph.Event
		named  int
	}{
		{"the same version tells nothing", put(t, "b#1 -> a"), 1},
		{"another version tells the outcome", put(t, "b#2 -> a"), 0},
		{"the end tells the outcome", gone("b"), 0},
	} {
		s := newStepped(t, ownergraph.Config{}, "a", "b")
		s.put("a#1; b#1 -> a")
		s.see(gone("a"))
		s.done(s.wants(engine.CallDelete, "a is gone"), errNoAnswer)
		s.pause(everything)
		s.now = s.now.Add(time.Minute)
		s.see(c.event)
		x := s.pause(everything)
		if len(x.Unknown) != c.named || c.named > 0 && (x.Unknown[0].Type != engine.CallDelete || x.Unknown[0].Version != "1" || x.Unknown[0].Key.Name != "b") {
			t.Errorf("%s: %+v, want %d named", c.reason, x.Unknown, c.named)
		}
		if x := s.pause(engine.Extent{Kind: "a"}); len(x.Unknown) > 0 {
			t.Errorf("%s: another pause names %v", c.reason, x.Unknown)
		}
		if err := probe.Check(s.e); err != nil {
			t.Error(err)
		}
	}
}

// put returns the event of an object in the notation.
func put(t *testing.T, notation string) graph.Event {
	t.Helper()
	o, err := graph.ParseObject(notation)
	if err != nil {
		t.Fatal(err)
	}
	return graph.Event{Type: graph.Put, Object: o}
}
