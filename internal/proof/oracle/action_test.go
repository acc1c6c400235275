package oracle

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/ownergraph/ownergraph/graph"
)

func TestParseAction(t *testing.T) {
	for _, tc := range []struct{ text, want, reason string }{
		{"fg a", "fg a", "a verb and a key"},
		{"fg a~30", "fg a~30", "a deletion has a grace period"},
		{" addref  b -> a! ", "addref b->a!", "the input may have blanks, and the printed form has none"},
		{"addref b->a!^?", "addref b->a!^?", "a reference has its flags"},
		{"repolicy b->a:restrict", "repolicy b->a:restrict", "a reference has its policy"},
		{"repolicy b->a", "repolicy b->a", "the policy unset has no text"},
		{"dropref b- -> a", "dropref b-->a", "the arrow ends a name"},
		{"create b*->a", "create b* -> a", "create takes a whole object"},
		{`bg "x; y"/z`, `bg "x; y"/z`, "a key may have quotes"},
	} {
		a, err := ParseAction(tc.text)
		if err != nil || a.String() != tc.want {
			t.Errorf("ParseAction(%q) = %q, %v; want %q: %s", tc.text, a, err, tc.want, tc.reason)
		}
	}
}

func TestParseActionsErrors(t *testing.T) {
	const verbs = "fg, bg, orphan, strip, finish, touch, addref, dropref, flip, create, recreate, grace0, approve, protect, unprotect, repolicy, restore"
	for _, tc := range []struct{ text, want, reason string }{
		{"fg a;", `parse action: verb: "" is not one of ` + verbs, "a separator stands between actions"},
		{"unset a", `parse action: verb: "unset" is not one of ` + verbs, "an action needs a verb"},
		{"fg", "parse action fg: parse object: byte 1: key: want plain text or a quoted string, found the end", "a verb needs an object"},
		{"touch a~", "parse action touch: a~: want a key alone", "only a deletion has a grace period"},
		{"fg a -> b", "parse action fg: a -> b: want a key alone", "a deletion takes no reference"},
		{"addref b", "parse action addref: b: want a key and one reference", "addref needs a reference"},
		{"addref b -> a, c", "parse action addref: b -> a, c: want a key and one reference", "addref takes one reference"},
		{"addref b* -> a", "parse action addref: b* -> a: want a key and one reference", "addref takes no other data"},
		{"repolicy b->a!:cascade", "parse action repolicy: b -> a!:cascade: want a reference without flags", "repolicy has a policy alone"},
		{"flip b->a!", "parse action flip: b -> a!: want a reference without flags", "flip has no direction"},
		{"create a~", "parse action create: a~: a new object is not marked", "a new object is unmarked"},
		{`fg "a; bg b`, `parse action fg: parse object: byte 1: key: not a Go string, or it does not end`, "a quotation has an end"},
	} {
		_, err := ParseActions(tc.text)
		if err == nil || err.Error() != tc.want+": invalid" || !errors.Is(err, graph.ErrInvalid) {
			t.Errorf("ParseActions(%q): error %v, want %s: %s", tc.text, err, tc.want, tc.reason)
		}
	}
}

