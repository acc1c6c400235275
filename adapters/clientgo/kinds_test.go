package clientgo

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/ownergraph/ownergraph/graph"
)

func definitionKinds() []*fakeKind {
	return append(standardKinds(),
		&fakeKind{group: "apiextensions.k8s.io", kind: "CustomResourceDefinition", plural: "customresourcedefinitions", versions: []string{"v1"}},
		&fakeKind{group: "shop.example", kind: "Cart", plural: "carts", versions: []string{"v1"}, scoped: true, hidden: true},
	)
}

const sickCart = "kind-sick shop.example/Cart: "

// define has the fake serve carts, as the server does some time after the
// definition is there.
func (r *rig) define(after time.Duration) {
	r.create(definitionKind, named("", "carts.shop.example"))
	pass(after)
	r.hide(false)
}

// carts defines them, and makes two.
func (r *rig) carts() {
	r.create(definitionKind, named("", "carts.shop.example"))
	r.hide(false)
	r.create("shop.example/Cart", named("ns", "a"))
	r.create("shop.example/Cart", named("ns", "b"))
	pass(time.Minute)
}

// unserve has the fake know nothing of carts any more, though they are discovered.
func (r *rig) unserve() { r.answerCarts(fakeResponse{code: 404}) }

// answerCarts has the fake answer so whoever asks for carts.
func (r *rig) answerCarts(with fakeResponse) {
	r.locked(func() {
		r.fault = func(q *http.Request) *fakeResponse {
			if strings.HasSuffix(q.URL.Path, "/carts") {
				return &with
			}
			return nil
		}
	})
}

// undiscover has discovery say nothing of carts, though their watch goes on.
func (r *rig) undiscover(unsaid bool) {
	r.locked(func() { r.kindOf("shop.example/Cart").unsaid = unsaid })
}

// undefine ends the definition of carts.
func (r *rig) undefine() { r.delete(definitionKind, "", "carts.shop.example", 0) }

// left returns the carts of whose end nothing was said.
func (r *rig) left() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var out []string
	for k := range r.live {
		if k.Kind == "shop.example/Cart" {
			out = append(out, k.Name)
		}
	}
	return strings.Join(sorted(out), " ")
}

func (r *rig) hide(hidden bool) { r.fake.hide("shop.example/Cart", hidden) }

