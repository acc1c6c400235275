package order

import (
	"errors"
	"testing"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/guard"
)

// TestPhaseOf: an object is in the first phase that takes it, and in the last one if none does.
func TestPhaseOf(t *testing.T) {
	phases := []guard.Phase{
		{Kinds: []graph.Kind{"pod"}, Where: func(o graph.Object) bool { return o.Name == "first" }},
		{Kinds: []graph.Kind{"pod", "claim"}},
	}
	for _, c := range []struct {
		kind   graph.Kind
		name   string
		want   int
		reason string
	}{
		{"pod", "first", 0, "both phases take it"}, {"pod", "x", 1, "the condition of the first leaves it out"},
		{"claim", "first", 1, "the kind counts, too"}, {"role", "x", 2, "no phase takes it"},
	} {
		if got := PhaseOf(phases, graph.Object{Key: graph.Key{Kind: c.kind, Name: c.name}}); got != c.want {
			t.Errorf("%s: %s/%s is in phase %d, want %d", c.reason, c.kind, c.name, got, c.want)
		}
	}
}

// TestSelects: a root meets all conditions that are set.
func TestSelects(t *testing.T) {
	g := guard.Guard{
		Kinds: []graph.Kind{"ns"}, Scopes: []string{"", "x"}, Names: []string{"a"},
		Where: func(o graph.Object) bool { return o.Version != "0" },
	}
	for _, c := range []struct {
		kind                 graph.Kind
		scope, name, version string
		want                 bool
		reason               string
	}{
		{"ns", "x", "a", "1", true, "it meets all"}, {"pod", "x", "a", "1", false, "the kind"}, {"ns", "y", "a", "1", false, "the scope"},
		{"ns", "", "b", "1", false, "the name"}, {"ns", "", "a", "0", false, "the function"},
	} {
		o := graph.Object{Key: graph.Key{Kind: c.kind, Scope: c.scope, Name: c.name}, Version: graph.Version(c.version)}
		if got := Selects(&g, &o); got != c.want {
			t.Errorf("%s: %s is selected: %t", c.reason, o.Key, got)
		}
	}
	if !Selects(&guard.Guard{}, &graph.Object{}) {
		t.Error("a condition that is not set excludes an object")
	}
}

// TestCheckGuards: a fault in the phases of a guard is an error that names its field.
func TestCheckGuards(t *testing.T) {
	err := CheckPhases([]guard.Guard{{Phases: []guard.Phase{{Kinds: []graph.Kind{"a"}}}}, {Phases: []guard.Phase{{After: true}}}})
	if want := "configure engine: Guards[1]: Phases[0].After: no phase is before it: invalid"; !errors.Is(err, graph.ErrInvalid) || err.Error() != want {
		t.Errorf("the error is %v, want %s", err, want)
	}
	if err := CheckPhases([]guard.Guard{{}, {Phases: []guard.Phase{{Kinds: []graph.Kind{"a"}}, {Kinds: []graph.Kind{"b"}, After: true}, {}}}}); err != nil {
		t.Error(err)
	}
	if m := New(nil); m.HasPhases() || m.Any() || m.HasWork() {
		t.Error("a machine without guards has work")
	}
}
