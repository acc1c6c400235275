package view

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ownergraph/ownergraph/graph"
)

// label has the lines of a node in the pictures other than text.
type label struct {
	kind, name string   // name may be empty for an actor
	why        string   // the class and the reason
	more       []string // parts left out around the node
	full       string   // all of it in one line
}

// labels returns the label of each node. It adds the notes of the references to the notes
// of the nodes.
func (p *Picture) labels() []label {
	refs := make([][]string, len(p.nodes))
	owners := make([]*index, len(p.nodes))
	for i := range owners {
		owners[i] = newIndex(0)
	}
	for _, e := range p.edges {
		if e.owns {
			owners[e.lower].add(p.nodes[e.upper].key)
		}
		refs[e.lower] = append(refs[e.lower], e.notes...)
		if e.upper == e.lower {
			refs[e.lower] = append(refs[e.lower], "owned by itself")
		}
	}
	out := make([]label, len(p.nodes))
	for i := range p.nodes {
		n := &p.nodes[i]
		l := label{kind: spellKind(n.key.Kind), name: spellPlace(n.key)}
		if n.actor != "" {
			l.kind, l.name, _ = strings.Cut(n.actor, " ")
		}
		var notes []string
		if n.owners == 0 {
			notes = n.others(func(k graph.Key) bool { return owners[i].first(k) >= 0 })
		}
		word := []string{n.word()}
		if n.group > 0 {
			l.kind, l.name, word = fmt.Sprintf("%s × %d", l.kind, n.group), "", nil
		}
		l.why = strings.Join(slices.Concat(word, refs[i], n.notes, notes), "; ")
		l.more = n.leftOut()
		name := n.name()
		if n.group > 0 {
			name = l.kind
		}
		l.full = strings.Join(append([]string{name + ": " + l.why}, l.more...), "; ")
		out[i] = l
	}
	return out
}

// leftOut names the neighbours that are not drawn.
func (n *node) leftOut() (list []string) {
	if n.owners > 0 {
		list = append(list, "and "+numbered(n.owners, "more owner"))
	}
	if len(n.more) == 0 {
		return list
	}
	s, rest := strings.TrimPrefix(n.more[0].String(), "... "), 0
	for _, c := range n.more[1:] {
		rest += c.n
	}
	if rest > 0 {
		s += " and " + numbered(rest, "other")
	}
	return append(list, s+" below it")
}
