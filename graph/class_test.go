package graph_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/inside"
)

// TestScopeRules: each rule gives a reference across scopes its class.
func TestScopeRules(t *testing.T) {
	const kinds = "kinds node pod+ rs+; list node; end node; prune node; list rs; end rs; prune rs; "
	for _, tc := range []struct{ name, history, hold, absent, reason string }{
		{"same scope", "put rs/s/r; put pod/s/p -> rs/s/r", "pod/s/p -> rs/s/r {solid}; rs/s/r <1/0>", "",
			"nothing crosses a scope"},
		{"global owner", "put node/n; put pod/s/p -> node/n", "node/n <1/0>; pod/s/p -> node/n {solid}", "",
			"every scope may refer to a global object"},
		{"both global", "put node/n; put node/m -> node/n", "node/m -> node/n {solid}; node/n <1/0>", "",
			"no scope at all"},
		{"global dependent", "put rs/s/r; put node/n -> rs/s/r", "node/n -> rs/s/r {scoped}; rs/s/r <1/0>", "",
			"unknown under either rule, as in Kubernetes"},
		{"global dependent, owner gone", "put node/n -> rs/s/r; gone rs/s/r", "node/n -> rs/s/r {scoped}; absent rs/s/r <1/0>", "",
			"still it is not deleted"},
		{"foreign scope named", "put rs/t/r; put pod/s/p -> rs/t/r",
			"pod/s/p -> rs/t/r {foreign}; rs/t/r <1/0>",
			"pod/s/p -> rs/t/r {unobserved}; phantom rs/s/r@\"rs/t/r\" <1/0>; rs/t/r",
			"Kubernetes looks in the dependent's own scope, which has no such object"},
		{"foreign scope named, owner gone", "put pod/s/p -> rs/t/r; gone rs/t/r",
			"pod/s/p -> rs/t/r {foreign}; absent rs/t/r <1/0>",
			"pod/s/p -> rs/t/r {unobserved}; phantom rs/s/r@\"rs/t/r\" <1/0>",
			"the end of another object decides nothing"},
		{"owner elsewhere", "put rs/t/r@u; put pod/s/p -> rs/s/r@u",
			"pod/s/p -> rs/s/r@u {misplaced}; phantom rs/s/r@u <1/0>; rs/t/r@u",
			"pod/s/p -> rs/s/r@u {unobserved}; phantom rs/s/r@u <1/0>; rs/t/r@u",
			"the store resolved the reference to its own scope, and the UID lives in another"},
		{"owner elsewhere, gone there", "put rs/t/r@u; put pod/s/p -> rs/s/r@u; gone rs/t/r@u",
			"pod/s/p -> rs/s/r@u {unobserved}; phantom rs/s/r@u <1/0>", "",
			"an absence there proves nothing here, and misplaces no reference"},
		{"owner elsewhere, gone here", "put rs/t/r@u; put pod/s/p -> rs/s/r@u; gone rs/s/r@u",
			"pod/s/p -> rs/s/r@u {misplaced}; absent rs/s/r@u <1/0>; rs/t/r@u",
			"pod/s/p -> rs/s/r@u {dangling}; absent rs/s/r@u <1/0>; rs/t/r@u",
			"an observed end is proof, but whether it was observed before the reference must not matter"},
		{"scoped owner named as global", "put rs/t/r@u; put pod/s/p -> rs/r@u",
			"pod/s/p -> rs/r@u {misplaced}; phantom rs/r@u <1/0>; rs/t/r@u",
			"pod/s/p -> rs/r@u {unobserved}; phantom rs/r@u <1/0>; rs/t/r@u",
			"the store took a scoped owner for a global one"},
		{"global owner named in a scope", "put node/n@u; put pod/s/p -> node/s/n@u",
			"node/n@u; phantom node/s/n@u <1/0>; pod/s/p -> node/s/n@u {misplaced}",
			"node/n@u; phantom node/s/n@u <1/0>; pod/s/p -> node/s/n@u {unobserved}",
			"the store took a global owner for a scoped one"},
		{"UID of another kind", "put node/n@u; put pod/s/p -> rs/s/r@u", "node/n@u; pod/s/p -> rs/s/r@u {unobserved}; phantom rs/s/r@u <1/0>", "",
			"wrong in more than the scope: a read tells that there is no such object"},
		{"misplaced among duplicates", "put rs/t/r@u; put node/n@u; put rs/z/q@u; put pod/s/p -> rs/s/r@u",
			"node/n@u; pod/s/p -> rs/s/r@u {misplaced}; phantom rs/s/r@u <1/0>; rs/t/r@u; rs/z/q@u",
			"node/n@u; pod/s/p -> rs/s/r@u {unobserved}; phantom rs/s/r@u <1/0>; rs/t/r@u; rs/z/q@u",
			"each of several live objects with the UID counts, in every order"},
	} {
		for _, rule := range []graph.ScopeRule{graph.ScopeHold, graph.ScopeAbsent} {
			want := tc.hold
			if rule == graph.ScopeAbsent && tc.absent != "" {
				want = tc.absent
			}
			t.Run(fmt.Sprintf("%s/%s", tc.name, rule), func(t *testing.T) {
				if got := play(t, graph.Config{Scope: rule}, kinds+tc.history).String(); got != want {
					t.Errorf("graph: %q\nwant   %q: %s", got, want, tc.reason)
				}
			})
		}
	}
}

