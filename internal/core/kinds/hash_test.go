package kinds

import (
	"reflect"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/fingerprint"
	"github.com/ownergraph/ownergraph/internal/core/seq"
)

// unhashed names the fields that are no part of the hash, with the reason.
var unhashed = map[string]string{
	"State.SickAt": "an explanation alone has it",
	"Table.ignore": "one Config", "Table.walked": "the cost of walks", "Table.names": "follows from the states", "Table.counts": "follows from the states",
	"Table.last": "a copy of a state", "Table.lastOf": "a copy of a name", "Table.loss": "see loss", "Table.lists": "see lists",
	"lists.failed": "a report",
	"Table.late":   "follows from the states", "Table.gaps": "follows from the states, and a count compares the number of returns",
	"State.Max": "saves a comparison with the object's own version",
}

// filled returns a table with a value in every field. History may have gone backwards at
// 10. The kind b is confirmed since, and the kind a is not.
func filled(r *rig) Table {
	c := r.t.Clone()
	c.set("a", State{Part: true, Listed: true, Begun: 3, Ended: 4, Passed: 2, Lost: 7, Pending: 1, High: "5", Floor: "4", Max: "5"})
	c.set("b", State{Part: true, Listed: true, Begun: 12, Ended: 13})
	c.set("c", State{Part: true, Begun: 5})
	c.rewound = 2
	c.epochs, c.pruning = []string{"1"}, []graph.Kind{"b"}
	c.loss = loss{at: 10, time: start, open: true, closed: 5, answered: 11, set: 11}
	c.lists = lists{wanted: []graph.Kind{"a", "b"}, last: "a", retry: start.Add(time.Second), tries: 1}
	return c
}

// TestHash: each field that decides anything changes the hash.
func TestHash(t *testing.T) {
	const late seq.Stamp = 1 << 40
	r := newRig(t, "")
	sum := func(x *Table) uint64 {
		p := fingerprint.New(r.g, start, nil)
		x.Hash(p, r.g, true)
		return p.Sum()
	}
	edit := func(name graph.Kind, change func(s *State)) func(x *Table) {
		return func(x *Table) {
			s := x.of(name)
			change(&s)
			x.set(name, s)
		}
	}
	flip := func(b *bool) { *b = !*b }
	base := filled(r)
	want, changed := sum(&base), map[string]bool{}
	for _, c := range []struct {
		field  string
		change func(x *Table)
	}{
		{"Table.states", func(x *Table) { x.drop("b") }},
		{"Table.setKnown", func(x *Table) { flip(&x.setKnown) }},
		{"Table.setLost", func(x *Table) { flip(&x.setLost) }},
		{"Table.setOpen", func(x *Table) { flip(&x.setOpen) }},
		{"Table.allSeen", func(x *Table) { flip(&x.allSeen) }},
		{"Table.observed", func(x *Table) { flip(&x.observed) }},
		{"Table.rewound", func(x *Table) { x.rewound = late }},
		{"Table.relisting", func(x *Table) { flip(&x.relisting) }},
		{"Table.epochs", func(x *Table) { x.epochs = nil }},
		{"Table.pruning", func(x *Table) { x.pruning = nil }},
		{"loss.at", func(x *Table) { x.loss.at = 0 }},
		{"loss.time", func(x *Table) { x.loss.time = start.Add(time.Second) }},
		{"loss.open", func(x *Table) { flip(&x.loss.open) }},
		{"loss.closed", func(x *Table) { x.loss.closed = late }},
		{"loss.answered", func(x *Table) { x.loss.answered = 1 }},
		{"loss.set", func(x *Table) { x.loss.set = 1 }},
		{"lists.wanted", func(x *Table) { x.lists.wanted = x.lists.wanted[:1] }},
		{"lists.set", func(x *Table) { flip(&x.lists.set) }},
		{"lists.last", func(x *Table) { x.lists.last = "b" }},
		{"lists.retry", func(x *Table) { x.lists.retry = start.Add(time.Hour) }},
		{"lists.tries", func(x *Table) { x.lists.tries++ }},
		{"State.Part", edit("a", func(s *State) { flip(&s.Part) })},
		{"State.Listed", edit("a", func(s *State) { flip(&s.Listed) })},
		{"State.Sick", edit("a", func(s *State) { s.Sick = "x" })},
		{"State.ReportedSick", edit("a", func(s *State) { flip(&s.ReportedSick) })},
		{"State.NeedsRelist", edit("a", func(s *State) { flip(&s.NeedsRelist) })},
		{"State.ListingInvalid", edit("a", func(s *State) { flip(&s.ListingInvalid) })},
		{"State.Pruning", edit("a", func(s *State) { flip(&s.Pruning) })},
		{"State.Open", edit("a", func(s *State) { flip(&s.Open) })},
		{"State.Begun", edit("a", func(s *State) { s.Begun = 1 })},
		{"State.Ended", edit("b", func(s *State) { s.Ended = 0 })},
		{"State.Passed", edit("a", func(s *State) { s.Passed = late })},
		{"State.Lost", edit("a", func(s *State) { s.Lost = 0 })},
		{"State.Confirmed", edit("a", func(s *State) { s.Confirmed = late })},
		{"State.Pending", edit("a", func(s *State) { s.Pending = 0 })},
		{"State.High", edit("a", func(s *State) { s.High = "6" })},
		{"State.Floor", edit("a", func(s *State) { s.Floor = "3" })},
		{"State.Late", edit("a", func(s *State) { flip(&s.Late) })},
		{"State.waits", func(x *Table) { flip(&x.states["a"].waits) }},
		{"State.since", func(x *Table) { x.states["c"].since = start.Add(-time.Second) }},
		{"State.spent", func(x *Table) { x.states["c"].spent = time.Second }},
	} {
		x := base.Clone()
		c.change(&x)
		if changed[c.field] = true; sum(&x) == want {
			t.Errorf("%s: the change leaves the hash as it is", c.field)
		}
	}
	for _, kept := range []any{Table{}, State{}, loss{}, lists{}} {
		for i, s := 0, reflect.TypeOf(kept); i < s.NumField(); i++ {
			if f := s.Name() + "." + s.Field(i).Name; changed[f] == (unhashed[f] != "") {
				t.Errorf("%s has to be either tried or left out with a reason", f)
			}
		}
	}
}

// TestClone: a clone shares no state with its original.
func TestClone(t *testing.T) {
	r := newRig(t, "")
	base := filled(r)
	sum := func() uint64 {
		p := fingerprint.New(r.g, start, nil)
		base.Hash(p, r.g, true)
		return p.Sum()
	}
	want := sum()
	c := base.Clone()
	c.Rewind(50)
	c.TakeEpoch("2")
	c.lists.wanted[0], c.pruning[0], c.epochs[0] = "x", "x", "x"
	c.drop("a")
	if sum() != want {
		t.Error("a change of the clone changes the original")
	}
}
