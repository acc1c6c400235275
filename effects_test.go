package ownergraph_test

import (
	"testing"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/probe"
)

// TestLinesOfTheLog: a caller without a Collector has each line of the log at the end of
// the method that caused it.
func TestLinesOfTheLog(t *testing.T) {
	var log journal
	e, err := engine.New(ownergraph.Level2, ownergraph.Config{Logger: log.logger()})
	if err != nil {
		t.Fatal(err)
	}
	now := time.Unix(1, 0)
	kinds := []ownergraph.KindInfo{{Kind: "a"}}
	for _, ev := range []ownergraph.Event{{Type: graph.KindsKnown, Kinds: kinds}, {Type: graph.ListBegun, Kind: "a"}, {Type: graph.ListEnded, Kind: "a"}} {
		if err := e.Observe(now, ev); err != nil {
			t.Fatal(err)
		}
	}
	bad := ownergraph.Event{Type: graph.Put}
	fence := func() engine.Call {
		probe.BeginWait(e, now)
		for {
			if c, _ := e.Next(now, engine.LaneControl); c.Type == engine.CallFence {
				return c
			}
			now = now.Add(time.Second)
		}
	}
	for _, c := range []struct {
		text   string
		cause  func()
		reason string
	}{
		{"event refused", func() { _ = e.Observe(now, bad) }, "Observe"},
		{"fence failed", func() { _ = e.Done(now, fence().ID, engine.Result{Err: errTest}) }, "Done"},
		{"fence lost", func() {
			_ = e.Done(now, fence().ID, engine.Result{Fence: 1})
			now = now.Add(time.Hour)
			e.Next(now, engine.LaneControl)
		}, "Next"},
	} {
		before := len(log.lines(c.text))
		if c.cause(); len(log.lines(c.text)) != before+1 {
			t.Errorf("%s: lines %q, want one more with %q", c.reason, log.lines(""), c.text)
		}
	}
}
