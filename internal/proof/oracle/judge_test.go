package oracle

import (
	"slices"
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph/graph"
)

// oneStep returns the states after one step: after the steps that the collector must
// take, and after those that it may take.
func oneStep(s State, cfg Config) (must, may []string) {
	add := func(list []string, i int, outcomes []graph.Object) []string {
		for _, o := range outcomes {
			list = append(list, s.step(i, newForm(o)).String())
		}
		return list
	}
	for i := range s.objects {
		must = add(must, i, s.must(i, cfg))
		may = add(may, i, s.may(i, cfg))
	}
	return sorted(must), sorted(may)
}

func sorted(list []string) []string {
	slices.Sort(list)
	return slices.Compact(list)
}

type ruleCase struct {
	state  string
	must   string // separated by " | "; "-" is the empty store
	may    string
	reason string
}

func checkRules(t *testing.T, cfg Config, cases []ruleCase) {
	t.Helper()
	split := func(s string) (list []string) {
		for line := range strings.SplitSeq(s, " | ") {
			if line != "" {
				list = append(list, strings.TrimPrefix(line, "-"))
			}
		}
		return list
	}
	for _, tc := range cases {
		objects, err := graph.Parse(tc.state)
		if err != nil {
			t.Fatal(err)
		}
		s := NewState(objects)
		must, may := oneStep(s, cfg)
		if !slices.Equal(must, split(tc.must)) || !slices.Equal(may, split(tc.may)) {
			t.Errorf("%s\n must %q, want %q\n may  %q, want %q: %s", tc.state, must, split(tc.must), may, split(tc.may), tc.reason)
		}
		if Quiet(s, cfg) != (tc.must == "") {
			t.Errorf("Quiet(%s) = %t: %s", tc.state, tc.must != "", tc.reason)
		}
	}
}

