package view_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/view"
)

// node makes an object of kind K in scope s. owners are names of other such objects.
func node(name string, owners ...string) graph.Object {
	key := func(name string) graph.Key { return graph.Key{Kind: "K", Scope: "s", Name: name, UID: graph.UID(name)} }
	o := graph.Object{Key: key(name)}
	for _, owner := range owners {
		o.Owners = append(o.Owners, graph.Owner{Key: key(owner)})
	}
	return o
}

func TestTextShapes(t *testing.T) {
	finalized, twice, unresolved := node("a"), node("b", "a", "a"), node("b", "a")
	finalized.Deleting, finalized.Finalizers = true, []string{"x/y", "z"}
	twice.Owners[0].Scope, unresolved.Owners[0].Unresolved = "elsewhere", true
	wrong := node("b", "a")
	wrong.Owners[0].Scope = "elsewhere"
	foreground, orphan := node("a"), node("a")
	foreground.Deleting, foreground.Finalizers = true, []string{graph.FinalizerForeground}
	orphan.Deleting, orphan.Finalizers = true, []string{graph.FinalizerOrphan}
	plain := node("b", "a")
	plain.Owners[0].UID = ""
	unplaced := node("a")
	unplaced.UID = ""
	tests := []struct {
		name, reason string
		objects      []graph.Object
		want         string
	}{
		{"alone", "an object may own nothing", []graph.Object{node("a")}, "K/s/a\n0 objects below it\n"},
		{"marked", "a mark and finalizers show", []graph.Object{finalized}, "K/s/a  (being deleted; finalizer x/y, z)\n0 objects below it\n"},
		{"foreground", "the propagation shows", []graph.Object{foreground}, "K/s/a  (being deleted, waits for its dependents; finalizer foregroundDeletion)\n0 objects below it\n"},
		{"orphan", "the propagation shows", []graph.Object{orphan}, "K/s/a  (being deleted, leaves its dependents; finalizer orphan)\n0 objects below it\n"},
		{"itself", "a self reference ends at once", []graph.Object{node("a", "a")}, "K/s/a\n└── K/s/a  (a ring: drawn above)\n0 objects below it\n"},
		{"ring", "a ring ends where it closes", []graph.Object{node("a", "c"), node("b", "a"), node("c", "b")},
			"K/s/a\n└── K/s/b\n    └── K/s/c\n        └── K/s/a  (a ring: drawn above)\n2 objects below it\n"},
		{"diamond", "an object with two owners is drawn once", []graph.Object{node("a"), node("b", "a"), node("c", "a"), node("d", "b", "c"), node("e", "d")},
			"K/s/a\n├── K/s/b\n│   └── K/s/d  (also owned by K/s/c)\n│       └── K/s/e\n└── K/s/c\n    └── K/s/d  (drawn above)\n4 objects below it\n"},
		{"twice", "two claims on one owner are one line, and the sound one counts", []graph.Object{node("a"), twice}, "K/s/a\n└── K/s/b\n1 object below it\n"},
		{"wrong", "the UID alone leads to the owner, and the flaw shows", []graph.Object{node("a"), wrong}, "K/s/a\n└── K/s/b  (its reference names K/elsewhere/a)\n1 object below it\n"},
		{"unresolved", "the scope of an owner may be unknown", []graph.Object{node("a"), unresolved}, "K/s/a\n└── K/s/b  (its owner's scope is not resolved)\n1 object below it\n"},
		{"no UID", "without a UID the place leads to the owner", []graph.Object{unplaced, plain}, "K/s/a\n└── K/s/b\n1 object below it\n"},
		{"many owners", "a list of owners is bounded", []graph.Object{node("a"), node("b", "a", "1", "2", "3", "4", "5", "6", "7")},
			"K/s/a\n└── K/s/b  (also owned by K/s/1, K/s/2, K/s/3, K/s/4, K/s/5 and 2 more)\n1 object below it\n"},
		{"owners above", "the owners stand above the subject, and their other dependents do not show", []graph.Object{node("c", "b"), node("b", "a", "x"), node("a"), node("d", "a")},
			"K/s/a\n└── K/s/b  (also owned by K/s/x)\n    └── K/s/c\nK/s/x  (unknown; not among the objects)\n└── K/s/b  (drawn above)\n3 owners above it\n0 objects below it\n"},
		{"below a ring", "an owner of a ring stands above it", []graph.Object{node("a", "b", "o"), node("b", "a"), node("o")},
			"K/s/o\n└── K/s/a  (also owned by K/s/b)\n    └── K/s/b\n        └── K/s/a  (a ring: drawn above)\n1 owner above it\n1 object below it\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := view.Tree(tt.objects, tt.objects[0].Key, 0).Text(); got != tt.want {
				t.Errorf("tree:\n%swant:\n%s%s", got, tt.want, tt.reason)
			}
		})
	}
	if got := view.Tree([]graph.Object{node("a")}, node("b").Key, 0).Text(); got != "" {
		t.Errorf("tree of an object that is not there:\n%s", got)
	}
}

