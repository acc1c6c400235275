package sweep

import (
	"errors"
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/guard"
)

// TestNewRefuses: two owners of one finalizer would release each other's objects, and the
// members of a kind that takes no part are never observed.
func TestNewRefuses(t *testing.T) {
	with := func(name string) guard.Sweep {
		s := byName()
		s.Finalizer = name
		return s
	}
	for _, c := range []struct {
		reason string
		set    Settings
		want   string // "" for no error
	}{
		{"finalizers of their own", Settings{Sweeps: []guard.Sweep{with("a"), with("b")}, Handlers: []string{"e"}}, ""},
		{"a fault of the sweep itself", Settings{Sweeps: []guard.Sweep{{Finalizer: "a", Holder: "tenant"}}}, `Sweeps[0]: plan sweep "a": Members`},
		{"two sweeps", Settings{Sweeps: []guard.Sweep{with("a"), with("a")}}, `Sweeps[1]: finalizer "a": another sweep has it`},
		{"a handler", Settings{Sweeps: []guard.Sweep{with("a")}, Handlers: []string{"a"}}, `Sweeps[0]: finalizer "a": a handler has it`},
		{"an ignored kind", Settings{Sweeps: []guard.Sweep{with("a")}, Ignore: []graph.Kind{"tenant"}}, `kind "tenant" takes no part`},
	} {
		_, err := New(c.set)
		if c.want == "" && err != nil || c.want != "" && (!errors.Is(err, graph.ErrInvalid) || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v, want %q", c.reason, err, c.want)
		}
	}
}

// TestWalkIsBounded: a walk stops at its budget, and when it has asked for enough decisions.
func TestWalkIsBounded(t *testing.T) {
	const members = "volume/1-a#1; volume/1-b#1; volume/1-c#1; volume/1-d#1"
	for _, c := range []struct {
		reason       string
		budget, room int
		asked        int // the decisions that the first part of the walk asks for
	}{
		{"no bound", 1 << 20, 1 << 20, 4},
		{"no budget", 0, 1 << 20, 0},
		{"room for one decision", 1 << 20, 1, 1},
		{"room for three decisions", 1 << 20, 3, 3},
		{"a budget for one node, and its claims", 1, 1 << 20, 0},
	} {
		r := newRig(t, byName())
		r.put("tenant/1#1[x.io/tenant]; " + members)
		r.marked()
		r.pass()
		r.sw.WalkAgain()
		if !r.sw.Step(r.view()) {
			t.Fatalf("%s: no walk is under way", c.reason)
		}
		r.out.Reset()
		rest := r.sw.Walk(r.view(), c.budget, c.room)
		asked := 0
		for _, x := range r.out.Items() {
			if x.Node != r.id(r.object("tenant/1").Key) {
				asked++
			}
		}
		if asked != c.asked || rest > c.budget {
			t.Errorf("%s: %d decisions, and %d of %d are left, want %d", c.reason, asked, rest, c.budget, c.asked)
		}
	}
}