// TestNameRules: each pair of rules gives a class to a reference with the right UID and
// another name.
func TestNameRules(t *testing.T) {
	const kinds = "kinds node pod+ rs+; list node; end node; prune node; list rs; end rs; prune rs; "
	both := []graph.Config{{}, {OwnerName: graph.NameHold}}
	names := []graph.Config{{Scope: graph.ScopeAbsent}, {Scope: graph.ScopeAbsent, OwnerName: graph.NameHold}}
	scopes := []graph.Config{{OwnerName: graph.NameAbsent}}
	neither := []graph.Config{{Scope: graph.ScopeAbsent, OwnerName: graph.NameAbsent}}
	all := slices.Concat(both, names, scopes, neither)
	for _, tc := range []struct {
		name, history string
		held          []graph.Config // the settings that hold the dependent, with Renamed
		want          string         // CLASS stands for the class of the reference
		other         string         // CLASS under the other rules
		reason        string
	}{
		{"same scope", "put rs/s/q@u; put pod/s/p -> rs/s/r@u", slices.Concat(both, names),
			"pod/s/p -> rs/s/r@u {CLASS}; rs/s/q@u; phantom rs/s/r@u <1/0>", "unobserved", "the UID lives under another name"},
		{"owner after the dependent", "put pod/s/p -> rs/s/r@u; put rs/s/q@u", slices.Concat(both, names),
			"pod/s/p -> rs/s/r@u {CLASS}; rs/s/q@u; phantom rs/s/r@u <1/0>", "unobserved", "the order of the events must not matter"},
		{"global", "put node/q@u; put pod/s/p -> node/r@u", slices.Concat(both, names),
			"node/q@u; phantom node/r@u <1/0>; pod/s/p -> node/r@u {CLASS}", "unobserved", "global owners are looked for by name, too"},
		{"other scope", "put rs/t/q@u; put pod/s/p -> rs/s/r@u", both,
			"pod/s/p -> rs/s/r@u {CLASS}; phantom rs/s/r@u <1/0>; rs/t/q@u", "unobserved", "wrong in both: only two rules that hold both hold it"},
		{"other kind", "put node/q@u; put pod/s/p -> rs/s/r@u", nil,
			"node/q@u; pod/s/p -> rs/s/r@u {CLASS}; phantom rs/s/r@u <1/0>", "unobserved", "wrong in more than the name"},
		{"gone there", "put rs/s/q@u; put pod/s/p -> rs/s/r@u; gone rs/s/q@u", nil,
			"pod/s/p -> rs/s/r@u {CLASS}; phantom rs/s/r@u <1/0>", "unobserved", "by then nothing lives under the UID"},
		{"gone here", "put rs/s/q@u; put pod/s/p -> rs/s/r@u; gone rs/s/r@u", slices.Concat(both, names),
			"pod/s/p -> rs/s/r@u {CLASS}; rs/s/q@u; absent rs/s/r@u <1/0>", "dangling", "whether an end was observed before the reference must not matter"},
		{"beside the true name", "put rs/s/q@u; put pod/s/p -> rs/s/r@u; put pod/s/o -> rs/s/q@u", slices.Concat(both, names),
			"pod/s/o -> rs/s/q@u {solid}; pod/s/p -> rs/s/r@u {CLASS}; rs/s/q@u <1/0>; phantom rs/s/r@u <1/0>", "unobserved", "a wrong name harms no right one"},
	} {
		for _, cfg := range all {
			class := tc.other
			if slices.ContainsFunc(tc.held, func(c graph.Config) bool { return c.Scope == cfg.Scope && c.OwnerName == cfg.OwnerName }) {
				class = "renamed"
			}
			t.Run(fmt.Sprintf("%s/scope %s/name %s", tc.name, cfg.Scope, cfg.OwnerName), func(t *testing.T) {
				want := strings.Replace(tc.want, "CLASS", class, 1)
				if got := play(t, cfg, kinds+tc.history).String(); got != want {
					t.Errorf("graph: %q\nwant   %q: %s", got, want, tc.reason)
				}
			})
		}
	}
}

