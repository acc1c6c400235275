package properties

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/oracle"
	"pgregory.net/rapid"
)

// fates returns what has to be left when one object of a tame store is deleted
// at rest, and everything has happened: a specification for stores of any size.
// With orphan its dependents lose their reference to it. Otherwise whatever has
// owners, all of which go, goes too, and what stays loses its references to what
// went. A tame store has sound references, all of them to what lives.
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
		{"a; b -> a; c -> b", "bg", "a", "", "a cascade"},
		{"a; b; c -> a, b; d -> c", "fg", "a", "b; c -> b; d -> c", "an owner is left"},
		{"a; b -> a; c -> b", "orphan", "a", "b; c -> b", "only its own dependents are set free"},
		{"a; b -> a, c; c -> b", "bg", "a", "b -> c; c -> b", "a ring owns itself"},
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

// variant is a way in which the same commits may come about and be seen.
type variant struct {
	name   string
	engine settings
	faults faults
	reason string
}

func variants() []variant {
	one := settings{Kinds: mixedKinds, Level: ownergraph.Level2, Engines: 1}
	return []variant{
		{"order", one, faults{}, "events of different kinds come in any order, as late as they like"},
		{"one call", one, faults{OneCall: true}, "one worker does what many do"},
		{"doubles", one, faults{Doubles: true}, "an event that comes twice is the same as once"},
		{"breaks", one, faults{Breaks: true}, "events lost up to the next listing, and listings repeated, change nothing"},
		{"crashes", one, faults{Crashes: true}, "an engine that begins anew ends where the old one would have"},
		{"losses", one, faults{Losses: true}, "answers may be lost, and writes come late"},
		{"refusals", one, faults{Refusals: true, Conflicts: true}, "what a store refuses, and what others get in between, is tried again"},
		{"outages", one, faults{Outages: true}, "kinds are sick, out of service or down for a while"},
		{"engines", settings{Kinds: mixedKinds, Level: ownergraph.Level2, Engines: 2}, faults{Crashes: true}, "two engines do what one does"},
		{"counting", settings{Kinds: mixedKinds, Level: ownergraph.Level2, Engines: 1, Counting: true}, faults{Breaks: true}, "comparable versions prove more, and change nothing"},
		{"forgetful", settings{Kinds: mixedKinds, Level: ownergraph.Level2, Engines: 1, Forgetful: true}, faults{Breaks: true}, "what is remembered saves reads alone"},
	}
}

// TestFatesOfManyObjects: in whatever way it comes about, a deletion at rest has
// one end, which a specification of ten lines names.
func TestFatesOfManyObjects(t *testing.T) {
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

// deleteOne deletes one object at rest, has what follows happen in the variant's
// way, and compares the end with the only one that there is.
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

// TestEndsInAnyWay: wild worlds of a handful of objects, where the oracle names
// the ends of each action done at rest: often one, and then every way leads to it.
func TestEndsInAnyWay(t *testing.T) {
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
				got, ends := oracle.Line(believed(h.w.Store.Objects())), oracle.EndsQuiet(believed(h.start), h.told(), h.set.oracle())
				if !slices.Contains(ends, got) {
					t.Fatal(h.fail(fmt.Errorf("%s ends in %q, want one of\n  %s", v.name, got, strings.Join(ends, "\n  "))))
				}
			})
		})
	}
}