func TestRules(t *testing.T) {
	checkRules(t, Config{}, []ruleCase{
		{"b -> a", "-", "", "T1: all owners are absent"},
		{"b* -> a", "b~* -> a", "", "T1: a deletion honours finalizers"},
		{"b~* -> a", "", "", "T1: a marked object is not deleted again"},
		{"b", "", "", "T1: an object without owners is kept"},
		{"b -> b", "", "", "T1: a reference to itself does not count"},
		{"a; b -> a", "", "", "T1: a solid owner keeps the object"},
		{"a~*; b -> a", "", "", "T1: a marked owner with another finalizer keeps the object"},
		{"b -> a, c?", "", "b -> c?", "T1: unknown holds; T4: an absent reference may go if another is left"},
		{"b -> pod/s/x", "", "", "C1: a global object cannot have an owner with a scope"},
		{"pod/s/b -> pod/x", "-", "", "C1: an object with a scope may have a global owner"},
		{"b -> a, c", "-", "b -> a | b -> c", "T4: the absent references may go in any order"},
		{"b -> a^, c^", "", "", "C4: two controllers"},
		{"b -> a, a^", "-", "", "C4: two equal references are one"},
		{`b -> x/a@1, y/a@1`, "", "", "C4: one UID at two coordinates"},
		{`b -> a@""`, "", "", "C4: a reference without UID"},
		{"a~[foreground]*; b -> a", "a~*; b -> a | a~[foreground]* | a~[foreground]*; b~[foreground] -> a", "", "T2: both propagations, since no object refers to b; T7: a need not wait for b"},
		{"a~[foreground]*; b -> a!; c -> b", "a~[foreground]*; b~[foreground] -> a!; c -> b", "", "T2: foreground, since c refers to b"},
		{"a~[foreground]*; b -> a!, b", "a~[foreground]* | a~[foreground]*; b~[foreground] -> a!, b", "", "T2: a reference to itself does not count"},
		{"b[foreground] -> a", "b~[foreground] -> a", "", "T2: the object keeps its propagation finalizer"},
		{"a; b -> a, c", "a; b -> a", "a; b -> a", "T4: absent beside solid"},
		{"a; c~[foreground]*; b -> a, c!", "a; b -> a; c~[foreground]*", "", "T4: waiting beside solid; c waits until its reference is trimmed"},
		{"a; b* -> a, c, d", "a; b* -> a, c | a; b* -> a, d", "a; b* -> a, c | a; b* -> a, d", "T4: one by one"},
		{"a~[orphan]; b -> a", "a~[orphan]; b", "", "T5: the dependent loses the reference"},
		{"s/t/a@1~[orphan]; b -> s/a@1?", "b; s/t/a@1~[orphan]", "", "T5: an unresolved reference counts by its UID"},
		{"a/x@1~[orphan]; b -> a/y@1", "a/x@1~[orphan]; b", "", "C2: a wrong name is unknown; T5 and T6: the UID counts"},
		{"a/x@1~[orphan]; b -> a/y@1, a/x@1", "a/x@1~[orphan]; b", "", "T5: both references go, though the object is flawed"},
		{"s/t/a@1~[orphan]; b/u/d -> s/u/a@1", "b/u/d; s/t/a@1~[orphan]", "", "T5: another scope"},
		{"a/x@1~[orphan]; b -> c/x@1", "a/x@1~[orphan] | a/x@1~[orphan]; b", "", "T1: another kind is absent; T5: it counts as well"},
		{"a/x@1~[orphan] -> a/y@1", "-", "", "T6: a reference to the own UID does not count"},
		{"a~[orphan]; b~* -> a, c", "a~[orphan]; b~* -> c", "a~[orphan]; b~* -> a", "T5: a marked dependent loses the reference, too; absent ones may go along"},
		{"a[orphan]; b -> a", "", "", "T5: a finalizer without a mark does nothing"},
		{"a~[orphan]*", "a~*", "", "T6: no object refers to the owner"},
		{"a~[orphan] -> a", "-", "", "T6: a reference to itself does not count"},
		{"a~[foreground]; b~* -> a", "b~* -> a", "", "T7: the dependent does not block"},
		{"a~[foreground]; b~* -> a!", "", "", "T7: the dependent blocks"},
		{"b~* -> s/a@1!?; s/t/a@1~[foreground]", "", "", "T7: an unresolved reference blocks by its UID"},
		{"s/t/a@1~[foreground] -> s/a@1!?", "-", "", "T7: an unresolved reference to itself does not count"},
		{"a~[foreground,orphan]", "a~[foreground]", "", "T6: an owner with both finalizers orphans, which keeps objects"},
		{"a~[foreground]* -> b!; b~[foreground]* -> a!", "a~[foreground]* -> b!; b~[foreground]* -> a | a~[foreground]* -> b; b~[foreground]* -> a!", "", "T8: a member unblocks its references inside the ring"},
		{"a~[foreground]* -> b; b~[foreground]* -> a!", "a~[foreground]* -> b; b~* -> a!", "", "T8: both references have to block"},
		{"a~[foreground]* -> b!; b~* -> a!", "", "", "T8: every member has to wait"},
		{"a~[foreground]* -> b!; b~[foreground]* -> c!; c~* -> a!", "", "", "T8: every member of a longer ring has to wait, too"},
		{"a~[foreground]* -> b!; b~[foreground]* -> c!; c~[foreground]* -> a!; d~[foreground]* -> a!",
			"a~[foreground]* -> b!; b~[foreground]* -> c!; c~[foreground]* -> a!; d~* -> a! | " +
				"a~[foreground]* -> b!; b~[foreground]* -> c!; c~[foreground]* -> a; d~[foreground]* -> a! | " +
				"a~[foreground]* -> b!; b~[foreground]* -> c; c~[foreground]* -> a!; d~[foreground]* -> a! | " +
				"a~[foreground]* -> b; b~[foreground]* -> c!; c~[foreground]* -> a!; d~[foreground]* -> a!", "", "T8: d is no member"},
	})
}