// TestReferences: each reference has the named class and counts for the named nodes.
func TestReferences(t *testing.T) {
	for _, tc := range []struct{ name, history, after, reason string }{
		{"waiting", "put a~[foreground]; put b -> a!", "a~[foreground] <1/1>; b -> a! {waiting}", "the owner waits for its dependents"},
		{"mark alone", "put a~*; put b -> a!", "a~* <1/1>; b -> a! {solid}", "deleted in the background and held by a finalizer: it exists"},
		{"orphaning", "put a~[orphan]; put b -> a!", "a~[orphan] <1/1>; b -> a! {solid}", "an owner that orphans does not wait"},
		{"both finalizers", "put a~[foreground,orphan]; put b -> a", "a~[foreground,orphan] <1/0>; b -> a {solid}", "orphan wins: it keeps objects"},
		{"other incarnation", "put a'; put b -> a", "phantom a <1/0>; a'; b -> a {unlisted}", "the name alone is not the owner"},
		{"same UID, other name", "put a@u; put b -> a/x@u", "a@u; phantom a/x@u <1/0>; b -> a/x@u {renamed}", "the UID alone is not the owner: it holds, and a@u has no dependent"},

		{"claim before the owner", `put b -> x@u!?; put a@u~[foreground]`, `phantom ""@u <1/1>; a@u~[foreground] <1/1>; b -> x@u!? {unresolved}`,
			"every object with the UID waits for an unresolved reference"},
		{"claim after the owner", `put a@u; put b -> x@u?`, `phantom ""@u <1/0>; a@u <1/0>; b -> x@u? {unresolved}`, "in either order"},
		{"claim and reference", `put a; put b -> a!; put c -> x@a!?`, `phantom ""@a <1/1>; a <2/2>; b -> a! {solid}; c -> x@a!? {unresolved}`, "both count"},
		{"claim on a gone object", `put a; put b -> a?; gone a`, `phantom ""@a <1/0>; b -> a? {unresolved}`, "unknown, though an end was observed"},
		{"claim on duplicates", `put a@u; put c@u; put b -> x@u!?`, `phantom ""@u <1/1>; a@u <1/1>; b -> x@u!? {unresolved}; c@u <1/1>`, "the claim may mean either, so it holds both"},
		{"claim dropped", `put a; put b -> a!?; put b#2`, "a; b#2", "nothing of it stays"},
		{"claims on one UID", `put a; put b -> x@a!?; put c -> y@a?`, `phantom ""@a <2/1>; a <2/1>; b -> x@a!? {unresolved}; c -> y@a? {unresolved}`, "its text is not looked at"},

		{"self", "put a~[foreground] -> a!", "a~[foreground] -> a! {self}", "it would wait for itself"},
		{"self by claim", "put a -> x@a!?", `phantom ""@a; a -> x@a!? {self}`, "nor through its UID alone"},
		{"self by claim, and others", "put a -> a!?; put b -> a!?", `phantom ""@a <1/1>; a -> a!? {self} <1/1>; b -> a!? {unresolved}`, "another's claim counts"},
		{"self beside another", "put a -> a!, b", "a -> a!, b {self, unlisted}; phantom b <1/0>", "the other reference is one as ever"},
		{"former self", "put a' -> a!", "phantom a <1/1>; a' -> a! {unlisted}", "another incarnation is another object"},
		{"self in name only", "put a -> a@u!", "a -> a@u! {unlisted}; phantom a@u <1/1>", "the UID says that it is another"},

		{"twice", "put b -> a!, a!", "phantom a <2/2>; b -> a!, a! {unlisted, unlisted}", "each reference counts"},
		{"twice, one blocks", "put b -> a!, a", "phantom a <2/1>; b -> a!, a {unlisted, unlisted}", "each as it says"},
		{"one of two dropped", "put b -> a!, a; put b#2 -> a", "phantom a <1/0>; b#2 -> a {unlisted}", "the other stays"},
		{"two places of one UID", "put b -> a@u!, c@u", "phantom a@u <1/1>; b -> a@u!, c@u {unlisted, unlisted}; phantom c@u <1/0>", "two claims, of which neither touches the other"},

		{"no UID", `put b -> a@"", c`, `b -> a@"", c {unresolved, unlisted}; phantom c <1/0>`, "it leads nowhere and holds its object"},
		{"no kind", `put b -> ""/x@u!`, `phantom ""/x@u <1/1>; b -> ""/x@u! {unserved}`, "a kind without a name is not served"},
		{"nothing but a UID", `put a; put b -> ""/""@a!`, `phantom ""@a <1/1>; a <1/1>; b -> ""@a! {unserved}`, "as good as unresolved: it holds every object with the UID"},
		{"nothing but its own UID", `put a -> ""/""@a!`, `phantom ""@a; a -> ""@a! {self}`, "and never itself"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := play(t, graph.Config{}, "kinds a b c; "+tc.history).String(); got != tc.after {
				t.Errorf("graph: %q\nwant   %q: %s", got, tc.after, tc.reason)
			}
		})
	}
}

