// Package garbage sums the references of an object up by their policies: whether the object goes
// (RULES, E1). Decisions are those of package policy. The machines that look ahead use this sum: they
// count the objects below a root, and they name roots. They have no evidence.
package garbage

import "github.com/ownergraph/ownergraph/graph"

// Sum is the sum of the references of one object. The zero value has none.
type Sum struct {
	counted, kept, cascades bool
}

// Of returns the sum of a node's references. An owner goes that is not solid.
func Of(n graph.Node) (s Sum) {
	for i := range n.Owners() {
		if r := n.Reference(i); !r.Self {
			s.Add(r.OnDelete, r.Class != graph.Solid)
		}
	}
	return s
}

// Add adds a reference that is no self-reference. Goes says that its owner is absent or waits, or
// is about to.
func (s *Sum) Add(p graph.OnDelete, goes bool) {
	switch p {
	case graph.OnDeleteCascade:
		s.cascades = s.cascades || goes
	case graph.OnDeleteUnset:
		s.counted, s.kept = true, s.kept || !goes
	}
}

// Goes reports whether the object goes: by one cascade reference, or by all unset ones.
//
//test:by TestSum
func (s Sum) Goes() bool { return s.cascades || s.counted && !s.kept }

// Cascades reports whether one cascade reference alone decides that the object goes.
func (s Sum) Cascades() bool { return s.cascades }

// Counts reports whether a reference with this policy may delete its object.
func Counts(p graph.OnDelete) bool { return p == graph.OnDeleteUnset || p == graph.OnDeleteCascade }
