package policy_test

import (
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/policy"
)

// spec states the permitted writes in the words of the rules, and the missing facts if no
// write is permitted. It is for the reader: it repeats itself, and shares nothing with
// Decide.
type spec struct {
	in  input
	set policy.Settings
}

// refs is a set of references, by index.
type refs uint16

func (s spec) those(is func(i int, o policy.OwnerFacts) bool) (out refs) {
	for i, o := range s.in.Owners {
		if is(i, o) {
			out |= 1 << i
		}
	}
	return out
}

func setOf(indexes []int) (out refs) {
	for _, i := range indexes {
		out |= 1 << i
	}
	return out
}

// ---- the state of an owner

type state int

const (
	self state = iota
	solid
	waiting
	gone
	unconfirmed
	unread
	unlisted
	unknown
)

func (s spec) what(o policy.OwnerFacts) state {
	switch {
	case o.Self:
		return self
	case o.Class == graph.Solid:
		return solid
	case o.Class == graph.Waiting:
		return waiting
	case o.Class == graph.Dangling && o.Unconfirmed:
		return unconfirmed
	case o.Class == graph.Dangling:
		return gone
	case o.Class != graph.Unknown:
		return unknown
	case o.Doubt == graph.Unlisted:
		return unlisted
	case o.Doubt != graph.Unobserved:
		return unknown
	case !s.read(o):
		return unread
	case o.Read == policy.ReadWaiting:
		return waiting
	}
	return solid
}

// are returns the unset references of a state. Those with a policy are apart: see of.
func (s spec) are(w state) refs { return s.of(graph.OnDeleteUnset, w) }

func (s spec) of(p graph.OnDelete, w state) refs {
	return s.those(func(_ int, o policy.OwnerFacts) bool { return o.OnDelete == p && s.what(o) == w })
}

// with returns the references with a policy, without self-references.
func (s spec) with(p graph.OnDelete) refs {
	return s.those(func(_ int, o policy.OwnerFacts) bool { return !o.Self && o.OnDelete == p })
}

// goes returns the references with a policy whose owner is absent, or waits by evidence.
func (s spec) goes(p graph.OnDelete) refs {
	return s.those(func(_ int, o policy.OwnerFacts) bool {
		w := s.what(o)
		return o.OnDelete == p && (w == gone || w == waiting && s.seen(o, policy.ReadWaiting))
	})
}

// cascades returns the references that delete the object alone (E1, E2). An owner that orphaned the
// object deletes nothing.
func (s spec) cascades() refs {
	return s.goes(graph.OnDeleteCascade) &^ s.those(func(_ int, o policy.OwnerFacts) bool { return s.what(o) == gone && o.Remembered })
}

// freed returns the cascade references to owners that orphaned the object, if none deletes it.
func (s spec) freed() refs {
	if s.in.Object.Deleting || s.in.Flawed || s.left() != 0 || s.cascades() != 0 {
		return 0
	}
	return s.goes(graph.OnDeleteCascade)
}

// leaving: the owner was observed orphaning.
func (s spec) leaving(o policy.OwnerFacts) bool {
	return (o.OnDelete != graph.OnDeleteRestrict || s.in.Object.Deleting && !s.in.Withheld) && !o.Self && o.Orphaning && o.Class != graph.Dangling
}

// ---- R2, R6: evidence

// read: a read that began after the judged version shows the owner.
func (s spec) read(o policy.OwnerFacts) bool {
	return o.Read != policy.ReadUnset && o.ReadBegan > s.in.Known
}

// fenced: a fence has passed that began after version and mark were known.
func (s spec) fenced(o policy.OwnerFacts) bool {
	return o.Mark != 0 && s.in.Fence.Passed > o.Mark && s.in.Fence.Passed > s.in.Known
}

// denied: a read that is newer than any fence contradicts.
func (s spec) denied(o policy.OwnerFacts, want policy.ReadState) bool {
	return s.read(o) && o.Read != want && !(s.fenced(o) && s.in.Fence.Passed >= o.ReadBegan)
}

// seen is R2, presence.
func (s spec) seen(o policy.OwnerFacts, want policy.ReadState) bool {
	return s.read(o) && o.Read == want || s.fenced(o) && !s.denied(o, want)
}

