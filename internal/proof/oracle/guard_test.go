package oracle

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/ownergraph/ownergraph/graph"
)

// guardNames has the finalizers of guards in short.
var guardNames = strings.NewReplacer("HOLD", graph.FinalizerHold, "NEW", graph.FinalizerNew, "PROTECT", graph.FinalizerProtect)

// bound returns a guard of the root a with a limit.
func bound(n int) Config { return Config{Guards: []Guard{{Roots: []string{"a"}, Above: &n}}} }

func checkGuardRules(t *testing.T, cfg Config, cases []ruleCase) {
	t.Helper()
	for i := range cases {
		c := &cases[i]
		c.state, c.must, c.may = guardNames.Replace(c.state), guardNames.Replace(c.must), guardNames.Replace(c.may)
	}
	checkRules(t, cfg, cases)
}

func TestGuardRules(t *testing.T) {
	checkGuardRules(t, Config{}, []ruleCase{
		{"a~[HOLD,foreground]; b -> a", "", "", "V1: a withheld foreground mark does not wait, and is not ended"},
		{"a~[HOLD,foreground]", "", "", "V1: nor without dependents"},
		{"a~[HOLD,orphan]; b -> a", "", "", "V1: a withheld orphan mark frees no dependent"},
		{"a~[PROTECT,foreground]; b -> a", "", "", "V1: the same for a protected object"},
		{"a~[HOLD,NEW]; b -> a", "", "", "V4: without its guard in the settings no verdict is due"},
		{"a~[NEW,foreground]; b~[x] -> a!", "a~[foreground]; b~[x] -> a!", "", "V5: new goes after hold"},
		{"a~[NEW]; b -> a", "b -> a", "", "V5: the root may go with it"},
		{"b[PROTECT] -> a", "", "", "V2: a protected object is not deleted"},
		{"a~[foreground]; b[PROTECT] -> a!", "", "", "V2: it blocks its waiting owner"},
		{"a; b[PROTECT] -> a, c", "a; b[PROTECT] -> a", "a; b[PROTECT] -> a", "V2: it loses references as any other object"},
		{"c~[orphan]; b~[HOLD,foreground] -> c!", "b~[foreground,HOLD]; c~[orphan]", "", "V1: a held root loses its own references"},
		{"c~[foreground]; a~[HOLD,foreground] -> c!", "", "", "V1: a held root blocks its owner"},
	})
	checkGuardRules(t, bound(1), []ruleCase{
		{"a", "a[HOLD]", "", "V3: hold goes on first"},
		{"a[HOLD]", "a[HOLD,NEW]", "", "V3: then new"},
		{"a[HOLD,NEW]", "", "", "V3: a guarded root stays as it is"},
		{"a -> x", "a[HOLD] -> x", "", "V3: the engine's own deletion waits for both"},
		{"a[HOLD,NEW] -> x", "a~[HOLD,NEW] -> x", "", "V3: and comes then"},
		{"a~[HOLD]; b -> a", "", "", "G4: a refused root has no step"},
		{"a~[x]; b -> a", "", "", "G2: a root that was marked before is ordinary"},
		{"a~[HOLD,NEW]; b -> a", "a~[NEW]; b -> a", "", "V4: one object ends, as many as the limit"},
		{"a~[HOLD,NEW]; b -> a; c -> b", "a~[HOLD]; b -> a; c -> b", "", "V4: two objects end"},
		{"a~[HOLD,NEW]; b -> a; c -> a?", "a~[NEW]; b -> a; c -> a?", "", "V4: an unknown owner keeps c"},
		{"a~[HOLD,NEW,orphan]; b -> a; c -> a", "a~[orphan,NEW]; b -> a; c -> a", "", "V4: an orphaning ends no dependent"},
		{"a~[HOLD,NEW]; b -> a; c[PROTECT] -> a", "a~[NEW]; b -> a; c[PROTECT] -> a", "", "V4: a protected object does not end"},
		{"a~[HOLD,NEW] -> c!; b -> a; c~[foreground]; d -> c", "a~[HOLD,NEW] -> c!; b -> a; c~[foreground] | a~[HOLD,NEW] -> c!; b -> a; c~[foreground]; d~[foreground] -> c | a~[NEW] -> c!; b -> a; c~[foreground]; d -> c", "", "V4: what goes beside the root does not count"},
	})
}

