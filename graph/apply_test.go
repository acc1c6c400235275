package graph_test

import (
	"testing"

	"github.com/ownergraph/ownergraph/graph"
)

// TestApply: each event makes the named changes, and leaves the named graph.
func TestApply(t *testing.T) {
	for _, tc := range []struct {
		name, before, event, delta, after, reason string
	}{
		{"put new", "", "put a", "created, observed, version, class", "a",
			"the first that is heard of an object"},
		{"put phantom", "put b -> a", "put a", "observed, version, class", "a <1/0>; b -> a {solid}",
			"a phantom becomes the object that was meant"},
		{"put makes phantoms", "", "put c -> a!, b", "created, observed, version, class, added a, added b",
			"phantom a <1/1>; phantom b <1/0>; c -> a!, b {unlisted, unlisted}", "an unobserved owner needs a read"},
		{"put again", "put b -> a", "put b -> a", "", "phantom a <1/0>; b -> a {unlisted}",
			"the same state twice changes nothing"},
		{"put new version", "put a", "put a#2", "version", "a#2",
			"only the version is new: conclusions from version 1 are void"},
		{"put same version", "put b -> a", "put b -> c", "version, added c, freed a", "b -> c {unlisted}; phantom c <1/0>",
			"a store that changes an object under one version must not keep old conclusions alive"},
		{"put finalizer", "put a", "put a#2*", "version", "a#2*",
			"a foreign finalizer says nothing about owning"},
		{"put mark", "put a*", "put a#2~*", "version, mark", "a#2~*",
			"deletion in the background: to its dependents it is still there"},
		{"put foreground", "put a", "put a#2~[foreground]", "version, class, mark", "a#2~[foreground]",
			"it waits for its dependents now, so they are looked at"},
		{"put orphan", "put a", "put a#2~[orphan]", "version, class, mark", "a#2~[orphan]",
			"it leaves its dependents now, so they are looked at"},
		{"put other propagation", "put a~[foreground]", "put a#2~[orphan]", "version, class, mark", "a#2~[orphan]",
			"the user changed his mind"},
		{"put propagation first", "put a", "put a#2[foreground]", "version, mark", "a#2[foreground]",
			"a propagation finalizer without a mark asks for nothing yet"},
		{"put new and marked", "", "put a~[foreground]", "created, observed, version, class, mark", "a~[foreground]",
			"after a restart everything is seen for the first time"},
		{"put acknowledged", "put a%2/1", "put a#2%2/2", "version, acknowledged", "a#2%2/2",
			"the controller has observed the newest generation"},
		{"put owner dropped", "put a~[foreground]; put b -> a!", "put b#2", "version, owner a", "a~[foreground]; b#2",
			"the owner that waited for it has to be looked at"},
		{"put owner unblocked", "put a~[foreground]; put b -> a!", "put b#2 -> a", "version, owner a, owner a", "a~[foreground] <1/0>; b#2 -> a {waiting}",
			"so too where the reference stays and no longer blocks"},
		{"put owner gained", "put a~[orphan]", "put b -> a", "created, observed, version, class, owner a", "a~[orphan] <1/0>; b -> a {solid}",
			"the owner may not end before this reference is dropped; until then it exists"},
		{"put owner not marked", "put a; put b -> a", "put b#2", "version", "a; b#2",
			"an owner that is not being deleted does not care"},
		{"put with marked owner", "put a~[foreground]; put b -> a!", "put b#2* -> a!", "version", "a~[foreground] <1/1>; b#2* -> a! {waiting}",
			"a change that leaves the references alone is no news to the owner"},
		{"put owner swapped", "put b -> a", "put b#2 -> a'", "version, added a', freed a", "phantom a' <1/0>; b#2 -> a' {unlisted}",
			"the next incarnation is another owner, and nothing keeps the former's phantom"},
		{"put owners reordered", "put c -> a, b", "put c#2 -> b, a", "version", "phantom a <1/0>; phantom b <1/0>; c#2 -> b, a {unlisted, unlisted}",
			"no phantom is freed and made anew"},
		{"gone leaf", "put b -> a", "gone b", "version, class, gone, freed a, freed b (absent)", "",
			"nothing keeps it, nor the phantom that only it kept; its own absence is proven"},
		{"gone owner", "put a; put b -> a", "gone a", "version, class, gone", "absent a <1/0>; b -> a {dangling}",
			"an absent node stays while a reference names it: it is the proof"},
		{"gone marked", "put a~*", "gone a", "version, class, mark, gone, freed a (absent)", "",
			"with the object its mark is gone, too"},
		{"gone phantom", "put b -> a", "gone a", "version, class", "absent a <1/0>; b -> a {dangling}",
			"the end of an unobserved object proves absence, too"},
		{"gone again", "put a; put b -> a; gone a", "gone a", "", "absent a <1/0>; b -> a {dangling}",
			"the same end twice changes nothing"},
		{"gone unknown", "", "gone a", "created, version, class, freed a (absent)", "",
			"a later reference to it may need no read"},
		{"gone other incarnation", "put a; put b -> a", "gone a'", "created, version, class, freed a' (absent)", "a <1/0>; b -> a {solid}",
			"an end is that of one UID"},
		{"gone last dependent", "put a; put b -> a; gone a", "gone b", "version, class, gone, freed a (absent), freed b (absent)", "",
			"the proof is no longer needed in the graph; the caller may remember it"},
		{"gone dependent of marked", "put a~[foreground]; put b -> a!; put c -> a!", "gone b", "version, class, gone, owner a, freed b (absent)",
			"a~[foreground] <1/1>; c -> a! {waiting}", "the owner waits for one less"},
		{"gone self owner", "put a~[foreground] -> a!", "gone a", "version, class, mark, gone, freed a (absent)", "",
			"a self-reference keeps no node, and a gone owner is not listed"},
		{"resurrected", "put a; put b -> a; gone a", "put a#2", "observed, version, class, resurrected", "a#2 <1/0>; b -> a {solid}",
			"a UID never returns, so history went backwards"},
		{"gone and put anew", "put a; put b -> a; gone a", "put a'", "created, observed, version, class", "absent a <1/0>; a'; b -> a {dangling}",
			"the same name again is another object"},
		{"twin", "put pod/s/a@u", "put a@u", "created, observed, version, class, twin", "a@u; pod/s/a@u",
			"two live objects with one UID: each under its own key, and it is told"},
		{"twin gone", "put pod/s/a@u; put a@u", "gone a@u", "version, class, gone, freed a@u (absent)", "pod/s/a@u",
			"the other one stays"},
		{"rewind", "put a; put b -> a; gone a", "rewind", "", "phantom a <1/0>; b -> a {unlisted}",
			"an absent object may exist again"},
		{"progress", "put a", "progress a", "", "a", "the graph has no use for it"},
		{"fence", "put a", "fence a", "", "a", "the graph has no use for it"},
		{"fence of the set of kinds", "put a", "fence", "", "a", "it is of no kind"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := play(t, graph.Config{}, "kinds a b c pod+; "+tc.before)
			keys := w.keys()
			d := w.do(t, event(t, tc.event))
			if got := w.changes(d, keys); got != tc.delta {
				t.Errorf("Delta: %q\nwant   %q: %s", got, tc.delta, tc.reason)
			}
			if got := w.String(); got != tc.after {
				t.Errorf("graph: %q\nwant   %q: %s", got, tc.after, tc.reason)
			}
		})
	}
}