func drawAction() *rapid.Generator[Action] {
	return rapid.Custom(func(t *rapid.T) Action {
		key := func(label string) graph.Key {
			name := rapid.SampledFrom([]string{"a", "b", "-", "x; y", `"`, `\`, "é", "\xff", ""}).Draw(t, label)
			return graph.Key{Kind: graph.Kind(name), Name: name, UID: graph.UID(rapid.SampledFrom([]string{name, name + "'", "8d"}).Draw(t, label+" UID"))}
		}
		a := Action{Verb: Verb(rapid.IntRange(1, len(verbNames)-1).Draw(t, "verb")), Object: graph.Object{Key: key("object")}}
		if a.Verb.takesRef() || a.Verb == Create {
			r := graph.Owner{Key: key("owner")}
			if a.Verb == AddRef {
				r.Block, r.Unresolved = rapid.Bool().Draw(t, "block"), rapid.Bool().Draw(t, "unresolved")
			}
			if a.Verb == AddRef || a.Verb == Repolicy {
				r.OnDelete = graph.OnDelete(rapid.IntRange(0, int(graph.OnDeleteCascade)).Draw(t, "policy"))
			}
			a.Object.Owners = []graph.Owner{r}
		}
		return a
	})
}

func TestActionRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := rapid.SliceOfN(drawAction(), 0, 4).Draw(t, "actions")
		var lines []string
		for _, a := range want {
			lines = append(lines, a.String())
		}
		text := strings.Join(lines, "; ")
		got, err := ParseActions(text)
		if err != nil {
			t.Fatalf("ParseActions(%q): %v", text, err)
		}
		if len(want) == 0 {
			want = nil
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("ParseActions(%q): -want +got\n%s", text, diff)
		}
	})
}

func TestApply(t *testing.T) {
	for _, tc := range []struct {
		scenario, want string
		changes        bool
		reason         string
	}{
		{"a* | fg a", "a~[foreground]*", true, "a deletion marks"},
		{"a*[orphan] | fg a", "a~[foreground]*", true, "a deletion chooses the propagation"},
		{"a~[foreground]* | orphan a", "a~*[orphan]", true, "a second deletion chooses it again"},
		{"a~[foreground]* | bg a", "a~*", true, "a background deletion removes the propagation finalizer"},
		{"a~[foreground] | bg a", "", true, "the object goes with its last finalizer"},
		{"a~[foreground]* | fg a", "a~[foreground]*", false, "the same deletion again changes nothing"},
		{"a~30 | fg a", "a~30", false, "a grace period is pending"},
		{"a[orphan] | strip a", "a", true, "strip removes a propagation finalizer"},
		{"a*[orphan,x] | finish a", "a[orphan]", true, "finish removes the other finalizers"},
		{"a~* | finish a", "", true, "the object goes with its last finalizer"},
		{"a | finish a", "a", false, "the object has no finalizer"},
		{"a | touch a", "a", true, "touch makes a new version"},
		{"a; b | addref b->a!", "a; b -> a!", true, "a new reference"},
		{"a; b -> a | addref b->a!", "a; b -> a", false, "the reference exists"},
		{"a; b -> a | addref b->a?", "a; b -> a, a?", true, "the resolution makes another reference"},
		{"a; b~* | addref b->a", "a; b~* -> a", true, "references may change while an object is being deleted"},
		{"b -> a!, a?, c | dropref b->a", "b -> c", true, "every reference with this key goes"},
		{"b -> c | dropref b->a", "b -> c", false, "no reference has this key"},
		{"b -> a, c | flip b->a", "b -> a!, c", true, "flip sets Block"},
		{"b -> a!^ | flip b->a", "b -> a^", true, "flip clears Block"},
		{"b -> a!, a?, c | repolicy b->a:release", "b -> a!:release, a?:release, c", true, "every reference with this key gets the policy"},
		{"b -> a:release | repolicy b->a", "b -> a", true, "unset is a policy too"},
		{"b -> a:release | addref b->a:cascade", "b -> a:release", false, "the reference exists"},
		{"a | create b[x] -> a!", "a; b[x] -> a!", true, "a new object"},
		{"a | create a", "a", false, "the name is taken"},
		{"a' | create a", "a'", false, "another incarnation has the name"},
		{"b -> a | create a", "a; b -> a", true, "a reference may have foreseen the UID"},
		{"a | recreate a", "a", false, "the name is taken"},
		{"b | recreate a", "a; b", true, "the first incarnation"},
		{"b -> a, a' | recreate a", "a; b -> a, a'", true, "the first unspent UID; neither UID has lived"},
		{"b -> a/s/x@1 | recreate a/s/x@1", `a/s/x@1; b -> a/s/x@1`, true, "a given UID may be foreseen, too"},
		{"a | fg a~30", "a~30[foreground]", true, "a deletion with a grace period"},
		{"a~30 | fg a~29", "a~29[foreground]", true, "a shorter period changes the propagation"},
		{"a~30 | fg a~30", "a~30", false, "the same period changes nothing"},
		{"a~* | fg a~30", "a~[foreground]*", true, "a period that has ended does not begin again"},
		{"a~30 | grace0 a", "", true, "the grace period ends"},
		{"a~30* | grace0 a", "a~*", true, "finalizers hold the object after the grace period"},
		{"a | grace0 a", "a", false, "the object is not marked"},
		{"a' | fg a", "a'", false, "an action names one incarnation"},
	} {
		start, actions := scenario(t, tc.scenario)
		s, changed := actions[0].Apply(NewState(start))
		if s.String() != tc.want || changed != tc.changes {
			t.Errorf("%s = %q, %t; want %q, %t: %s", tc.scenario, s, changed, tc.want, tc.changes, tc.reason)
		}
	}
}

// TestApplySpent checks that no action makes a spent UID again.
func TestApplySpent(t *testing.T) {
	start, actions := scenario(t, "a; b | bg a; recreate a; bg a'; addref b->a''; recreate a; create a'")
	s, changed := NewState(start), false
	for i, want := range []string{"b", "a'; b", "b", "b -> a''", "a''; b -> a''", "a''; b -> a''"} {
		if s, changed = actions[i].Apply(s); s.String() != want || changed != (i < 5) {
			t.Fatalf("after %s: %q, %t; want %q, %t", actions[i], s, changed, want, i < 5)
		}
	}
}

// TestApplyUnparsed checks that an invalid action changes nothing.
func TestApplyUnparsed(t *testing.T) {
	for _, tc := range []struct {
		action Action
		reason string
	}{
		{Action{}, "the action has no verb"},
		{Action{Verb: Restore + 1, Object: graph.Object{Key: graph.Key{Kind: "a", Name: "a", UID: "a"}}}, "the verb is unknown"},
		{Action{Verb: AddRef, Object: graph.Object{Key: graph.Key{Kind: "a", Name: "a", UID: "a"}}}, "the reference is missing"},
		{Action{Verb: Create, Object: graph.Object{GraceSeconds: 1}}, "a new object has a grace period"},
	} {
		start, _ := graph.Parse("a")
		if s, changed := tc.action.Apply(NewState(start)); changed || s.String() != "a" {
			t.Errorf("%s changes the state to %s: %s", tc.action, s, tc.reason)
		}
	}
}

func TestNames(t *testing.T) {
	for _, tc := range []struct{ got, want, reason string }{
		{ScopeUnset.String(), "unset", "the zero value has a name"},
		{ScopeAbsent.String(), "absent", "the last value has a name"},
		{NameAbsent.String(), "absent", "NameAbsent has a name"},
		{Scope(9).String(), "scope(9)", "an unknown value shows its number"},
		{VerbUnset.String(), "unset", "the zero value has a name"},
		{Verb(99).String(), "verb(99)", "an unknown value shows its number"},
	} {
		if tc.got != tc.want {
			t.Errorf("String() = %q, want %q: %s", tc.got, tc.want, tc.reason)
		}
	}
}
