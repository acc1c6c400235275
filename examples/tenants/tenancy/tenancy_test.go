package tenancy

import (
	"testing"

	"github.com/ownergraph/ownergraph/finalizer"
	"github.com/ownergraph/ownergraph/graph"
)

// TestTenants: the members of a tenant, with and without the contents of its
// namespaces.
func TestTenants(t *testing.T) {
	const pod, role graph.Kind = "Pod", "rbac.authorization.k8s.io/ClusterRole"
	for _, tc := range []struct {
		tenant   string
		key      graph.Key
		bare     bool // a member without contents
		contents bool // a member with contents
		reason   string
	}{
		{"111111", graph.Key{Kind: Namespace, Name: "111111-web"}, true, true, "its namespace"},
		{"111111", graph.Key{Kind: pod, Scope: "111111-web", Name: "a"}, false, true, "an object in its namespace"},
		{"111111", graph.Key{Kind: pod, Scope: "kube-system", Name: "111111-a"}, false, false, "a name within a namespace does not matter"},
		{"111111", graph.Key{Kind: role, Name: "111111-admin"}, true, true, "a cluster-scoped object"},
		{"111111", graph.Key{Kind: role, Name: "1111112-admin"}, false, false, "a neighbour's"},
		{"111111", graph.Key{Kind: Definition, Name: "widgets.111111-shop.org"}, true, true, "a definition of its own"},
		{"111111", graph.Key{Kind: Definition, Name: "111111-widgets.shop.org"}, false, false, "another tenant's definition, with an odd plural"},
		{"111111", graph.Key{Kind: "111111-shop.org/Widget", Name: "blue"}, true, true, "a custom resource of its own kind"},
		{"111111", graph.Key{Kind: "111111-shop.org/Gadget", Scope: "default", Name: "blue"}, true, true, "also in a namespace"},
		{"system", graph.Key{Kind: "scheduling.k8s.io/PriorityClass", Name: "system-node-critical"}, false, false, "the name of a tenant is a number"},
		{"111111", graph.Key{Kind: "t", Name: "111111-x"}, false, false, "a tenant is no member"},
	} {
		holder := graph.Object{Key: graph.Key{Kind: "t", Name: tc.tenant}}
		for contents, want := range map[bool]bool{false: tc.bare, true: tc.contents} {
			p, err := finalizer.NewPlan(Tenants("t", contents))
			if err != nil {
				t.Fatal(err)
			}
			if got := p.Member(holder, graph.Object{Key: tc.key}); got != want {
				t.Errorf("%s holds %s: %t, want %t (contents %t): %s", tc.tenant, tc.key, got, want, contents, tc.reason)
			}
		}
	}
}
