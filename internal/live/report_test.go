package live

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/ownergraph/ownergraph/dump"
	"github.com/ownergraph/ownergraph/graph"
)

func TestFindings(t *testing.T) {
	again := node("a")
	again.UID = "second"
	why := func(key graph.Key) string {
		return map[string]string{"b": "because", "c": "because", "d": "why not"}[key.Name]
	}
	all := []graph.Object{node("a"), node("b"), node("c"), node("d")}
	tests := []struct {
		name, reason  string
		before, after []graph.Object
		held          []held
		user          graph.Key
		why           func(graph.Key) string
		want          string
	}{
		{"nothing", "nothing was asked for", all, all, nil, graph.Key{}, why, "gone: 0 of 4 objects, 4 stay\n"},
		{"gone", "counts by kind", all, all[1:2], nil, graph.Key{}, nil, "gone: 3 of 4 objects, 1 stays\n      3  K\n"},
		{"why", "counts by kind and reason", all, nil, nil, graph.Key{}, why,
			"gone: 4 of 4 objects, 0 stay\n      1  K\n      2  K: because\n      1  K: why not\n"},
		{"user", "the user's own deletion stands apart from the cascade", all, all[1:], nil, all[0].Key, why,
			"gone: 1 of 4 objects, 3 stay\n      1  K: deleted by the user\n"},
		{"user and collector", "the collector may have let it go", all, all[:3], nil, all[3].Key, why,
			"gone: 1 of 4 objects, 3 stay\n      1  K: deleted by the user, and why not\n"},
		{"orphaned", "a lost reference is named", []graph.Object{node("b", "a", "c")}, []graph.Object{node("b", "c")}, nil, graph.Key{}, nil,
			"gone: 0 of 1 object, 1 stays\nstay without an owner that they had: 1\n  K/s/b: K/s/a\n"},
		{"orphaned, and why", "a reason is given", []graph.Object{node("b", "a", "c")}, []graph.Object{node("b")}, nil, graph.Key{}, why,
			"gone: 0 of 1 object, 1 stays\nstay without an owner that they had: 1\n  K/s/b: K/s/a, K/s/c: because\n"},
		{"held", "a reason is given as it was", all, all, []held{{key: all[1].Key, reason: "because"}}, graph.Key{}, nil,
			"gone: 0 of 4 objects, 4 stay\nheld: 1\n  K/s/b: because\n"},
		{"another incarnation", "the UID tells one from the other", []graph.Object{node("a")}, []graph.Object{again}, nil, graph.Key{}, nil,
			"gone: 1 of 1 object, 1 stays\n      1  K\nnew: 1\n      1  K\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := findings{before: byKey(tt.before), after: byKey(tt.after), held: tt.held, user: tt.user, why: tt.why}
			if got := f.String(); got != tt.want {
				t.Errorf("report:\n%swant:\n%s%s", got, tt.want, tt.reason)
			}
		})
	}
}

func TestNews(t *testing.T) {
	a, b, c := held{key: node("a").Key, reason: "one"}, held{key: node("a").Key, reason: "two"}, held{key: node("c").Key, reason: "one"}
	tests := []struct {
		list, old []held
		key       graph.Key
		want      []held
		reason    string
	}{
		{[]held{a, c}, nil, graph.Key{}, []held{a, c}, "all is new at first"},
		{[]held{a, c}, []held{a}, graph.Key{}, []held{c}, "an object that was held before is not new"},
		{[]held{b}, []held{a}, graph.Key{}, []held{b}, "another reason is"},
		{[]held{a, c}, []held{a, c}, a.key, []held{a}, "the user's object is reported again"},
		{nil, []held{a}, a.key, nil, "unless it is held no longer"},
	}
	for _, tt := range tests {
		if got := newHeld(tt.list, tt.old, tt.key); !slices.Equal(got, tt.want) {
			t.Errorf("news(%v, %v, %s) = %v, want %v: %s", tt.list, tt.old, tt.key, got, tt.want, tt.reason)
		}
	}
}

func TestFinalizers(t *testing.T) {
	a, b, c := node("a"), node("b"), node("c")
	a.Finalizers, b.Finalizers, c.Finalizers = []string{"x/y", "z"}, []string{"x/y"}, []string{graph.FinalizerOrphan}
	want := "with finalizers of absent controllers: 2 (a deletion marks them, and they stay)\n      2  x/y on K\n      1  z on K\n"
	if got := finalizers(byKey([]graph.Object{a, b, c})); got != want {
		t.Errorf("finalizers:\n%swant:\n%s", got, want)
	}
	if got := finalizers(byKey([]graph.Object{c})); got != "" {
		t.Errorf("the engine's own finalizers are reported: %q", got)
	}
}

