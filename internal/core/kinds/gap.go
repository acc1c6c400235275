package kinds

import (
	"fmt"
	"slices"

	"github.com/ownergraph/ownergraph/graph"
)

// Gap names the kinds that a count of objects leaves out: they take part, are sick, and are not
// listed. It is a value that does not change.
type Gap struct {
	// Kinds are the first of them, by name. "" stands for the kinds of a set that was refused.
	Kinds []graph.Kind
	More  int // further ones
}

// Is reports whether both name the same kinds.
func (g *Gap) Is(o *Gap) bool {
	return g == o || g != nil && o != nil && g.More == o.More && slices.Equal(g.Kinds, o.Kinds)
}

// Names returns the kinds in words, and the number of further ones. Of nil there are none.
func (g *Gap) Names() (names []string) {
	if g == nil {
		return nil
	}
	for _, k := range g.Kinds {
		if k == "" {
			k = "those of a set that was refused"
		}
		names = append(names, string(k))
	}
	if g.More > 0 {
		names = append(names, fmt.Sprintf("%d more", g.More))
	}
	return names
}

// maxGap bounds the kinds that a Gap names.
const maxGap = 8

// gaps follows the kinds that a count leaves out.
type gaps struct {
	known    *Gap   // of now, nil before the next call of Gap
	returned uint64 // kinds that a count takes in again, so far
}

// isMissing reports whether a count leaves the kind out.
func (s *State) isMissing() bool { return s.Part && !s.well() && !s.Listed }

// noteGap notes that a count leaves a kind out from now on, or takes it in.
func (t *Table) noteGap(was, is bool) {
	if was == is {
		return
	}
	if t.gaps.known = nil; was {
		t.gaps.returned++
	}
}

// CountMissing returns the number of kinds that a count leaves out.
func (t *Table) CountMissing() int {
	n := t.counts.sick + t.counts.unlisted - t.counts.unseen
	if t.setLost {
		n++
	}
	return n
}

// Returned counts the kinds that a count has left out, and takes in now.
func (t *Table) Returned() uint64 { return t.gaps.returned }

// Gap returns the kinds that a count leaves out now, or nil for none. The caller does not change
// it.
//
//test:by TestGap
func (t *Table) Gap() *Gap {
	n := t.CountMissing()
	if n == 0 || t.gaps.known != nil {
		return t.gaps.known
	}
	g := &Gap{}
	if t.setLost {
		g.Kinds = append(g.Kinds, "")
	}
	for _, name := range t.names {
		if len(g.Kinds) == min(n, maxGap) {
			break
		}
		if t.states[name].isMissing() {
			g.Kinds = append(g.Kinds, name)
		}
	}
	g.More = n - len(g.Kinds)
	t.gaps.known = g
	return g
}
