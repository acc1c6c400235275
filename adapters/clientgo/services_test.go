package clientgo

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph/graph"
)

// TestUnavailableServices: the reason of a kind that no discovery names, or that no list reads, has
// the API service behind it. The store names the service until it is available.
func TestUnavailableServices(t *testing.T) {
	const is = "; API service v1.apps is not available (MissingEndpoints), its service is n/there"
	apps := UnavailableService{Name: "v1.apps", Group: "apps", Reason: "MissingEndpoints", Service: "n/there"}
	for _, c := range []struct {
		reason string
		change func(r *rig)
		want   string // a part of a reason
		never  string
		names  []UnavailableService
	}{
		{"discovery lacks the group", func(r *rig) {}, "kind-sick apps/Deployment: discovery of apps/v1: " + undiscoveredGroup + is, "", []UnavailableService{apps}},
		{"the list fails too", func(r *rig) { r.fault = failing("deployments", 503) }, "kind-sick apps/Deployment: watch deployments.apps: the server is currently unable to handle the request" + is, "", []UnavailableService{apps}},
		{"the server forbids to read API services", func(r *rig) { r.fault = failing("apiservices", 403) }, "kind-sick apps/Deployment: ", is, nil},
		{"it has no state yet", func(r *rig) { r.down = nil }, "kind-sick apps/Deployment: discovery of apps/v1: " + undiscoveredGroup, is, nil},
		{"it has no reason", func(r *rig) { r.down["v1.apps"] = "" }, "API service v1.apps is not available (no reason)", "", []UnavailableService{{Name: "v1.apps", Group: "apps", Service: "n/there"}}},
		{"the server serves the group itself", func(r *rig) { r.remote = nil }, "kind-sick apps/Deployment: discovery of apps/v1: " + undiscoveredGroup, is, nil},
	} {
		t.Run(c.reason, func(t *testing.T) {
			f := newFake(serviceKinds()...)
			bubble(t, f, Config{}, func(r *rig) {
				if got := r.store.UnavailableServices(); len(got) > 0 {
					t.Errorf("before the first discovery: %v", got)
				}
				r.watch()
				r.carts()
				r.reported()
				r.locked(func() {
					r.remote, r.down = map[string]bool{"apps": true}, map[string]string{"v1.apps": "MissingEndpoints"}
					r.kindOf("apps/Deployment").undiscovered = true
					c.change(r)
				})
				r.create(serviceKind, named("", "v1.apps"))
				pass(10 * time.Second)
				r.breakWatches() // each kind is read again
				pass(time.Minute)
				got := of(r.reported(), "kind-sick apps/Deployment")
				if !slices.ContainsFunc(got, func(s string) bool { return strings.Contains(s, c.want) }) || c.never != "" && strings.Contains(strings.Join(got, "\n"), c.never) {
					t.Errorf("%q, want %q and no %q", got, c.want, c.never)
				}
				if got := r.store.UnavailableServices(); !slices.Equal(got, c.names) {
					t.Errorf("the services are %v, want %v", got, c.names)
				}
				r.locked(func() { r.fault, r.down, r.kindOf("apps/Deployment").undiscovered = nil, nil, false })
				pass(15 * time.Minute)
				if got := r.store.UnavailableServices(); len(got) > 0 {
					t.Errorf("afterwards: %v", got)
				}
			})
		})
	}
}

// TestServes: an API service has the kinds of its own group alone.
func TestServes(t *testing.T) {
	u := UnavailableService{Group: "example.org"}
	for _, c := range []struct {
		kind   graph.Kind
		want   bool
		reason string
	}{
		{"example.org/Thing", true, "its group"},
		{"example.org/*", true, "the unknown kinds of its group"},
		{"of.example.org/Thing", false, "another group"},
		{"Pod", false, "no group"},
	} {
		if got := u.Serves(c.kind); got != c.want {
			t.Errorf("%s: %v, want %v: %s", c.kind, got, c.want, c.reason)
		}
	}
}
