package invariant_test

import (
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/finalizer"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/invariant"
	"github.com/ownergraph/ownergraph/policy"
)

// tenancy is a sweep of t by name and owner, the kind w last.
func tenancy(confirm string) []finalizer.Sweep {
	s := finalizer.Sweep{
		Finalizer: "x.io/t", Holder: "t",
		Members: []finalizer.Members{{By: finalizer.ByName, Delimiter: "-"}, {By: finalizer.ByOwner}},
		Phases:  []finalizer.Phase{{Kinds: []graph.Kind{"v"}}, {Kinds: []graph.Kind{"w"}, After: true}},
		Confirm: confirm,
	}
	if confirm != "" {
		s.ConfirmAbove = 1
	}
	return []finalizer.Sweep{s}
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

// TestSweepsJudge: for every invariant of sweeps one write that keeps it and one
// that breaks it. A history is what the store holds from one instant to the next.
func TestSweepsJudge(t *testing.T) {
	for _, tc := range []struct{ confirm, history, write, want, reason string }{
		{"", "t/a~[x.io/t]; v/a-x", "delete v/a-x", "", "it is the marked one's"},
		{"", "t/a[x.io/t]; v/a-x", "delete v/a-x", "S23:", "nobody deletes for a holder that is not marked"},
		{"", "t/a~[x.io/t]; t/aa; v/aa-x", "delete v/aa-x", "S23:", "it is the neighbour's"},
		{"", "t/a~[x.io/t]; v/a", "delete v/a", "S23:", "nothing parts its name"},
		{"", "t/a~[x.io/t]; t/a-b; v/a-b-x", "delete v/a-b-x", "S23:", "it may be read as another one's, who lives"},
		{"", "t/a~[x.io/t]; t/a-b~[x.io/t]; v/a-b-x", "delete v/a-b-x", "", "who is marked too"},
		{"", "t/a~[x.io/t]; v/x -> t/a", "delete v/x", "", "it refers to it"},
		{"", "t/a~[x.io/t]; t/b; v/x -> t/a, t/b", "delete v/x", "S23:", "another owner lives"},
		{"", "t/a~[x.io/t]; t/b~[x.io/t]; v/x -> t/a, t/b", "delete v/x", "", "which is marked too"},
		{"", "t/a~[x.io/t]; v/x -> t/a@former", "delete v/x", "S23:", "that was another incarnation"},
		{"", "t/a~[x.io/t]; v/a-x | v/a-x", "delete v/a-x", "", "it was so at an instant"},
		{"", "t/a~[x.io/t] | v/a-x", "delete v/a-x", "S23:", "it came when the holder was gone"},
		{"", "t/a~[x.io/t] | t/a@2[x.io/t]; v/a-x", "delete v/a-x", "S23:", "it is the namesake's"},
		{"", "t/a~[x.io/t]; v/a-x | t/a@2[x.io/t]; v/a-x@2", "delete v/a-x@2", "S23:", "it is another object, and the namesake's"},
		{"", "t/a~[x.io/t]; v/x -> t/a | t/a~[x.io/t]; v/x#2", "delete v/x#2", "S23:", "it was released, and is a new version"},
		{"", "t/a~[x.io/t]; v/a-x | v/a-x#2", "delete v/a-x#2", "", "no change of it can take back what its name says"},
		{"", "t/a~[orphan,x.io/t]; v/a-x", "delete v/a-x", "S23:", "what it owns is being set free"},
		{"x.io/c", "t/a~[x.io/t,x.io/c]; v/a-x", "delete v/a-x", "S23:", "nobody has confirmed"},
		{"x.io/c", "t/a~[x.io/t]; v/a-x", "delete v/a-x", "", "somebody has"},
		{"", "t/a~[x.io/t]; v/a-x[orphan]", "delete v/a-x", "S14:", "what it owns was to be left behind"},
		{"", "t/a~[x.io/t]; v/a-x[orphan]", "delete v/a-x as orphan", "", "that is what it asked for"},
		{"", "t/a~[x.io/t]", "release t/a x.io/t", "", "nothing is left"},
		{"", "t/a~[x.io/t]; v/a-x", "release t/a x.io/t", "S24:", "something is"},
		{"", "t/a[x.io/t] | t/a~[x.io/t]; v/a-x", "release t/a x.io/t", "S24:", "nothing was before the mark"},
		{"", "t/a~[x.io/t]; v/a-x | t/a~[x.io/t] | t/a~[x.io/t]; v/a-y", "release t/a x.io/t", "", "nothing was for an instant"},
		{"", "t/a~[x.io/t] | t/a@2~[x.io/t]; v/a-x", "release t/a@2 x.io/t", "S24:", "that was of another incarnation"},
		{"", "t/a-b~[x.io/t]", "release t/a-b x.io/t", "S24:", "nobody can tell what is its own"},
		{"", "t/a~[x.io/t]; v/a-x", "release t/a x.io/other", "", "that finalizer is of others"},
		{"x.io/c", "t/a~[x.io/t,x.io/c]; v/a-x", "release t/a x.io/c", "", "so few need nobody"},
		{"x.io/c", "t/a~[x.io/t,x.io/c]; v/a-x; v/a-y", "release t/a x.io/c", "S24:", "two need somebody"},
		{"x.io/c", "t/a~[x.io/t,x.io/c]; v/a-x; h/a-y", "release t/a x.io/c", "", "of an h nobody can tell"},
	} {
		var s *invariant.Sweeps
		for state := range strings.SplitSeq(tc.history, "|") {
			if s != nil {
				s.Commit(objects(t, state))
				continue
			}
			var err error
			if s, err = invariant.NewSweeps(tenancy(tc.confirm), objects(t, state)); err != nil {
				t.Fatal(err)
			}
			s.Hidden = func(_ ownergraph.Call, k graph.Kind) bool { return k == "h" }
		}
		if got := s.Judge(write(t, tc.write)); !breaks(got, tc.want) {
			t.Errorf("%s; %s: got %v, want %q: %s", tc.history, tc.write, got, tc.want, tc.reason)
		}
	}
}

// TestSweepsUnguarded: a holder that went before it was guarded has members all
// the same, where a setting says so.
func TestSweepsUnguarded(t *testing.T) {
	for _, unguarded := range []bool{true, false} {
		sweeps := tenancy("")
		sweeps[0].Unguarded = unguarded
		s, err := invariant.NewSweeps(sweeps, objects(t, "t/a; v/a-x"))
		if err != nil {
			t.Fatal(err)
		}
		s.Commit(objects(t, "v/a-x"))
		if got := s.Judge(write(t, "delete v/a-x")); (got == nil) != unguarded {
			t.Errorf("unguarded holders are swept: %t, and judged with %v", unguarded, got)
		}
		s.Begin(objects(t, "v/a-x"))
		if got := s.Judge(write(t, "delete v/a-x")); got == nil {
			t.Error("the holder was never there in this history")
		}
	}
}

// TestSweepsRest: what a store may hold when nothing moves any more.
func TestSweepsRest(t *testing.T) {
	for _, tc := range []struct{ confirm, store, want, reason string }{
		{"", "t/a[x.io/t]; v/a-x", "", "it lives, and is guarded"},
		{"", "t/a; v/a-x", "L12:", "it is not guarded"},
		{"", "t/a-b; v/a-x", "", "nobody guards what does not fit"},
		{"", "t/a~[x.io/t]", "L12:", "nothing is left, and it stays"},
		{"", "t/a~[x.io/t]; v/a-x", "L12:", "somebody has to delete it"},
		{"", "t/a~[x.io/t]; v/a-x~*", "", "a finalizer holds it"},
		{"", "t/a~[x.io/t]; v/a-x~*; w/a-y", "", "which the next phase waits for"},
		{"", "t/a~[x.io/t]; w/a-y", "L12:", "it waits for nothing"},
		{"", "t/a~[x.io/t]; t/a-b; v/a-b-x", "", "it is contested"},
		{"", "t/a~[x.io/t]; v/x -> t/a, t/b@?", "", "another owner may be there"},
		{"", "t/a~[x.io/t]; v/a-x -> t/b@?", "L12:", "an owner does not hold what is a member by its name"},
		{"", "t/a~[x.io/t]; v/a-excused", "", "that is known to be held"},
		{"x.io/c", "t/a~[x.io/t,x.io/c]; v/a-x", "L12:", "so few need nobody"},
		{"x.io/c", "t/a~[x.io/t,x.io/c]; v/a-x; v/a-y", "", "somebody has to confirm"},
	} {
		s, err := invariant.NewSweeps(tenancy(tc.confirm), objects(t, strings.ReplaceAll(tc.store, "@?", "?")))
		if err != nil {
			t.Fatal(err)
		}
		got := s.Rest(func(o graph.Object) bool { return o.Name == "a-excused" })
		if !breaks(got, tc.want) {
			t.Errorf("%s: got %v, want %q: %s", tc.store, got, tc.want, tc.reason)
		}
	}
}

// TestWitnessOfSweeps: what an engine was told before it deletes for a holder, and
// before it releases one.
func TestWitnessOfSweeps(t *testing.T) {
	served := []graph.KindInfo{{Kind: "t"}, {Kind: "v"}, {Kind: "w"}}
	const fenced = "; fence 1; passed t"
	for _, c := range []struct{ told, object, holder, want, reason string }{
		{"put t/a~[x.io/t]; put v/a-x" + fenced, "v/a-x", "t/a", "", "both were told, and a fence has passed"},
		{"put t/a~[x.io/t]; put v/a-x", "v/a-x", "t/a", "S23:", "no fence has"},
		{"put t/a~[x.io/t]" + fenced + "; put v/a-x", "v/a-x", "t/a", "S23:", "it began before the member was known"},
		{"put t/a; put v/a-x" + fenced + "; put t/a~[x.io/t]", "v/a-x", "t/a", "S23:", "it began before the mark was known"},
		{"put t/a~[x.io/t]; put v/a-x; fence 1; passed v; passed w", "v/a-x", "t/a", "S23:", "the kind of the holder has not passed it"},
		{"put t/a[x.io/t]; put v/a-x" + fenced, "v/a-x", "t/a", "S23:", "it is not marked"},
		{"put t/a~[x.io/t]; put v/a-x" + fenced + "; gone t/a", "v/a-x", "t/a", "S23:", "it is gone"},
		{"put t/a~[x.io/t]; put v/aa-x" + fenced, "v/aa-x", "t/a", "S23:", "it is a neighbour's"},
		{"put t/a~[x.io/t]; put t/a-b; put v/a-b-x" + fenced, "v/a-b-x", "t/a", "S23:", "somebody else has a claim"},
		{"put t/a~[x.io/t]; put t/a-b; put v/a-b-x" + fenced + "; gone t/a-b", "v/a-b-x", "t/a", "S23:", "somebody else had when the fence began"},
		{"put t/a~[x.io/t]; put t/a-b; put v/a-b-x; put t/a-b~" + fenced, "v/a-b-x", "t/a", "", "it began when somebody else was deleted"},
		{"put t/a~[x.io/t]; put t/b; put v/a-x -> t/b" + fenced + "; put v/a-x#2", "v/a-x", "t/a", "S23:", "it referred to somebody else when the fence began"},
		{"put t/a~[x.io/t]; put v/x" + fenced + "; put v/x#2 -> t/a", "v/x", "t/a", "S23:", "it is a member since after the fence began"},
		{"put t/a~[x.io/t]; put w/a-x" + fenced, "w/a-x", "t/a", "", "nothing is before it"},
		{"put t/a~[x.io/t]; put w/a-x; put v/a-y" + fenced, "w/a-x", "t/a", "S25:", "a v is"},
		{"put t/a~[x.io/t]; put w/a-x; put v/a-y" + fenced + "; gone v/a-y", "w/a-x", "t/a", "", "it is gone"},
		{"put t/a~[x.io/t]; put v/a-x; rewound" + fenced, "v/a-x", "t/a", "S23:", "that was another history"},
	} {
		w := invariant.NewWitness(ownergraph.Level2, false)
		s, err := invariant.NewSweeps(tenancy(""), nil)
		if err != nil {
			t.Fatal(err)
		}
		w.Follow(s.Plans())
		w.Told(graph.Event{Type: graph.KindsKnown, Kinds: served})
		for _, line := range strings.Split(c.told, "; ") {
			tell(t, w, line)
		}
		o := parse(t, c.object)
		d := ownergraph.Decided{Key: o.Key, Call: 7, Holder: parse(t, c.holder).Key, Decision: policy.Decision{Action: policy.Delete}}
		if got := w.Swept(d); !breaks(got, c.want) {
			t.Errorf("%s; delete %s: got %v, want %q: %s", c.told, c.object, got, c.want, c.reason)
		}
		del := write(t, "delete "+c.object)
		if del.ID = 7; c.want == "" && w.Handed(del, &o) != nil {
			t.Errorf("%s: what is swept is judged as it is decided, and needs no owner's end", c.told)
		}
	}
	w := invariant.NewWitness(ownergraph.Level2, false)
	s, _ := invariant.NewSweeps(tenancy(""), nil)
	w.Follow(s.Plans())
	w.Told(graph.Event{Type: graph.KindsKnown, Kinds: served[:1]})
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
