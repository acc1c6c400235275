package oracle

import (
	"slices"
	"testing"

	"github.com/ownergraph/ownergraph/graph"
)

// TestPolicies has the mixtures of policies (RULES, E1), and the histories of the laws E3 and E4.
func TestPolicies(t *testing.T) {
	t.Run("steps", checkPolicySteps)
	t.Run("flaws", checkPolicyFlaws)
	t.Run("restrict", checkRestrictSteps)
	t.Run("drops", checkDropHistories)
	t.Run("restrictions", checkRestrictHistories)
	t.Run("level 3", checkStrictHistories)
}

func checkPolicySteps(t *testing.T) {
	checkRules(t, Config{Policies: true}, []ruleCase{
		{"a; b -> a:cascade", "", "", "cascade, solid: no effect"},
		{"b -> a:cascade", "-", "", "cascade, absent: b goes"},
		{"a~[foreground]*; b -> a:cascade", "a~*; b -> a:cascade | a~[foreground]* | a~[foreground]*; b~[foreground] -> a:cascade", "", "cascade, waiting: b goes"},
		{"a~[orphan]*; b -> a:cascade", "a~*[orphan]; b", "", "cascade, orphaning: the reference is dropped"},
		{"b -> a:cascade?", "", "", "cascade, unknown: no effect"},
		{"a; b -> a, c:cascade", "a", "", "an unset owner does not keep it"},
		{"a; b -> a:cascade, c", "a", "", "a solid cascade owner keeps nothing"},
		{"b -> a?, c:cascade", "-", "", "an unknown unset owner does not keep it either"},
		{"a; b -> a:release", "", "", "release, solid: no effect"},
		{"b -> a:release", "b", "", "release, absent: the reference is dropped"},
		{"a~[foreground]; b -> a!:release", "a~[foreground]; b", "", "release, waiting: the reference is dropped"},
		{"a~[foreground]; b~* -> a!:release", "a~[foreground]; b~*", "", "release, waiting: a marked object drops it too"},
		{"a~[orphan]; b -> a:release", "a~[orphan]; b", "", "release, orphaning: the reference is dropped"},
		{"b -> a:release?", "", "", "release, unknown: no effect"},
		{"a; b -> a:release, c", "a", "", "release does not keep"},
		{"b -> a:restrict", "", "", "restrict, absent: no effect"},
		{"a; b -> a:restrict, c", "a", "", "restrict does not keep"},
		{"a; b -> a, c:restrict", "", "", "a restrict reference to an absent owner is not trimmed"},
		{"b -> a:release, c:restrict", "b -> c:restrict", "", "an object without unset and cascade references is no garbage"},
	})
}

func checkPolicyFlaws(t *testing.T) {
	checkRules(t, Config{Policies: true}, []ruleCase{
		{"b -> a:cascade, a", "", "", "two policies of one UID are a flaw"},
		{"b -> a:cascade, a:cascade", "-", "", "the same reference twice is none"},
		{"b -> a:release, a/a/x@a:release", "", "", "one UID at two coordinates is a flaw with every policy"},
		{"a~[orphan]; b -> a:cascade, a", "a~[orphan]; b", "", "an orphaning frees a flawed dependent too"},
	})
	checkRules(t, Config{}, []ruleCase{
		{"b -> a:cascade", "", "", "without the setting a policy is a flaw: cascade deletes nothing"},
		{"b -> a:release", "", "", "release drops nothing"},
		{"b -> a, c:release", "", "", "and an unset reference beside it deletes nothing"},
		{"a -> x; b -> a:restrict", "", "", "restrict acts all the same"},
		{"b -> a", "-", "", "an object without a policy goes by its references"},
	})
	unknown := graph.Object{Key: short("b"), Owners: []graph.Owner{{Key: short("a"), OnDelete: graph.OnDeleteCascade + 1}, {Key: short("c")}}}
	s := NewState([]graph.Object{unknown})
	if must, may := oneStep(s, Config{Policies: true}); len(must)+len(may) > 0 {
		t.Errorf("an object with an unknown policy: must %q, may %q, want nothing: the engine does not know the meaning", must, may)
	}
}

