package kinds

import (
	"errors"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/effect"
)

// TestFailList: failed requests for a listing are reported for the wanted kinds, since the first
// failure and with the last cause. The log has one line for a cause, and at most one a minute for
// others. A success ends the report.
func TestFailList(t *testing.T) {
	r := newRig(t, "want a")
	var out effect.List
	lines := 0
	fail := func(cause string, after time.Duration) {
		r.t.FailList(start.Add(after), errors.New(cause), time.Second, &out)
		for _, e := range out.Items() {
			if e.Type == effect.Log {
				lines++
			}
		}
		out.Reset()
	}
	if _, is := r.t.ListFailing("a"); is || r.t.ListError() != "" {
		t.Error("a request fails before the first one")
	}
	fail("down", 0)
	fail("down", time.Second)
	fail("refused", 2*time.Second)
	f, is := r.t.ListFailing("a")
	if !is || !f.Since.Equal(start) || !f.Next.Equal(start.Add(3*time.Second)) || f.Cause != "refused" || r.t.ListError() != "refused" {
		t.Errorf("%+v, %t, %q; want that a fails since the first request", f, is, r.t.ListError())
	}
	if _, is := r.t.ListFailing("b"); is {
		t.Error("b fails, and nothing asks for its listing")
	}
	if lines != 1 {
		t.Errorf("%d lines, want one within a minute", lines)
	}
	fail("refused again", logEvery)
	if lines != 2 {
		t.Errorf("%d lines after a minute, want another one for the new cause", lines)
	}
	r.t.EndListFailures()
	if _, is := r.t.ListFailing("a"); is || r.t.ListError() != "" {
		t.Error("a fails after a success")
	}
	r.run("begin a")
	fail("down", 0)
	if _, is := r.t.ListFailing("a"); is || r.t.ListError() != "" {
		t.Error("a fails, and its listing has begun")
	}
}

// TestObserved: events about kinds alone describe no content of the store.
func TestObserved(t *testing.T) {
	r := newRig(t, "")
	for _, e := range []graph.EventType{graph.KindsKnown, graph.KindSick, graph.KindRecovered, graph.KindVanished, graph.Rewound} {
		if r.t.Observe(e); r.t.Observed() {
			t.Errorf("%s describes the content", e)
		}
	}
	if r.t.Observe(graph.ListBegun); !r.t.Observed() {
		t.Error("a listing describes no content")
	}
}
