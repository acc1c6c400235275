package effect

import (
	"testing"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/policy"
	"github.com/ownergraph/ownergraph/queue"
)

// TestList: a list keeps the order of all effects, and Reset empties it.
func TestList(t *testing.T) {
	var l List
	l.Look(1, queue.High)
	l.LookAt(2, queue.Low, time.Unix(1, 0))
	l.Wake(3, 4)
	l.Fan(5)
	l.WantFence(6)
	l.AwaitFence(7)
	l.Do(WakeFence)
	l.Relist("pod")
	l.Do(RelistAll)
	l.Hold(8, policy.KindSick, graph.Unreadable)
	l.Unhold(9)
	l.Do(Revoke)
	l.Do(Audit)
	l.ReadHolder(10, graph.Key{Name: "a"}, 11)
	l.ReturnRead(11)
	l.Rewind("text")
	l.Report(graph.Key{Name: "b"}, "1", policy.Decision{})
	l.Warn("text", "name", "value")
	last := Unset
	for i, x := range l.Items() {
		if x.Type < last || x.Type == Unset {
			t.Errorf("effect %d is %v, after %v", i, x.Type, last)
		}
		last = x.Type
	}
	if last != Log || len(l.Items()) != 19 {
		t.Errorf("%d effects, the last one %v", len(l.Items()), last)
	}
	l.Reset()
	if len(l.Items()) != 0 {
		t.Errorf("%d effects are left", len(l.Items()))
	}
}

// TestNames: each type has a name of its own.
func TestNames(t *testing.T) {
	seen := map[string]bool{}
	for x := range numTypes + 1 {
		if name := x.String(); name == "" || seen[name] {
			t.Errorf("type %d is %q", x, name)
		}
		seen[x.String()] = true
	}
}
