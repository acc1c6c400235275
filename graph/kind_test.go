package graph_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/inside"
)

// TestKinds: a change of the set of kinds gives references the named classes.
func TestKinds(t *testing.T) {
	const fresh = "kinds a b; list a; end a; prune a; list b; put b -> a; end b; prune b; "
	for _, tc := range []struct{ name, history, after, reason string }{
		{"never served", "kinds b; put b -> a", "phantom a <1/0>; b -> a {unserved}", "nothing can be proven of an owner of no kind"},
		{"vanished with phantom", fresh + "vanish a", "phantom a <1/0>; b -> a {unserved}", "a kind that vanished proves nothing of its objects"},
		{"vanished with object", fresh + "put a; vanish a", "a <1/0>; b -> a {unserved}", "the object stays in its last observed state, and its owner is unknown"},
		{"vanished with absence", fresh + "gone a; vanish a", "absent a <1/0>; b -> a {dangling}", "absence is stable: a UID never returns"},
		{"left out of the set", fresh + "put a; kinds b", "a <1/0>; b -> a {unserved}", "the set is complete: a kind that it leaves out has vanished"},
		{"returned", fresh + "vanish a; kinds a b", "phantom a <1/0>; b -> a {unlisted}", "it has to be listed anew"},
		{"returned and listed", fresh + "put a; vanish a; kinds a b; list a; end a; prune a", "absent a <1/0>; b -> a {dangling}", "the new listing does not have it"},
		{"returned during a listing", fresh + "list a; vanish a; kinds a b; list a; put a; end a; prune a", "a <1/0>; b -> a {solid}", "the former listing is forgotten"},
		{"still in the set", fresh + "kinds a b c", "phantom a <1/0>; b -> a {unobserved}", "a set that grows unlists nothing"},
		{"appeared later", "kinds b; put b -> a; kinds a b; put a", "a <1/0>; b -> a {solid}", "a reference may come before its owner's kind"},
		{"dependents' kind vanished", "kinds a b; put a~[foreground]; put b -> a!; vanish b", "a~[foreground] <1/1>; b -> a! {waiting}",
			"what cannot be watched blocks all the same"},
		{"banned", "kinds a- b; list a; put b -> a; end a; prune a", "phantom a <1/0>; b -> a {banned}", "objects of the kind may not own"},
		{"banned and observed", "kinds a- b; put a; put b -> a", "a <1/0>; b -> a {banned}", "that it exists makes it no owner"},
		{"banned and gone", "kinds a- b; put a; put b -> a; gone a", "absent a <1/0>; b -> a {banned}",
			"an event's end must not take what names it as owner with it"},
		{"banned and vanished", "kinds a- b; put a; put b -> a; gone a; vanish a", "absent a <1/0>; b -> a {unserved}", "still it is no owner"},
		{"no longer banned", "kinds a- b; put b -> a; gone a; kinds a b", "absent a <1/0>; b -> a {dangling}", "now it may own, and it is known to be gone"},
		{"ignored", "kinds ign b; list ign; put ign; end ign; prune ign; put b -> ign", `phantom ""@ign <1/0>; b -> ign {ignored}`, "what takes no part is not kept, and counts by its UID"},
		{"ignored and not served", "kinds b; put ign -> b; put b -> ign; put ign -> b; gone ign; vanish ign; bogus ign", `phantom ""@ign <1/0>; b -> ign {ignored}`,
			"whether its events are looked at does not depend on who refers to it"},
		{"unresolved kind", "kinds b; put b -> a?", `phantom ""@a <1/0>; b -> a? {unresolved}`, "a claim has no kind"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			cfg := graph.Config{Ignore: []graph.Kind{"ign"}}
			if got := play(t, cfg, tc.history).String(); got != tc.after {
				t.Errorf("graph: %q\nwant   %q: %s", got, tc.after, tc.reason)
			}
		})
	}
}

// TestKindStates: Kind and Kinds return the named states.
func TestKindStates(t *testing.T) {
	for _, tc := range []struct{ history, want, reason string }{
		{"", "", "nothing is known"},
		{"kinds b a+ c-", "a known scoped, b known, c known banned", "sorted by name"},
		{"kinds a; list a", "a known listing", "a listing is under way"},
		{"kinds a; list a; end a", "a known listing", "its pruning is part of it"},
		{"kinds a; list a; end a; prune a", "a known listed", "it is complete"},
		{"kinds a; list a; end a; prune a; list a", "a known listing listed", "the next one is under way"},
		{"kinds a; list a; end a; prune a; rewind", "a known", "after a rewind nothing is listed"},
		{"kinds a; sick a", "a known sick", "it cannot be watched"},
		{"kinds a; sick a; recover a", "a known", "it can again"},
		{"kinds a; sick a; vanish a", "", "a kind that vanished and has no node is forgotten"},
		{"kinds a+ b; put b -> a/s/x; vanish a", "a scoped, b known", "one that a node needs is kept"},
		{"kinds b; put b -> x; put b#2", "b known", "an invented name goes with its last reference"},
		{"kinds b; put b -> x", "b known, x", "until then it is there"},
		{"kinds b ign", "b known, ign known ignored", "a kind may be served and take no part"},
		{"kinds b; put b -> ign", "b known", "one that is named alone stands for nothing but a UID"},
	} {
		w := play(t, graph.Config{Ignore: []graph.Kind{"ign"}}, tc.history)
		var all []string
		for _, k := range w.Kinds() {
			all = append(all, kindState(k))
			if one, ok := w.Kind(k.Kind); !ok || one != k {
				t.Errorf("%s: Kind(%s) = %v, %t; Kinds has %v", tc.history, k.Kind, one, ok, k)
			}
		}
		if got := strings.Join(all, ", "); got != tc.want {
			t.Errorf("%s: kinds %q, want %q: %s", tc.history, got, tc.want, tc.reason)
		}
	}
	if k, ok := graph.New(graph.Config{}).Kind("x"); ok || k != (graph.KindState{}) {
		t.Errorf("Kind of an unknown kind = %v, %t", k, ok)
	}
}

func kindState(k graph.KindState) string {
	s := string(k.Kind)
	for _, f := range []struct {
		name string
		set  bool
	}{
		{"known", k.Known}, {"ignored", k.Ignored}, {"scoped", k.Scoped}, {"banned", k.NoOwner},
		{"listing", k.Listing}, {"listed", k.Listed}, {"sick", k.Sick},
	} {
		if f.set {
			s += " " + f.name
		}
	}
	return s
}

// TestInventedKinds: a writer who names a new kind in each reference does not make the
// graph grow.
func TestInventedKinds(t *testing.T) {
	w := play(t, graph.Config{}, "kinds b")
	for i := range 1000 {
		w.do(t, event(t, fmt.Sprintf("put b#%d -> x%d, y%d/s/z", i+1, i, i)))
	}
	if n := len(w.Kinds()); n != 3 || w.Len() != 3 || w.Inside(inside.Key{}).Cap() > 6 {
		t.Errorf("%d kinds, %d nodes, ids up to %d; want 3, 3 and at most 6: the last references only", n, w.Len(), w.Inside(inside.Key{}).Cap())
	}
}

// TestIgnoreIsCopied: the caller may change its Config after New.
func TestIgnoreIsCopied(t *testing.T) {
	ignore := []graph.Kind{"ign"}
	w := newWorld(graph.Config{Ignore: ignore})
	ignore[0] = "b"
	for _, e := range events(t, "kinds b ign; put ign; put b") {
		w.do(t, e)
	}
	if got := w.String(); got != "b" {
		t.Errorf("graph: %q, want b: ign takes no part", got)
	}
}