func TestReportCutsLongLists(t *testing.T) {
	var list []held
	for i := range maxListed + 3 {
		list = append(list, held{key: node(fmt.Sprintf("%03d", i)).Key, reason: "because"})
	}
	got := findings{held: list}.String()
	if !strings.HasSuffix(got, "  K/s/039: because\n  ... and 3 more K\n") || !strings.Contains(got, "\nheld: 43\n") {
		t.Errorf("report:\n%s", got)
	}
}

func TestReportIgnoresOrder(t *testing.T) {
	before := recorded(t)
	after := slices.Clone(before[:200])
	var list []held
	for _, o := range after[:50] {
		list = append(list, held{key: o.Key, reason: "one"}, held{key: o.Key, reason: "two"})
	}
	say := func(before, after []graph.Object, list []held) string {
		f := findings{before: byKey(before), after: byKey(after), held: list}
		return f.String() + finalizers(f.after)
	}
	want := say(before, after, slices.Clone(list))
	rapid.Check(t, func(t *rapid.T) {
		got := say(rapid.Permutation(before).Draw(t, "before"), rapid.Permutation(after).Draw(t, "after"), rapid.Permutation(list).Draw(t, "held"))
		if got != want {
			t.Errorf("report differs:\n%s", got)
		}
	})
}

// recorded returns the recorded cluster of the quickstart.
func recorded(t *testing.T) []graph.Object {
	t.Helper()
	f, err := os.Open("../../examples/quickstart/cluster.json")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	c, err := dump.Read(f, "cluster.json")
	if err != nil {
		t.Fatal(err)
	}
	return c.Objects
}

// node makes an object of kind K in scope s. owners are names of other such objects.
func node(name string, owners ...string) graph.Object {
	key := func(name string) graph.Key { return graph.Key{Kind: "K", Scope: "s", Name: name, UID: graph.UID(name)} }
	o := graph.Object{Key: key(name)}
	for _, owner := range owners {
		o.Owners = append(o.Owners, graph.Owner{Key: key(owner)})
	}
	return o
}

// TestMaxGone: a deletion removes at most its object and those below it.
func TestMaxGone(t *testing.T) {
	objects := []graph.Object{node("a"), node("b", "a"), node("c", "b")}
	for _, tc := range []struct {
		d      Deletion
		want   int
		reason string
	}{
		{Deletion{objects[0].Key, graph.Background}, 3, "all go"},
		{Deletion{objects[2].Key, graph.Foreground}, 1, "nothing is below it"},
		{Deletion{objects[0].Key, graph.Orphan}, 1, "the dependents stay"},
		{Deletion{node("z").Key, graph.Background}, 0, "it is not there"},
		{Deletion{node("z").Key, graph.Orphan}, 0, "it is not there"},
	} {
		if got := tc.d.maxGone(&containers{}, objects); got != tc.want {
			t.Errorf("%v takes %d, want %d: %s", tc.d, got, tc.want, tc.reason)
		}
	}
}

// TestHeldBefore: a step lists the objects that it holds, and counts those of earlier steps. The
// line above has the number of all held objects.
func TestHeldBefore(t *testing.T) {
	for _, c := range []struct {
		list   []held
		before int
		want   string
	}{
		{[]held{{key: node("a").Key, reason: "why"}}, 2, "held: 1 (beside 2 held objects of before)\n  K/s/a: why\n"},
		{nil, 2, "held: 0 (beside 2 held objects of before)\n"},
		{[]held{{key: node("a").Key, reason: "why"}}, 0, "held: 1\n  K/s/a: why\n"},
		{[]held{{key: node("b").Key, reason: "waits", blocked: true}, {key: node("a").Key, reason: "why"}}, 0, "held: 1\n  K/s/a: why\nblocked: 1\n  K/s/b: waits\n"},
	} {
		if got := (findings{held: c.list, heldBefore: c.before}).String(); !strings.HasSuffix(got, "stay\n"+c.want) {
			t.Errorf("%s, want the end %s", got, c.want)
		}
	}
}