// A kind that is defined is watched soon, and one that goes takes its goroutine
// along: the bubble would not end otherwise.
func TestKindsComeAndGo(t *testing.T) {
	bubble(t, newFake(definitionKinds()...), Config{}, func(r *rig) {
		r.watch()
		pass(time.Second)
		r.told()
		r.define(time.Second)
		r.create("shop.example/Cart", named("ns", "c"))
		pass(rediscoverAgain)
		r.want(of(r.told(), "kinds-known", "Cart", "put c@"),
			"kinds-known ConfigMap Node apiextensions.k8s.io/CustomResourceDefinition apps/Deployment shop.example/Cart",
			sickCart+undiscoveredKind, sickCart+"list carts.shop.example: the server could not find the requested resource", sickCart+undiscoveredKind,
			"list-begun shop.example/Cart", "put c@102", "list-ended shop.example/Cart@102", "kind-recovered shop.example/Cart")
		r.undefine()
		r.hide(true)
		pass(time.Minute)
		told := r.told()
		r.want(of(told, "vanished", "known", "gone"), "gone carts.shop.example", "kind-vanished shop.example/Cart",
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
		r.want(of(r.told(), "Cart@", "put c@"), "put c@102", "list-ended shop.example/Cart@103")
	})
}

// A group that fails makes its own kinds sick, and nothing else; what it had is
// kept.
func TestKindsPartialFailure(t *testing.T) {
	for _, legacy := range []bool{false, true} {
		f := newFake(standardKinds()...)
		f.legacy = legacy
		bubble(t, f, Config{}, func(r *rig) {
			r.watch()
			pass(time.Second)
			r.told()
			r.locked(func() {
				r.discover = func(group string) error {
					if group == "apps" {
						return errors.New("down")
					}
					return nil
				}
			})
			pass(time.Minute)
			told := r.told()
			if got := of(told, "vanished", "known", "sick"); len(got) != 1 || !strings.HasPrefix(got[0], "kind-sick apps/Deployment: discovery of apps/v1: ") {
				t.Errorf("told %v", got)
			}
			r.create("apps/Deployment", named("ns", "d"))
			r.want(r.told(), "put d@101")
			r.locked(func() { r.discover = nil })
			pass(time.Minute)
			r.want(of(r.told(), "kind-"), "kind-recovered apps/Deployment")
		})
	}
}

// A group that nobody could ever discover stands in the set of kinds for what
// it may hold, sick, until it is discovered.
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
				got := of(r.told(), "known", "kind-")
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

// A look that fails altogether changes nothing.
func TestKindsTotalFailure(t *testing.T) {
	bubble(t, newFake(standardKinds()...), Config{}, func(r *rig) {
		r.watch()
		pass(time.Second)
		r.told()
		r.locked(func() {
			r.fault = func(q *http.Request) *fakeResponse {
				if q.URL.Path == "/apis" {
					return &fakeResponse{code: 503}
				}
				return nil
			}
		})
		pass(5 * time.Minute)
		r.want(of(r.told(), "kind"))
		r.create("ConfigMap", named("ns", "a"))
		r.want(r.told(), "put a@101")
	})
}

// References are read again when what they name comes or goes, and only the
// kinds whose objects are concerned are listed for it.
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
		r.told()
		if o := owner(); !o.Unresolved || o.Kind != "shop.example/Cart" || o.Scope != "" {
			t.Errorf("before it is served: %+v", o)
		}
		pass(time.Second)
		r.define(0)
		pass(rediscoverAgain)
		r.want(sorted(of(r.told(), "begun")), "list-begun ConfigMap", "list-begun shop.example/Cart")
		if o := owner(); o.Unresolved || o.Scope != "ns" {
			t.Errorf("served: %+v", o)
		}
		r.locked(func() { r.kindOf("shop.example/Cart").versions = []string{"v2"} })
		pass(time.Minute)
		r.want(sorted(of(r.told(), "begun")), "list-begun ConfigMap", "list-begun shop.example/Cart")
		if o := owner(); !o.Unresolved {
			t.Errorf("its version is not served any more: %+v", o)
		}
		r.locked(func() { r.kindOf("shop.example/Cart").versions = []string{"v2", "v1"} })
		pass(time.Minute)
		r.hide(true)
		pass(time.Minute)
		r.told()
		if o := owner(); o.Unresolved || o.Scope != "ns" {
			t.Errorf("its kind is not served any more, and is known as it was: %+v", o)
		}
	})
}

// Definitions are no reason to look before their listing; afterwards every
// change is, and many at once are one.
func TestLooks(t *testing.T) {
	bubble(t, newFake(definitionKinds()...), Config{Rediscover: time.Hour}, func(r *rig) {
		r.watch()
		pass(time.Minute)
		r.told()
		r.took()
		for i := range 50 {
			r.create(definitionKind, named("", strings.Repeat("x", i+1)+".example"))
		}
		pass(time.Minute)
		if n := len(of(r.took(), "discover /apis")); n != 2 {
			t.Errorf("%d looks for 50 definitions, want 2", n)
		}
		pass(2 * time.Hour)
		if n := len(of(r.took(), "discover /apis")); n != 2 {
			t.Errorf("%d looks in two hours, want 2", n)
		}
	})
}

