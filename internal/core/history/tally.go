package history

import (
	"slices"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/garbage"
	"github.com/ownergraph/ownergraph/internal/core/record"
	"github.com/ownergraph/ownergraph/internal/core/seq"
	"github.com/ownergraph/ownergraph/internal/inside"
)

// Cascade is a deletion under way. It is a value.
type Cascade struct {
	Root graph.Key
	// Since is the time at which the engine observed the mark of the root, its end, or the first
	// mark of the objects. It is zero if none is known.
	Since time.Time
	// Open counts the observed objects that are marked, or whose owners are all gone or waiting.
	Open int
	// Gone counts the ends of objects with this root, and the root's own.
	Gone int
}

// Tally sums up the objects of deletions under way by their roots. It keeps the first roots by key, up
// to a limit. Make one with NewTally.
type Tally struct {
	limit   int
	byRoot  map[graph.Key]*Cascade
	byState map[uint64][]*Cascade // by the number of a set
}

// NewTally returns an empty tally of at most limit roots.
func NewTally(limit int) *Tally {
	return &Tally{max(limit, 0), map[graph.Key]*Cascade{}, map[uint64][]*Cascade{}}
}

// AddFrom takes the nodes from one to an end into the tally. It returns the next node.
func (t *Tally) AddFrom(m *Machine, v record.Nodes, rewound seq.Stamp, from, end graph.NodeID) (next graph.NodeID, more bool) {
	last := graph.NodeID(v.Graph.Inside(inside.Key{}).Cap())
	for end = min(end, last); from < end; from++ {
		if v.InUse(from) {
			t.Add(m, v, from, rewound)
		}
	}
	return end, end < last
}

// Add takes a node into the tally, if it is an object of a deletion under way.
//
//test:by engine.TestDeletions
func (t *Tally) Add(m *Machine, v record.Nodes, id graph.NodeID, rewound seq.Stamp) {
	n := v.Node(id)
	if n.State() != graph.Observed || !n.Deleting() && isKept(n) {
		return
	}
	s, a := v.Peek(id, new(record.State)), m
	number := s.Root
	if !n.Deleting() || !m.isKnown(number) {
		g := NoGarbage
		a = &Machine{sets: m.sets, found: owners{asks: true}}
		if number, g = a.judge(v, id, rewound); !n.Deleting() && g != WasGarbage {
			return
		}
	}
	for _, d := range t.of(m, a, v, n, number) {
		d.Open++
		if !s.Marked.IsZero() && (d.Since.IsZero() || s.Marked.Before(d.Since)) {
			d.Since = s.Marked
		}
	}
	if len(t.byRoot) > 2*t.limit+64 {
		t.trim()
	}
}

// isKept reports whether no end of an owner deletes the object: it has no owner, or a solid one.
func isKept(n graph.Node) bool {
	return !garbage.Of(n).Goes()
}

// of returns the entries of the roots of a node. The machine a has the number.
func (t *Tally) of(m, a *Machine, v record.Nodes, n graph.Node, number uint64) []*Cascade {
	if list, ok := t.byState[number]; ok && number >= firstSet && a == m {
		return list
	}
	keys := a.RootAt(n, number).Keys
	if len(keys) == 0 { // not known
		keys = append(keys, n.Key())
	}
	var list []*Cascade
	for _, k := range keys {
		d := t.byRoot[k]
		if d == nil {
			d = begun(v, k)
			t.byRoot[k] = d
		}
		list = append(list, d)
	}
	if _, seen := t.byState[number]; !seen && number >= firstSet && !a.isFound(number) {
		t.byState[number] = list
		for _, d := range list {
			d.Gone += m.gone[number]
		}
	}
	return list
}

// begun returns the entry of a root before its objects.
func begun(v record.Nodes, k graph.Key) *Cascade {
	d := &Cascade{Root: k}
	n, ok := v.Graph.Lookup(k)
	if ok && n.State() == graph.Observed {
		return d // its mark counts as one of the objects
	}
	d.Gone = 1
	if ok {
		if at := v.Peek(n.ID(), new(record.State)).Ended; at != 0 {
			d.Since = time.Unix(0, at)
		}
	}
	return d
}

// trim drops the roots beyond the limit. A later object cannot bring one of them back in front.
func (t *Tally) trim() {
	for _, d := range t.sorted()[t.limit:] {
		delete(t.byRoot, d.Root)
	}
}

func (t *Tally) sorted() []*Cascade {
	all := make([]*Cascade, 0, len(t.byRoot))
	for _, d := range t.byRoot {
		all = append(all, d)
	}
	slices.SortFunc(all, func(a, b *Cascade) int { return a.Root.Compare(b.Root) })
	return all
}

// Cascades returns the deletions by root.
func (t *Tally) Cascades() (out []Cascade) {
	for _, d := range t.sorted()[:min(len(t.byRoot), t.limit)] {
		out = append(out, *d)
	}
	return out
}

// countEnd counts the end of an object for the set of its roots. Sets that are forgotten lose their counts.
func (m *Machine) countEnd(root uint64) {
	if root < firstSet {
		return
	}
	if m.gone == nil {
		m.gone = map[uint64]int{}
	}
	if m.gone[root]++; len(m.gone) > 2*maxSets {
		for n := range m.gone {
			if !m.sets.has(n - firstSet + 1) {
				delete(m.gone, n)
			}
		}
	}
}
