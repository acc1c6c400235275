package clientgo

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/ownergraph/ownergraph/graph"
)

// UnavailableService is an API service that another server has to serve, and does not. No client can
// list its kinds. The namespace controller cannot either, so no namespace ends meanwhile. It is a
// value.
type UnavailableService struct {
	Name   string // such as "v1beta1.metrics.k8s.io"
	Group  string
	Reason string // of its condition Available, or ""
	// Service is the service behind it, as "NAMESPACE/NAME".
	Service string
}

// String returns the service in one line.
func (u UnavailableService) String() string {
	return fmt.Sprintf("API service %s is not available (%s), its service is %s", u.Name, cmp.Or(u.Reason, "no reason"), u.Service)
}

// Serves reports whether the API service has the group of a kind.
func (u UnavailableService) Serves(kind graph.Kind) bool {
	group, _, is := strings.Cut(string(kind), "/")
	return is && group == u.Group
}

// UnavailableServices returns the API services that were not available at the last discovery, sorted
// by name. It sends no request. It returns none before the first discovery, and none if the server
// forbids to list them. The result is the caller's.
//
//test:by TestUnavailableServices
func (s *Store) UnavailableServices() []UnavailableService {
	c := s.catalog.Load()
	if c == nil {
		return nil
	}
	return slices.SortedFunc(maps.Values(c.services), func(a, b UnavailableService) int { return cmp.Compare(a.Name, b.Name) })
}

// listServices reads the API services whole.
func (s *Store) listServices(ctx context.Context) ([]apiService, error) {
	raw, err := s.client.raw(ctx, servicesAt(), "", "")
	if err != nil {
		return nil, fmt.Errorf("list %s: %w", servicesAt().GroupResource(), err)
	}
	var list struct{ Items []apiService }
	if err := json.Unmarshal(raw, &list); err != nil {
		return nil, fmt.Errorf("list %s: %w: %w", servicesAt().GroupResource(), errNoMetadata, err)
	}
	return list.Items, nil
}

// maxServices bounds the API services that a catalog keeps.
const maxServices = 1024

// unavailable returns the API service as one that is not available. A service without the condition
// is new.
func (a *apiService) unavailable(name string) (u UnavailableService, is bool) {
	if a.Spec.Service == nil {
		return u, false
	}
	u = UnavailableService{Name: name, Group: a.Spec.Group, Service: a.Spec.Service.Namespace + "/" + a.Spec.Service.Name}
	for _, c := range a.Status.Conditions {
		if c.Type == "Available" {
			u.Reason = c.Reason
			return u, c.Status != string(metav1.ConditionTrue)
		}
	}
	return u, false
}

// undiscoveredWhy returns the reason for which a version of a group is not discovered, with its API
// service.
func (c *catalog) undiscoveredWhy(gv schema.GroupVersion, failed string) string {
	return fmt.Sprintf("discovery of %s: %s%s", gv, failed, c.serviceNote(gv))
}

// serviceNote returns the API service of a version if it is not available, to follow a reason, or "".
func (c *catalog) serviceNote(gv schema.GroupVersion) string {
	if c == nil {
		return ""
	}
	if u, is := c.services[gv]; is {
		return "; " + u.String()
	}
	return ""
}
