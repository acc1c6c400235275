package kinds

import (
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/seq"
	"github.com/ownergraph/ownergraph/internal/inside"
	"github.com/ownergraph/ownergraph/policy"
)

// Table has the kinds of one engine. Make one with New. A Table is not safe for
// concurrent use.
//
// Its invariants, which Check verifies:
//
//	N10 the counts of kinds are the numbers of kinds
//	    the sorted names are the names of the states
//	    only kinds that take part are wanted for a listing
//	    each awaited listing is late at a time
type Table struct {
	ignore []graph.Kind // that take no part, by setting
	states map[graph.Kind]*State
	names  []graph.Kind // of states, sorted
	walked uint64       // see Walked
	counts counts
	last   *State // of the last event, and its kind
	lastOf []byte //

	setKnown bool // the set of kinds is known
	setLost  bool // another set was refused since: it may have had more kinds
	setOpen  bool // the set of kinds has still to pass the fence under way
	allSeen  bool // every kind was listed since the first set
	observed bool // an event described the content of the store

	rewound   seq.Stamp // absence from before no longer counts, 0 without a rewind
	relisting bool      // kinds are still to be listed since then
	epochs    []string  // of announced rewinds, the oldest first
	loss      loss
	lists     lists
	late      lateness
	gaps      gaps
	pruning   []graph.Kind // their listing has ended
}

// New returns a table without kinds. The ignored kinds take no part.
func New(ignore []graph.Kind) Table {
	return Table{ignore: ignore, states: map[graph.Kind]*State{}}
}

// Of returns the state of a kind, the zero State for an unknown one.
func (t *Table) Of(name graph.Kind) State {
	if s := t.states[name]; s != nil {
		return *s
	}
	return State{}
}

// WhyUnobserved says why an object of the kind may exist that the watch has not shown, or "".
func (t *Table) WhyUnobserved(name graph.Kind) string {
	x := t.Of(name)
	switch {
	case !x.Part:
		return ": the collector does not watch its kind"
	case x.Sick != "":
		return ": its kind is sick: " + x.Sick
	case !x.Listed:
		return ": its kind is not listed yet"
	}
	return ""
}

// Has reports whether the kind has a state.
func (t *Table) Has(name graph.Kind) bool { return t.states[name] != nil }

// Part reports whether the kind takes part: it is served and watched.
func (t *Table) Part(name graph.Kind) bool {
	s := t.states[name]
	return s != nil && s.Part
}

// Sick returns the reason why the kind cannot be watched, "" if it can.
func (t *Table) Sick(name graph.Kind) string {
	if s := t.states[name]; s != nil {
		return s.Sick
	}
	return ""
}

// Ignores reports whether any kind takes no part, by setting.
func (t *Table) Ignores() bool { return len(t.ignore) > 0 }

// Ignored reports whether the kind takes no part, by setting.
func (t *Table) Ignored(name graph.Kind) bool { return slices.Contains(t.ignore, name) }

// Len returns the number of kinds.
func (t *Table) Len() int { return len(t.names) }

// Names returns the kinds, sorted. The table owns the slice.
func (t *Table) Names() []graph.Kind { return t.names }

// Walked returns the number of kinds that All has yielded so far: the cost of the walks over
// all kinds.
func (t *Table) Walked() uint64 { return t.walked }

// All yields the kinds in order of their names, and counts them: see Walked.
func (t *Table) All() iter.Seq2[graph.Kind, State] {
	return func(yield func(graph.Kind, State) bool) {
		for _, name := range t.names {
			t.walked++
			if !yield(name, *t.states[name]) {
				return
			}
		}
	}
}

// SetKnown reports whether the set of kinds is known, and no later one was refused.
func (t *Table) SetKnown() bool { return t.setKnown }

// SetLost reports whether a set of kinds was refused since the last one.
func (t *Table) SetLost() bool { return t.setLost }

// Unseen reports whether a kind that takes part is sick or not listed, or whether the set
// of kinds is empty or may be incomplete.
func (t *Table) Unseen() bool { return t.setLost || t.counts.unseen > 0 || t.counts.part == 0 }

// Synced reports whether the set of kinds is known, and every kind that takes part is
// listed and well.
func (t *Table) Synced() bool { return t.setKnown && !t.setLost && t.counts.unseen == 0 }

// CountUnseen returns the number of kinds that take part and are sick or not listed.
func (t *Table) CountUnseen() int { return t.counts.unseen }

// AllListed reports whether the set of kinds is known, and every kind that takes part is
// listed, since the last rewind. A listed kind may be sick.
func (t *Table) AllListed() bool {
	return t.setKnown && !t.setLost && !t.relisting && t.counts.unlisted == 0
}

// ListedWell is Synced, and leaves out the kinds that are sick.
func (t *Table) ListedWell() bool {
	return t.setKnown && !t.setLost && t.counts.unseen == t.counts.sick
}

