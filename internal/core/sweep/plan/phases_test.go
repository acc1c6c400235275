package plan

import (
	"errors"
	"testing"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/guard"
)

// TestCheckPhases: each fault in the phases of a guard is an error that names its field.
func TestCheckPhases(t *testing.T) {
	ab, b := guard.Phase{Kinds: []graph.Kind{"a", "b"}}, guard.Phase{Kinds: []graph.Kind{"b"}}
	where := guard.Phase{Kinds: []graph.Kind{"b"}, Where: func(graph.Object) bool { return true }}
	grace := int64(3)
	for _, c := range []struct {
		phases       []guard.Phase
		want, reason string
	}{
		{[]guard.Phase{b, ab, {}}, "", "the later ones take more"},
		{[]guard.Phase{where, b}, "", "a function may leave objects out"},
		{[]guard.Phase{b, b}, "Phases[1]: it matches nothing: Phases[0] takes all of it: invalid", "a phase twice"},
		{[]guard.Phase{ab, where}, "Phases[1]: it matches nothing: Phases[0] takes all of it: invalid", "all of its kinds are taken"},
		{[]guard.Phase{{}, b}, "Phases[1]: it matches nothing: Phases[0] takes all of it: invalid", "the first takes everything"},
		{[]guard.Phase{{Kinds: []graph.Kind{"a", ""}}}, "Phases[0].Kinds: an empty kind: invalid", "a kind is empty"},
		{[]guard.Phase{{After: true}}, "Phases[0].After: no phase is before it: invalid", "the first waits for nothing"},
		{[]guard.Phase{b, {After: true}}, "", "each later phase waits in any case"},
		{[]guard.Phase{{Propagation: graph.Orphan}}, "Phases[0].Propagation: the phases of a guard have none: invalid", "ownership decides it"},
		{[]guard.Phase{{GraceSeconds: &grace}}, "Phases[0].GraceSeconds: the phases of a guard have none: invalid", "ownership decides it"},
	} {
		switch err := CheckPhases(c.phases); {
		case c.want == "" && err != nil:
			t.Errorf("%s: %v", c.reason, err)
		case c.want != "" && (err == nil || err.Error() != c.want || !errors.Is(err, graph.ErrInvalid)):
			t.Errorf("%s: %v, want %s", c.reason, err, c.want)
		}
	}
	var many []guard.Phase
	for range MaxPhases + 1 {
		many = append(many, where)
	}
	if err := CheckPhases(many); err == nil {
		t.Error("there is no bound")
	}
}
