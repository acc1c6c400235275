package plan

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/policy"
)

// The bounds of Text. Each line that stands for others counts them.
const (
	maxSiblings = 40   // lines below one parent
	maxDepth    = 32   // steps of indentation
	maxLines    = 1000 // lines of the tree, but for the counts of parents already open
	maxWord     = 512  // bytes of one name
)

// Text returns the plan for a reader: a line for each deletion, the objects as a tree by
// Object.Parent, the counts, the cost, and the assumptions. An object whose parent is not
// in the plan is at the top. The text ends with a line break, and is the same for equal
// plans.
//
// The text is bounded. Like objects below one parent share a line from the 41st line on,
// and so do all objects below a depth of 32 or after 1,000 lines. Such a line has the
// counts.
//
//test:by TestText TestTextFolds TestTextRings BenchmarkText
func (p Plan) Text() string {
	w := &writer{tree: newTree(p.Objects)}
	w.heads(&p)
	w.siblings(w.tree.tops, 0)
	if p.Truncated > 0 {
		w.line(0, "... and %s left out by the limit", number(p.Truncated, "more object"))
	}
	if p.StepsTruncated > 0 {
		w.line(0, "... and %s left out by the limit", number(p.StepsTruncated, "more step"))
	}
	w.summary(&p)
	return w.String()
}

type writer struct {
	strings.Builder
	tree  *tree
	lines int // of the tree
}

func (w *writer) line(depth int, format string, args ...any) {
	for range depth {
		w.WriteString("  ")
	}
	fmt.Fprintf(&w.Builder, format, args...)
	w.WriteByte('\n')
}

// heads has one line for each deletion, and one for the objects that are below none.
//
//test:by TestTextCounts
func (w *writer) heads(p *Plan) {
	if len(p.Request.Delete) == 0 {
		var t tally
		for _, i := range w.tree.tops {
			t.add(&w.tree.below[i])
		}
		w.line(0, "without a deletion: %s", t.words(p.Truncated > 0))
	}
	for n, d := range p.Request.Delete {
		if n == maxSiblings {
			w.line(0, "... and %s", number(len(p.Request.Delete)-n, "more deletion"))
			break
		}
		end := "left out by the limit"
		if i, ok := w.tree.index[d.Key]; ok {
			end = w.tree.below[i].words(p.Truncated > 0)
		} else if p.Truncated == 0 {
			end = "not in the plan"
		}
		w.line(0, "delete %s%s: %s", placed(d.Key), manner(d.Propagation), end)
	}
	if len(p.Request.Delete) > 0 && p.Truncated == 0 {
		w.others()
	}
}

// others counts the objects of a plan that no line of heads counts, such as garbage that goes in
// any case. With them the lines have the sums of the kinds.
func (w *writer) others() {
	var t tally
	for _, i := range w.tree.tops {
		if !w.tree.objects[i].Root {
			t.add(&w.tree.below[i])
		}
	}
	if t.total() > 0 {
		w.line(0, "not below the deleted objects: %s", t.words(false))
	}
}

func manner(p graph.Propagation) string {
	switch p {
	case graph.Background:
		return " in the background"
	case graph.Foreground:
		return " in the foreground"
	case graph.Orphan:
		return " and orphan its dependents"
	}
	return ""
}

// words lists the counts that are not zero.
func (t *tally) words(part bool) string {
	var list []string
	for _, o := range []Outcome{Removed, Orphaned, Trimmed, Kept, Held, OutcomeUnset} {
		if t.ends[o] > 0 {
			list = append(list, fmt.Sprintf("%d %s", t.ends[o], o))
		}
	}
	if t.possible > 0 {
		list = append(list, fmt.Sprintf("%d possible", t.possible))
	}
	if len(list) == 0 {
		list = append(list, "no objects")
	}
	if part {
		list = append(list, "of the objects shown")
	}
	return strings.Join(list, ", ")
}

// siblings prints the objects of one parent. From the 41st on, like ones share a line.
func (w *writer) siblings(list []int, depth int) {
	switch {
	case len(list) == 0:
	case depth >= maxDepth || w.lines >= maxLines:
		w.rest(list, depth)
	case len(list) <= maxSiblings:
		for n, i := range list {
			if w.lines >= maxLines {
				w.rest(list[n:], depth)
				return
			}
			w.object(i, depth)
		}
	default:
		w.groups(w.alike(list), depth)
	}
}

