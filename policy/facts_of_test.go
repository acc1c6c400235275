package policy_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/policy"
)

// observe returns the graph of a listing, after the ends of some of its objects.
func observe(t testing.TB, objects, gone string) *graph.Graph {
	t.Helper()
	list, err := graph.Parse(objects)
	if err != nil {
		t.Fatal(err)
	}
	kinds, seen := []graph.KindInfo{}, map[graph.Kind]bool{}
	for i := range list {
		if list[i].Version == "" {
			list[i].Version = "1"
		}
		if k := list[i].Kind; !seen[k] {
			seen[k] = true
			kinds = append(kinds, graph.KindInfo{Kind: k, Scoped: list[i].Scope != ""})
		}
	}
	g, err := graph.Load(graph.Config{}, kinds, list)
	if err != nil {
		t.Fatal(err)
	}
	ends, err := graph.Parse(gone)
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range ends {
		if _, err := g.Apply(graph.Event{Type: graph.Gone, Key: o.Key}); err != nil {
			t.Fatal(err)
		}
	}
	return g
}

func nodeOf(t testing.TB, g *graph.Graph, key string) graph.Node {
	t.Helper()
	o, err := graph.ParseObject(key)
	if err != nil {
		t.Fatal(err)
	}
	n, ok := g.Lookup(o.Key)
	if !ok {
		t.Fatalf("no node %s", key)
	}
	return n
}

// TestFactsOf: the facts are those of the object and of its references, in their order.
func TestFactsOf(t *testing.T) {
	g := observe(t, "a; w~[foreground]; d~[x.io/hold] -> a, w!, a, none, d; e -> d!", "a")
	want := policy.Facts{
		Deleting: true, Finalizers: true, References: 5, Referring: 1, Blocking: 1, Several: true,
		Owners: []policy.OwnerFacts{
			{Class: graph.Dangling},
			{Class: graph.Waiting, Block: true},
			{Class: graph.Dangling},
			{Class: graph.Unknown, Doubt: graph.UnservedKind},
			{Class: graph.Solid, Self: true},
		},
	}
	if diff := cmp.Diff(want, policy.FactsOf(nodeOf(t, g, "d"))); diff != "" {
		t.Error(diff)
	}
}

// TestFactsOfDecides: a graph alone proves the end of an owner that the watch has shown. Any
// other state of an owner asks for evidence, and nothing is deleted on a guess.
func TestFactsOfDecides(t *testing.T) {
	for _, c := range []struct{ objects, gone, of, want, reason string }{
		{"a; b -> a", "", "b", "keep: an owner exists", "the owner is there"},
		{"a; b -> a", "a", "b", "delete: all owners are gone", "the watch has shown the end"},
		{"a; b -> a, a/x", "a", "b", "verify: an owner has to be read", "the other owner was never observed"},
		{"a; c; b -> a, c", "a", "b", "trim: some owners are gone, another exists", "one reference is dropped"},
		{"w~[foreground]; b -> w!", "", "b", "verify: an owner has to be read", "waiting is not stable"},
		{"w~[foreground]", "", "w", "wait: a fence has to pass", "the end of a foreground deletion takes a fence"},
		{"w~[foreground]; b~[x.io/hold] -> w!", "", "w", "wait: dependents hold it", "a dependent blocks it"},
		{"a -> a", "", "a", "keep: owned by itself alone", "a reference to itself"},
		{"a; b", "", "b", "keep: no owners", "no reference"},
		{"a; b[ownergraph.github.io/protect] -> a", "a", "b", "wait: it is protected", "every observer knows the finalizer of protection"},
		{"a; b@u -> a; c@u", "a", "b@u", "keep: the object is flawed", "another object has its UID"},
		{"a -> b; b -> a", "", "b", "keep: an owner exists", "a cycle keeps itself"},
		{"o@u~[orphan]; b -> o/other@u", "", "b", "verify: an owner has to be read", "an orphaning under other coordinates needs evidence, too"},
		{"b~[orphan] -> b/other@b", "", "b", "wait: a fence has to pass", "no object orphans itself by its own UID"},
		{"b~[foreground, ownergraph.github.io/hold]", "", "b", "keep: finalizers hold it", "a withheld mark asks for no propagation"},
	} {
		g := observe(t, c.objects, c.gone)
		f := policy.FactsOf(nodeOf(t, g, c.of))
		d := policy.Decide(&f, policy.Settings{}, nil)
		if got := d.Action.String() + ": " + d.Reason.String(); got != c.want {
			t.Errorf("%s without %q, object %s: %s, want %s: %s", c.objects, c.gone, c.of, got, c.want, c.reason)
		}
	}
}

// TestChange: each decision that writes has its write, under UID and version, and no other has one.
func TestChange(t *testing.T) {
	grace := int64(5)
	for _, o := range []graph.Object{{Key: graph.Key{Kind: "b", Name: "b"}, Version: "1"}, {Key: graph.Key{Kind: "b", Name: "b", UID: "u"}}} {
		d := policy.Decision{Action: policy.Delete}
		if w, ok := d.Change(o); ok || w.Type != graph.WriteUnset {
			t.Errorf("%+v: a write without a condition: the object has no UID or no version", w)
		}
	}
	o, err := graph.ParseObject("b@u#7[x.io/hold] -> a@1, c@2!")
	if err != nil {
		t.Fatal(err)
	}
	under := graph.Precondition{UID: "u", Version: "7"}
	patch := func(c graph.Change) graph.Write {
		return graph.Write{Type: graph.WritePatch, Key: o.Key, Precondition: under, Change: c}
	}
	for _, c := range []struct {
		d      policy.Decision
		want   graph.Write
		reason string
	}{
		{policy.Decision{Action: policy.Trim, Owners: []int{0}}, patch(graph.Change{DropOwners: o.Owners[:1]}), "a reference goes"},
		{policy.Decision{Action: policy.Orphan, Owners: []int{0, 1}}, patch(graph.Change{DropOwners: o.Owners}), "an owner leaves the object"},
		{policy.Decision{Action: policy.Unblock, Owners: []int{1}}, patch(graph.Change{Unblock: o.Owners[1:]}), "a ring is broken"},
		{policy.Decision{Action: policy.Release, Finalizer: "x.io/hold"}, patch(graph.Change{DropFinalizer: "x.io/hold"}), "a finalizer goes"},
		{policy.Decision{Action: policy.Attach, Finalizer: "x.io/new"}, patch(graph.Change{AddFinalizer: "x.io/new"}), "a finalizer comes"},
		{policy.Decision{Action: policy.Delete, Propagation: graph.Foreground, GraceSeconds: &grace},
			graph.Write{Type: graph.WriteDelete, Key: o.Key, Options: graph.DeleteOptions{Precondition: under, Propagation: graph.Foreground, GraceSeconds: &grace}}, "a deletion"},
		{policy.Decision{Action: policy.Keep}, graph.Write{}, "a decision that does not write"},
		{policy.Decision{Action: policy.Verify, Owners: []int{0}}, graph.Write{}, "a read is no write"},
		{policy.Decision{}, graph.Write{}, "no decision"},
		{policy.Decision{Action: policy.Trim, Owners: []int{2}}, graph.Write{}, "a decision about another object"},
		{policy.Decision{Action: policy.Trim, Owners: []int{-1}}, graph.Write{}, "an index that no object has"},
	} {
		got, ok := c.d.Change(o)
		if diff := cmp.Diff(c.want, got); diff != "" || ok != (c.want.Type != graph.WriteUnset) {
			t.Errorf("%s: ok %v: %s\n%s", c.d.Action, ok, c.reason, diff)
		}
	}
}
