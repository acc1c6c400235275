package plan

import (
	"errors"
	"testing"

	"github.com/ownergraph/ownergraph/finalizer"
	"github.com/ownergraph/ownergraph/graph"
)

// TestCheckPhases: each fault in the phases of a guard is an error that names its field.
func TestCheckPhases(t *testing.T) {
	ab, b := finalizer.Phase{Kinds: []graph.Kind{"a", "b"}}, finalizer.Phase{Kinds: []graph.Kind{"b"}}
	where := finalizer.Phase{Kinds: []graph.Kind{"b"}, Where: func(graph.Object) bool { return true }}
	grace := int64(3)
	for _, c := range []struct {
		phases       []finalizer.Phase
		want, reason string
	}{
		{[]finalizer.Phase{b, ab, {}}, "", "the later ones take more"},
		{[]finalizer.Phase{where, b}, "", "a function may leave objects out"},
		{[]finalizer.Phase{b, b}, "Phases[1]: it matches nothing: Phases[0] takes all of it: invalid", "a phase twice"},
		{[]finalizer.Phase{ab, where}, "Phases[1]: it matches nothing: Phases[0] takes all of it: invalid", "all of its kinds are taken"},
		{[]finalizer.Phase{{}, b}, "Phases[1]: it matches nothing: Phases[0] takes all of it: invalid", "the first takes everything"},
		{[]finalizer.Phase{{Kinds: []graph.Kind{"a", ""}}}, "Phases[0].Kinds: an empty kind: invalid", "a kind is empty"},
		{[]finalizer.Phase{{After: true}}, "Phases[0].After: no phase is before it: invalid", "the first waits for nothing"},
		{[]finalizer.Phase{b, {After: true}}, "", "each later phase waits in any case"},
		{[]finalizer.Phase{{Propagation: graph.Orphan}}, "Phases[0].Propagation: the phases of a guard have none: invalid", "ownership decides it"},
		{[]finalizer.Phase{{GraceSeconds: &grace}}, "Phases[0].GraceSeconds: the phases of a guard have none: invalid", "ownership decides it"},
	} {
		switch err := CheckPhases(c.phases); {
		case c.want == "" && err != nil:
			t.Errorf("%s: %v", c.reason, err)
		case c.want != "" && (err == nil || err.Error() != c.want || !errors.Is(err, graph.ErrInvalid)):
			t.Errorf("%s: %v, want %s", c.reason, err, c.want)
		}
	}
	var many []finalizer.Phase
	for range MaxPhases + 1 {
		many = append(many, where)
	}
	if err := CheckPhases(many); err == nil {
		t.Error("there is no bound")
	}
}
