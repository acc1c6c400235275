package clientgo

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph/graph"
)

func serviceKinds() []*fakeKind {
	return append(definitionKinds(),
		&fakeKind{group: "apiregistration.k8s.io", kind: "APIService", plural: "apiservices", versions: []string{"v1"}})
}

// TestDefinitionBlocksFences: a kind with a definition blocks fences while discovery
// lacks it. This is so in a watch that knows the kind and in a new one. The watch
// reports its objects if the server lists them.
func TestDefinitionBlocksFences(t *testing.T) {
	for _, c := range []struct {
		reason string
		fresh  bool
		serve  func(r *rig, served bool)
		lists  bool
	}{
		{"the server has started, and discovery lacks the group", false, func(r *rig, ok bool) { r.undiscover(!ok) }, true},
		{"so it has, and the collector is new", true, func(r *rig, ok bool) { r.undiscover(!ok) }, true},
		{"no version is served", false, func(r *rig, ok bool) { r.hide(!ok) }, false},
		{"no version is served, and the collector is new", true, func(r *rig, ok bool) { r.hide(!ok) }, false},
	} {
		t.Run(c.reason, func(t *testing.T) {
			bubble(t, newFake(serviceKinds()...), Config{}, func(r *rig) {
				if !c.fresh {
					r.watch()
				}
				r.carts()
				r.reported()
				c.serve(r, false)
				if c.fresh {
					r.watch()
				}
				r.fence(1)
				pass(time.Minute)
				events := r.reported()
				// A watch that runs may pass the fence by a consistent list, if it reads the list
				// before discovery reports the kind as sick.
				passed := slices.Contains(events, "fence-passed 1 shop.example/Cart")
				if slices.Contains(events, vanished) || passed && (c.fresh || !c.lists) || len(of(events, sickCart)) == 0 {
					t.Errorf("events\n%s", strings.Join(events, "\n"))
				}
				if left := r.survivors(); c.fresh && c.lists != (left == "a b") || !c.fresh && left != "a b" {
					t.Errorf("reported %q", left)
				}
				c.serve(r, true)
				pass(time.Minute)
				events = r.reported()
				if !slices.Contains(events, "kind-recovered shop.example/Cart") || !passed && !slices.Contains(events, "fence-passed 1 shop.example/Cart") {
					t.Errorf("after it is served: events\n%s", strings.Join(events, "\n"))
				}
				r.agree()
			})
		})
	}
}

// TestDefinitionsThatBlockNothing: a kind leaves the set only when its definition is
// gone. A definition whose names were not accepted never had objects. An ignored kind
// is not in the set.
func TestDefinitionsThatBlockNothing(t *testing.T) {
	for _, c := range []struct {
		reason string
		ignore []graph.Kind
		do     func(*rig)
	}{
		{"the definition is gone", nil, func(r *rig) { r.carts(); r.undefine(); r.hide(true) }},
		{"its names are not accepted", nil, func(r *rig) { r.create(definitionKind, named("", "others.shop.example")) }},
		{"its kind is ignored", []graph.Kind{"shop.example/Cart"}, func(r *rig) { r.carts(); r.hide(true) }},
	} {
		t.Run(c.reason, func(t *testing.T) {
			bubble(t, newFake(serviceKinds()...), Config{Ignore: c.ignore}, func(r *rig) {
				c.do(r)
				r.watch()
				r.fence(1)
				pass(time.Minute)
				events := r.reported()
				if len(of(events, "kind-sick", "shop.example/")) != 0 || !slices.Contains(events, "fence-passed 1 ") {
					t.Errorf("events\n%s", strings.Join(events, "\n"))
				}
			})
		})
	}
}