// TestRulesLate checks J1: a judged step stays until its object has a new version.
func TestRulesLate(t *testing.T) {
	objects, err := graph.Parse("a~[foreground]*; b -> a")
	if err != nil {
		t.Fatal(err)
	}
	before, _ := NewState(objects).observe(Config{})
	for _, tc := range []struct{ action, a, b, reason string }{
		{"strip a", "", "b~ -> a | b~[foreground] -> a", "b is deleted because its owner waited at one instant"},
		{"touch a", "", "b~ -> a | b~[foreground] -> a", "a new version of the owner is none of b's"},
		{"touch b", "a~*", "", "b has a new version"},
		{"addref b->c", "a~*", "", "b has other content"},
		{"fg a", "a~*", "b~ -> a | b~[foreground] -> a", "a write without a change makes no version"},
		{"bg c", "a~*", "b~ -> a | b~[foreground] -> a", "a refused action makes no version"},
	} {
		action, err := ParseAction(tc.action)
		if err != nil {
			t.Fatal(err)
		}
		after, _ := action.Apply(before)
		for i, want := range []string{tc.a, tc.b} {
			var got []string
			for _, f := range after.objects[i].judged {
				got = append(got, f.text)
			}
			if strings.Join(got, " | ") != want {
				t.Errorf("after %s, %s may become %q, want %q: %s", tc.action, after.objects[i], got, want, tc.reason)
			}
		}
	}
}

func TestRulesMemory(t *testing.T) {
	start, actions := scenario(t, "a; b; c | orphan a; addref b->a")
	s := NewState(start)
	s, _ = actions[0].Apply(s)
	s = s.step(0, newForm(s.must(0, Config{})[0]))
	s, _ = actions[1].Apply(s)
	if must, _ := oneStep(s, Config{}); !slices.Equal(must, []string{"b; c", "c"}) {
		t.Errorf("after an orphaning: %q, want b freed or deleted (T3)", must)
	}
	if must, _ := oneStep(NewState(s.Objects()), Config{}); !slices.Equal(must, []string{"c"}) {
		t.Errorf("without memory: %q, want b deleted", must)
	}
}

// TestRulesElsewhere: a setting reads other coordinates as absent. Then no orphaning counts
// them, and no memory does.
func TestRulesElsewhere(t *testing.T) {
	scope, name := Config{Scope: ScopeAbsent}, Config{OwnerName: NameAbsent}
	both := Config{Scope: ScopeAbsent, OwnerName: NameAbsent}
	checkRules(t, scope, []ruleCase{
		{"p/s/a@1~[orphan]*; p/s/b -> p/s/x@1", "p/s/a@1~*[orphan]; p/s/b", "", "another name is unknown"},
		{"p/s/a@1~[orphan]*; p/t/b -> p/t/a@1", "p/s/a@1~*; p/t/b -> p/t/a@1 | p/s/a@1~*[orphan]", "", "another scope is absent"},
		{"p/s/a@1~[orphan]*; p/s/b -> q/s/a@1", "p/s/a@1~*[orphan] | p/s/a@1~*[orphan]; p/s/b", "", "no setting is about another kind alone"},
	})
	checkRules(t, name, []ruleCase{
		{"p/s/a@1~[orphan]*; p/s/b -> p/s/x@1", "p/s/a@1~*; p/s/b -> p/s/x@1 | p/s/a@1~*[orphan]", "", "another name is absent"},
		{"p/s/a@1~[orphan]*; p/t/b -> p/t/a@1", "p/s/a@1~*[orphan]; p/t/b", "", "another scope is unknown"},
	})
	checkRules(t, both, []ruleCase{
		{"p/s/a@1~[orphan]*; p/s/b -> q/s/a@1", "p/s/a@1~*; p/s/b -> q/s/a@1 | p/s/a@1~*[orphan]", "", "wrong coordinates are absent, as in Kubernetes"},
		{"p/s/a@1~[orphan]*; p/s/b -> p/s/a@1", "p/s/a@1~*[orphan]; p/s/b", "", "right coordinates count"},
	})
	start, actions := scenario(t, "a@a; c | orphan a; addref c->a/x@a")
	for _, c := range []struct {
		cfg  Config
		want []string
	}{{Config{}, []string{"", "c"}}, {both, []string{""}}} {
		s, _ := actions[0].Apply(NewState(start))
		s = s.step(0, newForm(s.must(0, Config{})[0]))
		s, _ = actions[1].Apply(s)
		if must, _ := oneStep(s, c.cfg); !slices.Equal(must, c.want) {
			t.Errorf("under %+v: %q, want %q (T3)", c.cfg, must, c.want)
		}
	}
}

