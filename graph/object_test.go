package graph_test

import (
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph/graph"
)

// TestChange: what one write makes of an object.
func TestChange(t *testing.T) {
	owner := func(text string) graph.Owner { return object(t, "x -> "+text).Owners[0] }
	owners := func(text string) []graph.Owner { return object(t, "x -> "+text).Owners }
	add := owner("e!")
	for _, tc := range []struct {
		before string
		change graph.Change
		after  string
		reason string
	}{
		{"b~*[orphan] -> a!, c", graph.Change{}, "b~*[orphan] -> a!, c", "the zero change"},
		{"b -> a!, c, a", graph.Change{DropOwners: owners("a")}, "b -> c", "a reference goes, whatever its flags, each time it is there"},
		{"b -> a, c", graph.Change{DropOwners: owners("a, c, d")}, "b", "several, of which one is not there"},
		{"b -> a@u, a@v", graph.Change{DropOwners: owners("a@u")}, "b -> a@v", "another incarnation stays"},
		{"b -> a?, a", graph.Change{DropOwners: owners("a?")}, "b -> a", "resolved and unresolved are two claims"},
		{"b -> a:release, c!:restrict", graph.Change{DropOwners: owners("a:restrict"), Unblock: owners("c")}, "b -> c:restrict", "a policy names no reference, and stays"},
		{"b", graph.Change{AddOwner: &owners("a:restrict")[0]}, "b -> a:restrict", "an owner comes with its policy"},
		{"b -> a!^, c!", graph.Change{Unblock: owners("a")}, "b -> a^, c!", "only the one flag of the one reference"},
		{"b -> a", graph.Change{AddOwner: &add}, "b -> a, e!", "an owner more"},
		{"b -> a", graph.Change{DropOwners: owners("a"), AddOwner: &add}, "b -> e!", "one for another"},
		{"b*[orphan]*", graph.Change{DropFinalizer: "foreign"}, "b[orphan]", "a finalizer goes, each time it is there"},
		{"b*", graph.Change{AddFinalizer: graph.FinalizerOrphan}, "b*[orphan]", "a finalizer more, at the end"},
		{"b*", graph.Change{AddFinalizer: "foreign"}, "b*", "one that is there is not added"},
		{"b[orphan]", graph.Change{DropFinalizer: graph.FinalizerOrphan, AddFinalizer: graph.FinalizerForeground}, "b[foreground]", "one propagation for another"},
	} {
		o := object(t, tc.before)
		before := o.String()
		got := tc.change.Apply(o)
		want := object(t, tc.after)
		if got.String() != want.String() {
			t.Errorf("%s: %s, want %s: %s", tc.before, got, want, tc.reason)
		}
		for i := range got.Owners {
			got.Owners[i].Name = "changed"
		}
		for i := range got.Finalizers {
			got.Finalizers[i] = "changed"
		}
		if o.String() != before {
			t.Errorf("%s became %s: the change wrote into its object", before, o)
		}
		if tc.change.IsZero() != (tc.reason == "the zero change") {
			t.Errorf("%s: IsZero is %t", tc.reason, tc.change.IsZero())
		}
	}
}

func TestPrecondition(t *testing.T) {
	o := object(t, "a#2")
	for _, tc := range []struct {
		p      graph.Precondition
		want   bool
		reason string
	}{
		{graph.Precondition{}, true, "demands nothing"},
		{graph.Precondition{UID: "a", Version: "2"}, true, "both agree"},
		{graph.Precondition{UID: "a'"}, false, "another incarnation"},
		{graph.Precondition{Version: "1"}, false, "an older version"},
		{graph.Precondition{UID: "a", Version: "1"}, false, "both are demanded"},
	} {
		if got := tc.p.Holds(o); got != tc.want {
			t.Errorf("%+v is met: %t, want %t: %s", tc.p, got, tc.want, tc.reason)
		}
	}
}

// TestEqual: each field counts.
func TestEqual(t *testing.T) {
	const base = "pod/s/a#1~3*%4/5 -> b!"
	for _, tc := range []struct {
		other          string
		equal, content bool
		reason         string
	}{
		{base, true, true, "the same"},
		{"pod/s/a#2~3*%4/5 -> b!", false, true, "the version is no content"},
		{"pod/s/a@u#1~3*%4/5 -> b!", false, false, "UID"},
		{"pod/s/c@pod/s/a#1~3*%4/5 -> b!", false, false, "name"},
		{"pod/s/a#1*%4/5 -> b!", false, false, "mark"},
		{"pod/s/a#1~2*%4/5 -> b!", false, false, "grace period"},
		{"pod/s/a#1~3%4/5 -> b!", false, false, "finalizers"},
		{"pod/s/a#1~3*%5/5 -> b!", false, false, "generation"},
		{"pod/s/a#1~3*%4/4 -> b!", false, false, "observed generation"},
		{"pod/s/a#1~3*%4/5 -> b", false, false, "a flag of a reference"},
		{"pod/s/a#1~3*%4/5 -> b!:release", false, false, "the policy of a reference"},
		{"pod/s/a#1~3*%4/5", false, false, "references"},
	} {
		a, b := object(t, base), object(t, strings.Replace(tc.other, "@pod/s/a", `@"pod/s/a"`, 1))
		if a.Equal(b) != tc.equal || a.EqualContent(b) != tc.content {
			t.Errorf("%s: equal %t, content %t: %s", b, a.Equal(b), a.EqualContent(b), tc.reason)
		}
	}
	if a := object(t, "a"); !a.Equal(graph.Object{Key: a.Key, Version: "1", Owners: []graph.Owner{}, Finalizers: []string{}}) {
		t.Error("an empty slice and none differ")
	}
}

