package view

import (
	"fmt"
	"strings"

	"github.com/ownergraph/ownergraph/graph"
)

const (
	maxAlike = 10 // dependents that are alike and have a line each
	maxShown = 3  // names in a line that stands for several dependents
)

// alike is what a line tells of a dependent without dependents of its own, but for its name.
type alike struct {
	kind graph.Kind
	note string
}

// folds returns the edges to dependents that share a line, by their first edge. The others of a
// line have no list.
func (t *tree) folds(edges []int) map[int][]int {
	if t.p.open || len(edges) <= maxAlike {
		return nil
	}
	groups := map[alike][]int{}
	for _, e := range edges {
		to := t.p.edges[e].lower
		if n := &t.p.nodes[to]; n.actor == "" && len(t.below[to])+len(n.more) == 0 {
			of := alike{n.key.Kind, t.note(branch{node: to, edge: e}, false)}
			groups[of] = append(groups[of], e)
		}
	}
	out := map[int][]int{}
	for _, g := range groups {
		if len(g) <= maxAlike {
			continue
		}
		for _, e := range g {
			out[e] = nil
		}
		out[g[0]] = g
	}
	return out
}

// fold returns the line of dependents that are alike. It takes in those of more that are not drawn
// and are plain with the same remark.
func (t *tree) fold(group []int, more []count) string {
	upper := t.p.nodes[t.p.edges[group[0]].upper].key
	first := t.p.edges[group[0]].lower
	note, kind, n := t.note(branch{node: first, edge: group[0]}, false), t.p.nodes[first].key.Kind, len(group)
	for i := range more {
		if rest := more[i].plain[note]; more[i].kind == kind {
			n += rest
			t.merged += rest
			more[i].n -= rest
		}
	}
	var names []string
	for i, e := range group {
		to := t.p.edges[e].lower
		t.drawn[to] = true
		if i < maxShown {
			names = append(names, nameIn(t.p.nodes[to].key, upper.Scope))
		}
	}
	return fmt.Sprintf("%s x %d: %s and %d more%s", spellKind(kind), n, strings.Join(names, ", "), n-maxShown, note)
}

// nameIn spells the name of an object, with its scope if that is another one.
func nameIn(k graph.Key, scope string) string {
	if k.Scope == scope {
		return part(k.Name)
	}
	return spellPlace(k)
}

// plainNote is the remark of a plain member of a container. A plain dependent has none.
const plainNote = "  (member)"

// plain returns the remark of a plain node below another one, in a text. Such a node has no
// dependents, no other owner, and nothing to tell.
func (w *world) plain(n int) (note string, ok bool) {
	above := w.aboveOf(n)
	if len(above) != 1 || w.down[n] < w.down[n+1] {
		return "", false
	}
	e, of := &w.edges[above[0]], &w.nodes[n]
	if word := e.policies.word(); word != "" {
		note = "  (" + word + ")"
	}
	if !e.owns {
		note = plainNote
	}
	return note, (e.owns || e.member) && len(e.notes)+len(of.notes) == 0 && of.actor == "" && of.word() == classNames[live]
}
