package policy_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/portion"
	"github.com/ownergraph/ownergraph/policy"
)

// The lattice of moments: the judged version became known at 3. Each comparison of two
// stamps has a smaller, an equal and a larger pair.
const known = 3

// TestDecideExhaustive compares Decide with the rules, on every combination of a small
// scope. It has one owner in full, two and three owners from a choice, and the object's
// own states in full. Without -whole it has a share of the first owners and of the states.
func TestDecideExhaustive(t *testing.T) {
	c := checker{t: t}
	fences := everyFence([]policy.Moment{0, 3, 4, 5}, []policy.Moment{0, 4, 5}, true)
	few := everyFence([]policy.Moment{0, 4, 5}, []policy.Moment{0, 5}, false)
	states := append(few, policy.Fence{Exact: true, Blocked: true}, policy.Fence{Released: 4}, policy.Fence{Released: 5})
	plain := []input{{}, {Facts: policy.Facts{Referring: 1}}}

	one := everyFact([]policy.Moment{0, 2, 3, 4}, []policy.Moment{3, 4, 5, 6}, []policy.Moment{1, 5})
	for _, o := range portion.Of(3, one) {
		c.run(plain, fences, o)
		c.run(plain[:1], few, o, twice(o))
	}
	two := choice(everyFact([]policy.Moment{2, 4}, []policy.Moment{4, 6}, []policy.Moment{1, 5}))
	for _, o := range portion.Of(5, two) {
		for _, p := range two {
			c.run(plain[:1], few, o, p)
		}
	}
	three := choice(everyFact([]policy.Moment{2}, []policy.Moment{6}, []policy.Moment{1}))
	for _, o := range portion.Of(5, three) {
		for _, p := range three {
			for _, q := range three {
				c.run(plain[:1], few[:2], o, p, q)
			}
		}
	}
	objects := portion.Of(5, everyObject())
	for _, o := range []string{"gone", "waiting mark 2", "solid orphaning mark 4", "self", "gone remembered"} {
		f, err := parseFact(o)
		if err != nil {
			t.Fatal(err)
		}
		c.run(objects, states, f)
		c.run(objects, states, f, policy.OwnerFacts{Class: graph.Solid})
	}
	c.run(objects, states)
	c.everyReason()
}

// everyFact returns every fact of one owner over the stamps: its class, its mark, its
// read with the moment, and the moment of its change.
func everyFact(marks, reads, changes []policy.Moment) (out []policy.OwnerFacts) {
	kinds := []policy.OwnerFacts{
		{Class: graph.Solid, Orphaning: true}, {Class: graph.Solid, Orphaning: true, Unacknowledged: true},
		{Class: graph.Solid, Orphaning: true, Overdue: true}, {Class: graph.Dangling, Orphaning: true},
		{Self: true, Class: graph.Waiting, Orphaning: true}, {Class: graph.Unknown, Doubt: graph.UnresolvedScope, Orphaning: true},
		{Class: graph.Dangling, Unconfirmed: true}, {Class: graph.Dangling, Remembered: true}, {Doubt: graph.Unobserved},
		{Doubt: graph.Unlisted}, {Class: graph.Unknown, Doubt: graph.Unobserved, Unconfirmed: true},
	}
	words := owners()
	for _, w := range slices.Sorted(maps.Keys(words)) {
		kinds = append(kinds, words[w])
	}
	for _, o := range kinds {
		for _, o.Mark = range marks {
			for _, o.Changed = range changes {
				o.Read, o.ReadBegan, o.SameVersion = policy.ReadUnset, 0, false
				out = append(out, o)
				o.ReadBegan = 6 // of a read that no longer counts
				out = append(out, o)
				for o.Read = policy.ReadSolid; o.Read <= policy.ReadOrphaning; o.Read++ {
					for _, o.ReadBegan = range reads {
						for _, o.SameVersion = range []bool{false, true} {
							out = append(out, o)
						}
					}
				}
			}
		}
	}
	return out
}

// choice leaves out the facts that only a single owner tells apart.
func choice(facts []policy.OwnerFacts) []policy.OwnerFacts {
	return slices.DeleteFunc(facts, func(o policy.OwnerFacts) bool {
		boring := o.Self || o.Overdue || o.Doubt > graph.Unlisted || o.Class == graph.Dangling && o.Orphaning ||
			o.Class == graph.ClassUnset || o.Class == graph.Unknown && o.Unconfirmed
		settled := o.Class == graph.Dangling || o.Doubt == graph.Unlisted
		stale := o.Read == policy.ReadUnset && o.ReadBegan != 0 && (o.Class != graph.Solid || o.Orphaning)
		return stale || boring && (o.Read != policy.ReadUnset || o.Mark != 2) ||
			settled && o.Read != policy.ReadUnset || o.SameVersion && o.Read != policy.ReadWaiting
	})
}