// TestPropagation: names, finalizers and their way back.
func TestPropagation(t *testing.T) {
	for _, tc := range []struct {
		p               graph.Propagation
		name, finalizer string
		reason          string
	}{
		{graph.Unset, "unset", "", "the zero value"},
		{graph.Background, "background", "", "needs no finalizer"},
		{graph.Foreground, "foreground", "foregroundDeletion", "Kubernetes' own name"},
		{graph.Orphan, "orphan", "orphan", "Kubernetes' own name"},
	} {
		if tc.p.String() != tc.name || tc.p.Finalizer() != tc.finalizer {
			t.Errorf("%d: %s, finalizer %q: %s", tc.p, tc.p, tc.p.Finalizer(), tc.reason)
		}
		if got, err := graph.ParsePropagation(tc.name); got != tc.p || err != nil {
			t.Errorf("ParsePropagation(%q) = %s, %v: %s", tc.name, got, err, tc.reason)
		}
	}
	if _, err := graph.ParsePropagation("Foreground"); err == nil {
		t.Error("a name that String does not write is read")
	}
}

// TestNames: every value of an enumeration has a name of its own, and one that
// is none says so.
func TestNames(t *testing.T) {
	for _, tc := range []struct {
		name  func(i int) string
		count int
		last  string
		other string
	}{
		{func(i int) string { return graph.Doubt(i).String() }, 13, "owner lives under another name", "doubt(13)"},
		{func(i int) string { return graph.ScopeRule(i).String() }, 2, "absent", "scope-rule(2)"},
		{func(i int) string { return graph.NameRule(i).String() }, 3, "absent", "name-rule(3)"},
		{func(i int) string { return graph.EventType(i).String() }, 12, "rewound", "event(12)"},
		{func(i int) string { return graph.Propagation(i).String() }, 4, "orphan", "propagation(4)"},
		{func(i int) string { return graph.OnDelete(i).String() }, 4, "cascade", "onDelete(4)"},
	} {
		seen := map[string]bool{}
		for i := range tc.count {
			seen[tc.name(i)] = true
		}
		if len(seen) != tc.count || tc.name(tc.count-1) != tc.last || tc.name(tc.count) != tc.other {
			t.Errorf("%d names of %d, the last %q, then %q; want %q, %q", len(seen), tc.count, tc.name(tc.count-1), tc.name(tc.count), tc.last, tc.other)
		}
	}
}

// TestKey: the order of keys, and their place.
func TestKey(t *testing.T) {
	sorted := []string{"a", "a'", "a/b", "a/s/a", "b/s/a", "b/t/a"}
	for i, x := range sorted {
		for j, y := range sorted {
			if got := object(t, x).Key.Compare(object(t, y).Key); (got < 0) != (i < j) || (got > 0) != (i > j) {
				t.Errorf("%s compares to %s as %d", x, y, got)
			}
		}
	}
	if a, b := object(t, "a").Key, object(t, "a'").Key; a.Place() != b.Place() || a.Place().UID != "" {
		t.Error("two incarnations of one object have two places")
	}
}

// TestEventOf: an event is about the kind of its object, of its key, or its own.
func TestEventOf(t *testing.T) {
	at := graph.Key{Kind: "pod", Scope: "s", Name: "a", UID: "u"}
	for _, tc := range []struct {
		event        graph.Event
		want, reason string
	}{
		{graph.Event{Type: graph.Put, Kind: "x", Object: graph.Object{Key: at}}, "pod", "the object's"},
		{graph.Event{Type: graph.Gone, Kind: "x", Key: at}, "pod", "the key's"},
		{graph.Event{Type: graph.ListBegun, Kind: "pod"}, "pod", "its own"},
		{graph.Event{Type: graph.FencePassed}, "", "the set of kinds"},
		{graph.Event{Type: graph.KindsKnown, Kind: "x"}, "", "all of them"},
		{graph.Event{Type: graph.Rewound, Kind: "pod"}, "", "all of them"},
	} {
		if got := tc.event.Of(); string(got) != tc.want {
			t.Errorf("%s is about %q, want %q: %s", tc.event.Type, got, tc.want, tc.reason)
		}
	}
}

// TestControllerRef: the reference has the owner's place and UID, and both flags. Bad ones do not get
// into a store.
func TestControllerRef(t *testing.T) {
	owner, pod := object(t, "set/a/x"), object(t, "pod/a/y")
	want := graph.Owner{Key: owner.Key, Block: true, Controller: true}
	if got := owner.ControllerRef(); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	unstored := owner
	unstored.UID = ""
	for _, tc := range []struct {
		owners       []graph.Owner
		want, reason string
	}{
		{[]graph.Owner{owner.ControllerRef()}, "", "one controller"},
		{[]graph.Owner{unstored.ControllerRef()}, "owners[0].uid: empty", "no store has made the owner"},
		{[]graph.Owner{owner.ControllerRef(), object(t, "set/a/z").ControllerRef()}, "owners[1].controller: owners[0] is one already", "two controllers"},
		{[]graph.Owner{owner.ControllerRef(), {Key: object(t, "set/a/z").Key}}, "", "an owner beside the controller"},
	} {
		pod.Owners = tc.owners
		err := graph.Validate(pod, graph.Limits{})
		if (err == nil) != (tc.want == "") || err != nil && !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%v, want %q: %s", err, tc.want, tc.reason)
		}
	}
}

// object reads one object of the notation.
func object(t testing.TB, text string) graph.Object {
	t.Helper()
	o, err := graph.ParseObject(text)
	if err != nil {
		t.Fatal(err)
	}
	if o.Version == "" {
		o.Version = "1"
	}
	return o
}
