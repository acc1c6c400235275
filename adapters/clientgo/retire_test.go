package clientgo

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph/graph"
)

const vanished = "kind-vanished shop.example/Cart"

// A kind that is not served any more: what its watch has said is gone, and of the
// rest nobody knows, whatever became of the definition.
func TestKindLeft(t *testing.T) {
	for _, c := range []struct {
		reason string
		end    func(*rig)
		want   []string
		left   string // of whose end nothing was said
	}{
		{"the server has cleaned up, and said so", func(r *rig) {
			r.remove("a", "b")
			r.undefine()
			r.hide(true)
		}, []string{"gone a", "gone b", "gone carts.shop.example", vanished}, ""},
		{"it does not list them any more, and says so all the same", func(r *rig) {
			r.unserve()
			r.remove("a", "b")
			r.undefine()
			r.hide(true)
		}, []string{"gone a", "gone b", "gone carts.shop.example", vanished}, ""},
		{"discovery is ahead of the watch", func(r *rig) {
			r.undefine()
			r.unserve()
			r.undiscover(true)
			pass(2 * time.Second)
			r.remove("a", "b")
			pass(time.Second)
			r.hide(true)
		}, []string{"gone carts.shop.example", "gone a", "gone b", vanished}, ""},
		{"so it is, and the watch ends when it has said it", func(r *rig) {
			r.unserve()
			r.undiscover(true)
			pass(time.Second)
			r.remove("a")
			r.undefine()
			r.hide(true)
		}, []string{"gone a", "gone carts.shop.example", vanished}, "b"},
		{"the cleanup was called off by hand: they are there, and come back with a definition", func(r *rig) {
			r.remove("a")
			r.undefine()
			r.hide(true)
		}, []string{"gone a", "gone carts.shop.example", vanished}, "b"},
		{"a watch that says nothing is not heard for ever", func(r *rig) {
			r.undefine()
			r.unserve()
			r.undiscover(true)
			pass(time.Minute)
			r.remove("a")
		}, []string{"gone carts.shop.example", vanished}, "a b"},
		{"a fence finds out first, and the watch is heard out", func(r *rig) {
			r.unserve()
			if err := r.store.Fence(r.t.Context(), 1000); err != nil {
				r.t.Fatal(err)
			}
			pass(time.Second)
			r.remove("a", "b")
			r.undefine()
			pass(time.Second)
			r.hide(true)
		}, []string{"gone a", "gone b", "gone carts.shop.example", vanished}, ""},
		{"it is served again before anybody has noticed", func(r *rig) {
			r.undiscover(true)
			pass(time.Second)
			r.undiscover(false)
		}, nil, "a b"},
		{"it is served again soon, and its watch goes on", func(r *rig) {
			r.undefine()
			r.undiscover(true)
			pass(2 * time.Second)
			r.undiscover(false)
			pass(2 * time.Second)
			r.remove("a")
		}, []string{"gone carts.shop.example", "gone a"}, "b"},
	} {
		t.Run(c.reason, func(t *testing.T) {
			bubble(t, newFake(definitionKinds()...), Config{}, func(r *rig) {
				r.watch()
				r.carts()
				r.told()
				c.end(r)
				pass(5 * time.Minute)
				told := r.told()
				r.want(of(told, "gone ", "vanished"), c.want...)
				if sick := of(told, "sick"); !slices.Contains(c.want, vanished) && len(sick) != 0 {
					t.Errorf("told %q of a kind that is served", sick)
				}
				if left := r.left(); left != c.left {
					t.Errorf("of %q nothing was said, want %q", left, c.left)
				}
			})
		})
	}
}

// A kind that is left has its watch heard out also if what is served changes how its
// references are read.
func TestKindLeftAnew(t *testing.T) {
	wagon := &fakeKind{group: "shop.example", kind: "Wagon", plural: "wagons", versions: []string{"v1"}, scoped: true, hidden: true}
	bubble(t, newFake(append(definitionKinds(), wagon)...), Config{}, func(r *rig) {
		r.watch()
		r.carts()
		r.create("shop.example/Cart", named("ns", "c", ref("shop.example/v1", "Wagon", "w", "u")))
		r.unserve()
		r.undiscover(true)
		r.fake.hide("shop.example/Wagon", false)
		r.undefine()
		pass(time.Second)
		r.remove("a", "b", "c")
		pass(time.Minute)
		if left := r.left(); left != "" {
			t.Errorf("%q are left", left)
		}
	})
}

// A kind is left within seconds: a silent watch is heard for three, and a server that
// does not answer keeps it for ten.
func TestLeavingIsBounded(t *testing.T) {
	for _, c := range []struct {
		reason string
		hangs  bool
		within time.Duration
	}{
		{"a silent watch", false, drainTime},
		{"a listing that hangs", true, retireTimeout},
	} {
		bubble(t, newFake(definitionKinds()...), Config{}, func(r *rig) {
			r.watch()
			r.carts()
			r.unserve()
			if c.hangs {
				r.answerCarts(fakeResponse{hang: true})
				r.breakWatches()
				pass(5 * time.Second)
			}
			r.undiscover(true)
			r.undefine()
			pass(rediscoverDelay)
			r.told()
			pass(c.within - time.Millisecond)
			r.want(of(r.told(), "vanished"))
			pass(time.Millisecond)
			r.want(of(r.told(), "vanished"), vanished)
		})
	}
}