func checkRestrictSteps(t *testing.T) {
	checkGuardRules(t, Config{Policies: true}, []ruleCase{
		{"a -> x; b -> a:restrict", "", "", "T1: a restricted object is not deleted"},
		{"a -> x; b -> a:restrict?", "", "", "C6: an unresolved reference restricts each object with its UID"},
		{"a -> a:restrict, x", "-", "", "C6: an object does not restrict itself"},
		{"a -> x; b~* -> a:restrict", "b~* -> a:restrict", "", "C6: a mark is enough to end a restriction"},
		{"a -> x; b~*[HOLD] -> a:restrict", "", "", "C6: a held mark is none"},
		{"a -> x; b~*[PROTECT] -> a:restrict", "", "", "C6: nor is the mark of a protected object"},
		{"a -> x; b -> x:cascade, a:restrict; c -> b:restrict", "", "", "C6: that b is garbage does not end the restriction"},
		{"a~[foreground]; b -> a:restrict; c -> a", "", "", "V1: a restricted mark does not wait, and is not ended"},
		{"a~[orphan]; b -> a:restrict; c -> a", "", "", "V1: nor does it orphan"},
		{"a~[foreground]*; b~[foreground]* -> a:restrict; c -> b:restrict", "a~*; b~[foreground]* -> a:restrict; c -> b:restrict", "",
			"C6: a mark that a restriction holds restricts nothing"},
		{"a~[orphan]; b~* -> a:restrict", "a~[orphan]; b~*", "", "T5: restrict references go from marked objects"},
		{"s/a@1~[orphan]; s/b -> s/x@1:restrict", "", "", "T6: a restrict reference with other coordinates holds up the end"},
		{"s/a@1~[orphan]; s/b~* -> s/x@1:restrict", "s/a@1~[orphan]; s/b~*", "", "T5: it goes from a marked object"},
		{"a -> x, y; b -> a:restrict", "", "a -> x; b -> a:restrict | a -> y; b -> a:restrict", "T4: a restricted object may hold one absent owner or both"},
		{"a~[foreground]*; c -> a!, d, x:cascade; d; e -> c:restrict", "", "a~[foreground]*; c -> d, x:cascade; d; e -> c:restrict",
			"T4: it may hold a waiting owner too, since a cascade reference ends it later"},
		{"r~[foreground]*; b -> r!:cascade, s!:cascade; c -> b!", "b~[foreground] -> r!:cascade, s!:cascade; c -> b!; r~[foreground]*", "",
			"T2: an owner waits, so the delete is foreground, though it may rest on the absent one"},
	})
	checkGuardRules(t, Config{Policies: true, Guards: []Guard{{Roots: []string{"a"}}}}, []ruleCase{
		{"a~[HOLD,NEW]; b -> a:restrict", "a~[HOLD]; b -> a:restrict", "", "V4: the verdict refuses a restricted root"},
		{"a~[HOLD,NEW]; b -> a; c -> b:restrict", "a~[HOLD]; b -> a; c -> b:restrict", "", "V4: it refuses a cascade that stops at a restricted object"},
		{"a~[HOLD,NEW]; b -> a, c:restrict; c -> b", "a~[NEW]; b -> a, c:restrict; c -> b", "", "V4: a restriction that ends inside of the cascade is no cause"},
	})
}

// checkDropHistories has the histories of E3. Each has one end.
func checkDropHistories(t *testing.T) {
	checkEnds(t, Config{Policies: true}, []endCase{
		{"r; a -> r:release; b -> r:cascade, a | fg r", []string{"a"}, nil, "a waiting cascade reference is not trimmed beside a solid owner"},
		{"r; a -> r!:release | fg r", []string{"a"}, nil, "a release reference goes at the foreground mark, so it does not hold up the end"},
		{"r; a; b -> r, a:cascade | orphan r; bg a", []string{""}, nil, "an absent cascade reference does not go along with an orphaned one"},
		{"r; a; b -> r:cascade, a | orphan r; bg a", []string{""}, nil, "an absent unset reference does not go along with an orphaned cascade one"},
		{"r; s; b -> r!:cascade, s!:cascade; c* -> b! | fg r; bg s", []string{"b~[foreground] -> r!:cascade, s!:cascade; c~* -> b!; r~[foreground]"}, nil,
			"r ends after c"},
		{"r; b -> r:cascade, a; a | orphan r", []string{"a; b -> a"}, nil, "an orphaning frees cascade references"},
		{"r; a; b -> r:cascade, a | bg r", []string{"a"}, nil, "cascade ends an object beside a solid owner"},
		{"r; b -> r:release, r2:release; r2 | bg r", []string{"b -> r2:release; r2"}, nil, "release drops the one reference"},
	})
}