func TestTextIsBounded(t *testing.T) {
	wide := []graph.Object{node("root")}
	for i := range 47 {
		wide = append(wide, node(fmt.Sprintf("%03d", i), "root"))
	}
	got := view.Tree(wide, wide[0].Key, 0).Text()
	if !strings.HasSuffix(got, "└── K x 47: 000, 001, 002 and 44 more\n47 objects below it\n") || strings.Count(got, "\n") != 3 {
		t.Errorf("tree of a wide owner:\n%s", got)
	}
	got = view.Tree(wide, wide[0].Key, 1000).Text()
	if !strings.HasSuffix(got, "├── K/s/039\n└── ... and 7 more K\n47 objects below it\n7 objects left out\n") || strings.Count(got, "\n") != 44 {
		t.Errorf("tree of a wide owner with a limit:\n%s", got)
	}
	if got := view.Tree(wide[:41], wide[0].Key, 1000).Text(); strings.Contains(got, "more") || strings.Contains(got, "left out") {
		t.Errorf("tree of an owner that is just not too wide:\n%s", got)
	}
	deep := []graph.Object{node("0")}
	for i := range 10_000 {
		deep = append(deep, node(fmt.Sprint(i+1), fmt.Sprint(i)))
	}
	got = view.Tree(deep, deep[0].Key, 0).Text()
	if !strings.HasSuffix(got, " ... and 1 dependent, too deep to draw\n10000 objects below it\n9001 objects left out\n") || strings.Count(got, "\n") != 36 {
		t.Errorf("tree of a deep chain:\n%s", got)
	}
	var mesh []graph.Object // each owned by all before it, so most lines are mentions
	for i := range 60 {
		var owners []string
		for j := range i {
			owners = append(owners, fmt.Sprint(j))
		}
		mesh = append(mesh, node(fmt.Sprint(i), owners...))
	}
	p := view.Tree(mesh, mesh[0].Key, 100)
	got = p.Text()
	if n := strings.Count(got, "\n"); n > 205 || !strings.Contains(got, "... (200 lines are drawn)\n59 objects below it\n") {
		t.Errorf("tree of a mesh has %d lines:\n%s", n, got)
	}
	if n := strings.Count(p.DOT(), " -> n"); n != 400 || !strings.Contains(got, "\n1085 references left out\n") {
		t.Errorf("%d edges of a mesh:\n%s", n, got)
	}
	for i := range 55 { // no node is torn off
		if text := p.DOT(); strings.Count(text, fmt.Sprintf("-> n%d;", i)) == 0 && i > 0 {
			t.Errorf("no edge to node %d:\n%s", i, text)
		}
	}
}

// TestTreeTakesTheNearest: a limit keeps the nodes near the subject, and the picture counts
// the others.
func TestTreeTakesTheNearest(t *testing.T) {
	objects := []graph.Object{node("up2"), node("up1", "up2"), node("x", "up1")}
	for i := range 3 {
		branch := fmt.Sprint("b", i)
		objects = append(objects, node(branch, "x"))
		for j := range 3 {
			objects = append(objects, node(fmt.Sprint(branch, "-", j), branch))
		}
	}
	want := "K/s/up1  (1 more owner)\n└── K/s/x\n    ├── K/s/b0\n    │   └── ... and 3 more K\n    ├── K/s/b1\n    │   └── ... and 3 more K\n" +
		"    └── K/s/b2\n        └── ... and 3 more K\n2 owners above it\n12 objects below it\n10 objects left out\n"
	if got := view.Tree(objects, node("x").Key, 5).Text(); got != want {
		t.Errorf("tree:\n%swant:\n%s", got, want)
	}
	if text := view.Tree(objects, node("x").Key, 5).DOT(); !strings.Contains(text, `\nand 1 more owner"`) || !strings.Contains(text, `\nand 3 more K below it"`) || strings.Contains(text, "also owned") {
		t.Errorf("the nodes do not count their neighbours:\n%s", text)
	}
	for limit := 1; limit < len(objects); limit++ {
		p := view.Tree(objects, node("x").Key, limit)
		if n := strings.Count(p.DOT(), "tooltip="); n != limit {
			t.Errorf("%d nodes, want %d", n, limit)
		}
		if want := fmt.Sprintf("%d objects left out", len(objects)-limit); len(objects)-limit > 1 && !strings.Contains(p.SVG(), want) {
			t.Errorf("no %q in\n%s", want, p.SVG())
		}
	}
}