// TestServiceBlocksFences: a group that only an API service names is sick. If no kind of
// it is known, the whole group is sick. Otherwise each known kind is sick. A version in
// a group with definitions belongs to them.
func TestServiceBlocksFences(t *testing.T) {
	for _, c := range []struct {
		reason, service string
		remote          bool
		unsaid          graph.Kind
		want            []string
	}{
		{"of another server, never seen", "v1.far.example", true, "", []string{"kind-sick far.example/*: discovery of far.example/v1: " + undiscoveredGroup}},
		{"of another server, seen before", "v1.apps", true, "apps/Deployment", []string{"kind-sick apps/Deployment: discovery of apps/v1: " + undiscoveredGroup}},
		{"of the server itself, seen before", "v1.apps", false, "apps/Deployment", []string{"kind-sick apps/Deployment: discovery of apps/v1: " + undiscoveredGroup}},
		{"of a group with definitions", "v2.shop.example", false, "", nil},
		{"of another server, in a group with definitions", "v2.shop.example", true, "", []string{"kind-sick shop.example/*: discovery of shop.example/v2: " + undiscoveredGroup}},
		{"discovered", "v1.apps", false, "", nil},
	} {
		t.Run(c.reason, func(t *testing.T) {
			f := newFake(serviceKinds()...)
			bubble(t, f, Config{}, func(r *rig) {
				r.watch()
				r.carts()
				r.reported()
				_, group, _ := strings.Cut(c.service, ".")
				r.locked(func() {
					r.remote = map[string]bool{group: c.remote}
					if c.unsaid != "" {
						r.kindOf(c.unsaid).undiscovered = true
					}
				})
				r.create(serviceKind, named("", c.service))
				pass(10 * time.Second)
				r.want(of(r.reported(), "sick", "vanished"), c.want...)
			})
		})
	}
}

// TestDefinitionsUnread: while the definitions cannot be read, no kind leaves the set
// and the set passes no fence. An ignored kind delays nothing.
func TestDefinitionsUnread(t *testing.T) {
	for _, c := range []struct {
		reason string
		ignore []graph.Kind
		plural string
		code   int
		passes bool
		sick   string
	}{
		// the watch and the discovery name the rights, in either order
		{"the right is missing", nil, "customresourcedefinitions", 403, false, "it takes the rights to get"},
		{"the server fails", nil, "customresourcedefinitions", 500, false, "kind-sick apiextensions.k8s.io/CustomResourceDefinition: "},
		{"the server does not serve what it discovers", nil, "customresourcedefinitions", 404, false, "kind-sick apiextensions.k8s.io/CustomResourceDefinition: "},
		{"the right to list API services is missing", nil, "apiservices", 403, false, "kind-sick apiregistration.k8s.io/APIService: "},
		{"the right is missing, and the kind is ignored", []graph.Kind{"apiextensions.k8s.io/*"}, "customresourcedefinitions", 403, true, ""},
	} {
		t.Run(c.reason, func(t *testing.T) {
			bubble(t, newFake(serviceKinds()...), Config{Ignore: c.ignore}, func(r *rig) {
				r.watch()
				r.carts()
				r.reported()
				r.locked(func() { r.fault = failing(c.plural, c.code) })
				r.undiscover(true)
				r.fence(1)
				pass(time.Minute)
				events := r.reported()
				if slices.Contains(events, vanished) != c.passes || slices.Contains(events, "fence-passed 1 ") != c.passes {
					t.Errorf("events\n%s", strings.Join(events, "\n"))
				}
				if c.sick != "" && len(of(events, c.sick)) == 0 {
					t.Errorf("not events %q:\n%s", c.sick, strings.Join(events, "\n"))
				}
				r.locked(func() { r.fault = nil })
				r.undiscover(false)
				pass(2 * time.Minute)
				if events := r.reported(); !c.passes && !slices.Contains(events, "fence-passed 1 ") {
					t.Errorf("after it is read: events\n%s", strings.Join(events, "\n"))
				}
				if !c.passes {
					r.agree()
				}
			})
		})
	}
}

// TestDefinitionsUnreadAtFirst: in a new watch without the right, the set of kinds
// passes no fence until the right is granted.
func TestDefinitionsUnreadAtFirst(t *testing.T) {
	bubble(t, newFake(serviceKinds()...), Config{}, func(r *rig) {
		r.carts()
		r.fault = func(q *http.Request) *fakeResponse {
			if strings.HasPrefix(q.URL.Path, "/apis/apiextensions.k8s.io/") {
				return &fakeResponse{code: 403}
			}
			return nil
		}
		r.hide(true)
		r.watch()
		r.fence(1)
		pass(time.Minute)
		if events := r.reported(); slices.Contains(events, "fence-passed 1 ") || len(of(events, "kind-sick "+string(definitionKind))) == 0 {
			t.Errorf("events\n%s", strings.Join(events, "\n"))
		}
		r.locked(func() { r.fault = nil })
		pass(time.Minute)
		if events := r.reported(); !slices.Contains(events, "fence-passed 1 ") || len(of(events, sickCart)) == 0 || len(of(events, "fence-passed 1 shop")) != 0 {
			t.Errorf("events\n%s", strings.Join(events, "\n"))
		}
	})
}