// checkRestrictHistories has the histories of E4 on a store below level 3.
func checkRestrictHistories(t *testing.T) {
	checkEnds(t, Config{Policies: true}, []endCase{
		{"r; a -> r, b:restrict; b -> a! | fg r", []string{""}, nil, "a's mark ends the restriction of b, so neither waits for the other"},
		{"r; a -> r; b -> r:cascade, a:restrict; c -> b:restrict | bg r", []string{"a -> r; b -> a:restrict, r:cascade; c -> b:restrict"}, nil,
			"b is garbage, stays because of c, and restricts a"},
		{"r; a -> r; b -> r:restrict | fg r", []string{"a -> r; b -> r:restrict; r~[foreground]"}, nil, "a restricted mark is held"},
		{"r; a -> r; b -> r:restrict | fg r; dropref b->r", []string{"b"}, nil, "the mark takes effect when the restriction ends"},
		{"r; b -> r:restrict | bg r", []string{"b -> r:restrict"}, nil, "nothing stops a background deletion of an owner without finalizers"},
		{"r; b -> r:restrict | orphan r; bg b", []string{""}, nil, "the restricting object's end ends the restriction"},
		{"r; a -> r:cascade, b:restrict; b -> r:cascade, a:restrict | bg r", []string{"a -> b:restrict, r:cascade; b -> a:restrict, r:cascade"}, nil,
			"objects that restrict each other stay"},
	})
}

// checkStrictHistories has the histories of E4 on a store of level 3.
func checkStrictHistories(t *testing.T) {
	for _, tc := range []struct {
		scenario    string
		ends, quiet []string
		reason      string
	}{
		{"r; b -> r:restrict | bg r", nil, nil, "the store refuses the deletion of a restricted object"},
		{"r; b -> r:restrict | fg r", nil, nil, "with every propagation"},
		{"r; b -> r:restrict | orphan r", nil, nil, "an orphan deletion too"},
		{"r; b -> r:restrict? | bg r", nil, nil, "an unresolved reference restricts by its UID"},
		{"r; b -> r:restrict | dropref b->r; bg r", []string{"b"}, []string{"b"}, "then b restricts no longer"},
		{"r; b -> r:restrict | repolicy b->r; bg r", []string{""}, []string{""}, "nor with another policy"},
		{"r; b* -> r:restrict | bg b; bg r", []string{"b~* -> r:restrict"}, []string{"b~* -> r:restrict"}, "a mark ends the restriction"},
		{"r*; b | bg r; addref b->r:restrict", nil, nil, "a new restrict reference needs an owner without a mark"},
		{"r*; b -> r | bg r; repolicy b->r:restrict", nil, nil, "a changed policy is a new reference"},
		{"r*; b -> r | bg r; repolicy b->r:cascade", []string{"b -> r:cascade; r~*"}, []string{"b -> r:cascade; r~*"}, "a background mark takes the other policies"},
		{"r*; b* -> r | fg r; repolicy b->r:cascade", []string{"b* -> r:cascade; r~*", "b~* -> r:cascade; r~*"}, []string{"b* -> r:cascade; r~*", "b~* -> r:cascade; r~*"},
			"so do the others once r waits no longer"},
		{"r; a -> r; b | bg r; addref b->a:restrict", []string{"a -> r; b -> a:restrict"}, nil,
			"the store refuses the engine's delete that was judged before the reference"},
	} {
		start, actions := scenario(t, tc.scenario)
		cfg := Config{Policies: true, Strict: true}
		if got := Ends(start, actions, cfg); !slices.Equal(got, tc.ends) {
			t.Errorf("%s: ends %q, want %q: %s", tc.scenario, got, tc.ends, tc.reason)
		}
		if got := EndsQuiet(start, actions, cfg); !slices.Equal(got, tc.quiet) {
			t.Errorf("%s: ends when quiet %q, want %q: %s", tc.scenario, got, tc.quiet, tc.reason)
		}
	}
}