// TestAll: the picture has one connected part after another, and ends with the objects
// that stand alone.
func TestAll(t *testing.T) {
	objects := []graph.Object{node("a"), node("b"), node("c", "b"), node("d", "e"), node("e", "d"), node("f", "gone")}
	want := "K/s/a\nK/s/b\n└── K/s/c\nK/s/gone  (unknown; not among the objects)\n└── K/s/f\nK/s/d\n└── K/s/e\n    └── K/s/d  (a ring: drawn above)\n7 objects\n"
	if got := view.All(objects, 0).Text(); got != want {
		t.Errorf("all:\n%swant:\n%s", got, want)
	}
	loop := []graph.Object{node("a", "a"), node("b")}
	if got, want := view.All(loop, 0).Text(), "K/s/a\n└── K/s/a  (a ring: drawn above)\nK/s/b\n2 objects\n"; got != want {
		t.Errorf("a loop:\n%swant:\n%s", got, want)
	}
	shared := []graph.Object{node("a"), node("c", "a", "z"), node("m"), node("n", "m"), node("z")}
	if got, want := view.All(shared, 3).Text(), "K/s/a\n└── K/s/c  (also owned by K/s/z)\nK/s/z\n└── K/s/c  (drawn above)\n5 objects\n2 objects left out\n"; got != want {
		t.Errorf("the first connected part:\n%swant:\n%s", got, want)
	}
	resolved := []graph.Object{node("a", "x"), node("b", "x"), node("c", "y")}
	resolved[0].Owners[0].Unresolved, resolved[2].Owners[0].Unresolved = true, true
	if got := view.All(resolved, 0).Text(); !strings.HasPrefix(got, "K/s/x  (unknown; not among the objects)\n") || !strings.Contains(got, "K/s/y  (unknown; its scope is not resolvable)\n") {
		t.Errorf("one reference with a scope is enough:\n%s", got)
	}
	want = "K/s/b\n└── K/s/c\nK/s/gone  (unknown; not among the objects)\n7 objects\n4 objects left out\n"
	if got := strings.ReplaceAll(view.All(objects, 3).Text(), "└── ... and 1 more K\n", ""); got != want {
		t.Errorf("three of all:\n%swant:\n%s", got, want)
	}
}

// TestBelow: the count has each object below the subject once, also in rings and with
// shared owners, and under any limit.
func TestBelow(t *testing.T) {
	objects := []graph.Object{node("a", "c"), node("b", "a"), node("c", "b", "a"), node("d", "c", "x"), node("x")}
	for _, tt := range []struct {
		name   string
		want   int
		reason string
	}{
		{"a", 3, "a ring and its dependents"},
		{"d", 0, "nothing is below it"},
		{"x", 1, "one of two owners"},
		{"z", 0, "it is not there"},
	} {
		for _, limit := range []int{0, 1, -1} {
			if got := view.Tree(objects, node(tt.name).Key, limit).Below(); got != tt.want {
				t.Errorf("%d below %s, want %d: %s", got, tt.name, tt.want, tt.reason)
			}
		}
	}
}

