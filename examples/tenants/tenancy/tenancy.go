// Package tenancy says what belongs to a tenant of a Kubernetes cluster that many
// share, where all that is a tenant's begins with the tenant's name and a dash:
// the names of cluster-scoped objects, the namespaces, and the groups of the
// custom resource definitions that the tenant has brought along.
//
// Kinds are written as adapters/clientgo has them: "Pod", "group/Kind". The README
// of the example compares it with what KubeZoo does, point by point.
package tenancy

import (
	"strings"

	"github.com/ownergraph/ownergraph/finalizer"
	"github.com/ownergraph/ownergraph/graph"
)

// The kinds that a sweep treats apart.
const (
	Definition graph.Kind = "apiextensions.k8s.io/CustomResourceDefinition"
	Namespace  graph.Kind = "Namespace"
)

// Delimiter parts the tenant's name from the rest.
const Delimiter = "-"

// Finalizer holds a tenant until nothing of it is left.
const Finalizer = "tenants.example.org/sweep"

// isTenant reports whether the object may be a tenant: its name is a number. One
// with any other name holds nothing, lest a tenant called "system" take
// "system-node-critical" along.
func isTenant(o graph.Object) bool {
	return strings.Trim(o.Name, "0123456789") == ""
}

// Tenants returns the sweep of tenants of the kind. Definitions go first, since
// they take their custom resources along. With contents the objects in the
// tenant's namespaces are deleted one by one, and namespaces last, for servers
// without a namespace controller; without, a namespace is deleted like anything
// else, and whoever ends namespaces ends what is in them.
func Tenants(holder graph.Kind, contents bool) finalizer.Sweep {
	notDefinition := func(k graph.Kind) bool { return k != Definition }
	s := finalizer.Sweep{
		Finalizer: Finalizer,
		Holder:    holder,
		Holders:   isTenant,
		Members: []finalizer.Members{
			{By: finalizer.ByName, AfterText: ".", Delimiter: Delimiter, Kinds: []graph.Kind{Definition}}, // widgets.111111-shop.org
			{By: finalizer.ByKind, Delimiter: Delimiter},                                                  // 111111-shop.org/Widget
			{By: finalizer.ByName, Delimiter: Delimiter, Global: true, KindIs: notDefinition},
		},
		Phases: []finalizer.Phase{{Name: "definitions", Kinds: []graph.Kind{Definition}}},
	}
	if contents {
		s.Members = append(s.Members, finalizer.Members{By: finalizer.ByScope, Delimiter: Delimiter})
		s.Phases = append(s.Phases,
			finalizer.Phase{Name: "everything else", After: true, KindIs: func(k graph.Kind) bool { return k != Namespace }},
			finalizer.Phase{Name: "namespaces", After: true})
	}
	return s
}
