package clientgo

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/ownergraph/ownergraph/graph"
)

const sickCart = "kind-sick shop.example/Cart: "

// TestKindsComeAndGo: a new kind is watched soon. The goroutine of a removed kind ends,
// or the bubble would not end.
func TestKindsComeAndGo(t *testing.T) {
	bubble(t, newFake(definitionKinds()...), Config{}, func(r *rig) {
		r.watch()
		pass(time.Second)
		r.reported()
		r.define(time.Second)
		r.create("shop.example/Cart", named("ns", "c"))
		pass(rediscoverAgain)
		r.want(of(r.reported(), "kinds-known", "Cart", "put c@"),
			"kinds-known ConfigMap Node apiextensions.k8s.io/CustomResourceDefinition apps/Deployment shop.example/Cart",
			sickCart+undiscoveredKind, sickCart+"list carts.shop.example: the server could not find the requested resource", sickCart+undiscoveredKind,
			"list-begun shop.example/Cart", "put c@102", "list-ended shop.example/Cart@102", "kind-recovered shop.example/Cart")
		r.undefine()
		r.hide(true)
		pass(time.Minute)
		events := r.reported()
		r.want(of(events, "vanished", "known", "gone"), "gone carts.shop.example", "kind-vanished shop.example/Cart",
			"kinds-known ConfigMap Node apiextensions.k8s.io/CustomResourceDefinition apps/Deployment")
		if n := len(r.store.running); n != 1 {
			t.Fatalf("%d watches run", n)
		}
		for w := range r.store.running {
			if len(w.workers) != 4 {
				t.Errorf("%d workers are left", len(w.workers))
			}
		}
		r.hide(false)
		pass(time.Minute)
		r.want(of(r.reported(), "Cart@", "put c@"), "put c@102", "list-ended shop.example/Cart@103")
	})
}

// TestKindsPartialFailure: a group that fails makes only its own kinds sick. It keeps
// its objects.
func TestKindsPartialFailure(t *testing.T) {
	for _, legacy := range []bool{false, true} {
		f := newFake(standardKinds()...)
		f.legacy = legacy
		bubble(t, f, Config{}, func(r *rig) {
			r.watch()
			pass(time.Second)
			r.reported()
			r.locked(func() {
				r.discover = func(group string) error {
					if group == "apps" {
						return errors.New("down")
					}
					return nil
				}
			})
			pass(time.Minute)
			events := r.reported()
			if got := of(events, "vanished", "known", "sick"); len(got) != 1 || !strings.HasPrefix(got[0], "kind-sick apps/Deployment: discovery of apps/v1: ") {
				t.Errorf("events %v", got)
			}
			r.create("apps/Deployment", named("ns", "d"))
			r.want(r.reported(), "put d@101")
			r.locked(func() { r.discover = nil })
			pass(time.Minute)
			r.want(of(r.reported(), "kind-"), "kind-recovered apps/Deployment")
		})
	}
}

// TestKindsUnknownGroup: a group that was never discovered stands in the set as one
// sick kind, until it is discovered.
func TestKindsUnknownGroup(t *testing.T) {
	for _, c := range []struct {
		reason string
		ignore []graph.Kind
		want   []string
	}{
		{"it counts", nil, []string{"kinds-known ConfigMap Node apps/*", "kind-sick apps/*: discovery of apps/v1: ",
			"kind-vanished apps/*", "kinds-known ConfigMap Node apps/Deployment"}},
		{"it is ignored by setting", []graph.Kind{"apps/*"}, []string{"kinds-known ConfigMap Node"}},
	} {
		t.Run(c.reason, func(t *testing.T) {
			f := newFake(standardKinds()...)
			f.discover = func(group string) error {
				if group == "apps" {
					return errors.New("down")
				}
				return nil
			}
			bubble(t, f, Config{Ignore: c.ignore}, func(r *rig) {
				r.watch()
				pass(time.Minute)
				r.locked(func() { r.discover = nil })
				pass(time.Minute)
				got := of(r.reported(), "known", "kind-")
				for i := range got {
					if j := strings.Index(got[i], "discovery of apps/v1: "); j >= 0 {
						got[i] = got[i][:j+len("discovery of apps/v1: ")]
					}
				}
				r.want(got, c.want...)
			})
		})
	}
}

// TestKindsTotalFailure: a discovery that fails as a whole changes nothing.
func TestKindsTotalFailure(t *testing.T) {
	bubble(t, newFake(standardKinds()...), Config{}, func(r *rig) {
		r.watch()
		pass(time.Second)
		r.reported()
		r.locked(func() {
			r.fault = func(q *http.Request) *fakeResponse {
				if q.URL.Path == "/apis" {
					return &fakeResponse{code: 503}
				}
				return nil
			}
		})
		pass(5 * time.Minute)
		r.want(of(r.reported(), "kind"))
		r.create("ConfigMap", named("ns", "a"))
		r.want(r.reported(), "put a@101")
	})
}

