package invariant_test

import (
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/guard"
	"github.com/ownergraph/ownergraph/internal/proof/invariant"
	"github.com/ownergraph/ownergraph/policy"
)

// tenancy is a sweep of t by name and owner, the kind w last.
func tenancy() []guard.Sweep {
	return []guard.Sweep{{
		Finalizer: "x.io/t", Holder: "t",
		Members: []guard.Members{{By: guard.ByName, Delimiter: "-"}, {By: guard.ByOwner}},
		Phases:  []guard.Phase{{Kinds: []graph.Kind{"v"}}, {Kinds: []graph.Kind{"w"}, After: true}},
	}}
}

func objects(t *testing.T, s string) []graph.Object {
	t.Helper()
	all, err := graph.Parse(strings.TrimSpace(s))
	if err != nil {
		t.Fatal(err)
	}
	for i := range all {
		if all[i].Version == "" {
			all[i].Version = "1"
		}
	}
	return all
}

func breaks(got error, want string) bool {
	return (got != nil) == (want != "") && (got == nil || strings.HasPrefix(got.Error(), want))
}

// TestSweepsJudge has, for every invariant of sweeps, a write that keeps it and a
// write that breaks it. A history is the content of the store at each instant.
func TestSweepsJudge(t *testing.T) {
	for _, tc := range []struct{ history, write, want, reason string }{
		{"t/a~[x.io/t]; v/a-x", "delete v/a-x", "", "the name of the member has the marked holder's name"},
		{"t/a[x.io/t]; v/a-x", "delete v/a-x", "S23:", "the holder is not marked"},
		{"t/a~[x.io/t]; t/aa; v/aa-x", "delete v/aa-x", "S23:", "the object belongs to the neighbour aa"},
		{"t/a~[x.io/t]; v/a", "delete v/a", "S23:", "the name has no delimiter"},
		{"t/a~[x.io/t]; t/a-b; v/a-b-x", "delete v/a-b-x", "S23:", "by its name it may belong to a-b, which lives"},
		{"t/a~[x.io/t]; t/a-b~[x.io/t]; v/a-b-x", "delete v/a-b-x", "", "a-b is marked, too"},
		{"t/a~[x.io/t]; v/x -> t/a", "delete v/x", "", "the object refers to the holder"},
		{"t/a~[x.io/t]; t/b; v/x -> t/a, t/b", "delete v/x", "S23:", "another owner lives"},
		{"t/a~[x.io/t]; t/b~[x.io/t]; v/x -> t/a, t/b", "delete v/x", "", "the other owner is marked, too"},
		{"t/a~[x.io/t]; v/x -> t/a@former", "delete v/x", "S23:", "the reference names another incarnation"},
		{"t/a~[x.io/t]; v/a-x | v/a-x", "delete v/a-x", "", "the object was a member at an instant of the mark"},
		{"t/a~[x.io/t] | v/a-x", "delete v/a-x", "S23:", "the object came after the end of the holder"},
		{"t/a~[x.io/t] | t/a@2[x.io/t]; v/a-x", "delete v/a-x", "S23:", "the object belongs to the new holder of the name"},
		{"t/a~[x.io/t]; v/a-x | t/a@2[x.io/t]; v/a-x@2", "delete v/a-x@2", "S23:", "the object is a new incarnation, and belongs to the new holder"},
		{"t/a~[x.io/t]; v/x -> t/a | t/a~[x.io/t]; v/x#2", "delete v/x#2", "S23:", "the new version has dropped the reference"},
		{"t/a~[x.io/t]; v/a-x | v/a-x#2", "delete v/a-x#2", "", "the name of an object never changes"},
		{"t/a~[orphan,x.io/t]; v/a-x", "delete v/a-x", "S23:", "the holder orphans its members"},
		{"t/a~[x.io/t]; v/a-x[orphan]", "delete v/a-x", "S14:", "the finalizer of the member asks for orphaning"},
		{"t/a~[x.io/t]; v/a-x[orphan]", "delete v/a-x as orphan", "", "the finalizer of the member asks for orphaning"},
		{"t/a~[x.io/t]", "release t/a x.io/t", "", "the holder has no members"},
		{"t/a~[x.io/t]; v/a-x", "release t/a x.io/t", "S24:", "the holder has a member"},
		{"t/a[x.io/t] | t/a~[x.io/t]; v/a-x", "release t/a x.io/t", "S24:", "the holder had no members before its mark only"},
		{"t/a~[x.io/t]; v/a-x | t/a~[x.io/t] | t/a~[x.io/t]; v/a-y", "release t/a x.io/t", "", "the holder had no members at one instant"},
		{"t/a~[x.io/t] | t/a@2~[x.io/t]; v/a-x", "release t/a@2 x.io/t", "S24:", "the other incarnation had no members"},
		{"t/a-b~[x.io/t]", "release t/a-b x.io/t", "S24:", "the delimiter in the holder's name makes members ambiguous"},
		{"t/a~[x.io/t]; v/a-x", "release t/a x.io/other", "", "the finalizer belongs to another controller"},
		{"t/a~[x.io/t]; h/a-y", "release t/a x.io/t", "", "the engine cannot know objects of kind h"},
	} {
		var s *invariant.Sweeps
		for state := range strings.SplitSeq(tc.history, "|") {
			if s != nil {
				s.Commit(objects(t, state))
				continue
			}
			var err error
			if s, err = invariant.NewSweeps(tenancy(), objects(t, state)); err != nil {
				t.Fatal(err)
			}
			s.Hidden = func(_ engine.Call, k graph.Kind) bool { return k == "h" }
		}
		if got := s.Judge(write(t, tc.write)); !breaks(got, tc.want) {
			t.Errorf("%s; %s: got %v, want %q: %s", tc.history, tc.write, got, tc.want, tc.reason)
		}
	}
}