// fenceDue: the fence for which the owner waits comes before a read would help.
func (s spec) fenceDue(o policy.OwnerFacts) bool {
	f := s.in.Fence
	return f.Exact && !f.Blocked && o.Mark != 0 && f.Passed <= o.Mark && f.Released <= o.Mark
}

// stood is the first half of the trimming rule: after o's mark was known, x existed and
// did not wait.
func (s spec) stood(x, o policy.OwnerFacts) bool {
	stands := x.Read == policy.ReadSolid || x.Read == policy.ReadOrphaning
	if x.Restricted && s.in.Fence.Exact { // E4: the fence shows the object that restricts it
		return s.fenced(o) && (x.Class == graph.Solid || s.read(x) && x.ReadBegan > s.in.Fence.Passed && stands)
	}
	if s.read(x) && x.ReadBegan > o.Mark && x.ReadBegan > s.in.Fence.Passed {
		return stands
	}
	return s.read(x) && x.ReadBegan > o.Mark && stands || s.fenced(o) && x.Class == graph.Solid
}

// trims returns the waiting references that may go beside a solid owner.
func (s spec) trims() refs {
	return s.with(graph.OnDeleteUnset) & s.those(func(_ int, o policy.OwnerFacts) bool { return s.trimmable(o) })
}

func (s spec) trimmable(o policy.OwnerFacts) bool {
	return s.what(o) == waiting && o.Mark != 0 && s.seen(o, policy.ReadWaiting) &&
		s.are(solid)&s.those(func(_ int, x policy.OwnerFacts) bool { return s.stood(x, o) }) != 0
}

// several: the object has more than one owner that counts.
func (s spec) several() bool {
	for i, o := range s.in.Owners {
		for j, p := range s.in.Owners {
			unset := o.OnDelete == graph.OnDeleteUnset && p.OnDelete == graph.OnDeleteUnset
			if unset && !o.Self && !p.Self && s.in.Object.Owners[i].Key != s.in.Object.Owners[j].Key {
				return true
			}
		}
	}
	return false
}

// together is "one instant". A read began when every owner was known, and found the owner
// waiting in the graph's version.
func (s spec) together(o policy.OwnerFacts) bool {
	later := s.those(func(_ int, w policy.OwnerFacts) bool {
		return !w.Self && w.OnDelete == graph.OnDeleteUnset && w.Changed >= o.ReadBegan
	})
	return s.read(o) && later == 0 && o.Read == policy.ReadWaiting && o.SameVersion
}

// ---- the rules of each write

// rule is one demand on a write, with the name of the rule.
type rule struct {
	name string
	ok   bool
}

