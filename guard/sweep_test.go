package guard_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/guard"
)

// TestScopeSweepPhases: each list of kinds is a phase, which waits for the phases before,
// and all other kinds are the last one.
func TestScopeSweepPhases(t *testing.T) {
	members := []guard.Members{{By: guard.ByScope}}
	for _, tc := range []struct {
		first  [][]graph.Kind
		want   []guard.Phase
		reason string
	}{
		{nil, nil, "without lists all kinds go at once"},
		{[][]graph.Kind{{"pod"}}, []guard.Phase{
			{Name: "[pod]", Kinds: []graph.Kind{"pod"}},
			{Name: "everything else", After: true},
		}, "the first phase waits for nothing"},
		{[][]graph.Kind{{"pod"}, {"volume", "claim"}}, []guard.Phase{
			{Name: "[pod]", Kinds: []graph.Kind{"pod"}},
			{Name: "[volume claim]", Kinds: []graph.Kind{"volume", "claim"}, After: true},
			{Name: "everything else", After: true},
		}, "the second phase waits for the first one"},
	} {
		got := guard.ScopeSweep("namespace", "x.io/scope", tc.first...)
		want := guard.Sweep{Finalizer: "x.io/scope", Holder: "namespace", Members: members, Phases: tc.want}
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", tc.reason, diff)
		}
	}
}

// TestByNames: each way to name a holder has a name of its own.
func TestByNames(t *testing.T) {
	seen := map[string]bool{}
	for by := guard.ByUnset; by <= guard.ByLabel+1; by++ {
		if name := by.String(); name == "" || seen[name] {
			t.Errorf("way %d is %q", uint8(by), name)
		}
		seen[by.String()] = true
	}
}