// TestSweepsUnguarded judges writes for a holder that went before it had a guard.
// Its members may be swept if the setting says so.
func TestSweepsUnguarded(t *testing.T) {
	for _, unguarded := range []bool{true, false} {
		sweeps := tenancy()
		sweeps[0].Unguarded = unguarded
		s, err := invariant.NewSweeps(sweeps, objects(t, "t/a; v/a-x"))
		if err != nil {
			t.Fatal(err)
		}
		s.Commit(objects(t, "v/a-x"))
		if got := s.Judge(write(t, "delete v/a-x")); (got == nil) != unguarded {
			t.Errorf("members of unguarded holders are swept: %t; the judge returns %v", unguarded, got)
		}
		s.Begin(objects(t, "v/a-x"))
		if got := s.Judge(write(t, "delete v/a-x")); got == nil {
			t.Error("the holder was never there in this history")
		}
	}
}

// TestSweepsRest judges stores at rest.
func TestSweepsRest(t *testing.T) {
	for _, tc := range []struct{ store, want, reason string }{
		{"t/a[x.io/t]; v/a-x", "", "the holder lives, and is guarded"},
		{"t/a; v/a-x", "L12:", "the living holder is not guarded"},
		{"t/a-b; v/a-x", "", "a holder with a delimiter in its name is not guarded"},
		{"t/a~[x.io/t]", "L12:", "the holder has no members, and stays"},
		{"t/a~[x.io/t]; v/a-x", "L12:", "the engine has to delete the member"},
		{"t/a~[x.io/t]; v/a-x~*", "", "a finalizer holds the member"},
		{"t/a~[x.io/t]; v/a-x~*; w/a-y", "", "the next phase waits for the held member"},
		{"t/a~[x.io/t]; w/a-y", "L12:", "no earlier phase delays the member"},
		{"t/a~[x.io/t]; t/a-b; v/a-b-x", "", "another holder claims the member"},
		{"t/a~[x.io/t]; v/x -> t/a, t/b@?", "", "the other owner may exist"},
		{"t/a~[x.io/t]; v/a-x -> t/b@?", "L12:", "an owner has no member by name"},
		{"t/a~[x.io/t]; v/a-excused", "", "the caller excuses the member"},
	} {
		s, err := invariant.NewSweeps(tenancy(), objects(t, strings.ReplaceAll(tc.store, "@?", "?")))
		if err != nil {
			t.Fatal(err)
		}
		got := s.Rest(func(o graph.Object) bool { return o.Name == "a-excused" })
		if !breaks(got, tc.want) {
			t.Errorf("%s: got %v, want %q: %s", tc.store, got, tc.want, tc.reason)
		}
	}
}