// Countable reports whether every kind that takes part is listed or sick, since the last rewind,
// and the set of kinds is known: no listing is awaited that can come (RULES, G5 b).
func (t *Table) Countable() bool {
	return t.setKnown && !t.relisting && t.counts.unseen == t.counts.sick
}

// AnySick reports whether a kind that takes part is sick, or may be unknown.
func (t *Table) AnySick() bool { return t.setLost || t.counts.sick > 0 }

// Relisted reports whether a listing of the kind is complete that began after the moment,
// which is not 0.
func (t *Table) Relisted(name graph.Kind, after seq.Stamp) bool {
	s := t.states[name]
	return s != nil && s.relisted(after)
}

// of returns the state of a kind for a change, which ends with set.
func (t *Table) of(name graph.Kind) State { return t.Of(name) }

// set is the only place that writes the states, so that the counts follow.
func (t *Table) set(name graph.Kind, s State) {
	at := t.states[name]
	if at == nil {
		at = new(State)
		t.states[name] = at
		i, _ := slices.BinarySearch(t.names, name)
		t.names = slices.Insert(t.names, i, name)
	}
	t.counts.add(at, -1)
	t.await(name, &s)
	t.noteGap(at.isMissing(), s.isMissing())
	*at = s
	t.counts.add(at, 1)
}

// addAll makes states for the new kinds of a set. The table keeps copies of their names.
func (t *Table) addAll(infos []graph.KindInfo) {
	n := len(t.names)
	for _, i := range infos {
		if t.states[i.Kind] == nil {
			name := graph.Kind(strings.Clone(string(i.Kind)))
			t.states[name] = new(State)
			t.names = append(t.names, name)
		}
	}
	if len(t.names) > n {
		slices.Sort(t.names)
	}
}

// drop takes a kind out of the table.
func (t *Table) drop(name graph.Kind) {
	s := t.states[name]
	if s == nil {
		return
	}
	t.counts.add(s, -1)
	t.noteGap(s.isMissing(), false)
	delete(t.states, name)
	t.last, t.lastOf = nil, nil
	if i, ok := slices.BinarySearch(t.names, name); ok {
		t.names = slices.Delete(t.names, i, i+1)
	}
}

// Check verifies the invariants that stand on Table.
func (t *Table) Check() error {
	var c counts
	for name, s := range t.states {
		if s.Listed && t.Stale(name) {
			return fmt.Errorf("N10: kind %q is listed, and was not listed since the rewind", name)
		}
		c.add(s, 1)
	}
	if c != t.counts {
		return fmt.Errorf("N10: the kinds count as %+v, want %+v", t.counts, c)
	}
	if !slices.Equal(t.names, slices.Sorted(maps.Keys(t.states))) {
		return fmt.Errorf("N10: the names are %q", t.names)
	}
	for _, name := range t.lists.wanted {
		if !t.Part(name) {
			return fmt.Errorf("N10: a listing of %q is wanted, which takes no part", name)
		}
	}
	return t.checkLate()
}

// Clone returns a table that shares nothing with t but its settings.
func (t *Table) Clone() Table {
	c := *t
	c.states = make(map[graph.Kind]*State, len(t.states))
	for name, s := range t.states {
		own := *s
		c.states[name] = &own
	}
	c.last, c.lastOf = nil, nil
	c.names, c.epochs = slices.Clone(t.names), slices.Clone(t.epochs)
	c.lists.wanted, c.pruning = slices.Clone(t.lists.wanted), slices.Clone(t.pruning)
	c.late.list = slices.Clone(t.late.list)
	return c
}

// Stale reports whether the knowledge of a kind is older than a rewind: no listing of it is
// complete since. Versions may repeat then, so one of before may name another state now.
func (t *Table) Stale(name graph.Kind) bool {
	if t.rewound == 0 {
		return false
	}
	s := t.Of(name)
	return s.Begun <= t.rewound || !s.Listed
}

// Blocked returns the reason why no writer may write to a node now, or ReasonUnset.
func (t *Table) Blocked(g *graph.Graph, id graph.NodeID) policy.Reason {
	n := g.Node(id)
	k := n.Inside(inside.Key{}).KindState()
	switch {
	case !k.Known, k.Unwatched:
		return policy.KindUnserved
	case t.relisting, t.Stale(n.Kind()):
		return policy.NeedListing
	case n.Inside(inside.Key{}).SharesUID():
		return policy.UIDShared
	}
	return policy.ReasonUnset
}

// Rewound returns the moment of the last rewind, 0 without one.
func (t *Table) Rewound() seq.Stamp { return t.rewound }

// Relisting reports whether kinds are still to be listed since a rewind.
func (t *Table) Relisting() bool { return t.relisting }
