package run

import (
	"context"
	"fmt"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/rest"

	"github.com/ownergraph/ownergraph/adapters/clientgo"
	"github.com/ownergraph/ownergraph/adapters/clientgo/internal/httpctx"
	"github.com/ownergraph/ownergraph/graph"
)

// discoveryTimeout bounds one discovery.
const discoveryTimeout = 30 * time.Second

// resources returns the discovered resources of the set of kinds. It leaves out the
// resources of a group that fails, because their kinds are sick.
func (p *Program) resources(ctx context.Context) ([]schema.GroupResource, error) {
	ctx, cancel := context.WithTimeout(ctx, discoveryTimeout)
	defer cancel()
	client, err := discovery.NewDiscoveryClientForConfigAndClient(rest.CopyConfig(p.server), httpctx.Client(ctx, p.client))
	if err != nil {
		return nil, err
	}
	lists, err := discovery.ServerPreferredResources(client)
	if len(lists) == 0 && err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	var out []schema.GroupResource
	for _, list := range discovery.FilteredBy(discovery.SupportsAllVerbs{Verbs: []string{"delete", "list", "watch"}}, lists) {
		gv, err := schema.ParseGroupVersion(list.GroupVersion)
		if err != nil {
			return nil, fmt.Errorf("discovery: %w", err)
		}
		for _, r := range list.APIResources {
			if !p.config.ignores(gv.Group, r) {
				out = append(out, schema.GroupResource{Group: gv.Group, Resource: r.Name})
			}
		}
	}
	return out, nil
}

// ignores reports whether the config ignores a resource.
func (c Config) ignores(group string, r metav1.APIResource) bool {
	list := c.Store.Ignore
	if list == nil {
		list = clientgo.DefaultIgnore()
	}
	kind := graph.Kind(r.Kind)
	if group != "" {
		kind = graph.Kind(group) + "/" + kind
	}
	resource := graph.Kind(schema.GroupResource{Group: group, Resource: r.Name}.String())
	return slices.Contains(list, kind) || slices.Contains(list, resource) || slices.Contains(list, graph.Kind(group)+"/*") || slices.Contains(c.Engine.Ignore, kind)
}