// TestClaimsAreHeard: the Delta lists each owner whose UID a claim names.
func TestClaimsAreHeard(t *testing.T) {
	for _, tc := range []struct{ before, event, delta, reason string }{
		{"put a@u~[foreground]", "put b -> x@u!?", `created, observed, version, class, owner a@u, added ""@u`, "a claim holds it from now on"},
		{"put a@u~[foreground]; put b -> x@u!?", "put b#2 -> x@u?", "version, owner a@u, owner a@u", "a claim no longer blocks"},
		{"put a@u~[foreground]; put b -> x@u!?", "gone b", `version, class, gone, owner a@u, freed ""@u, freed b (absent)`, "a claim is gone"},
		{"put a@u~[foreground]; put c@u~*; put b -> x@u!?", "gone b", `version, class, gone, owner c@u, owner a@u, freed ""@u, freed b (absent)`, "both duplicates are listed"},
		{"put a@u; put b -> x@u!?", "gone b", `version, class, gone, freed ""@u, freed b (absent)`, "one that is not being deleted is not"},
		{"put a~[foreground] -> x@a!?", "gone a", `version, class, mark, gone, freed ""@a, freed a (absent)`, "none is told of its own claim"},
		{`put a@u~[foreground]; put b -> ""/x@u!`, "gone b", `version, class, gone, freed ""/x@u, freed b (absent)`, "a reference with a name but no kind is no claim"},
	} {
		w := play(t, graph.Config{}, "kinds a b c; "+tc.before)
		keys := w.keys()
		if got := w.changes(w.do(t, event(t, tc.event)), keys); got != tc.delta {
			t.Errorf("%s; %s: %q, want %q: %s", tc.before, tc.event, got, tc.delta, tc.reason)
		}
	}
}

