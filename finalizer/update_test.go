package finalizer

import (
	"errors"
	"testing"

	"github.com/ownergraph/ownergraph/graph"
)

func TestUpdate(t *testing.T) {
	for _, tc := range []struct {
		live, wanted string
		kind         error
		want         string // outcome, or message without the sentinel
		reason       string
	}{
		{"a#7", "a#7 -> b!", nil, "a#7 -> b!", "references are the writer's"},
		{"a#7 -> b!", "a", nil, "a#7", "an update replaces, and zero UID and version demand nothing"},
		{"a#7", "a#7", nil, "unchanged", "nothing new"},
		{"a#7 -> b:release", "a#7 -> b:restrict", nil, "a#7 -> b:restrict", "policies are the writer's, and a new one is a change"},
		{"a#7*", "a[x]", nil, "a#7[x]", "finalizers are the writer's"},
		{"a%3/1", "a%0/3", nil, "a%3/3", "a controller acknowledges; zero stands for the store's generation"},
		{"a%3/1", "a%3/3", nil, "a%3/3", "the live value is welcome"},
		{"a#7", "a#6 -> b", graph.ErrConflict, `update a: version: want "6", is "7"`, "lost update"},
		{"a", "a@z", graph.ErrConflict, `update a: uid: want "z", is "a"`, "another incarnation"},
		{"a", "b", graph.ErrRefused, "update a: name: b is another object", "coordinates never change"},
		{"a", "a~", graph.ErrRefused, "update a: deleting: only a deletion sets the mark", "there is no way around Delete"},
		{"a~*", "a~5*", graph.ErrRefused, "update a: graceSeconds: only a deletion sets it", "there is no way around Delete"},
		{"a%3/1", "a%2/1", graph.ErrRefused, "update a: generation: is 3 and the store's", "a stale copy, or a forged one"},
		{"a~*", "a*", nil, "unchanged", "the mark is never cleared"},
		{"a~30*", "a* -> b", nil, "a~30* -> b", "mark and grace stay, references may change"},
		{"a~[x,y]", "a[y]", nil, "a~[y]", "one of two goes"},
		{"a~[y]", "a", nil, "removed", "the last one goes"},
		{"a~30[y]", "a", nil, "a~30", "the last one goes, the grace period is left"},
		{"a~30", "a -> b", nil, "a~30 -> b", "the grace period holds it"},
		{"a~", "a -> b", nil, "removed", "nothing holds it, after any write"},
		{"a~[x]", "a[x,y]", graph.ErrRefused, `update a: finalizers: "y" comes too late, the object is being deleted`, "too late"},
		{"a~[x]", "a[y]", graph.ErrRefused, `update a: finalizers: "y" comes too late, the object is being deleted`, "a swap adds, too"},
		{"a~[x]", "a[x,orphan]", graph.ErrRefused, `update a: finalizers: "orphan" comes too late, the object is being deleted`,
			"how to propagate is told by a deletion"},
		{"a", "a[orphan]", nil, "a[orphan]", "an object may carry it from before"},
		{"a[x]", "a", nil, "a", "without a mark nothing goes"},
	} {
		live, wanted := parse(t, tc.live), parse(t, tc.wanted)
		if wanted.UID == live.UID {
			wanted.UID = ""
		}
		checkWrite(t, "Update("+tc.live+", "+tc.wanted+")", tc.kind, tc.want, tc.reason)(Update(live, wanted))
	}
}

// checkWrite compares the result of a write.
func checkWrite(t *testing.T, call string, kind error, want, reason string) func(Outcome, error) {
	return func(out Outcome, err error) {
		t.Helper()
		if kind != nil {
			want += ": " + kind.Error()
		}
		if got := says(out, err); got != want || !errors.Is(err, kind) {
			t.Errorf("%s: %s, want %s: %s", call, got, want, reason)
		}
		if err != nil && out.Effect != EffectUnset {
			t.Errorf("%s: an outcome with an error: %v", call, out)
		}
	}
}

func TestPatch(t *testing.T) {
	b := graph.Owner{Key: graph.Key{Kind: "b", Name: "b", UID: "b"}}
	blocking := b
	blocking.Block = true
	for _, tc := range []struct {
		live   string
		pre    graph.Precondition
		change graph.Change
		kind   error
		want   string
		reason string
	}{
		{"a", graph.Precondition{}, graph.Change{}, nil, "unchanged", "the zero change"},
		{"a -> b!, c", graph.Precondition{}, graph.Change{DropOwners: []graph.Owner{b}}, nil, "a -> c", "flags do not matter"},
		{"a -> b!:restrict, c", graph.Precondition{}, graph.Change{Unblock: []graph.Owner{b}}, nil, "a -> b:restrict, c", "a policy stays"},
		{"a -> b:restrict, c", graph.Precondition{}, graph.Change{DropOwners: []graph.Owner{b}}, nil, "a -> c", "no policy keeps a reference yet"},
		{"a -> b!, c", graph.Precondition{}, graph.Change{Unblock: []graph.Owner{b}}, nil, "a -> b, c", "it stays an owner"},
		{"a -> b", graph.Precondition{}, graph.Change{Unblock: []graph.Owner{b}}, nil, "unchanged", "it did not block"},
		{"a~*", graph.Precondition{}, graph.Change{AddOwner: &blocking}, nil, "a~* -> b!", "a marked object may change owners"},
		{"a", graph.Precondition{}, graph.Change{AddFinalizer: "x"}, nil, "a[x]", "in time"},
		{"a~*", graph.Precondition{}, graph.Change{AddFinalizer: "x"}, graph.ErrRefused,
			`patch a: finalizers: "x" comes too late, the object is being deleted`, "too late"},
		{"a~*", graph.Precondition{}, graph.Change{AddFinalizer: "orphan"}, graph.ErrRefused,
			`patch a: finalizers: "orphan" comes too late, the object is being deleted`, "only a deletion adds it"},
		{"a~*", graph.Precondition{}, graph.Change{AddFinalizer: "foreign"}, nil, "unchanged", "it is there"},
		{"a~[x]", graph.Precondition{}, graph.Change{DropFinalizer: "x"}, nil, "removed", "the last one goes"},
		{"a~[orphan,x]", graph.Precondition{}, graph.Change{DropFinalizer: "orphan"}, nil, "a~[x]", "another one holds it"},
		{"a~9[x]", graph.Precondition{}, graph.Change{DropFinalizer: "x"}, nil, "a~9", "the grace period holds it"},
		{"a[x]", graph.Precondition{}, graph.Change{DropFinalizer: "x"}, nil, "a", "without a mark nothing goes"},
		{"a#3", graph.Precondition{UID: "a", Version: "3"}, graph.Change{AddFinalizer: "x"}, nil, "a#3[x]", "it is met"},
		{"a#3", graph.Precondition{Version: "2"}, graph.Change{}, graph.ErrConflict, `patch a: version: want "2", is "3"`,
			"a change of nothing has its precondition, too"},
		{"a", graph.Precondition{UID: "z"}, graph.Change{}, graph.ErrConflict, `patch a: uid: want "z", is "a"`, "another incarnation"},
	} {
		checkWrite(t, "Patch("+tc.live+")", tc.kind, tc.want, tc.reason)(Patch(parse(t, tc.live), tc.pre, tc.change))
	}
}
