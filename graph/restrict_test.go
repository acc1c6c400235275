package graph_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/inside"
)

const restrictKinds = "kinds node; list node; end node; prune node; "

// TestRestricted: which objects restrict another one, and the events at which that begins and ends.
func TestRestricted(t *testing.T) {
	for _, tc := range []struct {
		before, event string
		by            string // the objects that restrict node/o afterwards, newest reference first
		changes       bool   // the event lists node/o
		reason        string
	}{
		{"put node/o", "put node/a -> node/o:restrict", "a", true, "an unmarked object restricts"},
		{"put node/o", "put node/a -> node/o:cascade", "", false, "no other policy does"},
		{"put node/o; put node/a -> node/o:restrict", "put node/a~[f] -> node/o:restrict", "", true, "a mark ends it"},
		{"put node/o; put node/a~[f] -> node/o:restrict", "gone node/a", "", false, "it restricted nothing"},
		{"put node/o; put node/a -> node/o:restrict", "gone node/a", "", true, "the end of the object ends it"},
		{"put node/o; put node/a -> node/o:restrict", "put node/a", "", true, "so does the loss of the reference"},
		{"put node/o; put node/a -> node/o:restrict", "put node/a -> node/o", "", true, "so does another policy"},
		{"put node/o; put node/a -> node/o:restrict", "put node/b -> node/o:restrict", "b a", false, "it was restricted before"},
		{"put node/o; put node/a -> node/o:restrict; put node/b -> node/o:restrict", "gone node/a", "b", false, "it is restricted still"},
		{"put node/o", "put node/o -> node/o:restrict", "", false, "a reference of an object to itself never counts"},
		{"put node/a -> node/o:restrict", "put node/o", "a", false, "the reference may come first"},
		{"put node/o@u", "put node/a -> node/o@u?:restrict", "a", true, "an unresolved reference restricts each object with its UID"},
		{"put node/a -> node/o@u?:restrict", "put node/o@u", "a", false, "the unresolved reference may come first"},
		{"put node/o@u", "put node/a -> node/x@u:restrict", "", false, "another name is another object"},
		{"put node/o", `put node/a~[ownergraph.github.io/hold] -> node/o:restrict`, "a", true, "a mark that a guard holds is none"},
		{"put node/o", `put node/a~[foreground,ownergraph.github.io/protect] -> node/o:restrict`, "a", true, "nor is that of a protected object"},
		{"put node/b -> node/a:restrict; put node/o", "put node/a~[foreground] -> node/o:restrict", "", false,
			"a mark that a restriction holds is one: otherwise two such marks would hold each other"},
	} {
		w := play(t, graph.Config{Policies: true}, restrictKinds+tc.before)
		d := w.do(t, event(t, tc.event))
		o, ok := w.Lookup(graph.Key{Kind: "node", Name: "o", UID: uidOf(tc.before + tc.event)})
		if !ok {
			t.Fatalf("%s; %s: there is no node/o", tc.before, tc.event)
		}
		var by []string
		for n := range o.RestrictedBy() {
			by = append(by, n.Key().Name)
		}
		if got := strings.Join(by, " "); got != tc.by || o.Restricted() != (tc.by != "") {
			t.Errorf("%s; %s: restricted %v by %q, want %q: %s", tc.before, tc.event, o.Restricted(), got, tc.by, tc.reason)
		}
		if listed := slices.Contains(d.Restricted, o.ID()); listed != tc.changes {
			t.Errorf("%s; %s: lists it %v, want %v: %s", tc.before, tc.event, listed, tc.changes, tc.reason)
		}
	}
}

// uidOf returns the UID of node/o in the histories of TestRestricted.
func uidOf(history string) graph.UID {
	if strings.Contains(history, "@u") {
		return "u"
	}
	return "node/o"
}