// rest prints one line for objects and all objects below them.
func (w *writer) rest(list []int, depth int) {
	var t tally
	for _, i := range list {
		t.add(&w.tree.below[i])
	}
	w.line(depth, "... and %s: %s", number(t.total(), "more object"), t.words(false))
	w.lines++
}

// alike groups siblings by kind, outcome, certainty and reason. Held and possible objects
// come first.
func (w *writer) alike(list []int) [][]int {
	compare := func(i, j int) int {
		a, b := &w.tree.objects[i], &w.tree.objects[j]
		return cmp.Or(cmp.Compare(b.rank(), a.rank()), cmp.Compare(a.Key.Kind, b.Key.Kind), cmp.Compare(a.Outcome, b.Outcome),
			cmp.Compare(a.Reason, b.Reason), cmp.Compare(a.Doubt, b.Doubt))
	}
	sorted := slices.Clone(list)
	slices.SortStableFunc(sorted, compare)
	var out [][]int
	for start, at := 0, 1; at <= len(sorted); at++ {
		if at == len(sorted) || compare(sorted[start], sorted[at]) != 0 {
			out, start = append(out, sorted[start:at]), at
		}
	}
	return out
}

// rank is higher for objects that need a look.
func (o *Object) rank() int {
	n := 0
	if o.Outcome == Held {
		n += 2
	}
	if o.Possible {
		n++
	}
	return n
}

func (w *writer) groups(all [][]int, depth int) {
	shown := len(all)
	if shown > maxSiblings/2 {
		shown = maxSiblings/2 - 1
	}
	each := maxSiblings/shown - 1
	for _, g := range all[:shown] {
		if len(g) <= each+1 {
			w.siblings(g, depth)
			continue
		}
		w.siblings(g[:each], depth)
		w.fold(g[each:], depth)
	}
	if shown < len(all) {
		w.rest(slices.Concat(all[shown:]...), depth)
	}
}

// fold prints one line for siblings that are alike.
func (w *writer) fold(list []int, depth int) {
	var below tally
	for _, i := range list {
		for _, c := range w.tree.children[i] {
			below.add(&w.tree.below[c])
		}
	}
	o := &w.tree.objects[list[0]]
	more := ""
	if n := below.total(); n > 0 {
		more = fmt.Sprintf("; %d below them: %s", n, below.words(false))
	}
	w.line(depth, "... and %d more %s %s%s", len(list), word(string(o.Key.Kind)), o.end(), more)
	w.lines++
}

func (w *writer) object(i, depth int) {
	o := &w.tree.objects[i]
	w.line(depth, "%s %s%s", placed(o.Key), o.end(), o.detail())
	w.lines++
	w.siblings(w.tree.children[i], depth+1)
}

// end has the outcome and the reason in words.
func (o *Object) end() string {
	s := o.Outcome.String()
	if o.Possible {
		s += " (possible)"
	}
	if o.Reason != policy.ReasonUnset {
		s += ": " + policy.Words(o.Reason, o.Doubt)
	}
	return s
}

func (o *Object) detail() (s string) {
	if len(o.Causes) > 0 {
		s = " (" + strings.Join(words(o.Causes), ", ") + ")"
	}
	if len(o.Owners) > 0 {
		s += "; by " + keys(o.Owners)
	}
	if o.Holder != (graph.Key{}) {
		s += "; by the sweep of " + placed(o.Holder)
	}
	if o.Container != (graph.Key{}) {
		s += "; by the actor of " + placed(o.Container)
	}
	if o.Wave > 0 {
		s += "; wave " + strconv.Itoa(o.Wave)
	}
	if o.Phase > 0 {
		s += "; phase " + strconv.Itoa(o.Phase)
	}
	if o.Forward {
		s += ", moved forward"
	}
	return s
}

func keys(list []graph.Key) string {
	out := make([]string, len(list))
	for i, k := range list {
		out[i] = placed(k)
	}
	return strings.Join(out, ", ")
}

func words(list []string) []string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = word(s)
	}
	return out
}

// word returns text that cannot break a line or steer a terminal.
func word(s string) string {
	if len(s) > maxWord {
		s = s[:maxWord] + "..."
	}
	if q := strconv.Quote(s); q != `"`+s+`"` {
		return q
	}
	return s
}

// placed spells the place of a key. A reader of the tree knows objects by their names, and
// the JSON has the UIDs.
func placed(k graph.Key) string {
	s := k.PlaceString() // it cannot break a line
	return s[:min(len(s), maxWord)]
}

// shown spells a key. Without a UID it spells the place.
func shown(k graph.Key) string {
	if k.UID == "" {
		return word(k.PlaceString())
	}
	return k.String()
}
