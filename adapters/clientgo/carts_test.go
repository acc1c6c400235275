package clientgo

import (
	"net/http"
	"strings"
	"time"
)

func definitionKinds() []*fakeKind {
	return append(standardKinds(),
		&fakeKind{group: "apiextensions.k8s.io", kind: "CustomResourceDefinition", plural: "customresourcedefinitions", versions: []string{"v1"}},
		&fakeKind{group: "shop.example", kind: "Cart", plural: "carts", versions: []string{"v1"}, scoped: true, hidden: true},
	)
}

// define makes the fake serve carts, some time after the definition exists.
func (r *rig) define(after time.Duration) {
	r.create(definitionKind, named("", "carts.shop.example"))
	pass(after)
	r.hide(false)
}

// carts defines the kind Cart, and creates two objects.
func (r *rig) carts() {
	r.create(definitionKind, named("", "carts.shop.example"))
	r.hide(false)
	r.create("shop.example/Cart", named("ns", "a"))
	r.create("shop.example/Cart", named("ns", "b"))
	pass(time.Minute)
}

// unserve makes the fake answer 404 for carts, while discovery names them.
func (r *rig) unserve() { r.answerCarts(fakeResponse{code: 404}) }

// answerCarts makes the fake answer every request for carts so.
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

// undiscover removes carts from discovery, while their watch goes on.
func (r *rig) undiscover(unsaid bool) {
	r.locked(func() { r.kindOf("shop.example/Cart").undiscovered = unsaid })
}

// undefine removes the definition of carts.
func (r *rig) undefine() { r.delete(definitionKind, "", "carts.shop.example", 0) }

// survivors returns the carts whose removal was not reported.
func (r *rig) survivors() string {
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
