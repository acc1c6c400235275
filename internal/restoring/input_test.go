package restoring_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph/archive"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/restoring"
)

// TestRestoreNoRoots: a request without roots is an error, because a restore of nothing looks as one that is done.
func TestRestoreNoRoots(t *testing.T) {
	r := newRig(t, "k/r", false)
	_, planned := restoring.Plan(t.Context(), r.Store, r.graph(), archive.Request{})
	_, restored := restoring.Restore(t.Context(), r, r.graph(), archive.Request{}, nil)
	for _, err := range []error{planned, restored} {
		if !errors.Is(err, graph.ErrInvalid) || !strings.Contains(err.Error(), "Roots: empty") {
			t.Errorf("%v, want the field Roots", err)
		}
	}
}

// TestRestoreUnsoundPlace: a place that no object of the kind can have refuses the plan, and the restore before its first write.
// The error names the object.
func TestRestoreUnsoundPlace(t *testing.T) {
	for _, tc := range []struct{ scope, name, want, reason string }{
		{"", "", "name: empty", "the function returns no name"},
		{"s", "b", "the kind is global", "a kind without scopes"},
		{"", "b\x00", "control character", "a name that no store takes"},
		{"", strings.Repeat("b", 1<<20), "more than", "a name without a bound"},
	} {
		r := newRig(t, "k/r; k/a -> k/r; k/b -> k/a", false)
		r.userDeletes("r")
		r.engineDeletes("a", "b")
		req := archive.Request{Roots: []graph.UID{"k/r"}, Rename: func(k graph.Key) (string, string) {
			if k.Name == "b" {
				return tc.scope, tc.name
			}
			return k.Scope, k.Name
		}}
		_, planned := restoring.Plan(t.Context(), r.Store, r.graph(), req)
		_, restored := restoring.Restore(t.Context(), r, r.graph(), req, nil)
		for _, err := range []error{planned, restored} {
			if !errors.Is(err, graph.ErrInvalid) || !strings.Contains(err.Error(), tc.want) || !strings.Contains(err.Error(), "the new k/b: ") || len(err.Error()) > 1000 {
				t.Errorf("%s: %.200v, want %q of k/b", tc.reason, err, tc.want)
			}
		}
		if r.wants("", tc.reason); r.calls != 0 {
			t.Errorf("%s: %d calls, want none", tc.reason, r.calls)
		}
	}
}

// TestPlanReadsAll: an object that a user deleted came back under another owner. The plan of its former owner has the entry
// below it that did not come back with it. That entry names the first UID alone.
func TestPlanReadsAll(t *testing.T) {
	r := newRig(t, "k/r; k/x; k/a -> k/r, k/x; k/b -> k/a:cascade", false)
	r.userDeletes("a")
	r.engineDeletes("b")
	keys, err := r.RestoreEntries(t.Context(), []archive.Item{{UID: "k/a", Name: "a", Owners: []graph.Owner{{Key: graph.Key{Kind: "k", Name: "x", UID: "k/x"}}}}})
	r.ok(err)
	r.userDeletes("r")
	p := r.plan("k/r")
	i := slices.IndexFunc(p.Members, func(m archive.Member) bool { return m.Entry.Object.UID == "k/b" })
	if len(p.Members) != 2 || i < 0 || p.Members[i].Owners[0].UID != keys[0].UID {
		t.Errorf("the plan has the members %+v, want b below the new a, and r", p.Members)
	}
}