// TestTextDrawsEachOnce: each object below or above the subject is drawn once in full, and
// no other object is drawn.
func TestTextDrawsEachOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 12).Draw(t, "objects")
		var objects []graph.Object
		up := map[graph.UID][]graph.UID{}
		for i := range n {
			var owners []string
			for _, owner := range rapid.SliceOfN(rapid.IntRange(0, n-1), 0, 4).Draw(t, "owners") {
				owners = append(owners, string(rune('a'+owner)))
			}
			objects = append(objects, node(string(rune('a'+i)), owners...))
			for _, r := range objects[i].Owners {
				up[objects[i].UID] = append(up[objects[i].UID], r.UID)
			}
		}
		text := view.Tree(objects, objects[0].Key, 0).Text()
		times := make(map[string]int)
		for line := range strings.Lines(text) {
			if at := strings.Index(line, "K/s/"); at >= 0 && !strings.Contains(line, "drawn above") {
				times[line[at+len("K/s/"):][:1]]++
			}
		}
		below, above := map[graph.UID]bool{"a": true}, map[graph.UID]bool{"a": true}
		for range objects {
			for d, owners := range up {
				for _, o := range owners {
					below[d], above[o] = below[d] || below[o], above[o] || above[d]
				}
			}
		}
		for _, o := range objects {
			want := 0
			if below[o.UID] || above[o.UID] {
				want = 1
			}
			if times[o.Name] != want {
				t.Errorf("%s is drawn %d times, want %d:\n%s", o.Name, times[o.Name], want, text)
			}
		}
	})
}

// TestPartial: a picture of a part counts the objects below as a least number. The whole picture
// stays as it is.
func TestPartial(t *testing.T) {
	objects, err := graph.Parse("K/a; K/b -> K/a; K/c -> K/b")
	if err != nil {
		t.Fatal(err)
	}
	whole := view.Tree(objects, objects[0].Key, 0)
	part := whole.Partial()
	if !strings.Contains(part.Text(), "\nat least 2 objects below it\n") || !strings.Contains(whole.Text(), "\n2 objects below it\n") || part.Below() != 2 {
		t.Errorf("part:\n%s\nwhole:\n%s", part.Text(), whole.Text())
	}
	if got := view.All(objects, 0); got.Partial().Text() != got.Text() {
		t.Errorf("a picture without a subject has changed:\n%s", got.Partial().Text())
	}
}

// TestTextFolds: more than 10 dependents that are alike share a line, and the others have their own.
func TestTextFolds(t *testing.T) {
	many := func(n int, owners ...string) []graph.Object {
		list := []graph.Object{node("root"), node("z")}
		for i := range n {
			list = append(list, node(fmt.Sprintf("%03d", i), append([]string{"root"}, owners...)...))
		}
		return list
	}
	marked, parent, far, both := many(12), many(12), many(100), many(100)
	marked[5].Finalizers = []string{"x.io/f"}
	parent = append(parent, node("c", "003"))
	both[100].Finalizers = []string{"x.io/f"}
	for i := range far[2:] {
		far[i+2].Scope = "far"
	}
	heap := strings.Repeat("\u0301", 80)
	for _, tt := range []struct {
		objects      []graph.Object
		limit        int
		want, reason string
	}{
		{many(10), 0, "K/s/root\n├── K/s/000\n", "10 have a line each"},
		{many(11), 0, "K/s/root\n└── K x 11: 000, 001, 002 and 8 more\n11 objects below it\n", "11 share a line"},
		{many(11), 50, "K/s/root\n├── K/s/000\n", "a limit opens it"},
		{marked, 0, "K/s/root\n├── K x 11: 000, 001, 002 and 8 more\n└── K/s/003  (finalizer x.io/f)\n", "one has a remark"},
		{parent, 0, "K/s/root\n├── K x 11: 000, 001, 002 and 8 more\n└── K/s/003\n    └── K/s/c\n", "one has a dependent"},
		{many(12, "z"), 0, "K/s/root\n└── K x 12: 000, 001, 002 and 9 more  (also owned by K/s/z)\n", "all have one remark"},
		{far, 0, "└── K x 100: far/000, far/001, far/002 and 97 more\n100 objects below it\n", "the line counts those that are not drawn, and their scope shows"},
		{both, 0, "├── K x 99: 000, 001, 002 and 96 more\n└── ... and 1 more K\n100 objects below it\n1 object left out\n", "one that is not drawn has a remark"},
		{[]graph.Object{node("a" + heap)}, 0, "K/s/a" + strings.Repeat("\u0301", 4) + "…\n", "a heap of marks covers no other line"},
	} {
		if got := view.Tree(tt.objects, tt.objects[0].Key, tt.limit).Text(); !strings.Contains(got, tt.want) {
			t.Errorf("%q is not in\n%s: %s", tt.want, got, tt.reason)
		}
	}
}