// TestFlawed: no decision may rest on the named objects.
func TestFlawed(t *testing.T) {
	for _, tc := range []struct{ object, want, reason string }{
		{"b -> a, c^", "", "sound"},
		{"b -> b", "", "a self-reference never counts, so it does no harm"},
		{"b -> a^, a^!", "", "one reference twice counts once"},
		{`b -> a@""`, "validate b: owners[0]: kind, name or uid is empty: invalid", "it could mean any incarnation"},
		{`b -> a, a/""`, "validate b: owners[1]: kind, name or uid is empty: invalid", "it could mean any object"},
		{`b -> ""/a`, "validate b: owners[0]: kind, name or uid is empty: invalid", "it could mean any kind"},
		{"b -> a@u, c@u", "validate b: owners[1].uid: stands at two coordinates: invalid", "at most one of them is true"},
		{"b -> a@u, a@u?", "validate b: owners[1].uid: stands at two coordinates: invalid", "resolved and not"},
		{"b -> a^, c^", "validate b: owners: 2 controllers: invalid", "one manages an object"},
		{"b -> a, c, x1, x2, x3, x4, x5, x6, x7, a", "", "many references, one of them twice"},
		{"b -> a, c, x1, x2, x3, x4, x5, x6, x7, c@a", "validate b: owners[9].uid: stands at two coordinates: invalid", "many references, one of them bad"},
		{"b -> a^, c, x1, x2, x3, x4, x5, x6, x7, a^", "", "many references, one controller"},
		{"b -> a^, c, x1, x2, x3, x4, x5, x6, x7, y^", "validate b: owners: 2 controllers: invalid", "many references, two controllers"},
		{"b -> a, c, x1, x2, x3, x4, x5, x6, x7, x8, x9", "validate b: owners: 11, more than 10: invalid", "more than the limit"},
	} {
		w := play(t, graph.Config{Limits: graph.Limits{Owners: 10}}, "kinds a b c; put "+tc.object)
		n, _ := w.Lookup(stored(t, "b").Key)
		got := ""
		if err := n.Flaw(); err != nil {
			got = err.Error()
		}
		if got != tc.want || n.Inside(inside.Key{}).Flawed() != (tc.want != "") {
			t.Errorf("put %s: flawed %t: %q, want %q: %s", tc.object, n.Inside(inside.Key{}).Flawed(), got, tc.want, tc.reason)
		}
		w.do(t, event(t, "put b#2"))
		if n.Inside(inside.Key{}).Flawed() {
			t.Errorf("put %s: still flawed when it is sound", tc.object)
		}
		w.do(t, event(t, "put "+tc.object+", b"))
		w.do(t, event(t, "put a -> b"))
		w.do(t, event(t, "gone b"))
		if n, ok := w.Lookup(stored(t, "b").Key); !ok || n.Inside(inside.Key{}).Flawed() || n.Flaw() != nil {
			t.Errorf("put %s: an absent node is flawed", tc.object)
		}
	}
}

// TestNodeUnreadable: an observed object is unreadable while a finalizer names the cause.
func TestNodeUnreadable(t *testing.T) {
	w := play(t, graph.Config{}, "kinds a b; put b -> a@u, a@v")
	n, _ := w.Lookup(stored(t, "b").Key)
	if n.Inside(inside.Key{}).Unreadable() {
		t.Error("the object has another flaw, and the store could read it")
	}
	o := stored(t, "b#2[x.io/y]")
	o.Finalizers = append(o.Finalizers, graph.UnreadableBecause("no JSON"))
	if w.do(t, graph.Event{Type: graph.Put, Object: o}); !n.Inside(inside.Key{}).Unreadable() || !o.Unreadable() {
		t.Error("its second finalizer names the cause, and it counts as readable")
	}
	if w.do(t, event(t, "put b#3[x.io/y]")); n.Inside(inside.Key{}).Unreadable() {
		t.Error("it can be read again, and counts as unreadable")
	}
}

// TestGraphNames: every value of an enumeration has a name, and an unknown value prints
// its number.
func TestGraphNames(t *testing.T) {
	for _, tc := range []struct {
		name  func(i int) string
		names string
	}{
		{func(i int) string { return graph.State(i).String() }, "unset phantom observed absent state(4)"},
		{func(i int) string { return graph.Class(i).String() }, "unset solid dangling waiting unknown class(5)"},
	} {
		var got []string
		for i := range len(strings.Fields(tc.names)) {
			got = append(got, tc.name(i))
		}
		if strings.Join(got, " ") != tc.names {
			t.Errorf("%v, want %s", got, tc.names)
		}
	}
}
