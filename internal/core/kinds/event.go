package kinds

import (
	"slices"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/seq"
)

// Compare compares two versions of a kind, as cmp.Compare does. A nil Compare says that
// versions have no order.
type Compare func(kind graph.Kind, a, b graph.Version) int

// Change is the outcome of an event for the other machines.
type Change struct {
	Health    bool // the kind became sick, well or unserved
	Recovered bool // failed calls for the kind may succeed now
	Left      bool // the kind no longer takes part
}

// Apply takes an event of the watch about a kind: a listing, progress, health or the end
// of the kind. Other events change nothing.
func (t *Table) Apply(ev *graph.Event, stamps *seq.Counter, compare Compare) (c Change) {
	name := ev.Of()
	if !t.Has(name) {
		return c
	}
	s := t.of(name)
	switch ev.Type {
	case graph.ListBegun:
		s.Begun, s.Pruning, s.ListingInvalid = stamps.Stamp(), false, false
		s.Floor = s.High
		t.lists.drop(name)
	case graph.ListEnded:
		s.Ended, s.Pruning = stamps.Stamp(), true
		s.advance(name, ev.Version, compare)
		t.pruning = append(t.pruning, name)
		t.lists.ended(name)
		s.NeedsRelist = false
		s.listed()
	case graph.Progress:
		s.advance(name, ev.Version, compare)
	case graph.KindSick:
		c.Health = true
		s.ReportedSick, s.Sick = true, ev.Reason
		if s.Sick == "" {
			s.Sick = "sick"
		}
	case graph.KindRecovered: // a refused event is as unknown as before
		c.Health, c.Recovered = true, true
		s.ReportedSick = false
		switch {
		case s.Late:
			s.Sick = lateText
		case !s.NeedsRelist:
			s.Sick = ""
		}
	case graph.KindVanished:
		c.Health, c.Left = true, true
		s = s.left(stamps)
	default:
		return c
	}
	t.set(name, s)
	if c.Left {
		t.lists.drop(name)
	}
	return c
}

// left returns the state of a kind that no longer takes part. It passes no fence. Its objects stay,
// with the versions that they had.
func (s *State) left(stamps *seq.Counter) State {
	confirmed := s.Confirmed
	if s.Ended > s.Begun && !s.Pruning {
		confirmed = max(confirmed, s.Begun)
	}
	return State{Passed: s.Passed, Confirmed: confirmed, Ended: stamps.Stamp(), Max: s.Max}
}

// SetKinds takes the complete set of kinds, which the graph g has taken before. It
// returns the kinds that left, sorted, and whether a kind joined. A fence that is under way
// covers the former set (R7).
func (t *Table) SetKinds(infos []graph.KindInfo, g *graph.Graph, stamps *seq.Counter) (left []graph.Kind, joined bool) {
	for _, name := range t.names {
		if at, _ := g.Kind(name); t.states[name].Part && !at.Known {
			left = append(left, name)
		}
	}
	for _, name := range left {
		t.set(name, t.states[name].left(stamps))
	}
	t.addAll(infos)
	for _, i := range infos {
		s := t.of(i.Kind)
		if part := !i.Unwatched && !t.Ignored(i.Kind); part != s.Part {
			s.Part, joined = part, true
			t.set(i.Kind, s)
		}
	}
	return left, joined
}

// EndSet notes that a set of kinds is taken, and forgets the wishes of kinds that left. It
// reports whether reads may go on that waited for the set.
func (t *Table) EndSet(g *graph.Graph, keep []graph.Kind) (resume bool) {
	if t.setLost || t.lists.set {
		t.lists.ended("")
	}
	resume = t.lists.set
	t.noteGap(t.setLost, false)
	t.setKnown, t.setLost, t.lists.set = true, false, false
	t.forget(g, keep)
	t.lists.wanted = slices.DeleteFunc(t.lists.wanted, func(name graph.Kind) bool { return !t.Part(name) })
	return resume
}

// forget drops the kinds that are not served and have no node, whose state may matter to
// an object. The kinds to keep are those of holders: a sweep asks whether one was served.
func (t *Table) forget(g *graph.Graph, keep []graph.Kind) {
	for _, name := range slices.Clone(t.names) {
		if _, ok := g.Kind(name); !ok && !slices.Contains(keep, name) {
			t.drop(name)
		}
	}
}

// Refuse notes that an event was refused. Its kind is sick until a new listing is
// complete. A refused set of kinds may have had more kinds, so no fence passes before
// another set. It reports whether the refused event was such a set, and whether the table
// knows the kind.
func (t *Table) Refuse(ev *graph.Event, why string) (set, known bool) {
	if ev.Type == graph.KindsKnown {
		t.noteGap(t.setLost, true)
		t.setLost = true
		return true, true
	}
	name := ev.Of()
	if !t.Part(name) {
		return false, false
	}
	s := t.of(name)
	s.NeedsRelist, s.ListingInvalid, s.Sick = true, true, why
	t.set(name, s)
	t.WantList(name)
	return false, true
}

// Observe notes that an event described the content of the store, and not only its kinds.
func (t *Table) Observe(e graph.EventType) {
	switch e {
	case graph.KindsKnown, graph.KindSick, graph.KindRecovered, graph.KindVanished, graph.Rewound:
	default:
		t.observed = true
	}
}

// Observed reports whether an event has described the content of the store.
func (t *Table) Observed() bool { return t.observed }
