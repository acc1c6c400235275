package clientgo

import (
	"net/http"
	"strings"
	"testing"
	"time"
)

// A kind that is not served any more, and whose definition was seen to go, is over
// if its definition is not there and nobody else stands for its group. Whether its
// objects could be listed before makes no difference.
func TestKindUndefined(t *testing.T) {
	const day = 24 * time.Hour
	for _, c := range []struct {
		reason string
		before func(*rig) // the definition goes
		after  func(*rig)
		code   int // that answers who asks for the definition
		during time.Duration
		left   string
	}{
		{"nothing is in the way", nil, nil, 0, 0, ""},
		{"another server stands for its group", func(r *rig) { r.standIn("v1.shop.example", "") }, nil, 0, 0, "a b"},
		{"another server stands for another version", func(r *rig) { r.standIn("v2.shop.example", "") }, nil, 0, 0, "a b"},
		{"another server stands for another group", func(r *rig) { r.standIn("v1.example", "") }, nil, 0, 0, ""},
		{"the server stands for its group itself", func(r *rig) { r.standIn("v1.shop.example", "true") }, nil, 0, 0, ""},
		{"it is defined again, and not served yet", nil, func(r *rig) { r.create(definitionKind, named("", "carts.shop.example")) }, 500, time.Second, "a b"},
		{"something else is defined", nil, func(r *rig) { r.create(definitionKind, named("", "carts.example")) }, 0, 0, ""},
		{"for a while nobody can tell", nil, nil, 500, 5 * time.Second, ""},
		{"nobody may tell", nil, nil, 403, day, "a b"},
	} {
		for _, listed := range []bool{true, false} {
			bubble(t, newFake(append(definitionKinds(), serviceKinds()...)...), Config{}, func(r *rig) {
				r.watch()
				r.carts()
				if c.before != nil {
					c.before(r)
				}
				r.mark(listed)
				if c.code != 0 {
					r.answerDefinitions(c.code)
				}
				r.undefine()
				r.hide(true)
				if c.after != nil {
					c.after(r)
				}
				pass(c.during)
				r.unserve()
				pass(10 * time.Minute)
				if got := r.left(); got != c.left {
					t.Errorf("%q are left, want %q: %s; listed before: %v", got, c.left, c.reason, listed)
				}
			})
		}
	}
}

// What was seen of a definition's end before a rewind says nothing about the history
// of after it; what is seen of it then does.
func TestRewindUnburies(t *testing.T) {
	for _, c := range []struct {
		reason string
		first  bool // the restored history has the definition
		then   func(*rig)
		left   string
	}{
		{"it goes by hand then: nothing was cleaned up", true, func(r *rig) {
			r.undefine()
			r.delete(definitionKind, "", "carts.shop.example", 0)
		}, "a b"},
		{"it goes as it should", true, func(r *rig) {
			r.delete(definitionKind, "", "carts.shop.example", 0)
			pass(10 * time.Second)
			r.undefine()
		}, ""},
		{"there was none", false, func(*rig) {}, "a b"},
	} {
		for _, listed := range []bool{true, false} {
			bubble(t, newFake(definitionKinds()...), Config{}, func(r *rig) {
				var restore func()
				r.watch()
				if c.first {
					r.carts()
					restore = r.backup()
				} else {
					r.hide(false)
					r.create("shop.example/Cart", named("ns", "a"))
					r.create("shop.example/Cart", named("ns", "b"))
					pass(time.Minute)
					restore = r.backup()
					r.create(definitionKind, cartsDefinition())
				}
				for range 10 { // versions that the restored history does not reach
					r.create("Node", named("", "n"))
					r.delete("Node", "", "n", 0)
				}
				r.mark(listed)
				r.answerDefinitions(500)
				r.undefine()
				pass(time.Second)
				restore()
				pass(10 * time.Second)
				r.unserve()
				c.then(r)
				pass(time.Minute)
				r.hide(true)
				pass(10 * time.Minute)
				if got := r.left(); got != c.left || !r.rewound() {
					t.Log(strings.Join(r.told(), "\n"))
					t.Errorf("%q are left, want %q: %s; listed before: %v", got, c.left, c.reason, listed)
				}
			})
		}
	}
}

// mark marks the definition of carts, which are not served any more then, or a while
// later.
func (r *rig) mark(listed bool) {
	if !listed {
		r.unserve()
	}
	r.delete(definitionKind, "", "carts.shop.example", 0)
	pass(time.Second)
	r.unserve()
}

// answerDefinitions has the fake answer so whoever asks for the definition of carts,
// and serve no carts.
func (r *rig) answerDefinitions(code int) {
	r.locked(func() {
		r.fault = func(q *http.Request) *fakeResponse {
			if strings.HasSuffix(q.URL.Path, "/carts") {
				return &fakeResponse{code: 404}
			}
			if q.URL.Query().Get("fieldSelector") != "" {
				return &fakeResponse{code: code}
			}
			return nil
		}
	})
}

func serviceKinds() []*fakeKind {
	return []*fakeKind{{group: "apiregistration.k8s.io", kind: "APIService", plural: "apiservices", versions: []string{"v1"}}}
}

// standIn makes an API service, by hand unless somebody manages it.
func (r *rig) standIn(name, managed string) {
	m := named("", name)
	if managed != "" {
		m.Labels = map[string]string{automanaged: managed}
	}
	r.create(serviceKind, m)
}
