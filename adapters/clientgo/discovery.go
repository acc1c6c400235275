package clientgo

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/rest"

	"github.com/ownergraph/ownergraph/adapters/clientgo/internal/httpctx"
)

const (
	// discoveryTimeout bounds one discovery.
	discoveryTimeout = 30 * time.Second
	// discoveryParallel bounds the parallel requests to a server without aggregated
	// discovery. Such a server needs one request for each version of each group.
	discoveryParallel = 8
)

// groupVersion is the result of discovery for one version of a group.
type groupVersion struct {
	version   string
	preferred bool
	resources []metav1.APIResource
	failed    string // the error, or ""
}

// discovered has the groups by name, with their versions in the server's order.
type discovered map[string][]groupVersion

// names reports whether discovery names a resource, in any version.
func (d discovered) names(at schema.GroupResource) bool {
	return slices.ContainsFunc(d[at.Group], func(v groupVersion) bool {
		return slices.ContainsFunc(v.resources, func(r metav1.APIResource) bool { return r.Name == at.Resource })
	})
}

// hasVersion reports whether discovery names a version of a group, or reports an error
// for it.
func (d discovered) hasVersion(gv schema.GroupVersion) bool {
	return slices.ContainsFunc(d[gv.Group], func(v groupVersion) bool { return v.version == gv.Version })
}

// anyFailed reports whether discovery reports an error for any version.
func (d discovered) anyFailed() bool {
	for _, versions := range d {
		if slices.ContainsFunc(versions, func(v groupVersion) bool { return v.failed != "" }) {
			return true
		}
	}
	return false
}

// discover reads the resources of the server. Aggregated discovery takes two requests.
// The result contains the errors of single versions. A returned error means that there
// is no result.
func discover(ctx context.Context, config *rest.Config, client *http.Client) (discovered, error) {
	ctx, cancel := context.WithTimeout(ctx, discoveryTimeout)
	defer cancel()
	d, err := discovery.NewDiscoveryClientForConfigAndClient(config, httpctx.Client(ctx, client))
	if err != nil {
		return nil, fmt.Errorf("discover kinds: %w", err)
	}
	groups, resources, failed, err := d.GroupsAndMaybeResources()
	if err != nil {
		return nil, fmt.Errorf("discover kinds: %w", err)
	}
	if resources == nil {
		resources, failed = discoverEach(ctx, d, groups)
	}
	out := discovered{}
	for _, g := range groups.Groups {
		for _, v := range g.Versions {
			out[g.Name] = append(out[g.Name], versionOf(g, v.Version, resources, failed))
		}
	}
	for _, gv := range slices.SortedFunc(maps.Keys(failed), func(a, b schema.GroupVersion) int { return strings.Compare(a.String(), b.String()) }) {
		has := func(v groupVersion) bool { return v.version == gv.Version }
		if !slices.ContainsFunc(out[gv.Group], has) { // aggregated discovery omits it
			out[gv.Group] = append(out[gv.Group], groupVersion{version: gv.Version, failed: failed[gv].Error()})
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("discover kinds: %w", err)
	}
	if len(resources) == 0 {
		return nil, fmt.Errorf("discover kinds: %w", errNothingServed)
	}
	return out, nil
}

var errNothingServed = errors.New("the server names no resource")

func versionOf(g metav1.APIGroup, version string, lists map[schema.GroupVersion]*metav1.APIResourceList, failed map[schema.GroupVersion]error) groupVersion {
	gv := schema.GroupVersion{Group: g.Name, Version: version}
	out := groupVersion{version: version, preferred: version == g.PreferredVersion.Version}
	list, ok := lists[gv]
	switch err := failed[gv]; {
	case err != nil:
		out.failed = err.Error()
	case !ok || list == nil:
		out.failed = "the server did not name its resources"
	default:
		out.resources = list.APIResources
	}
	return out
}

// discoverEach reads each version of each group with a request of its own.
func discoverEach(ctx context.Context, d *discovery.DiscoveryClient, groups *metav1.APIGroupList) (map[schema.GroupVersion]*metav1.APIResourceList, map[schema.GroupVersion]error) {
	var all []schema.GroupVersion
	for _, g := range groups.Groups {
		for _, v := range g.Versions {
			all = append(all, schema.GroupVersion{Group: g.Name, Version: v.Version})
		}
	}
	lists := make([]*metav1.APIResourceList, len(all))
	errs := make([]error, len(all))
	work, _ := errgroup.WithContext(ctx)
	work.SetLimit(discoveryParallel)
	for i, gv := range all {
		work.Go(func() error {
			lists[i], errs[i] = d.ServerResourcesForGroupVersion(gv.String())
			return nil
		})
	}
	_ = work.Wait() // the errors are in errs
	found := map[schema.GroupVersion]*metav1.APIResourceList{}
	failed := map[schema.GroupVersion]error{}
	for i, gv := range all {
		if errs[i] != nil {
			failed[gv] = errs[i]
			continue
		}
		found[gv] = lists[i]
	}
	return found, failed
}

// watchable reports whether the resource has the verbs of a watched kind.
func watchable(r metav1.APIResource) bool {
	for _, verb := range [...]string{"delete", "list", "watch"} {
		if !slices.Contains(r.Verbs, verb) {
			return false
		}
	}
	return true
}
