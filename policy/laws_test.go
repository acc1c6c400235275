package policy_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/policy"
)

// drawFact draws the state of an owner. An odd one may have classes, doubts and read
// states that do not exist.
func drawFact(t *rapid.T, odd bool) policy.OwnerFacts {
	top := 0
	if odd {
		top = 250
	}
	stamp := func(name string) policy.Moment { return policy.Moment(rapid.IntRange(0, 7).Draw(t, name)) }
	flag := func(name string) bool { return rapid.IntRange(0, 4).Draw(t, name) == 0 }
	o := policy.OwnerFacts{
		Self: flag("self"), Unconfirmed: flag("unconfirmed"), Remembered: flag("remembered"), Orphaning: flag("orphaning"),
		Unacknowledged: flag("unacknowledged"), Overdue: flag("overdue"), SameVersion: !flag("not same"),
		Class: graph.Class(rapid.IntRange(1, int(graph.Unknown)+top).Draw(t, "class")),
		Mark:  stamp("mark"), Changed: stamp("changed"), ReadBegan: stamp("began"),
		Read: policy.ReadState(rapid.IntRange(0, int(policy.ReadOrphaning)+top).Draw(t, "seen")),
	}
	if rapid.Bool().Draw(t, "with a policy") {
		o.OnDelete = graph.OnDelete(rapid.IntRange(1, int(graph.OnDeleteCascade)).Draw(t, "policy"))
	}
	o.Restricted = flag("restricted")
	if o.Class >= graph.Unknown || odd {
		o.Doubt = graph.Doubt(rapid.IntRange(1, int(graph.Unreadable)+top).Draw(t, "doubt"))
	}
	if !odd && o.Orphaning && o.Class == graph.Waiting {
		o.Class = graph.Solid
	}
	return o
}

// drawInput draws an input with up to 4 owners, each of another name.
func drawInput(t *rapid.T, odd bool) input {
	in := input{Facts: policy.Facts{Known: policy.Moment(rapid.IntRange(0, 5).Draw(t, "known"))}}
	for i := range rapid.IntRange(0, 4).Draw(t, "owners") {
		name := string(rune('a' + i))
		in.Owners = append(in.Owners, drawFact(t, odd))
		in.Object.Owners = append(in.Object.Owners, graph.Owner{
			Key: graph.Key{Kind: "k", Name: name, UID: graph.UID(name)}, Block: rapid.Bool().Draw(t, "block"),
		})
	}
	names := []string{graph.FinalizerOrphan, graph.FinalizerForeground, "foreign"}
	in.Object.Finalizers = rapid.SliceOfNDistinct(rapid.SampledFrom(names), 0, 2, rapid.ID).Draw(t, "finalizers")
	in.Object.Deleting = rapid.Bool().Draw(t, "deleting")
	flag := func(name string) bool { return rapid.IntRange(0, 4).Draw(t, name) == 0 }
	in.Retry, in.Flawed, in.Unacknowledged, in.Overdue = flag("retry"), flag("flawed"), flag("late"), flag("overdue")
	if in.Flawed {
		in.Unreadable = flag("unreadable")
	}
	in.Restricted, in.Protected = flag("restricted"), flag("protected")
	in.Referring, in.Blocking = rapid.IntRange(0, 1).Draw(t, "referring"), rapid.IntRange(0, 1).Draw(t, "blocking")
	in.Mark = policy.Moment(rapid.IntRange(0, 7).Draw(t, "own mark"))
	in.Ring = rapid.SliceOfN(rapid.IntRange(0, max(0, len(in.Owners)-1)), 0, 3).Draw(t, "ring")
	slices.Sort(in.Ring)
	in.Fence = policy.Fence{
		Exact: rapid.Bool().Draw(t, "exact"), Blocked: rapid.Bool().Draw(t, "held"),
		Passed:   policy.Moment(rapid.IntRange(0, 7).Draw(t, "passed")),
		Released: policy.Moment(rapid.IntRange(0, 7).Draw(t, "released")),
	}
	return in
}

func drawSettings(t *rapid.T) policy.Settings {
	return policy.Settings{Override: rapid.Bool().Draw(t, "override")}
}

// TestDecideTotal gives Decide every possible input, and more: facts without references,
// rings out of range, values of no enumeration.
func TestDecideTotal(t *testing.T) { rapid.Check(t, decideAnything) }

// TestDecideAsSpecified compares decisions on possible inputs with the specification,
// with more owners than the exhaustive test has.
func TestDecideAsSpecified(t *testing.T) { rapid.Check(t, decideSomething) }

// FuzzDecide runs both tests for a fuzzer.
func FuzzDecide(f *testing.F) {
	f.Add([]byte("an input of which the most part is zero"))
	f.Fuzz(rapid.MakeFuzz(func(t *rapid.T) {
		if rapid.Bool().Draw(t, "anything") {
			decideAnything(t)
		} else {
			decideSomething(t)
		}
	}))
}

