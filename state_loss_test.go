package ownergraph_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/probe"
)

// TestFingerprintOfLossTime: the time of the last loss decides how long its kind waits. Two
// engines that go on differently have different fingerprints.
func TestFingerprintOfLossTime(t *testing.T) {
	later := func(late time.Duration) (stepped, uint64) {
		s := newStepped(t, ownergraph.Config{}, "a", "b")
		s.run(nil)
		s.put("a#5; b/1#1 -> a")
		s.see(gone("a"))
		c := s.wants(engine.CallDelete, "a is gone")
		s.now = s.now.Add(late)
		s.done(c, errNoAnswer)
		s.see(graph.Event{Type: graph.Gone, Key: graph.Key{Kind: "b", Name: "1", UID: "b/1"}})
		s.now = time.Unix(5, 0)
		s.next(engine.LaneHandler) // takes the time
		return s, probe.Fingerprint(s.e, nil)
	}
	goesOn := func(s stepped) string {
		s.put("b/2#2 -> a")
		s.done(s.wants(engine.CallRead, "a may be back"), graph.ErrNotFound)
		s.now = s.now.Add(7 * time.Second)
		c := s.next(engine.LaneStore)
		return fmt.Sprintf("%s %s", c.Type, c.Key)
	}
	one, f1 := later(0)
	two, f2 := later(5 * time.Second)
	if a, b := goesOn(one), goesOn(two); f1 == f2 && a != b {
		t.Errorf("one fingerprint, and after the same events and results one asks for %q, the other for %q", a, b)
	}
}
