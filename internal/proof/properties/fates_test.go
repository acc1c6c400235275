package properties

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/proof/oracle"
	"pgregory.net/rapid"
)

// fates returns the remaining objects after a deletion of one object of a tame store
// at rest. It is a specification for stores of any size. With orphan the dependents
// lose their reference to the object. Otherwise an object with owners goes if all of
// them go, and the remaining objects lose their references to deleted ones. A tame
// store has sound references, all of them to living objects.
func fates(objects []graph.Object, verb string, k graph.Key) []graph.Object {
	dead := map[graph.Key]bool{k: true}
	goes := func(o graph.Object) bool {
		return len(o.Owners) > 0 && !slices.ContainsFunc(o.Owners, func(r graph.Owner) bool { return !dead[r.Key] })
	}
	for grown := verb != "orphan"; grown; {
		grown = false
		for _, o := range objects {
			if !dead[o.Key] && goes(o) {
				dead[o.Key], grown = true, true
			}
		}
	}
	var out []graph.Object
	for _, o := range objects {
		if !dead[o.Key] {
			o = o.Clone()
			o.Owners = slices.DeleteFunc(o.Owners, func(r graph.Owner) bool { return dead[r.Key] })
			out = append(out, o)
		}
	}
	return out
}

func TestFates(t *testing.T) {
	for _, c := range []struct{ start, verb, gone, want, reason string }{
		{"a; b -> a; c -> b", "bg", "a", "", "a cascade deletes the chain"},
		{"a; b; c -> a, b; d -> c", "fg", "a", "b; c -> b; d -> c", "another owner keeps c"},
		{"a; b -> a; c -> b", "orphan", "a", "b; c -> b", "only the direct dependents lose a reference"},
		{"a; b -> a, c; c -> b", "bg", "a", "b -> c; c -> b", "the members of a ring own each other"},
	} {
		start, err := graph.Parse(c.start)
		if err != nil {
			t.Fatal(err)
		}
		k, err := graph.ParseKey(c.gone)
		if err != nil {
			t.Fatal(err)
		}
		got := oracle.Line(fates(start, c.verb, k))
		if ends := oracle.EndsQuiet(start, action(t, c.verb+" "+c.gone), oracle.Config{}); got != c.want || !slices.Equal(ends, []string{got}) {
			t.Errorf("%s; %s %s: got %q, want %q, the oracle has %q: %s", c.start, c.verb, c.gone, got, c.want, ends, c.reason)
		}
	}
}

func action(t testing.TB, line string) []oracle.Action {
	t.Helper()
	a, err := oracle.ParseAction(line)
	if err != nil {
		t.Fatal(err)
	}
	return []oracle.Action{a}
}

// variant is a setting in which the same commits happen and are observed.
type variant struct {
	name   string
	engine settings
	faults faults
	reason string
}

func variants() []variant {
	one := settings{Kinds: mixedKinds, Level: ownergraph.Level2, Engines: 1}
	return []variant{
		{"order", one, faults{}, "events of different kinds come in any order, with any delay"},
		{"one call", one, faults{OneCall: true}, "one worker has the same end as many"},
		{"doubles", one, faults{Doubles: true}, "a doubled event has the effect of one"},
		{"breaks", one, faults{Breaks: true}, "lost events with a new listing, and repeated listings, change no end"},
		{"crashes", one, faults{Crashes: true}, "a new engine has the end of the old one"},
		{"losses", one, faults{Losses: true}, "answers are lost, and writes complete late"},
		{"refusals", one, faults{Refusals: true, Conflicts: true}, "the engine repeats refused writes and writes with a conflict"},
		{"outages", one, faults{Outages: true}, "kinds are sick, unserved or down for a while"},
		{"engines", settings{Kinds: mixedKinds, Level: ownergraph.Level2, Engines: 2}, faults{Crashes: true}, "two engines have the end of one"},
		{"counting", settings{Kinds: mixedKinds, Level: ownergraph.Level2, Engines: 1, Counting: true}, faults{Breaks: true}, "comparable versions save reads, and change no end"},
		{"forgetful", settings{Kinds: mixedKinds, Level: ownergraph.Level2, Engines: 1, Forgetful: true}, faults{Breaks: true}, "the memory of owners saves reads alone"},
	}
}

// TestFatesOfManyObjects checks that a deletion at rest has one end in every variant.
// A specification of ten lines names the end.
func TestFatesOfManyObjects(t *testing.T) {
	fewer(t)
	for _, v := range variants() {
		t.Run(v.name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				d := draws{t, size{style: tame, objects: 20, judged: true}}
				h, err := begin(v.engine, d.world(v.engine))
				if err != nil {
					t.Fatal(err)
				}
				for range 2 {
					d.deleteOne(h, v)
				}
			})
		})
	}
}

// deleteOne deletes one object at rest and runs the variant. It compares the end with
// the only right one.
func (d draws) deleteOne(h *history, v variant) {
	if err := h.calm(); err != nil {
		d.t.Fatal(h.fail(err))
	}
	before := h.w.Store.Objects()
	if len(before) == 0 {
		return
	}
	verb := []string{"bg", "fg", "orphan"}[d.number("verb", 3)]
	k := before[d.number("object", len(before))].Key
	want := oracle.Line(fates(before, verb, k))
	if err := h.do(verb + " " + k.String()); err != nil {
		d.t.Fatal(h.fail(err))
	}
	d.size.actions = 0
	d.wander(h, v.faults)
	if err := h.calm(); err != nil {
		d.t.Fatal(h.fail(err))
	}
	if got := oracle.Line(h.w.Store.Objects()); got != want {
		d.t.Fatal(h.fail(fmt.Errorf("%s ends differently: want %s", v.name, want)))
	}
}

// TestEndsInAnyWay runs wild worlds of a handful of objects. The oracle names the ends
// of each action at rest. Often there is one end, and every variant reaches it.
func TestEndsInAnyWay(t *testing.T) {
	fewer(t)
	for _, v := range variants() {
		t.Run(v.name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				d := draws{t, size{style: wild, objects: 4, judged: true}}
				h, err := begin(v.engine, d.world(v.engine))
				if err != nil {
					t.Fatal(err)
				}
				for range 2 {
					if err := h.calm(); err != nil {
						t.Fatal(h.fail(err))
					}
					if err := h.do(d.action(h)); err != nil {
						t.Fatal(h.fail(err))
					}
					d.wander(h, v.faults)
				}
				if err := h.calm(); err != nil {
					t.Fatal(h.fail(err))
				}
				got, ends := oracle.Line(believed(h.w.Store.Objects())), oracle.EndsQuiet(believed(h.start), h.forOracle(), h.set.oracle())
				if !slices.Contains(ends, got) {
					t.Fatal(h.fail(fmt.Errorf("%s ends in %q, want one of\n  %s", v.name, got, strings.Join(ends, "\n  "))))
				}
			})
		})
	}
}