func everyFence(passed, released []policy.Moment, blocked bool) (out []policy.Fence) {
	for _, p := range passed {
		for _, r := range released {
			out = append(out, policy.Fence{Exact: true, Passed: p, Released: r})
			if blocked {
				out = append(out, policy.Fence{Exact: true, Passed: p, Released: r, Blocked: true},
					policy.Fence{Passed: p, Released: r}, policy.Fence{Passed: p, Released: r, Blocked: true})
			}
		}
	}
	return out
}

// everyObject returns every state of the object itself.
func everyObject() (out []input) {
	fins := [][]string{nil, {"foreign"}, {graph.FinalizerForeground}, {"foreign", graph.FinalizerOrphan}}
	for bits := range 1 << 9 {
		has := func(n int) bool { return bits>>n&1 != 0 }
		for _, fin := range fins {
			for _, mark := range []policy.Moment{0, 4} {
				in := input{Facts: policy.Facts{Mark: mark, Retry: has(0), Flawed: has(1), Unreadable: has(8), Unacknowledged: has(5), Overdue: has(6)}}
				in.Object.Finalizers, in.Object.Deleting = fin, has(2)
				if has(3) {
					in.Referring = 1
				}
				if has(4) {
					in.Blocking = 1
				}
				if has(7) {
					in.Ring = []int{0}
				}
				out = append(out, in)
			}
		}
	}
	return out
}

// checker compares decisions with the rules and counts its cases.
type checker struct {
	t       *testing.T
	actions [16]int
	reasons [64]int
}

// twiceMark marks a fact about the owner before it.
const twiceMark = 1 << 40

func twice(o policy.OwnerFacts) policy.OwnerFacts { o.Changed += twiceMark; return o }

func (c *checker) run(objects []input, fences []policy.Fence, facts ...policy.OwnerFacts) {
	facts = slices.Clone(facts)
	list := make([]graph.Owner, len(facts))
	for i := range facts {
		name := string(rune('a' + i))
		if facts[i].Changed >= twiceMark {
			facts[i].Changed, name = facts[i].Changed-twiceMark, list[i-1].Name
		}
		list[i] = graph.Owner{Key: graph.Key{Kind: "k", Name: name, UID: graph.UID(name)}, Block: i != 1}
	}
	for _, in := range objects {
		in.Object.Owners, in.Owners, in.Known = list, facts, known
		for _, in.Fence = range fences {
			c.check(in, policy.Settings{})
			if len(in.Object.Finalizers) > 0 {
				c.check(in, policy.Settings{Override: true})
			}
		}
	}
}

func (c *checker) check(in input, set policy.Settings) {
	s, d := spec{in, set}, decide(in, set)
	c.actions[d.Action]++
	c.reasons[d.Reason]++
	if why := s.judge(d); why != "" {
		c.t.Fatalf("%s\n%s\n%+v %+v", says(in.Object, d), why, in, set)
	}
}

// judge returns the fault of a decision, or "".
func (s spec) judge(d policy.Decision) string {
	due := s.due()
	if d.Action.Writes() {
		if why := s.broken(d); why != "" {
			return "breaks the rule " + why
		}
		if first := due[0]; first.Action != d.Action || setOf(first.Owners) != setOf(d.Owners) && d.Action != policy.Delete {
			return fmt.Sprintf("is not %s of %v", first.Action, first.Owners)
		}
		return s.because(d)
	}
	if len(due) > 0 {
		return fmt.Sprintf("all the evidence is there for %s of %v", due[0].Action, due[0].Owners)
	}
	if !s.plain() {
		return s.asks(d)
	}
	want := s.missing()
	if want.reason != d.Reason || want.of != setOf(d.Owners) {
		return fmt.Sprintf("the missing facts are %q of %v", want.reason, indexes(want.of))
	}
	if d.Propagation != graph.Unset || d.Finalizer != "" || d.BestEffort {
		return "no write has no option"
	}
	return s.because(d)
}

// plain reports whether no reference has a policy, nothing restricts the object or an owner, and it is
// unprotected.
func (s spec) plain() bool {
	return !s.in.Restricted && !s.in.Protected && s.those(func(_ int, o policy.OwnerFacts) bool { return o.OnDelete != graph.OnDeleteUnset || o.Restricted }) == 0
}

