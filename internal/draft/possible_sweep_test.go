package draft

import (
	"slices"
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph/graph"
)

// TestPossibleOfSweep: a holder and its members wait for one another, so an end that depends
// on more than the parts goes from one to the other.
func TestPossibleOfSweep(t *testing.T) {
	const line = "k/d -> k/m; k/h -> k/o!; k/m; k/n; k/o; k/u"
	for _, c := range []struct {
		target, open, held string
		want, reason       string
	}{
		{"k/h", "k/m", "", "k/d k/h k/m k/n", "h waits for m, and deletes n"},
		{"k/h", "k/h", "", "k/d k/h k/m k/n", "h may delete no member"},
		{"k/h", "", "", "", "h deletes all members"},
		{"k/h", "", "k/m", "", "h is a member of m"},
		{"k/u", "k/m", "", "k/d k/m", "h stays"},
		{"k/o", "k/m", "", "k/d k/h k/m k/n k/o", "o waits for h, which blocks it"},
	} {
		list := parts(t, line)
		x := NewIndex(list)
		at := func(key string) int32 {
			if key == "" {
				return -1
			}
			i, _ := x.Of(keyOf(t, key))
			return i
		}
		if c.held != "" {
			list[at(c.held)].Object.Finalizers = []string{"x"}
		}
		q := Question{
			Parts: list, Dependents: make([][]int32, len(list)), Members: make([][]int32, len(list)),
			Targets: map[int32]graph.Propagation{at(c.target): graph.Foreground}, Stays: func(string) bool { return true },
			Open: func(i int32) bool { return i == at(c.open) },
		}
		q.Dependents[at("k/m")], q.Dependents[at("k/o")] = []int32{at("k/d")}, []int32{at("k/h")}
		q.Members[at("k/h")] = []int32{at("k/m"), at("k/n")}
		var got []string
		for i, possible := range Possible(q) {
			if possible {
				got = append(got, list[i].Object.Key.String())
			}
		}
		if slices.Sort(got); strings.Join(got, " ") != c.want {
			t.Errorf("delete %s, open %q, held %q: possible %v, want %s: %s", c.target, c.open, c.held, got, c.want, c.reason)
		}
	}
}

// TestPossibleOfWaitingHolder: a dependent that blocks its owner is deleted in the foreground. If the
// owner is also its holder, the sweep may delete it before, in the background.
func TestPossibleOfWaitingHolder(t *testing.T) {
	for _, c := range []struct {
		member, container, want bool
		reason                  string
	}{
		{false, false, false, "m waits for d, which stays"},
		{true, false, true, "the sweep may delete m first, and m does not wait for d"},
		{true, true, true, "the actor of h may"},
	} {
		list := parts(t, "k/d[x] -> k/m!; k/h; k/m -> k/h!")
		q := Question{
			Parts: list, Dependents: [][]int32{nil, {2}, {0}}, Members: make([][]int32, len(list)),
			Targets: map[int32]graph.Propagation{1: graph.Foreground}, Stays: func(f string) bool { return f == "x" },
			Container: func(int32) bool { return c.container },
		}
		if c.member {
			q.Members[1] = []int32{2}
		}
		for i, got := range Possible(q)[1:] {
			if got != c.want {
				t.Errorf("%s is possible %t, want %t: %s", list[i+1].Object.Key, got, c.want, c.reason)
			}
		}
	}
}

// TestPossibleByOverride: an object that carries a propagation is deleted with it. By the
// setting Override the engine chooses, and the order of the writes decides.
func TestPossibleByOverride(t *testing.T) {
	for _, c := range []struct {
		override, want bool
		reason         string
	}{
		{false, false, "o orphans d in each order"},
		{true, true, "r may end before the delete of o, which then is in the background"},
	} {
		list := parts(t, "k/d[x] -> k/o!; k/o[orphan] -> k/r; k/r")
		q := Question{
			Parts: list, Dependents: [][]int32{nil, {0}, {1}}, Targets: map[int32]graph.Propagation{2: graph.Foreground},
			Stays: func(f string) bool { return f == "x" }, Override: c.override,
		}
		if got := Possible(q)[1]; got != c.want {
			t.Errorf("override %t: o is possible %t, want %t: %s", c.override, got, c.want, c.reason)
		}
	}
}
