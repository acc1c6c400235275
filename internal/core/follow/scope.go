package follow

import (
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/inside"
)

// mayOwn reports whether an object of one scope may own an object of another. An object in a scope
// owns in that scope alone, and a global object owns everywhere. The graph holds a dependent with
// any other reference, so it does not go with the owner.
//
//test:by TestScopes
func mayOwn(owner, dependent string) bool { return owner == "" || owner == dependent }

// owns reports whether the deletion of a node may end a dependent that refers to it. A claim has the
// scopes of the members with its UID that are gone.
func (m *members) owns(v *View, owner, dependent graph.Node) bool {
	if owner.Inside(inside.Key{}).ByUID() {
		return m.past.claims(owner.Key().UID, dependent.Scope())
	}
	return mayOwn(owner.Scope(), dependent.Scope())
}

// reach reports whether an object in the scope may go because of a root that is marked or gone.
func (o *origins) reach(scope string) bool { return o.scopes[""] || o.scopes[scope] }
