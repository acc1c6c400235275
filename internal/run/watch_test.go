package run_test

import (
	"errors"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/run"
)

// watchRig is a watch whose first run has listed the kinds a and b, and has ended. The
// second run is under way.
type watchRig struct {
	run.Watch
	now time.Time
}

func newWatchRig() *watchRig {
	r := &watchRig{now: start}
	r.Begin(r.now)
	r.see(graph.KindsKnown, "")
	r.End(errors.New("reset"), []graph.Kind{"a", "b"})
	r.Begin(r.now)
	return r
}

// see shows the event to the run, and to the engine if the run wants that.
func (r *watchRig) see(of graph.EventType, kind graph.Kind) (observe, recovered bool) {
	ev := graph.Event{Type: of, Kind: kind}
	if of == graph.KindsKnown {
		ev.Kinds = []graph.KindInfo{{Kind: "a"}, {Kind: "b"}}
	}
	if observe = r.Hear(r.now, &ev); observe {
		recovered = r.Observed(&ev)
	}
	return observe, recovered
}

// TestWatchDoubts: the end of a run leaves the kinds in doubt until the next run has
// listed them.
func TestWatchDoubts(t *testing.T) {
	for _, c := range []struct {
		reason    string
		before    []graph.EventType
		event     graph.EventType
		observe   bool
		recovered bool
		doubts    bool
	}{
		{"a listing has begun", nil, graph.ListBegun, true, false, true},
		{"a listing has ended", []graph.EventType{graph.ListBegun}, graph.ListEnded, true, true, false},
		{"the store takes back its own word, and the kind is not listed", []graph.EventType{graph.KindSick}, graph.KindRecovered, false, false, true},
		{"the store calls the kind sick", nil, graph.KindSick, true, false, false},
		{"a listing of a sick kind ends", []graph.EventType{graph.KindSick}, graph.ListEnded, true, false, false},
		{"a listed kind recovers", []graph.EventType{graph.ListEnded, graph.KindSick}, graph.KindRecovered, true, false, false},
		{"a second listing", []graph.EventType{graph.ListEnded}, graph.ListEnded, true, false, false},
	} {
		t.Run(c.reason, func(t *testing.T) {
			r := newWatchRig()
			for _, of := range c.before {
				r.see(of, "a")
			}
			observe, recovered := r.see(c.event, "a")
			if observe != c.observe || recovered != c.recovered || r.Doubts("a") != c.doubts {
				t.Errorf("observe %v, recovered %v, in doubt %v", observe, recovered, r.Doubts("a"))
			}
			if !r.Doubts("b") {
				t.Error("the other kind is no longer in doubt")
			}
		})
	}
}

// TestWatchForgets: a kind that is no longer served is in no doubt.
func TestWatchForgets(t *testing.T) {
	r := newWatchRig()
	r.Observed(&graph.Event{Type: graph.KindsKnown, Kinds: []graph.KindInfo{{Kind: "b"}}})
	if r.Doubts("a") || !r.Doubts("b") {
		t.Errorf("in doubt: a %v, b %v; want b alone", r.Doubts("a"), r.Doubts("b"))
	}
}

// TestWatchOwes: a run owes a listing that it has not begun, as long as it is heard.
func TestWatchOwes(t *testing.T) {
	const patience = time.Minute
	for _, c := range []struct {
		reason string
		kind   graph.Kind
		event  graph.EventType
		after  time.Duration
		want   bool
	}{
		{"nothing was heard yet", "a", graph.Progress, patience - 1, true},
		{"nothing was heard for long", "a", graph.Progress, patience, false},
		{"the listing has begun", "a", graph.ListBegun, 0, false},
		{"the listing of another kind has begun", "b", graph.ListBegun, 0, true},
		{"the kinds are not told", "", graph.Progress, 0, true},
		{"the kinds are told", "", graph.KindsKnown, 0, false},
	} {
		r := newWatchRig()
		r.see(c.event, "a")
		if got := r.Owes(c.kind, r.now.Add(c.after), patience); got != c.want {
			t.Errorf("%s: owes %v", c.reason, got)
		}
	}
}

// TestWatchRuns: one run is under way at a time, and Why tells the state of it.
func TestWatchRuns(t *testing.T) {
	var w run.Watch
	says := func(why, reason string) {
		t.Helper()
		if w.Why() != why {
			t.Errorf("%s: %q, want %q", reason, w.Why(), why)
		}
	}
	says("the watch is down", "before the first run")
	first := w.Begin(start)
	says("the watch has not said which kinds there are", "a run has begun")
	w.Hear(start, &graph.Event{Type: graph.KindsKnown})
	if says("", "the run has told the kinds"); !w.KnowsKinds() || !w.Is(first) {
		t.Errorf("told %v, up %v", w.KnowsKinds(), w.Is(first))
	}
	w.End(errors.New("reset"), nil)
	says("the watch is down (reset)", "the run has ended")
	if second := w.Begin(start); w.Is(first) || !w.Is(second) || w.KnowsKinds() {
		t.Error("the second run is taken for the first")
	}
}