// TestDeltaNode: the Delta names the node of the event, if the event has one.
func TestDeltaNode(t *testing.T) {
	w := play(t, graph.Config{}, "kinds a b; put b -> a")
	a, _ := w.Lookup(stored(t, "a").Key)
	for _, tc := range []struct {
		event  string
		want   graph.NodeID
		reason string
	}{
		{"put a", a.ID(), "a phantom that is observed keeps its id"},
		{"put a", a.ID(), "so does a state that is known"},
		{"gone a", a.ID(), "so does a node that is absent"},
		{"gone a", a.ID(), "again"},
		{"sick a", 0, "no node"},
		{"rewind", 0, "all nodes are none"},
	} {
		if d := w.do(t, event(t, tc.event)); d.Node != tc.want {
			t.Errorf("%s: node %d, want %d: %s", tc.event, d.Node, tc.want, tc.reason)
		}
	}
}

// TestApplyDoesNotAllocate: an event without a change allocates nothing.
func TestApplyDoesNotAllocate(t *testing.T) {
	w := play(t, graph.Config{}, "kinds a b pod+; put b -> a; put pod/s/x -> a!, b, pod/s/y")
	for _, tc := range []struct {
		event  string
		most   float64
		reason string
	}{
		{"put b -> a", 0, "the same state"},
		{"put pod/s/x -> a!, b, pod/s/y", 0, "the same references"},
		{"gone b'", 0, "the end of an unknown object"},
		{"list a", 0, "the kind's own record changes"},
	} {
		e := event(t, tc.event)
		if got := testing.AllocsPerRun(100, func() { w.Apply(e) }); got > tc.most {
			t.Errorf("%s: %v allocations, want at most %v: %s", tc.event, got, tc.most, tc.reason)
		}
	}
	for _, tc := range []struct {
		one, other string
		most       float64
		reason     string
	}{
		{"put pod/s/x#2 -> a!, b, pod/s/y", "put pod/s/x#3 -> b, pod/s/y!", 4, "edges are used again; several references are a list and its text"},
		{"put b#2 -> pod/s/y!", "put b#abc", 0, "one plain reference has its place already, and so has text"},
	} {
		a, b := event(t, tc.one), event(t, tc.other)
		w.Apply(a)
		if got := testing.AllocsPerRun(100, func() { w.Apply(a); w.Apply(b) }); got > tc.most {
			t.Errorf("%s and %s: %v allocations, want at most %v: %s", tc.one, tc.other, got, tc.most, tc.reason)
		}
	}
}

// TestOnlyPutsHaveObjects: only the key of a gone counts. The other fields of the event
// do not.
func TestOnlyPutsHaveObjects(t *testing.T) {
	w := play(t, graph.Config{}, "kinds a; put a/x#1")
	o := stored(t, "a/x#1")
	if d := w.do(t, graph.Event{Type: graph.Gone, Key: o.Key, Object: o}); !d.Gone || w.Len() != 0 {
		t.Errorf("%+v, %d nodes are left; want the end of the only one", d, w.Len())
	}
}
