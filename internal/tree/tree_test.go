package tree

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/ownergraph/ownergraph/dump"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/spell"
)

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

func TestTreeRecorded(t *testing.T) {
	tests := []struct{ golden, root, reason string }{
		{"tree-frontend", "Deployment/shop/frontend", "three revisions; deleted in the background"},
		{"tree-search", "Deployment/shop/search", "two revisions; deleted in the foreground"},
		{"tree-checkout", "Deployment/payments/checkout", "two revisions; orphans its dependents"},
		{"tree-cart", "Deployment/shop/cart", "two references to it are wrong, each in its way"},
		{"tree-orders", "Cluster/orders", "a global root, an object with two owners, finalizers"},
		{"tree-kafka", "StatefulSet/data/kafka", "claims with finalizers"},
	}
	objects := recorded(t)
	for _, tt := range tests {
		t.Run(tt.golden, func(t *testing.T) {
			parsed, err := spell.ParseTarget(tt.root)
			if err != nil {
				t.Fatal(err)
			}
			root, err := spell.Find(objects, parsed)
			if err != nil {
				t.Fatal(err, tt.reason)
			}
			checkGolden(t, tt.golden, Draw(objects, root.Key, MaxLines))
		})
	}
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

func TestTreeShapes(t *testing.T) {
	marked := node("a")
	marked.Deleting, marked.Finalizers = true, []string{"x/y", "z"}
	twice := node("b", "a", "a")
	twice.Owners[0].Scope = "elsewhere"
	tests := []struct {
		name, reason string
		objects      []graph.Object
		want         string
	}{
		{"alone", "an object may own nothing", []graph.Object{node("a")}, "K/s/a\n"},
		{"marked", "a mark and finalizers show", []graph.Object{marked}, "K/s/a  (being deleted; finalizer x/y, z)\n"},
		{"itself", "a self reference ends at once", []graph.Object{node("a", "a")}, "K/s/a\n└── K/s/a  (a ring: drawn above)\n"},
		{"ring", "a ring ends where it closes", []graph.Object{node("a", "c"), node("b", "a"), node("c", "b")},
			"K/s/a\n└── K/s/b\n    └── K/s/c\n        └── K/s/a  (a ring: drawn above)\n"},
		{"diamond", "an object with two owners is drawn once", []graph.Object{node("a"), node("b", "a"), node("c", "a"), node("d", "b", "c"), node("e", "d")},
			"K/s/a\n├── K/s/b\n│   └── K/s/d  (also owned by K/s/c)\n│       └── K/s/e\n└── K/s/c\n    └── K/s/d  (drawn above)\n"},
		{"twice", "two claims on one owner are one line, and the sound one counts", []graph.Object{node("a"), twice}, "K/s/a\n└── K/s/b\n"},
		{"many owners", "a list of owners is bounded", []graph.Object{node("a"), node("b", "a", "1", "2", "3", "4", "5", "6", "7")},
			"K/s/a\n└── K/s/b  (also owned by K/s/1, K/s/2, K/s/3, K/s/4, K/s/5 and 2 more)\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := drawn(tt.objects, tt.objects[0].Key); got != tt.want {
				t.Errorf("tree:\n%swant:\n%s%s", got, tt.want, tt.reason)
			}
		})
	}
}

func TestTreeBounds(t *testing.T) {
	wide := []graph.Object{node("root")}
	for i := range maxFanOut + 7 {
		wide = append(wide, node(fmt.Sprintf("%03d", i), "root"))
	}
	got := drawn(wide, wide[0].Key)
	if !strings.HasSuffix(got, "├── K/s/039\n└── ... and 7 more K\n") || strings.Count(got, "\n") != maxFanOut+2 {
		t.Errorf("tree of a wide owner:\n%s", got)
	}
	if got := drawn(wide[:maxFanOut+1], wide[0].Key); strings.Contains(got, "more") {
		t.Errorf("tree of an owner that is just not too wide:\n%s", got)
	}
	deep := []graph.Object{node("0")}
	for i := range 10_000 {
		deep = append(deep, node(fmt.Sprint(i+1), fmt.Sprint(i)))
	}
	got = drawn(deep, deep[0].Key)
	if !strings.HasSuffix(got, " ... and 1 dependents, too deep to draw\n") || strings.Count(got, "\n") != maxDepth+2 {
		t.Errorf("tree of a deep chain:\n%s", got)
	}
}

