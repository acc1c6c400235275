package evidence

import (
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/garbage"
	"github.com/ownergraph/ownergraph/internal/core/record"
	"github.com/ownergraph/ownergraph/internal/core/seq"
	"github.com/ownergraph/ownergraph/internal/inside"
	"github.com/ownergraph/ownergraph/policy"
)

// absenceServes reports whether absence beyond the graph is evidence for a dependent. An
// end that the watch showed is absence for all dependents. So is a failed lookup of an
// object that the watch had shown before. A phantom that a read did not find is absent for
// the versions from before the read. The store may have made the owner since, if its UID
// could be foreseen.
//
//test:by TestAbsenceServes
func (v *View) absenceServes(dep *record.State, o graph.Node, m *record.State, since seq.Stamp) bool {
	return m.Absent > v.Kinds.Rewound() && (m.Absent > since || !v.Kinds.Unconfirmed(v.Graph, o.Kind(), since)) && (m.GoneObserved || o.State() != graph.Phantom || m.Absent > dep.Known)
}

// unsettled reports whether an absent owner may still live in another scope or under
// another name. It may until its kind has passed a fence that began after the dependent
// was known. So the outcome does not depend on the order of the two events.
func (v *View) unsettled(dep *record.State, o graph.Node) bool {
	kind, _ := v.Graph.Kind(o.Kind())
	scopes := (kind.Scoped || o.Scope() != "") && v.Scope == graph.ScopeHold
	return (scopes || v.OwnerName != graph.NameAbsent) && v.Fence.Exact &&
		v.Kinds.Of(o.Kind()).Passed <= dep.Known
}

// IsUnproven reports whether an observed object refers to an owner that is proven neither present nor
// absent since a moment, which is that of the last rewind.
//
//test:by TestIsUnproven
func IsUnproven(v record.Nodes, n graph.Node, since seq.Stamp) bool {
	if n.State() != graph.Observed {
		return false
	}
	for i := range n.Owners() {
		o, ok := n.OwnerNode(i)
		c, _ := n.Inside(inside.Key{}).OwnerClass(i)
		if c == graph.Unknown && (!ok || v.Peek(o.ID(), new(record.State)).Absent <= since) {
			return true
		}
	}
	return false
}

// DanglingAlone returns the dangling references by which an object goes, or none if it has an owner
// that waits. A user can delete such an owner again with orphan. Beside a dangling cascade reference
// the other owners decide nothing. A flawed object has none: it goes as the member of a sweep, and no
// other write may rest on it.
//
//test:by TestDanglingAlone
func DanglingAlone(in *policy.Facts) (refs []int) {
	if in.Flawed {
		return nil
	}
	kept, cascades := false, false
	for i := range in.Owners {
		f := &in.Owners[i]
		if f.Self || !garbage.Counts(f.OnDelete) {
			continue
		}
		switch class, cascade := in.ClassOf(f), f.OnDelete == graph.OnDeleteCascade; {
		case class == graph.Waiting:
			return nil
		case class != graph.Dangling || f.Unconfirmed:
			kept = kept || !cascade
		case cascade && !cascades:
			refs, cascades = append(refs[:0], i), true
		case cascade == cascades:
			refs = append(refs, i)
		}
	}
	if kept && !cascades {
		return nil
	}
	return refs
}
