// Package tenancy decides which objects belong to a tenant of a shared Kubernetes
// cluster. Each tenant's objects begin with the tenant's name and a dash. This is true
// for the names of cluster-scoped objects, for namespaces, and for the groups of the
// tenant's custom resource definitions.
//
// Kinds are spelled as in adapters/clientgo: "Pod", "group/Kind". The README of the
// example compares the package with KubeZoo.
package tenancy

import (
	"strings"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/guard"
)

// The kinds with a phase of their own.
const (
	Definition graph.Kind = "apiextensions.k8s.io/CustomResourceDefinition"
	Namespace  graph.Kind = "Namespace"
)

// Delimiter separates the tenant's name from the rest.
const Delimiter = "-"

// Finalizer holds a tenant until all its objects are gone.
const Finalizer = "tenants.example.org/sweep"

// isTenant reports whether the object may be a tenant: its name is a number. Otherwise
// a tenant called "system" would own "system-node-critical".
func isTenant(o graph.Object) bool {
	return strings.Trim(o.Name, "0123456789") == ""
}

// Tenants returns the sweep of the tenants of a kind. It deletes definitions first, and
// the server then deletes their custom resources. With contents the sweep deletes the
// objects in the tenant's namespaces one by one, and the namespaces last. Use that on a
// server without a namespace controller. Without contents the sweep deletes a namespace
// like any other object, and the namespace controller empties it.
func Tenants(holder graph.Kind, contents bool) guard.Sweep {
	notDefinition := func(k graph.Kind) bool { return k != Definition }
	s := guard.Sweep{
		Finalizer: Finalizer,
		Holder:    holder,
		Holders:   isTenant,
		Members: []guard.Members{
			{By: guard.ByName, AfterText: ".", Delimiter: Delimiter, Kinds: []graph.Kind{Definition}}, // widgets.111111-shop.org
			{By: guard.ByKind, Delimiter: Delimiter},                                                  // 111111-shop.org/Widget
			{By: guard.ByName, Delimiter: Delimiter, Global: true, KindIs: notDefinition},
		},
		Phases: []guard.Phase{{Name: "definitions", Kinds: []graph.Kind{Definition}}},
	}
	if contents {
		s.Members = append(s.Members, guard.Members{By: guard.ByScope, Delimiter: Delimiter})
		s.Phases = append(s.Phases,
			guard.Phase{Name: "everything else", After: true, KindIs: func(k graph.Kind) bool { return k != Namespace }},
			guard.Phase{Name: "namespaces", After: true})
	}
	return s
}