// TestTreeIsBounded: a tree of any size has the given number of lines, and the last
// line counts all objects.
func TestTreeIsBounded(t *testing.T) {
	objects := []graph.Object{node("root")}
	for i := range 30 {
		branch := fmt.Sprintf("%02d", i)
		objects = append(objects, node(branch, "root"))
		for j := range 30 {
			objects = append(objects, node(fmt.Sprintf("%s-%02d", branch, j), branch, "root"))
		}
	}
	for _, most := range []int{1, 40, MaxLines} {
		got := Draw(objects, objects[0].Key, most)
		lines := strings.Split(strings.TrimSuffix(got, "\n"), "\n")
		if n := len(lines); n != most+2 && most < MaxLines || n > MaxLines+2 || lines[0] != "K/s/root" || lines[n-1] != "930 objects below it" {
			t.Errorf("tree of at most %d lines has %d, and ends in %q", most, n, lines[n-1])
		}
		if want := fmt.Sprintf("... (%d lines are drawn)", most); most < MaxLines && lines[len(lines)-2] != want {
			t.Errorf("tree of at most %d lines: %q, want %q", most, lines[len(lines)-2], want)
		}
	}
	if got := Draw([]graph.Object{node("a")}, node("a").Key, 1); got != "K/s/a\n0 objects below it\n" {
		t.Errorf("tree of as many lines as there may be:\n%s", got)
	}
}

// TestBelow: the objects below another one are counted once, also in rings and with shared
// owners.
func TestBelow(t *testing.T) {
	objects := []graph.Object{node("a", "c"), node("b", "a"), node("c", "b", "a"), node("d", "c", "x"), node("x")}
	for _, tc := range []struct {
		root   graph.Key
		want   int
		reason string
	}{
		{objects[0].Key, 3, "a ring and its dependents"},
		{objects[3].Key, 0, "nothing is below it"},
		{node("z").Key, -1, "it is not there"},
	} {
		if got := Below(objects, tc.root); got != tc.want {
			t.Errorf("Below(%v) = %d, want %d: %s", tc.root, got, tc.want, tc.reason)
		}
		if got := Reach(objects, tc.root); len(got) != tc.want+1 || len(got) > 0 && (objects[got[0]].Key != tc.root || !slices.IsSorted(got[1:])) {
			t.Errorf("Reach(%v) = %v, want the root and %d others", tc.root, got, tc.want)
		}
	}
}

// drawn returns a tree without its last line.
func drawn(objects []graph.Object, root graph.Key) string {
	f := newForest(objects)
	return f.draw(f.find(root), MaxLines)
}

func TestTreeOfNothing(t *testing.T) {
	if got := Draw([]graph.Object{node("a")}, node("b").Key, MaxLines); got != "" {
		t.Errorf("tree of an object that is not there:\n%s", got)
	}
}

// TestTreeDrawsEachOnce: every object that refers to the root, directly or not, is
// drawn once in full, and no other object is drawn.
func TestTreeDrawsEachOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 12).Draw(t, "objects")
		var objects []graph.Object
		for i := range n {
			var owners []string
			for _, owner := range rapid.SliceOfN(rapid.IntRange(0, n-1), 0, 4).Draw(t, "owners") {
				owners = append(owners, string(rune('a'+owner)))
			}
			objects = append(objects, node(string(rune('a'+i)), owners...))
		}
		times := make(map[string]int)
		for line := range strings.Lines(drawn(objects, objects[0].Key)) {
			name := line[strings.Index(line, "K/s/")+len("K/s/"):]
			if !strings.Contains(line, "drawn above") {
				times[name[:1]]++
			}
		}
		below := map[graph.UID]bool{"a": true}
		for range objects {
			for _, o := range objects {
				for _, ref := range o.Owners {
					below[o.UID] = below[o.UID] || below[ref.UID]
				}
			}
		}
		for _, o := range objects {
			want := 0
			if below[o.UID] {
				want = 1
			}
			if times[o.Name] != want {
				t.Errorf("%s is drawn %d times, want %d:\n%s", o.Name, times[o.Name], want, drawn(objects, objects[0].Key))
			}
		}
	})
}