func decideSomething(t *rapid.T) {
	in, set := drawInput(t, false), drawSettings(t)
	d := decide(in, set)
	if why := (spec{in, set}).judge(d); why != "" {
		t.Fatalf("%s\n%s\n%+v %+v", says(in.Object, d), why, in, set)
	}
}

func decideAnything(t *rapid.T) {
	in, set := drawInput(t, true), drawSettings(t)
	in.Ring = rapid.SliceOfN(rapid.IntRange(-2, 9), 0, 4).Draw(t, "any ring")
	if rapid.IntRange(0, 5).Draw(t, "torn") == 0 {
		in.Owners = in.Owners[:rapid.IntRange(0, len(in.Owners)).Draw(t, "facts")]
	}
	given, before := in.facts(), in.facts()
	d := policy.Decide(given, set, new(policy.Scratch))
	if diff := cmp.Diff(before, given); diff != "" {
		t.Fatalf("the input was changed:\n%s", diff)
	}
	if d.Action == policy.ActionUnset || d.Reason == policy.ReasonUnset {
		t.Fatalf("no decision: %+v", d)
	}
	for _, i := range d.Owners {
		if i < 0 || i >= len(in.Owners) {
			t.Fatalf("%s of a reference out of range", says(in.Object, d))
		}
		o := in.Owners[i]
		known := o.Class == graph.Dangling || o.Class == graph.Waiting || o.Class == graph.Unknown && o.Read == policy.ReadWaiting
		if d.Action.Writes() && d.Action != policy.Unblock && !known && !o.Orphaning {
			t.Fatalf("%s, which is unknown", says(in.Object, d))
		}
	}
	unset := func(o policy.OwnerFacts) bool { return o.OnDelete == graph.OnDeleteUnset }
	if d.Action == policy.Delete && (d.Reason == policy.OwnersGone || d.Reason == policy.OwnersWaiting) && slices.ContainsFunc(in.Owners, func(o policy.OwnerFacts) bool {
		return !o.Self && unset(o) && (o.Class == graph.ClassUnset || o.Class > graph.Unknown || o.Unconfirmed && o.Class == graph.Dangling ||
			o.Class == graph.Unknown && (o.Doubt != graph.Unobserved || o.Read != policy.ReadWaiting))
	}) {
		t.Fatalf("%s, with an unknown owner", says(in.Object, d))
	}
}

// TestDecideInScratch: a decision does not depend on the former content of the scratch.
// Once the scratch has memory, a decision takes none.
func TestDecideInScratch(t *testing.T) {
	var used policy.Scratch
	rapid.Check(t, func(t *rapid.T) {
		in, set := drawInput(t, rapid.Bool().Draw(t, "odd")), drawSettings(t)
		want, given := decide(in, set), in.facts()
		if diff := cmp.Diff(want, policy.Decide(given, set, &used)); diff != "" {
			t.Fatalf("%s\n%s", says(in.Object, want), diff)
		}
		if n := testing.AllocsPerRun(1, func() { policy.Decide(given, set, &used) }); n > 0 {
			t.Fatalf("%s takes %v allocations", says(in.Object, want), n)
		}
	})
}

// TestDecideOfNothing: the zero values have a decision, and it is no write.
func TestDecideOfNothing(t *testing.T) {
	ref := []graph.Owner{{}}
	odd := policy.OwnerFacts{Class: graph.Unknown, Doubt: graph.Unobserved, Read: 9, ReadBegan: 1}
	for _, c := range []struct {
		in     input
		want   string
		reason string
	}{
		{input{}, "keep: no owners", "an object without owners stays"},
		{input{Object: graph.Object{Owners: ref}}, "keep: the object is flawed", "no facts go with the reference"},
		{input{Facts: policy.Facts{Owners: make([]policy.OwnerFacts, 1)}}, "keep: no owners", "no reference goes with the facts"},
		{input{Object: graph.Object{Owners: ref}, Facts: policy.Facts{Owners: make([]policy.OwnerFacts, 1)}}, "keep : unset", "of no class is unknown"},
		{input{Object: graph.Object{Owners: ref}, Facts: policy.Facts{Owners: []policy.OwnerFacts{odd}}}, "keep : owner not observed", "a read state that does not exist shows nothing"},
		{input{Object: graph.Object{Deleting: true}}, "keep: its grace period has to end", "nothing else may hold a marked object"},
	} {
		if got := says(c.in.Object, decide(c.in, policy.Settings{})); got != c.want {
			t.Errorf("%q, want %q: %s", got, c.want, c.reason)
		}
	}
}

