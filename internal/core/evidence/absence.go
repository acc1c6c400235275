package evidence

import (
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/record"
	"github.com/ownergraph/ownergraph/internal/core/seq"
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
