package finalizer_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/ownergraph/ownergraph/finalizer"
	"github.com/ownergraph/ownergraph/graph"
)

// TestScopeSweepPhases: each list of kinds is a phase, which waits for the phases before,
// and all other kinds are the last one.
func TestScopeSweepPhases(t *testing.T) {
	members := []finalizer.Members{{By: finalizer.ByScope}}
	for _, tc := range []struct {
		first  [][]graph.Kind
		want   []finalizer.Phase
		reason string
	}{
		{nil, nil, "without lists all kinds go at once"},
		{[][]graph.Kind{{"pod"}}, []finalizer.Phase{
			{Name: "[pod]", Kinds: []graph.Kind{"pod"}},
			{Name: "everything else", After: true},
		}, "the first phase waits for nothing"},
		{[][]graph.Kind{{"pod"}, {"volume", "claim"}}, []finalizer.Phase{
			{Name: "[pod]", Kinds: []graph.Kind{"pod"}},
			{Name: "[volume claim]", Kinds: []graph.Kind{"volume", "claim"}, After: true},
			{Name: "everything else", After: true},
		}, "the second phase waits for the first one"},
	} {
		got := finalizer.ScopeSweep("namespace", "x.io/scope", tc.first...)
		want := finalizer.Sweep{Finalizer: "x.io/scope", Holder: "namespace", Members: members, Phases: tc.want}
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", tc.reason, diff)
		}
	}
}

// TestByNames: each way to name a holder has a name of its own.
func TestByNames(t *testing.T) {
	seen := map[string]bool{}
	for by := finalizer.ByUnset; by <= finalizer.ByLabel+1; by++ {
		if name := by.String(); name == "" || seen[name] {
			t.Errorf("way %d is %q", uint8(by), name)
		}
		seen[by.String()] = true
	}
}