// TestDecideOrderless: another order of the references has the same decision.
func TestDecideOrderless(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in, set := drawInput(t, rapid.Bool().Draw(t, "odd")), drawSettings(t)
		order := rapid.Permutation(upTo(len(in.Owners))).Draw(t, "order")
		out := clone(in)
		for to, from := range order {
			out.Owners[to], out.Object.Owners[to] = in.Owners[from], in.Object.Owners[from]
		}
		for j, i := range out.Ring {
			out.Ring[j] = slices.Index(order, i)
		}
		slices.Sort(out.Ring)
		want, got := decide(in, set), decide(out, set)
		for j, to := range got.Owners {
			got.Owners[j] = order[to]
		}
		slices.Sort(got.Owners)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("%s\n%s", says(in.Object, want), diff)
		}
	})
}

func upTo(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// TestDecideMonotone: more evidence of the same state never replaces a write by a wait,
// and never makes a write drop fewer references.
func TestDecideMonotone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in, set := drawInput(t, false), drawSettings(t)
		was := decide(in, set)
		if !was.Action.Writes() {
			return
		}
		more := clone(in)
		if rapid.Bool().Draw(t, "fence") {
			more.Fence.Passed += policy.Moment(rapid.IntRange(0, 9).Draw(t, "further"))
		}
		if rapid.Bool().Draw(t, "release") {
			more.Fence.Released += policy.Moment(rapid.IntRange(0, 9).Draw(t, "later"))
		}
		for i := range more.Owners {
			strengthen(t, &more.Owners[i])
		}
		is := decide(more, set)
		if is.Reason == policy.Protected || is.Reason == policy.Restricted { // it has to go now, and may not
			return
		}
		if !is.Action.Writes() {
			t.Fatalf("%s became %s", says(in.Object, was), says(in.Object, is))
		}
		if is.Action == was.Action && is.Reason == was.Reason && setOf(was.Owners)&^setOf(is.Owners) != 0 {
			t.Fatalf("%s became the smaller %s", says(in.Object, was), says(in.Object, is))
		}
	})
}

// strengthen adds evidence for the known state of an owner.
func strengthen(t *rapid.T, o *policy.OwnerFacts) {
	if !rapid.Bool().Draw(t, "more") {
		return
	}
	o.Unconfirmed, o.Unacknowledged = false, false
	seen := map[graph.Class]policy.ReadState{graph.Solid: policy.ReadSolid, graph.Waiting: policy.ReadWaiting}[o.Class]
	if o.Class == graph.Unknown {
		seen = o.Read
	}
	if o.Orphaning {
		seen = policy.ReadOrphaning
	}
	if seen != policy.ReadUnset {
		o.Read, o.SameVersion, o.ReadBegan = seen, o.SameVersion || o.Class == graph.Waiting, 20
	}
}

// TestDecideApart: a write because of one owner needs evidence for that owner alone. The
// state of the others does not matter.
func TestDecideApart(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in, set := drawInput(t, false), drawSettings(t)
		if len(in.Owners) < 2 {
			return
		}
		other := clone(in)
		for i := range other.Owners[1:] {
			other.Owners[1+i] = drawFact(t, false)
		}
		leaves := spec{in, set}.left()&1 != 0
		for _, in := range []input{in, other} {
			d := decide(in, set)
			dropped := d.Action == policy.Orphan && setOf(d.Owners)&1 != 0
			if gone := in.Owners[0].Class == graph.Dangling; leaves != dropped && !(dropped && gone) {
				t.Fatalf("leaves is %v: %s", leaves, says(in.Object, d))
			}
		}
	})
}

// TestDecideCountsOnce: a self-reference and a double reference change only the list of
// references.
func TestDecideCountsOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in, set := drawInput(t, false), drawSettings(t)
		was := decide(in, set)
		n := len(in.Owners)
		if n == 0 || slices.ContainsFunc(in.Ring, func(i int) bool { return i == n-1 }) {
			return
		}
		more, again := clone(in), rapid.Bool().Draw(t, "twice")
		more.Owners = append(more.Owners, in.Owners[n-1])
		more.Object.Owners = append(more.Object.Owners, in.Object.Owners[n-1])
		if !again {
			more.Owners[n] = policy.OwnerFacts{Self: true, Class: graph.Solid, Orphaning: true, Changed: 9}
			more.Object.Owners[n].Name = "self"
		}
		is := decide(more, set)
		if want := slices.Contains(was.Owners, n-1) && again; want != slices.Contains(is.Owners, n) {
			t.Fatalf("%s became %s", says(in.Object, was), says(more.Object, is))
		}
		is.Owners = slices.DeleteFunc(is.Owners, func(i int) bool { return i == n })
		if diff := cmp.Diff(was, is); diff != "" {
			t.Fatalf("%s became %s\n%s", says(in.Object, was), says(more.Object, is), diff)
		}
	})
}
