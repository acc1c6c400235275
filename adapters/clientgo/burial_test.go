package clientgo

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/ownergraph/ownergraph/graph"
)

// A definition goes so fast that its objects cannot be listed any more when it is
// seen marked. The watch that is open says their ends all the same; of what it does
// not say, the definition's absence is the end.
func TestKindGoesFast(t *testing.T) {
	for _, c := range []struct {
		said   []string // whose ends the watch says
		reason string
	}{
		{[]string{"a", "b"}, "all"},
		{[]string{"a"}, "some"},
		{nil, "none: the watch ends with the definition"},
	} {
		bubble(t, newFake(definitionKinds()...), Config{}, func(r *rig) {
			r.watch()
			r.carts()
			r.told()
			r.unserve()
			r.delete(definitionKind, "", "carts.shop.example", 0)
			pass(100 * time.Millisecond)
			for _, name := range c.said {
				r.delete("shop.example/Cart", "ns", name, 0)
			}
			pass(100 * time.Millisecond)
			r.undefine()
			pass(100 * time.Millisecond)
			r.hide(true)
			pass(time.Minute)
			told := of(r.told(), "gone ", "vanished", "ended shop")
			if left := r.left(); left != "" || told[len(told)-1] != "kind-vanished shop.example/Cart" {
				r.t.Errorf("told %q, which leaves %q; the watch says %s", told, left, c.reason)
			}
		})
	}
}

// A definition is gone, and for a moment its kind is served all the same. What the
// server lists then is the end of all that the watch did not say; nothing can be
// listed afterwards.
func TestKindOutlivesDefinition(t *testing.T) {
	bubble(t, newFake(definitionKinds()...), Config{NoStreaming: true}, func(r *rig) {
		r.watch()
		r.carts()
		over, lists := false, 0
		r.locked(func() {
			r.fault = func(q *http.Request) *fakeResponse {
				switch {
				case !strings.HasSuffix(q.URL.Path, "/carts"):
					return nil
				case q.URL.Query().Get("watch") != "":
					return &fakeResponse{code: 500}
				case over:
					lists++
				}
				if lists > 1 {
					return &fakeResponse{code: 404}
				}
				return nil
			}
		})
		r.breakWatches()
		pass(time.Minute)
		r.delete(definitionKind, "", "carts.shop.example", 0)
		pass(10 * time.Second)
		r.delete("shop.example/Cart", "ns", "a", 0)
		r.delete("shop.example/Cart", "ns", "b", 0)
		r.locked(func() { over = true })
		r.undefine()
		pass(time.Second)
		r.hide(true)
		pass(time.Minute)
		r.mu.Lock()
		defer r.mu.Unlock()
		for k := range r.live {
			if k.Kind == "shop.example/Cart" {
				r.t.Errorf("%s was never said to be gone", k)
			}
		}
		if !slices.ContainsFunc(r.events, func(e graph.Event) bool { return e.Type == graph.KindVanished }) {
			r.t.Error("the kind is still there")
		}
	})
}

// serveless has a kind's definition marked, whose watch ends before it has said what
// ended with it, and whose server does not serve the kind any more.
func serveless(r *rig, hide bool) {
	r.carts()
	r.told()
	r.delete(definitionKind, "", "carts.shop.example", 0)
	pass(time.Second)
	r.unserve()
	if hide {
		r.hide(true)
	}
}

// The end of a definition may be shown by the page of a fence, and not by an event:
// that is as good.
func TestDefinitionEndsInFence(t *testing.T) {
	for _, fence := range []bool{false, true} {
		bubble(t, newFake(definitionKinds()...), Config{}, func(r *rig) {
			r.watch()
			serveless(r, true)
			if fence {
				if err := r.store.Fence(r.t.Context(), 1000); err != nil {
					r.t.Fatal(err)
				}
			}
			r.undefine()
			pass(10 * time.Minute)
			if got := strings.Join(of(r.told(), "gone ", "vanished"), "; "); !strings.Contains(got, "gone a; gone b") {
				r.t.Errorf("told %q, with a fence: %v, want the ends of a and b", got, fence)
			}
		})
	}
}

// A definition is marked and gone while a fence reads its page of definitions: that
// does not bring it, and the watch's word of its mark comes late. It counts.
func TestDefinitionGoesDuringFence(t *testing.T) {
	for _, cleaned := range []bool{true, false} {
		bubble(t, newFake(definitionKinds()...), Config{}, func(r *rig) {
			r.watch()
			r.carts()
			r.told()
			r.locked(func() {
				r.fault = func(q *http.Request) *fakeResponse {
					if strings.HasSuffix(q.URL.Path, "/carts") {
						return &fakeResponse{code: 404}
					}
					if k := r.kindOf(definitionKind); strings.HasSuffix(q.URL.Path, k.plural) && q.URL.Query().Get("limit") != "" && len(k.objects) > 0 {
						r.end(k, cleaned)
					}
					return nil
				}
			})
			if err := r.store.Fence(r.t.Context(), 1000); err != nil {
				r.t.Fatal(err)
			}
			pass(time.Second)
			r.hide(true)
			pass(10 * time.Minute)
			want := "a b"
			if cleaned {
				want = ""
			}
			told := r.told()
			if left := r.left(); left != want || len(of(told, "fence-passed 1000 "+string(definitionKind), "list-ended "+string(definitionKind))) != 2 {
				r.t.Errorf("%q are left, want %q; told %q", left, want, told)
			}
		})
	}
}

// end has the definition of carts be marked and gone at once. The caller has the lock.
func (r *rig) end(k *fakeKind, cleaned bool) {
	for _, o := range k.sorted() {
		m := o.DeepCopy()
		if m.Finalizers = nil; cleaned {
			m.Finalizers = []string{cleanup}
		}
		m.DeletionTimestamp = &metav1.Time{Time: time.Now()}
		r.commit(k, "MODIFIED", m)
		m.Finalizers = nil
		r.commit(k, "DELETED", m)
	}
}

// A kind whose definition is gone is heard for three seconds more, however many
// orders come meanwhile.
func TestLastWordsEnd(t *testing.T) {
	bubble(t, newFake(definitionKinds()...), Config{}, func(r *rig) {
		r.watch()
		serveless(r, false)
		r.undefine()
		var got []string
		for i := range 10 {
			if err := r.store.Fence(r.t.Context(), uint64(1000+i)); err != nil {
				r.t.Fatal(err)
			}
			pass(2 * time.Second)
			got = append(got, of(r.told(), "sick", "vanished")...)
		}
		if len(got) == 0 {
			r.t.Error("nobody says that the kind is over")
		}
		r.hide(true)
	})
}