func TestRulesOverride(t *testing.T) {
	checkRules(t, Config{Override: true}, []ruleCase{
		{"b[orphan]* -> a", "b~* -> a", "", "the proposal: the setting always overrides"},
		{"b[foreground] -> a", "-", "", "the setting overrides foreground, too"},
		{"a~[foreground]*; b[orphan] -> a!; c -> b", "a~[foreground]*; b~[foreground] -> a!; c -> b", "", "a waiting owner makes the deletion foreground"},
	})
}

func TestRulesRestarts(t *testing.T) {
	checkRules(t, Config{Restarts: true}, []ruleCase{
		{"a; b -> a, c", "", "a; b -> a", "an absent reference may stay beside a solid owner"},
		{"b -> a, c", "-", "b -> a | b -> c", "an absent reference alone holds nothing"},
		{"a; c~[foreground]*; b -> a, c!", "a; b -> a; c~[foreground]*", "", "a waiting owner is observed"},
	})
}

func TestRulesOwnerName(t *testing.T) {
	cases := func(name, both string) []ruleCase {
		return []ruleCase{
			{"b -> a/x@a; a", name, "", "the UID lives under another name"},
			{"b -> a/x@a; c/x@a", "c/x@a", "", "the UID lives under another kind, which does not count"},
			{"b -> a/x@a", "-", "", "no object has the UID"},
			{"pod/s/b -> pod/s/x@1; pod/t/a@1", both, "", "the UID lives under another name and in another scope"},
		}
	}
	for _, name := range []OwnerName{NameUnset, NameHold} {
		checkRules(t, Config{OwnerName: name}, cases("", ""))
		checkRules(t, Config{OwnerName: name, Scope: ScopeAbsent}, cases("", "pod/t/a@1"))
	}
	checkRules(t, Config{OwnerName: NameAbsent}, cases("a", "pod/t/a@1"))
}

func TestRulesScope(t *testing.T) {
	cases := func(other, misplaced, may string) []ruleCase {
		return []ruleCase{
			{"pod/s/b -> pod/t/a", other, "", "an owner in another scope, which does not live"},
			{"pod/s/b -> pod/t/a; pod/t/a", strings.Replace(misplaced, "AT", "pod/t/a", 1), "", "an owner in another scope, which lives"},
			{"pod/s/b -> pod/s/a@1; pod/t/a@1", strings.Replace(misplaced, "AT", "pod/t/a@1", 1), "", "a UID that lives in another scope"},
			{"pod/s/b -> pod/s/a", "-", "", "an owner in the same scope"},
			{"pod/b -> pod/s/a", "", "", "a global object with an owner in a scope"},
			{"pod/s/b -> c, pod/t/a; c", may, "", "an owner in another scope beside a solid owner"},
		}
	}
	for _, unset := range []Scope{ScopeUnset, ScopeHold} {
		checkRules(t, Config{Scope: unset}, cases("", "", ""))
	}
	list := cases("-", "AT", "")
	list[len(list)-1].must, list[len(list)-1].may = "c; pod/s/b -> c", "c; pod/s/b -> c"
	checkRules(t, Config{Scope: ScopeAbsent}, list)
}