// TestRestrictedMark: the mark of a restricted object counts for no dependent, until the restriction
// ends.
func TestRestrictedMark(t *testing.T) {
	for _, tc := range []struct{ mark, state, reason string }{
		{"put node/o~[foreground]", "waiting", "a foreground mark"},
		{"put node/o~[orphan]", "orphaning", "an orphan mark"},
		{"put node/o~[f]", "plain", "another mark is none for dependents"},
	} {
		w := play(t, graph.Config{Policies: true}, restrictKinds+"put node/a -> node/o:restrict; put node/d -> node/o; "+tc.mark)
		o, _ := w.Lookup(graph.Key{Kind: "node", Name: "o", UID: "node/o"})
		d, _ := w.Lookup(graph.Key{Kind: "node", Name: "d", UID: "node/d"})
		if r := d.Reference(0); r.Class != graph.Solid || o.Waiting() || o.Orphaning() {
			t.Errorf("%s, restricted: class %s, waiting %v, orphaning %v, want a solid owner: %s", tc.mark, r.Class, o.Waiting(), o.Orphaning(), tc.reason)
		}
		w.do(t, event(t, "put node/a~[f] -> node/o:restrict"))
		if o.Waiting() != (tc.state == "waiting") || o.Orphaning() != (tc.state == "orphaning") || o.Inside(inside.Key{}).MarkWithheld() {
			t.Errorf("%s, free: waiting %v, orphaning %v, want %s: %s", tc.mark, o.Waiting(), o.Orphaning(), tc.state, tc.reason)
		}
	}
}

// TestPoliciesOff: without Config.Policies an object with a policy is flawed, and restricts all the
// same.
func TestPoliciesOff(t *testing.T) {
	for _, tc := range []struct {
		policy string
		on     bool
		want   string
		reason string
	}{
		{"", false, "", "no policy is a flaw of none"},
		{":cascade", false, "validate node/d: owners[0].onDelete: cascade, and Config.Policies is off: invalid", "nothing is deleted by a policy that was kept for later"},
		{":release", false, "validate node/d: owners[0].onDelete: release, and Config.Policies is off: invalid", "nor by the policies of an older version"},
		{":restrict", false, "validate node/d: owners[0].onDelete: restrict, and Config.Policies is off: invalid", "the object itself stays"},
		{":restrict", true, "", "the setting is the step"},
	} {
		w := play(t, graph.Config{Policies: tc.on}, restrictKinds+"put node/o; put node/d -> node/o"+tc.policy)
		d, _ := w.Lookup(graph.Key{Kind: "node", Name: "d", UID: "node/d"})
		o, _ := w.Lookup(graph.Key{Kind: "node", Name: "o", UID: "node/o"})
		got := ""
		if err := d.Flaw(); err != nil {
			got = err.Error()
		}
		if got != tc.want || o.Restricted() != (tc.policy == ":restrict") {
			t.Errorf("a reference with %q: flaw %q, restricts %v, want %q: %s", tc.policy, got, o.Restricted(), tc.want, tc.reason)
		}
	}
}

// TestCursorPolicies: a cursor tells the policy of each reference on its way.
func TestCursorPolicies(t *testing.T) {
	w := play(t, graph.Config{Policies: true}, "kinds node; put node/o; put node/a -> node/o; put node/b -> node/x, node/o:cascade; put node/c -> node/o?:release")
	o, _ := w.Lookup(graph.Key{Kind: "node", Name: "o", UID: "node/o"})
	var c graph.Cursor
	c.Start(w.Graph, o.ID())
	got := map[string]graph.OnDelete{}
	for {
		dep, policy, ok := c.NextReference(w.Graph)
		if !ok {
			break
		}
		got[w.Node(dep).Key().Name] = policy
	}
	want := map[string]graph.OnDelete{"a": graph.OnDeleteUnset, "b": graph.OnDeleteCascade, "c": graph.OnDeleteRelease}
	if !maps.Equal(got, want) {
		t.Errorf("policies %v, want %v", got, want)
	}
}