// TestWitnessOfSweeps has the reports before a deletion for a holder, and before
// the release of a holder.
func TestWitnessOfSweeps(t *testing.T) {
	served := []graph.KindInfo{{Kind: "t"}, {Kind: "v"}, {Kind: "w"}}
	const fenced = "; fence 1; passed t"
	for _, c := range []struct{ history, object, holder, want, reason string }{
		{"put t/a~[x.io/t]; put v/a-x" + fenced, "v/a-x", "t/a", "", "mark and member were reported, and a fence has passed"},
		{"put t/a~[x.io/t]; put v/a-x", "v/a-x", "t/a", "S23:", "no fence has passed"},
		{"put t/a~[x.io/t]" + fenced + "; put v/a-x", "v/a-x", "t/a", "S23:", "the fence began before the member was known"},
		{"put t/a; put v/a-x" + fenced + "; put t/a~[x.io/t]", "v/a-x", "t/a", "S23:", "the fence began before the mark was known"},
		{"put t/a~[x.io/t]; put v/a-x; fence 1; passed v; passed w", "v/a-x", "t/a", "S23:", "the kind of the holder has not passed the fence"},
		{"put t/a[x.io/t]; put v/a-x" + fenced, "v/a-x", "t/a", "S23:", "the holder is not marked"},
		{"put t/a~[x.io/t]; put v/a-x" + fenced + "; gone t/a", "v/a-x", "t/a", "S23:", "the holder is gone"},
		{"put t/a~[x.io/t]; put v/aa-x" + fenced, "v/aa-x", "t/a", "S23:", "the object belongs to a neighbour"},
		{"put t/a~[x.io/t]; put t/a-b; put v/a-b-x" + fenced, "v/a-b-x", "t/a", "S23:", "another living holder has a claim"},
		{"put t/a~[x.io/t]; put t/a-b; put v/a-b-x" + fenced + "; gone t/a-b", "v/a-b-x", "t/a", "S23:", "another holder had a claim when the fence began"},
		{"put t/a~[x.io/t]; put t/a-b; put v/a-b-x; put t/a-b~" + fenced, "v/a-b-x", "t/a", "", "the fence began after the mark of the other holder"},
		{"put t/a~[x.io/t]; put t/b; put v/a-x -> t/b" + fenced + "; put v/a-x#2", "v/a-x", "t/a", "S23:", "the object referred to another holder when the fence began"},
		{"put t/a~[x.io/t]; put v/x" + fenced + "; put v/x#2 -> t/a", "v/x", "t/a", "S23:", "the object became a member after the begin of the fence"},
		{"put t/a~[x.io/t]; put w/a-x" + fenced, "w/a-x", "t/a", "", "the earlier phase has no members"},
		{"put t/a~[x.io/t]; put w/a-x; put v/a-y" + fenced, "w/a-x", "t/a", "S25:", "the earlier phase has a member of kind v"},
		{"put t/a~[x.io/t]; put w/a-x; put v/a-y" + fenced + "; gone v/a-y", "w/a-x", "t/a", "", "the member of the earlier phase is gone"},
		{"put t/a~[x.io/t]; put v/a-x; rewound" + fenced, "v/a-x", "t/a", "S23:", "the rewind ended that history"},
	} {
		w := invariant.NewWitness(ownergraph.Level2, false)
		s, err := invariant.NewSweeps(tenancy(), nil)
		if err != nil {
			t.Fatal(err)
		}
		w.Follow(s.Plans())
		w.Observed(graph.Event{Type: graph.KindsKnown, Kinds: served})
		for _, line := range strings.Split(c.history, "; ") {
			tell(t, w, line)
		}
		o := parse(t, c.object)
		d := engine.DecisionEvent{Key: o.Key, Call: 7, Holder: parse(t, c.holder).Key, Decision: policy.Decision{Action: policy.Delete}}
		if got := w.SweepDecided(d); !breaks(got, c.want) {
			t.Errorf("%s; delete %s: got %v, want %q: %s", c.history, c.object, got, c.want, c.reason)
		}
		del := write(t, "delete "+c.object)
		if del.ID = 7; c.want == "" && w.Handed(del, &o) != nil {
			t.Errorf("%s: SweepDecided judges a sweep's delete; Handed must not ask for the end of an owner", c.history)
		}
	}
	w := invariant.NewWitness(ownergraph.Level2, false)
	s, _ := invariant.NewSweeps(tenancy(), nil)
	w.Follow(s.Plans())
	w.Observed(graph.Event{Type: graph.KindsKnown, Kinds: served[:1]})
	live := parse(t, "t/a~[x.io/t]")
	tell(t, w, "put t/a~[x.io/t]")
	if got := w.Handed(write(t, "release t/a x.io/t"), &live); !breaks(got, "R3:") {
		t.Errorf("a sweep ends without a fence: got %v", got)
	}
	for _, line := range []string{"fence 1", "passed t", "passed"} {
		tell(t, w, line)
	}
	if got := w.Handed(write(t, "release t/a x.io/t"), &live); got != nil {
		t.Errorf("a sweep ends behind a fence: got %v", got)
	}
}
