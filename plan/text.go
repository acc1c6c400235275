package plan

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/ownergraph/ownergraph/graph"
)

// The bounds of Text. Each line that stands for others counts them.
const (
	maxAlike = 10   // siblings that are alike and have a line each
	maxDepth = 32   // steps of indentation
	maxLines = 1000 // lines of the tree, but for the counts of parents already open
	maxShown = 3    // names in a line that stands for several objects
)

// Text returns the plan for a reader: the objects as a tree by Object.Parent, the refusals of
// guards, the assumptions, and [Plan.Sum] as the last line. An object whose parent is not in the
// plan is at the top. The text ends with a line break, and is the same for equal plans.
//
// A sign begins the line of an object:
//
//   - the object goes
//     ~  it stays, and loses an owner, or gets or loses a finalizer
//     !  it is held, or its end is not certain
//
// An object without a sign stays. The text is bounded. More than 10 siblings that are alike share
// a line: they have one kind, one end and one reason, and so have the objects below them. All
// objects below a depth of 32, or after 1,000 lines, share a line too. Such a line has the counts.
//
//test:by TestText TestTextFolds TestTextRings TestTextSigns TestTextBounded BenchmarkText
func (p Plan) Text() string { return p.TextOf(0) }

// TextOf is Text with a line for each object, up to limit lines. So it opens the lines that siblings
// share. Of more than 10 siblings, those with the sign ! come first. A limit of 0 or less is that
// of Text.
//
//test:by TestTextOf
func (p Plan) TextOf(limit int) string {
	w := &writer{tree: newTree(p.Objects), changes: p.changes(), decided: p.decided(), limit: maxLines}
	if limit > 0 {
		w.limit, w.open = limit, true
	}
	w.siblings(w.tree.tops, 0)
	if p.Truncated > 0 {
		w.line(0, "... and %s left out by the limit", number(p.Truncated, "more object"))
	}
	w.notes(&p)
	w.line(0, "%s", p.Sum())
	return w.String()
}

type writer struct {
	strings.Builder
	tree    *tree
	changes map[graph.Key]*change
	decided map[graph.Key][]graph.Key // the owners whose cascade references decide
	shape   []int                     // of each object, once some siblings may share a line
	limit   int                       // of lines of the tree
	lines   int                       // of the tree
	open    bool                      // each object has a line
}

func (w *writer) line(depth int, format string, args ...any) {
	for range depth {
		w.WriteString("  ")
	}
	fmt.Fprintf(&w.Builder, format, args...)
	w.WriteByte('\n')
}

// siblings prints the objects of one parent.
func (w *writer) siblings(list []int, depth int) {
	if depth >= maxDepth {
		w.rest(list, depth)
		return
	}
	groups := w.groups(list)
	for n, g := range groups {
		switch {
		case w.lines >= w.limit:
			w.rest(slices.Concat(groups[n:]...), depth)
			return
		case len(g) > 1:
			w.fold(g, depth)
		default:
			w.object(g[0], depth)
		}
	}
}

// rest prints one line for objects and all objects below them.
func (w *writer) rest(list []int, depth int) {
	if len(list) == 0 {
		return
	}
	var t Total
	for _, i := range list {
		t.add(&w.tree.below[i])
	}
	w.line(depth, "... and %s: %s", number(t.Affected, "more object"), t.words())
	w.lines++
}

// groups returns siblings in the order of their lines. A group of several objects shares a line. Of
// many siblings, those with the sign ! come first.
func (w *writer) groups(list []int) (out [][]int) {
	single := func(list []int) {
		for n := range list {
			out = append(out, list[n:n+1])
		}
	}
	if len(list) <= maxAlike {
		single(list)
		return out
	}
	for _, g := range w.alike(list) {
		if len(g) > maxAlike && !w.open {
			out = append(out, g)
		} else {
			single(g)
		}
	}
	return out
}

// alike groups siblings by their shapes. In a text with a line for each object, it groups by signs.
func (w *writer) alike(list []int) [][]int {
	at := map[int]int{}
	var out [][]int
	for _, i := range list {
		of := w.shapeOf(i)
		n, ok := at[of]
		if !ok {
			n = len(out)
			at[of] = n
			out = append(out, nil)
		}
		out[n] = append(out[n], i)
	}
	slices.SortStableFunc(out, func(a, b []int) int {
		x, y := &w.tree.objects[a[0]], &w.tree.objects[b[0]]
		if c := cmp.Compare(y.rank(), x.rank()); c != 0 || w.open {
			return c
		}
		return cmp.Compare(x.Key.Kind, y.Key.Kind)
	})
	return out
}

// fold prints one line for siblings that are alike.
func (w *writer) fold(list []int, depth int) {
	o, scope := &w.tree.objects[list[0]], ""
	if at := w.tree.parent[list[0]]; at >= 0 {
		scope = w.tree.objects[at].Key.Scope
	}
	names := make([]string, maxShown)
	for n := range names {
		names[n] = nameIn(w.tree.objects[list[n]].Key, scope)
	}
	text := fmt.Sprintf("%s x %d: %s and %d more", kindName(o.Key.Kind), len(list), strings.Join(names, ", "), len(list)-maxShown) + o.edges(true)
	if end := w.end(o, true); end != "" {
		text += "; each " + end
	}
	var below Total
	for _, i := range list {
		for _, c := range w.tree.children[i] {
			below.add(&w.tree.below[c])
		}
	}
	if below.Affected > 0 {
		text += "; below them " + below.words()
	}
	w.line(depth, "%s %s", w.sign(o), text)
	w.lines++
}

func (w *writer) object(i, depth int) {
	o := &w.tree.objects[i]
	text := name(o.Key) + o.edges(false)
	if end := w.end(o, false); end != "" {
		text += " " + end
	}
	w.line(depth, "%s %s", w.sign(o), text)
	w.lines++
	w.siblings(w.tree.children[i], depth+1)
}