// asks returns the fault of a decision that does not write, on an object with a policy: each owner to
// read is unread, and each one to wait for is not gone. The exact facts are those of a plain object.
func (s spec) asks(d policy.Decision) string {
	if d.Action == policy.Verify && len(d.Owners) == 0 {
		return "no owner is to be read"
	}
	for _, i := range d.Owners {
		o := s.in.Owners[i]
		switch w := s.what(o); {
		case w == self, o.OnDelete == graph.OnDeleteRestrict && !s.leaving(o):
			return fmt.Sprintf("reference %d decides nothing", i)
		case d.Action == policy.Verify && w == gone:
			return fmt.Sprintf("the owner of reference %d is gone, and no read tells more", i)
		}
	}
	if (d.Reason == policy.Restricted) != (d.Reason == policy.Restricted && s.in.Restricted) {
		return "nothing restricts it"
	}
	return s.because(d)
}

// because returns the fault of the reason, of the order of the list, or of the kind of
// waiting.
func (s spec) because(d policy.Decision) string {
	if !slices.IsSorted(d.Owners) || len(slices.Compact(slices.Clone(d.Owners))) != len(d.Owners) {
		return "the references are not ascending"
	}
	drops := setOf(d.Owners)
	overdue := s.those(func(_ int, o policy.OwnerFacts) bool { return o.Overdue })&s.left() != 0
	foreground := d.Finalizer == graph.FinalizerForeground
	ok := d.Action == policy.Keep
	switch d.Reason {
	case policy.OwnersGone:
		ok = d.Action == policy.Delete && s.are(waiting) == 0 && drops == 0
	case policy.OwnersWaiting:
		ok = d.Action == policy.Delete && s.are(waiting) != 0 && drops == s.are(waiting)
	case policy.CascadeOwnerGone:
		ok = d.Action == policy.Delete && drops == s.cascades()&s.of(graph.OnDeleteCascade, gone) && drops != 0
	case policy.CascadeOwnerWaits:
		ok = d.Action == policy.Delete && drops == s.cascades() && s.of(graph.OnDeleteCascade, gone)&drops == 0
	case policy.OwnerReleases:
		ok = d.Action == policy.Trim && drops == s.goes(graph.OnDeleteRelease)
	case policy.Restricted, policy.Protected:
		ok = d.Action == policy.Wait
	case policy.DanglingBesideSolid:
		ok = d.Action == policy.Trim && drops&s.are(waiting) == 0
	case policy.WaitingBesideSolid:
		ok = d.Action == policy.Trim && drops&s.are(waiting) != 0
	case policy.OwnerOrphans:
		ok = d.Action == policy.Orphan && drops&s.left() != 0 && !overdue
	case policy.OwnerOrphaned:
		ok = d.Action == policy.Orphan && (s.remembers() || s.freed() != 0)
	case policy.AcknowledgementOverdue:
		ok = d.Action == policy.Orphan && overdue || d.Action == policy.Release && !foreground && s.in.Overdue
	case policy.RingConfirmed:
		ok = d.Action == policy.Unblock
	case policy.DependentsGone:
		ok = d.Action == policy.Release && foreground
	case policy.DependentsFree:
		ok = d.Action == policy.Release && !foreground && !s.in.Overdue
	case policy.NeedOwner:
		ok = d.Action == policy.Verify
	case policy.NeedFence, policy.FenceHeld, policy.NeedListing, policy.NeedWatch, policy.NeedDependents, policy.NeedAcknowledgement:
		ok = d.Action == policy.Wait
	case policy.OwnerUnknown:
		ok = ok && d.Doubt == s.doubt()
	}
	if !ok || d.Reason != policy.OwnerUnknown && d.Doubt != graph.DoubtUnset {
		return "the reason is another one"
	}
	return ""
}

// doubtful returns the unset references in doubt, or else the cascade references.
func (s spec) doubtful() refs {
	if u := s.are(unknown); u != 0 && s.are(solid) == 0 {
		return u
	}
	return s.of(graph.OnDeleteCascade, unknown)
}

func (s spec) doubt() (most graph.Doubt) {
	for _, i := range indexes(s.doubtful()) {
		most = max(most, s.in.Owners[i].Doubt)
	}
	return most
}

// everyReason fails if an outcome never came up, because the test has then checked
// nothing.
func (c *checker) everyReason() {
	for a := policy.Keep; a <= policy.Release; a++ {
		if c.actions[a] == 0 {
			c.t.Errorf("no decision to %s came up", a)
		}
	}
	for r := policy.NoOwners; r <= policy.ObjectFlawed; r++ {
		if c.reasons[r] == 0 {
			c.t.Errorf("no decision had the reason %q", r)
		}
	}
}
