package order

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/portion"
)

// webs returns every graph of some objects in which each may own each other one. Each reference
// blocks or does not.
func webs(objects []string, kinds int) (all []string) {
	n := len(objects)
	refs := make([]int, n*n)
	for at := 0; at < len(refs); {
		var out []string
		for i, o := range objects {
			var owners []string
			for j := range objects {
				if r := refs[i*n+j]; i != j && r > 0 {
					owners = append(owners, fmt.Sprintf("OWNER%d!%s", j, strings.Repeat("!", r-1)))
				}
			}
			if len(owners) > 0 {
				o += " -> " + strings.Join(owners, ", ")
			}
			out = append(out, o)
		}
		all = append(all, linked(strings.Join(out, "; ")))
		for at = 0; at < len(refs); at++ {
			if i, j := at/n, at%n; i == j {
				continue
			}
			if refs[at]++; refs[at] < kinds {
				break
			}
			refs[at] = 0
		}
	}
	return all
}

// linked puts the keys of the owners into a web.
func linked(text string) string {
	for i, o := range strings.Split(text, "; ") {
		key, _, _ := strings.Cut(o, " ")
		key, _, _ = strings.Cut(key, "#")
		text = strings.ReplaceAll(text, fmt.Sprintf("OWNER%d!", i), key)
	}
	return text
}

// TestEveryRing: no order makes objects wait for ever that own each other and the roots, if they
// would go without the order. Ownership goes before order (RULES, G7). Without -whole it has a
// share of the graphs.
func TestEveryRing(t *testing.T) {
	const marked = "#1~[foreground]"
	for _, c := range []struct {
		objects []string
		kinds   int // of references: none, one that does not block, and one that blocks
	}{
		{[]string{"r/0" + marked, "x1/1", "x2/2"}, 3},
		{[]string{"r/0" + marked, "x2/1" + marked, "x1/2"}, 2},
		{[]string{"r/0" + marked, "r/1" + marked, "x1/2"}, 2},
		{[]string{"r/0" + marked, "s/1" + marked, "x2/2" + marked}, 2},
		{[]string{"r/0" + marked, "s/1" + marked, "r/2" + marked}, 2},
	} {
		worlds, states, ends := 0, 0, 0
		for _, text := range portion.Of(17, webs(c.objects, c.kinds)) {
			if t.Failed() {
				return
			}
			worlds++
			w := &world{rig: newRig(t, text), asleep: map[graph.NodeID]bool{}, both: true, rings: true}
			free := w.clone()
			free.m = New(nil)
			if _, stuck := visit(t, free); stuck != nil {
				continue
			}
			w.wake()
			n, stuck := visit(t, w)
			states, ends = states+n, ends+1
			if stuck != nil {
				t.Errorf("in %s, it waits for ever: %s: %+v", text, stuck, stuck.m.Statuses(stuck.view(), 9))
			}
		}
		t.Logf("%d webs, %d end without an order, %d states", worlds, ends, states)
	}
}

// TestRingChanges: an order follows when an object above the root ends only after the root from
// now on.
func TestRingChanges(t *testing.T) {
	for _, c := range []struct{ before, waits, change, frees, reason string }{
		{"r/R~[foreground] -> x1/a; x1/a -> r/R", "r/R", "r/R#2~[foreground] -> x1/a!", "r/R", "the root blocks the object"},
		{"r/R~[foreground] -> r/S; r/S -> r/R", "r/R", "r/S#2~[foreground] -> r/R", "r/R r/S", "the object is an ordered root, too"},
		{"r/R~[foreground] -> x1/y; x1/x~[foreground] -> r/R; x1/y -> x1/x", "r/R x1/x", "r/R#2~[foreground] -> x1/y!", "x1/x", "the root blocks a dependent of x"},
	} {
		r := newRig(t, c.before)
		r.rest()
		for name := range strings.FieldsSeq(c.waits) {
			if !r.tryRelease(r.id(name)) {
				t.Errorf("%s: %s does not wait before that", c.reason, name)
			}
		}
		r.put(c.change)
		r.rest()
		for name := range strings.FieldsSeq(c.frees) {
			if r.tryRelease(r.id(name)) {
				t.Errorf("%s: %s still waits", c.reason, name)
			}
		}
	}
}
