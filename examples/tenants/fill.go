package main

import (
	"context"
	"fmt"

	"github.com/ownergraph/ownergraph/adapters/memory"
	"github.com/ownergraph/ownergraph/examples/tenants/tenancy"
	"github.com/ownergraph/ownergraph/graph"
)

const (
	tenant graph.Kind = "tenants.example.org/Tenant"
	quota  graph.Kind = "system.example.org/Quota" // a custom resource that the admin has defined for all tenants
)

// global and scoped are kinds of which each tenant has objects.
var (
	global = []graph.Kind{"PersistentVolume", "scheduling.k8s.io/PriorityClass", "admissionregistration.k8s.io/ValidatingWebhookConfiguration", quota}
	scoped = []graph.Kind{"ConfigMap", "Pod"}
)

// widget returns the kind of a tenant's own custom resource.
func widget(name string) graph.Kind { return graph.Kind(name + "-shop.org/Widget") }

// fill returns a store with the objects of the tenants, and with objects of no tenant.
func fill(ctx context.Context, tenants ...string) (*memory.Store, error) {
	infos := []graph.KindInfo{{Kind: tenant}, {Kind: tenancy.Definition}, {Kind: tenancy.Namespace}}
	for _, k := range global {
		infos = append(infos, graph.KindInfo{Kind: k})
	}
	for _, k := range scoped {
		infos = append(infos, graph.KindInfo{Kind: k, Scoped: true})
	}
	keys := []graph.Key{
		{Kind: tenancy.Namespace, Name: "kube-system"}, {Kind: "Pod", Scope: "kube-system", Name: "111111-is-no-tenant-of-mine"},
		{Kind: "PersistentVolume", Name: "shared"}, {Kind: tenancy.Definition, Name: "quotas.system.example.org"},
	}
	for _, name := range tenants {
		infos = append(infos, graph.KindInfo{Kind: widget(name)})
		keys = append(keys, of(name)...)
	}
	store, err := memory.New(memory.Config{Kinds: infos})
	if err != nil {
		return nil, err
	}
	for _, k := range keys {
		if _, err := store.Create(ctx, graph.Object{Key: k}); err != nil {
			return nil, fmt.Errorf("fill store: %w", err)
		}
	}
	return store, nil
}

// of returns a tenant and its objects.
func of(name string) []graph.Key {
	keys := []graph.Key{
		{Kind: tenant, Name: name},
		{Kind: tenancy.Definition, Name: "widgets." + name + "-shop.org"},
		{Kind: widget(name), Name: "blue"}, // only its kind shows its tenant
		{Kind: tenancy.Namespace, Name: name + "-web"},
		{Kind: "Pod", Scope: name + "-web", Name: "server"},
		{Kind: "ConfigMap", Scope: name + "-web", Name: "settings"},
	}
	for _, k := range global {
		keys = append(keys, graph.Key{Kind: k, Name: name + "-one"})
	}
	return keys
}

// whose returns the tenant of a key. It does not use the sweep's rules: an object
// belongs to a tenant if of returns it.
func whose(k graph.Key) string {
	for _, name := range []string{"111111", "1111112", "222222"} {
		for _, own := range of(name) {
			if own == k.Place() {
				return name
			}
		}
	}
	return ""
}