// A fence waits for the kinds that were being left when it began, and for no others:
// kinds that come and go all the time do not hold it.
func TestFenceWhileKindsLeave(t *testing.T) {
	r, _, told := bench(t)
	r.catalog, r.retirements = &catalog{}, 2
	r.retiring["a"], r.retiring["b"] = &retirement{number: 1}, &retirement{number: 2}
	look := func(ids ...uint64) {
		if err := r.deliverCatalog(delivery{catalog: &catalog{}, fences: ids}); err != nil {
			t.Fatal(err)
		}
	}
	look(7)
	r.retirements, r.retiring["c"] = 3, &retirement{number: 3}
	look(8)
	delete(r.retiring, "a")
	look()
	if got := drain(t, r, told); len(got) != 0 {
		t.Errorf("told %q while b is left", got)
	}
	delete(r.retiring, "b")
	look()
	if got := drain(t, r, told); !slices.Equal(got, []string{"fence-passed 7 "}) {
		t.Errorf("told %q, want the fence that began before c was left", got)
	}
	delete(r.retiring, "c")
	look()
	if got := drain(t, r, told); !slices.Equal(got, []string{"fence-passed 8 "}) {
		t.Errorf("told %q, want the other", got)
	}
}

// The end of an earlier leaving is not that of a later one.
func TestFinishedBefore(t *testing.T) {
	r, _, _ := bench(t)
	r.catalog, r.infos = &catalog{}, []graph.KindInfo{{Kind: "Node"}}
	r.retiring["Node"] = &retirement{number: 2, until: time.Now().Add(time.Hour)}
	for number := range int64(3) {
		if err := r.endRetirement("Node", number); err != nil {
			t.Fatal(err)
		}
		if over := r.retiring["Node"] == nil; over != (number == 2) {
			t.Errorf("number %d ends it: %v", number, over)
		}
	}
}

// remove ends carts, as the server's cleanup does.
func (r *rig) remove(names ...string) {
	for _, name := range names {
		r.delete("shop.example/Cart", "ns", name, 0)
	}
	pass(100 * time.Millisecond)
}

// A fence holds while the watch of a kind is heard out, and a kind that cannot be
// listed is sick soon though its watch is open.
func TestUnservedIsSickSoon(t *testing.T) {
	bubble(t, newFake(definitionKinds()...), Config{}, func(r *rig) {
		r.watch()
		r.carts()
		r.unserve()
		r.told()
		r.took()
		if err := r.store.Fence(r.t.Context(), 1000); err != nil {
			t.Fatal(err)
		}
		pass(drainTime - time.Millisecond)
		r.want(of(r.told(), "kind-sick", "1000 shop"))
		if n := len(of(r.took(), "list carts")); n != 1 {
			t.Errorf("the page was asked for %d times", n)
		}
		pass(time.Second)
		if got := of(r.told(), "kind-sick", "1000 shop"); len(got) != 1 || !strings.HasPrefix(got[0], "kind-sick shop.example/Cart") {
			t.Errorf("told %q", got)
		}
		r.locked(func() { r.fault = nil })
		pass(time.Minute)
		if got := of(r.told(), "kind-recovered", "1000 shop"); len(got) != 2 {
			t.Errorf("told %q", got)
		}
	})
}

// While a kind is left its place may be taken by another: nothing of that one is
// taken for it.
func TestKindReplaced(t *testing.T) {
	kinds := append(definitionKinds(),
		&fakeKind{group: "shop.example", kind: "Wagon", plural: "carts", versions: []string{"v1"}, scoped: true, hidden: true})
	bubble(t, newFake(kinds...), Config{}, func(r *rig) {
		r.watch()
		r.carts()
		r.told()
		r.remove("a", "b")
		r.undefine()
		r.unserve()
		r.undiscover(true)
		pass(2 * rediscoverDelay)
		r.hide(true)
		r.locked(func() { r.fault = nil })
		r.create("shop.example/Wagon", named("ns", "w"))
		r.fake.hide("shop.example/Wagon", false)
		r.create(definitionKind, named("", "carts.shop.example"))
		pass(time.Minute)
		if left := r.left(); left != "" {
			t.Errorf("%q are told as carts", left)
		}
		r.agree()
	})
}

// A kind that is left costs a few looks, and none once it is gone.
func TestLeavingEnds(t *testing.T) {
	bubble(t, newFake(definitionKinds()...), Config{Rediscover: time.Hour}, func(r *rig) {
		r.watch()
		r.carts()
		r.undefine()
		r.unserve()
		r.undiscover(true)
		r.took()
		pass(time.Minute)
		if n := len(of(r.took(), "discover")); n > 8 {
			t.Errorf("%d requests look what is served", n)
		}
		r.locked(func() {
			r.fault = func(q *http.Request) *fakeResponse { return nil }
		})
		pass(10 * time.Minute)
		if got := r.took(); len(of(got, "discover", "list", "stream")) != 0 {
			t.Errorf("asked %q when all was over", slices.Compact(got))
		}
	})
}