func (s spec) rules(d policy.Decision) []rule {
	drop, all := setOf(d.Owners), s.with(graph.OnDeleteUnset)
	within := func(part, whole refs) bool { return part&^whole == 0 }
	switch d.Action {
	case policy.Delete:
		kept := []rule{
			{"unmarked", !s.in.Object.Deleting}, {"Flaw", !s.in.Flawed}, {"G1", !s.in.Protected}, {"E4: unrestricted", !s.in.Restricted},
			{"Own: the propagation", d.Propagation == s.propagation()},
		}
		if s.cascades() != 0 {
			return kept
		}
		return append(kept, []rule{
			{"S1b: it has an owner", all != 0},
			{"R2a: every owner is absent or waits", all == s.are(gone)|s.are(waiting)},
			{"R2b: each that waits was seen so", s.are(waiting) == s.are(waiting)&s.those(func(_ int, o policy.OwnerFacts) bool {
				return s.what(o) == waiting && (s.several() || s.seen(o, policy.ReadWaiting))
			})},
			{"One: each that waits was seen so with all others", s.are(waiting) == s.are(waiting)&s.those(func(_ int, o policy.OwnerFacts) bool {
				return s.what(o) == waiting && (!s.several() || s.together(o))
			})},
			{"Memory: none orphaned it", s.remembered()|s.freed() == 0},
		}...)
	case policy.Trim:
		if drop&s.goes(graph.OnDeleteRelease) != 0 {
			return []rule{{"Flaw", !s.in.Flawed}, {"E2: released", within(drop, s.goes(graph.OnDeleteRelease))}}
		}
		return []rule{
			{"unmarked", !s.in.Object.Deleting}, {"Flaw", !s.in.Flawed},
			{"something is dropped", drop != 0}, {"an owner stays", s.are(solid) != 0},
			{"R2a or Trim", within(drop, s.are(gone)|s.trims())},
		}
	case policy.Orphan:
		if s.freed() != 0 {
			return []rule{{"Memory", drop == s.freed()}}
		}
		if s.remembers() {
			return []rule{{"Memory", drop == s.remembered()}}
		}
		return []rule{
			{"Orph: an owner leaves", drop&s.left() != 0},
			{"Orph or R2a", within(drop, s.left()|s.are(gone))},
			{"E3: along with an unset one", within(drop, s.left()) || drop&s.left()&s.with(graph.OnDeleteUnset) != 0},
			{"Flaw", !s.in.Flawed || within(drop, s.left())},
		}
	case policy.Unblock:
		return []rule{
			{"R3: not by a retry", !s.in.Retry},
			{"Ring: it waits", s.in.Object.Waiting() && s.in.Blocking > 0},
			{"Ring: inside, blocking", drop != 0 && within(drop, s.ring())},
			{"level 1 says so", d.BestEffort == (s.in.Fence.Passed <= s.in.Mark)},
		}
	case policy.Release:
		own := s.in.Object.Propagation()
		return []rule{
			{"marked", s.in.Object.Deleting && own != graph.Unset && d.Finalizer == own.Finalizer()},
			{"R3: not by a retry", !s.in.Retry},
			{"Fg: nothing blocks", own != graph.Foreground || s.in.Blocking == 0},
			{"Orph: nothing refers", own != graph.Orphan || s.in.Referring == 0},
			{"Generation", own != graph.Orphan || !s.in.Unacknowledged},
			{"R3: the fence", s.in.Mark != 0 && (s.in.Fence.Passed > s.in.Mark || s.in.Fence.Released > s.in.Mark)},
			{"R7: best effort", d.BestEffort == (s.in.Fence.Passed <= s.in.Mark)},
		}
	}
	return []rule{{"a write", false}}
}

// broken returns the name of the first rule that a write breaks, or "".
func (s spec) broken(d policy.Decision) string {
	if s.in.Unreadable {
		return "Flaw: an unreadable object takes no write"
	}
	for _, r := range s.rules(d) {
		if !r.ok {
			return r.name
		}
	}
	return ""
}

// left: the references that orphaning drops.
func (s spec) left() refs {
	return s.those(func(_ int, o policy.OwnerFacts) bool {
		return !s.in.Unreadable && s.leaving(o) && !o.Unacknowledged && s.seen(o, policy.ReadOrphaning)
	})
}

func (s spec) remembered() refs {
	return s.are(gone) & s.those(func(_ int, o policy.OwnerFacts) bool { return o.Remembered })
}

// remembers: only the memory of an owner that orphaned the object keeps it.
func (s spec) remembers() bool {
	all := s.with(graph.OnDeleteUnset)
	return !s.in.Object.Deleting && !s.in.Flawed && s.left() == 0 && s.cascades() == 0 && s.remembered() != 0 && all == s.are(gone)|s.are(waiting)
}

func (s spec) ring() (out refs) {
	return s.those(func(i int, o policy.OwnerFacts) bool {
		in := false
		for _, j := range s.in.Ring {
			in = in || j == i
		}
		return in && !o.Self && s.in.Object.Owners[i].Block
	})
}

// propagation is the rule of the engine's own deletes.
func (s spec) propagation() graph.Propagation {
	carries := s.in.Object.Propagation()
	early := s.those(func(_ int, o policy.OwnerFacts) bool {
		covers := func(fence policy.Moment) bool { // without a read of another version since
			return o.Mark != 0 && fence > o.Mark && (o.Read == policy.ReadUnset || o.SameVersion || fence > o.ReadBegan)
		}
		ended := covers(s.in.Fence.Passed) || covers(s.in.Fence.Released)
		counts := o.OnDelete == graph.OnDeleteUnset || o.OnDelete == graph.OnDeleteCascade
		return counts && s.what(o) == waiting && (!ended || s.in.Referring > 0)
	})
	switch {
	case carries != graph.Unset && !s.set.Override:
		return carries
	case early != 0:
		return graph.Foreground
	}
	return graph.Background
}