// A kind has a version from the first look at what is served, until it goes.
func TestGroupVersionKind(t *testing.T) {
	bubble(t, newFake(definitionKinds()...), Config{Ignore: []graph.Kind{"Node"}}, func(r *rig) {
		version := func(kind graph.Kind) string {
			gvk, ok := r.store.GroupVersionKind(kind)
			if ok != (gvk != schema.GroupVersionKind{}) || ok && kindName(gvk.Group, gvk.Kind) != kind {
				t.Errorf("%s: %v, %v", kind, gvk, ok)
			}
			return gvk.GroupVersion().String()
		}
		if got := version("ConfigMap"); got != "" {
			t.Errorf("before anybody has looked: %q", got)
		}
		r.watch()
		pass(time.Second)
		r.took()
		for kind, want := range map[graph.Kind]string{
			"ConfigMap": "v1", "apps/Deployment": "apps/v1", "Node": "", "Deployment": "", "shop.example/Cart": "",
		} {
			if got := version(kind); got != want {
				t.Errorf("%s: %q, want %q", kind, got, want)
			}
		}
		if asked := r.took(); len(asked) > 0 {
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

func TestSurvey(t *testing.T) {
	all := []string{"delete", "list", "watch"}
	res := func(name, kind string, scoped bool, verbs ...string) metav1.APIResource {
		return metav1.APIResource{Name: name, Kind: kind, Namespaced: scoped, Verbs: verbs}
	}
	for _, c := range []struct {
		reason string
		found  discovered
		ignore []graph.Kind
		want   string
	}{
		{"the preferred version, though it is not the first", discovered{"g": {
			{version: "v1beta1", resources: []metav1.APIResource{res("as", "A", true, all...)}},
			{version: "v1", preferred: true, resources: []metav1.APIResource{res("as", "A", true, all...)}},
		}}, nil, "g/A=g/v1/as scoped"},
		{"a version that has all it takes, if the preferred one has not", discovered{"g": {
			{version: "v1", preferred: true, resources: []metav1.APIResource{res("as", "A", false, "get", "list")}},
			{version: "v0", resources: []metav1.APIResource{res("as", "A", false, all...)}},
		}}, nil, "g/A=g/v0/as"},
		{"no parts of resources, and none that lack a verb", discovered{"": {{version: "v1", preferred: true, resources: []metav1.APIResource{
			res("pods", "Pod", true, all...), res("pods/status", "Pod", true, all...), res("bindings", "Binding", true, "create"),
		}}}}, nil, "Pod=/v1/pods scoped"},
		{"kinds and groups that are ignored", discovered{
			"":  {{version: "v1", preferred: true, resources: []metav1.APIResource{res("pods", "Pod", true, all...), res("events", "Event", true, all...)}}},
			"m": {{version: "v1", preferred: true, resources: []metav1.APIResource{res("as", "A", true, all...)}}},
		}, []graph.Kind{"Event", "m/*"}, "Pod=/v1/pods scoped"},
		{"events that are not ignored may not own", discovered{
			"": {{version: "v1", preferred: true, resources: []metav1.APIResource{res("events", "Event", true, all...)}}},
		}, []graph.Kind{}, "Event=/v1/events scoped no-owner"},
		{"of two resources of one kind, the first", discovered{"g": {{version: "v1", preferred: true, resources: []metav1.APIResource{
			res("as", "A", true, all...), res("bs", "A", true, all...),
		}}}}, nil, "g/A=g/v1/as scoped"},
	} {
		t.Run(c.reason, func(t *testing.T) {
			got := buildCatalog(c.found, undiscovered{}, nil, newIgnored(c.ignore))
			var lines []string
			for _, i := range got.infos {
				at := got.kinds[i.Kind].at
				line := string(i.Kind) + "=" + at.Group + "/" + at.Version + "/" + at.Resource
				if i.Scoped {
					line += " scoped"
				}
				if i.NoOwner {
					line += " no-owner"
				}
				lines = append(lines, line)
			}
			if s := strings.Join(lines, ", "); s != c.want {
				t.Errorf("got %q, want %q", s, c.want)
			}
		})
	}
}