// TestReferencesResolvedAnew: when a kind comes or goes, the store lists the kinds with
// references to it anew, and no other kind.
func TestReferencesResolvedAnew(t *testing.T) {
	bubble(t, newFake(definitionKinds()...), Config{}, func(r *rig) {
		r.create("ConfigMap", named("ns", "d", ref("shop.example/v1", "Cart", "c", "u")))
		r.create("Node", named("", "n"))
		r.watch()
		owner := func() graph.Owner {
			r.mu.Lock()
			defer r.mu.Unlock()
			for k, o := range r.live {
				if k.Name == "d" {
					return o.Owners[0]
				}
			}
			t.Fatal("d was not reported")
			return graph.Owner{}
		}
		r.reported()
		if o := owner(); !o.Unresolved || o.Kind != "shop.example/Cart" || o.Scope != "" {
			t.Errorf("before it is served: %+v", o)
		}
		pass(time.Second)
		r.define(0)
		pass(rediscoverAgain)
		r.want(sorted(of(r.reported(), "begun")), "list-begun ConfigMap", "list-begun shop.example/Cart")
		if o := owner(); o.Unresolved || o.Scope != "ns" {
			t.Errorf("served: %+v", o)
		}
		r.locked(func() { r.kindOf("shop.example/Cart").versions = []string{"v2"} })
		pass(time.Minute)
		r.want(sorted(of(r.reported(), "begun")), "list-begun ConfigMap", "list-begun shop.example/Cart")
		if o := owner(); !o.Unresolved {
			t.Errorf("its version is no longer served: %+v", o)
		}
		r.locked(func() { r.kindOf("shop.example/Cart").versions = []string{"v2", "v1"} })
		pass(time.Minute)
		r.hide(true)
		pass(time.Minute)
		r.reported()
		if o := owner(); o.Unresolved || o.Scope != "ns" {
			t.Errorf("its kind is no longer served, and its meaning has changed: %+v", o)
		}
	})
}

// TestRediscovers: no definition starts a discovery before the listing of definitions
// is complete. Afterwards each change does, and many changes at once start one.
func TestRediscovers(t *testing.T) {
	bubble(t, newFake(definitionKinds()...), Config{Rediscover: time.Hour}, func(r *rig) {
		r.watch()
		pass(time.Minute)
		r.reported()
		r.takeCalls()
		for i := range 50 {
			r.create(definitionKind, named("", strings.Repeat("x", i+1)+".example"))
		}
		pass(time.Minute)
		if n := len(of(r.takeCalls(), "discover /apis")); n != 2 {
			t.Errorf("%d looks for 50 definitions, want 2", n)
		}
		pass(2 * time.Hour)
		if n := len(of(r.takeCalls(), "discover /apis")); n != 2 {
			t.Errorf("%d looks in two hours, want 2", n)
		}
	})
}

// TestGroupVersionKind: a kind has a version from the first discovery until it goes.
func TestGroupVersionKind(t *testing.T) {
	bubble(t, newFake(definitionKinds()...), Config{Ignore: []graph.Kind{"Node"}}, func(r *rig) {
		version := func(kind graph.Kind) string {
			gvk, ok := r.store.GroupVersionKind(kind)
			if ok != (gvk != schema.GroupVersionKind{}) || ok && kindName(gvk.Group, gvk.Kind) != kind {
				t.Errorf("%s: %v, %v", kind, gvk, ok)
			}
			return gvk.GroupVersion().String()
		}
		if got := version("ConfigMap"); got != "" || r.store.Namespaced("ConfigMap") {
			t.Errorf("before the first discovery: %q", got)
		}
		r.watch()
		pass(time.Second)
		r.takeCalls()
		for kind, want := range map[graph.Kind]string{
			"ConfigMap": "v1", "apps/Deployment": "apps/v1", "Node": "", "Deployment": "", "shop.example/Cart": "",
		} {
			if got := version(kind); got != want || r.store.Namespaced(kind) != (want != "") {
				t.Errorf("%s: %q, namespaced %t, want %q", kind, got, r.store.Namespaced(kind), want)
			}
		}
		if asked := r.takeCalls(); len(asked) > 0 {
			t.Errorf("asked %q", asked)
		}
		r.define(time.Second)
		pass(time.Minute)
		if got := version("shop.example/Cart"); got != "shop.example/v1" {
			t.Errorf("of a kind that came: %q", got)
		}
		r.undefine()
		r.hide(true)
		pass(time.Minute)
		if got := version("shop.example/Cart"); got != "" {
			t.Errorf("of a kind that went: %q", got)
		}
	})
}
