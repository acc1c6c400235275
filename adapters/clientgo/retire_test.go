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

// TestKindRetired: a kind is no longer served. The objects whose removal its watch
// reported are gone. The other objects are unknown, whether the definition exists or
// not.
func TestKindRetired(t *testing.T) {
	for _, c := range []struct {
		reason string
		end    func(*rig)
		want   []string
		left   string // carts whose removal was not reported
	}{
		{"the server has cleaned up, and said so", func(r *rig) {
			r.remove("a", "b")
			r.undefine()
			r.hide(true)
		}, []string{"gone a", "gone b", "gone carts.shop.example", vanished}, ""},
		{"it no longer lists them, and says so all the same", func(r *rig) {
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
		{"a silent watch is not read for ever", func(r *rig) {
			r.undefine()
			r.unserve()
			r.undiscover(true)
			pass(time.Minute)
			r.remove("a")
		}, []string{"gone carts.shop.example", vanished}, "a b"},
		{"a fence finds out first, and the watch is read to its end", func(r *rig) {
			r.unserve()
			r.fence(1000)
			pass(time.Second)
			r.remove("a", "b")
			r.undefine()
			pass(time.Second)
			r.hide(true)
		}, []string{"gone a", "gone b", "gone carts.shop.example", vanished}, ""},
		{"it is served again before the next discovery", func(r *rig) {
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
				r.reported()
				c.end(r)
				pass(5 * time.Minute)
				events := r.reported()
				r.want(of(events, "gone ", "vanished"), c.want...)
				if sick := of(events, "sick"); !slices.Contains(c.want, vanished) && len(sick) != 0 {
					t.Errorf("events %q of a served kind", sick)
				}
				if left := r.survivors(); left != c.left {
					t.Errorf("of %q nothing was said, want %q", left, c.left)
				}
			})
		})
	}
}

// TestKindRetiredAndListedAnew: the watch of a retired kind is read to its end, even if
// the meaning of its references changes.
func TestKindRetiredAndListedAnew(t *testing.T) {
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
		if left := r.survivors(); left != "" {
			t.Errorf("%q are left", left)
		}
	})
}

// TestRetirementIsBounded: a kind is retired within seconds. The store reads a silent
// watch for 3 s. A server without an answer keeps the kind for 10 s.
func TestRetirementIsBounded(t *testing.T) {
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
			r.reported()
			pass(c.within - time.Millisecond)
			r.want(of(r.reported(), "vanished"))
			pass(time.Millisecond)
			r.want(of(r.reported(), "vanished"), vanished)
		})
	}
}

// TestFenceWhileKindsRetire: a fence waits for the retirements that began before it,
// and for no later ones. Kinds that come and go all the time do not delay it.
func TestFenceWhileKindsRetire(t *testing.T) {
	r, _, events := newLoop(t)
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
	if got := drain(t, r, events); len(got) != 0 {
		t.Errorf("events %q while b retires", got)
	}
	delete(r.retiring, "b")
	look()
	if got := drain(t, r, events); !slices.Equal(got, []string{"fence-passed 7 "}) {
		t.Errorf("events %q, want the fence that began before the retirement of c", got)
	}
	delete(r.retiring, "c")
	look()
	if got := drain(t, r, events); !slices.Equal(got, []string{"fence-passed 8 "}) {
		t.Errorf("events %q, want the other", got)
	}
}

// TestRetirementNumbers: the end of an earlier retirement does not end a later one.
func TestRetirementNumbers(t *testing.T) {
	r, _, _ := newLoop(t)
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

// remove removes carts, as the server's cleanup does.
func (r *rig) remove(names ...string) {
	for _, name := range names {
		r.delete("shop.example/Cart", "ns", name, 0)
	}
	pass(100 * time.Millisecond)
}

// TestUnservedIsSickSoon: a fence waits while the watch of a retired kind is read to
// its end. A kind that cannot be listed is sick soon, even with an open watch.
func TestUnservedIsSickSoon(t *testing.T) {
	bubble(t, newFake(definitionKinds()...), Config{}, func(r *rig) {
		r.watch()
		r.carts()
		r.unserve()
		r.reported()
		r.takeCalls()
		r.fence(1000)
		pass(drainTime - time.Millisecond)
		r.want(of(r.reported(), "kind-sick", "1000 shop"))
		if n := len(of(r.takeCalls(), "list carts")); n != 1 {
			t.Errorf("the page was asked for %d times", n)
		}
		pass(time.Second)
		if got := of(r.reported(), "kind-sick", "1000 shop"); len(got) != 1 || !strings.HasPrefix(got[0], "kind-sick shop.example/Cart") {
			t.Errorf("events %q", got)
		}
		r.locked(func() { r.fault = nil })
		pass(time.Minute)
		if got := of(r.reported(), "kind-recovered", "1000 shop"); len(got) != 2 {
			t.Errorf("events %q", got)
		}
	})
}

// TestKindReplaced: during the retirement of a kind, another kind may take its path.
// The store does not confuse the two.
func TestKindReplaced(t *testing.T) {
	kinds := append(definitionKinds(),
		&fakeKind{group: "shop.example", kind: "Wagon", plural: "carts", versions: []string{"v1"}, scoped: true, hidden: true})
	bubble(t, newFake(kinds...), Config{}, func(r *rig) {
		r.watch()
		r.carts()
		r.reported()
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
		if left := r.survivors(); left != "" {
			t.Errorf("%q are reported as carts", left)
		}
		r.agree()
	})
}

// TestRetirementEnds: the retirement of a kind costs a few discoveries, and none after
// its end.
func TestRetirementEnds(t *testing.T) {
	bubble(t, newFake(definitionKinds()...), Config{Rediscover: time.Hour}, func(r *rig) {
		r.watch()
		r.carts()
		r.undefine()
		r.unserve()
		r.undiscover(true)
		r.takeCalls()
		pass(time.Minute)
		if n := len(of(r.takeCalls(), "discover")); n > 8 {
			t.Errorf("%d discovery requests", n)
		}
		r.locked(func() {
			r.fault = func(q *http.Request) *fakeResponse { return nil }
		})
		pass(10 * time.Minute)
		if got := r.takeCalls(); len(of(got, "discover", "list", "stream")) != 0 {
			t.Errorf("asked %q when all was over", slices.Compact(got))
		}
	})
}
