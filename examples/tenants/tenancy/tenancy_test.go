package tenancy

import (
	"context"
	"testing"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/adapters/memory"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/guard"
)

// The kinds of the test, beside those with a phase of their own.
const (
	tenant graph.Kind = "t"
	pod    graph.Kind = "Pod"
	role   graph.Kind = "rbac.authorization.k8s.io/ClusterRole"
	class  graph.Kind = "scheduling.k8s.io/PriorityClass"
	widget graph.Kind = "111111-shop.org/Widget"
	gadget graph.Kind = "111111-shop.org/Gadget"
)

// TestTenants deletes two holders and looks for the objects that are left. A sweep with
// contents deletes the objects in the tenant's namespaces too.
func TestTenants(t *testing.T) {
	cases := []struct {
		key                     graph.Key
		deleted                 bool // by a sweep without contents
		deletedWithTheNamespace bool // by a sweep with contents
		reason                  string
	}{
		{graph.Key{Kind: Namespace, Name: "111111-web"}, true, true, "the tenant's namespace"},
		{graph.Key{Kind: pod, Scope: "111111-web", Name: "a"}, false, true, "an object in its namespace"},
		{graph.Key{Kind: pod, Scope: "kube-system", Name: "111111-a"}, false, false, "a name within a namespace does not matter"},
		{graph.Key{Kind: role, Name: "111111-admin"}, true, true, "a cluster-scoped object"},
		{graph.Key{Kind: role, Name: "1111112-admin"}, false, false, "an object of a neighbour"},
		{graph.Key{Kind: Definition, Name: "widgets.111111-shop.org"}, true, true, "a definition of the tenant"},
		{graph.Key{Kind: Definition, Name: "111111-widgets.shop.org"}, false, false, "another tenant's definition, with an odd plural"},
		{graph.Key{Kind: widget, Name: "blue"}, true, true, "a custom resource of the tenant's kind"},
		{graph.Key{Kind: gadget, Scope: "default", Name: "blue"}, true, true, "also in a namespace"},
		{graph.Key{Kind: class, Name: "system-node-critical"}, false, false, "the name of a tenant is a number"},
		{graph.Key{Kind: tenant, Name: "111111-x"}, false, false, "a tenant is no member"},
	}
	for _, contents := range []bool{false, true} {
		var keys []graph.Key
		for _, tc := range cases {
			keys = append(keys, tc.key)
		}
		left := sweep(t, contents, keys)
		for _, tc := range cases {
			want := tc.deleted
			if contents {
				want = tc.deletedWithTheNamespace
			}
			if left[tc.key.Place()] == want {
				t.Errorf("%s is deleted: %t, want %t (contents %t): %s", tc.key.PlaceString(), !want, want, contents, tc.reason)
			}
		}
	}
}

// sweep stores the objects and two holders, deletes the holders, and returns the places
// of the objects that are left.
func sweep(t *testing.T, contents bool, keys []graph.Key) map[graph.Key]bool {
	t.Helper()
	store, err := memory.New(memory.Config{Kinds: []graph.KindInfo{
		{Kind: tenant}, {Kind: Namespace}, {Kind: pod, Scoped: true}, {Kind: role}, {Kind: class}, {Kind: Definition},
		{Kind: widget}, {Kind: gadget, Scoped: true},
	}})
	must(t, err)
	holders := []graph.Key{{Kind: tenant, Name: "111111"}, {Kind: tenant, Name: "system"}}
	for _, k := range append(keys, holders...) {
		_, err := store.Create(t.Context(), graph.Object{Key: k})
		must(t, err)
	}
	collector, err := ownergraph.New(store, ownergraph.Config{Sweeps: []guard.Sweep{Tenants(tenant, contents)}})
	must(t, err)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- collector.Run(ctx) }()
	defer func() { stop(); must(t, <-ended) }()

	_, err = collector.WaitIdle(ctx) // each holder has the finalizer
	must(t, err)
	for _, h := range holders {
		must(t, store.Delete(ctx, h, graph.DeleteOptions{}))
	}
	_, err = collector.WaitIdle(ctx)
	must(t, err)
	left := map[graph.Key]bool{}
	for _, o := range store.Objects() {
		left[o.Place()] = true
	}
	return left
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