func TestGuardConditions(t *testing.T) {
	root := []string{"a"}
	checkGuardRules(t, Config{Guards: []Guard{{Roots: root, Always: true}}}, []ruleCase{
		{"a~[HOLD,NEW]", "a~[HOLD]", "", "every deletion is refused"},
	})
	checkGuardRules(t, Config{Guards: []Guard{{Roots: root, Protected: true}}}, []ruleCase{
		{"a~[HOLD,NEW]; b[PROTECT] -> a", "a~[HOLD]; b[PROTECT] -> a", "", "a protected object would end"},
		{"a~[HOLD,NEW]; b[PROTECT] -> a, c; c", "a~[NEW]; b[PROTECT] -> a, c; c", "", "it has another owner, so it would not end"},
		{"a~[HOLD,NEW] -> b; b[PROTECT]", "a~[NEW] -> b; b[PROTECT]", "", "the protected object is above the root"},
	})
	checkGuardRules(t, Config{Guards: []Guard{{Roots: root, Protected: true}}, Protect: []string{"b"}}, []ruleCase{
		{"a~[HOLD,NEW]; b -> a", "a~[HOLD]; b -> a", "", "the settings protect b"},
		{"b~[foreground]; c -> b", "", "", "its mark is withheld, too"},
	})
	checkGuardRules(t, Config{Guards: []Guard{{Roots: root, Ordered: true}}}, []ruleCase{
		{"a~[HOLD,NEW]; b -> a", "a~[foreground,HOLD,NEW]; b -> a", "", "a background deletion is repeated in the foreground"},
		{"a~[HOLD,NEW,foreground]; b -> a", "a~[foreground,NEW]; b -> a", "", "then hold goes"},
	})
	checkGuardRules(t, Config{Braked: true, Protect: []string{"p"}}, []ruleCase{
		{"b[x] -> a", "", "b~[x] -> a", "V6: a brake may keep the deletion back, or let it pass"},
		{"p -> a", "", "", "V6: it lets no protected object pass"},
		{"a; b -> a", "", "", "V6: nor one that has an owner"},
		{"a; b -> a, c", "a; b -> a", "a; b -> a", "V6: removals of references pass"},
	})
	two := Config{Beside: []Config{bound(9)}}
	if s := NewState([]graph.Object{{Key: short("a")}}); Quiet(s, two) || !Quiet(s, Config{}) {
		t.Error("the state is quiet only if each engine has no step left")
	}
}

// TestGuardEnds has the named cases of guards.
func TestGuardEnds(t *testing.T) {
	check := func(cfg Config, cases []endCase) {
		t.Helper()
		for i := range cases {
			c := &cases[i]
			c.scenario = guardNames.Replace(c.scenario)
			for _, list := range [][]string{c.ends, c.quiet} {
				for j := range list {
					list[j] = guardNames.Replace(list[j])
				}
			}
		}
		checkEnds(t, cfg, cases)
	}
	check(bound(0), []endCase{
		{"a[HOLD,NEW]; b -> a | bg a", []string{"a~[HOLD]; b -> a"}, nil, "the deletion is refused"},
		{"a[HOLD,NEW]; b -> a | bg a; approve a", []string{""}, nil, "an approval lets it go on"},
		{"a[HOLD,NEW]; b -> a | bg a; dropref b->a", []string{"a~[HOLD]; b", "b"}, []string{"a~[HOLD]; b"}, "the rest decides before the verdict, and nothing after it"},
		{"a[HOLD,NEW]; b -> a | fg a; orphan a", []string{"a~[orphan,HOLD]; b -> a", "b"}, []string{"a~[orphan,HOLD]; b -> a"}, "the last propagation is judged"},
		{"a[HOLD,NEW] | bg a; recreate a", []string{"", "a'[HOLD,NEW]"}, []string{"a'[HOLD,NEW]"}, "the next root of the name is guarded anew"},
	})
	loose := bound(0)
	loose.Beside = []Config{bound(1)}
	check(loose, []endCase{
		{"a[HOLD,NEW]; b -> a | fg a", []string{"", "a~[foreground,HOLD]; b -> a"}, nil, "the first verdict binds both engines"},
	})
	without := bound(0)
	without.Beside = []Config{{}}
	check(without, []endCase{
		{"a[HOLD,NEW]; b -> a! | fg a", []string{"a~[foreground,HOLD]; b -> a!"}, nil, "an engine without the guard honours hold"},
	})
}

// TestG8 checks that a guard that refuses nothing changes no end, up to its finalizers.
func TestG8(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		plain := drawStart(t, true, true)
		for i := range plain {
			plain[i].Deleting = false
		}
		verb := rapid.SampledFrom([]Verb{Foreground, Background, Orphan}).Draw(t, "verb")
		actions := []Action{{Verb: verb, Object: graph.Object{Key: short("a")}}}
		guarded := slices.Clone(plain)
		for i, o := range guarded {
			if guarded[i] = o.Clone(); o.Name == "a" {
				guarded[i].Finalizers = append(guarded[i].Finalizers, graph.FinalizerHold, graph.FinalizerNew)
			}
		}
		want := EndsQuiet(plain, actions, Config{})
		for _, end := range EndsQuiet(guarded, actions, bound(9)) {
			if end = unguarded(t, end); !slices.Contains(want, end) {
				t.Fatalf("%q is an end with a guard that passes, and without it %q", end, want)
			}
		}
	})
}

// unguarded returns an end without the finalizers of guards.
func unguarded(t *rapid.T, end string) string {
	objects, err := graph.Parse(end)
	if err != nil {
		t.Fatal(err)
	}
	for i := range objects {
		objects[i] = without(objects[i], graph.IsGuardFinalizer)
	}
	return Line(objects)
}
