package clientgo

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ownergraph/ownergraph/graph"
)

// fence begins a fence with the token.
func (r *rig) fence(token uint64) {
	r.t.Helper()
	r.store.token.Store(token - 1)
	if got, err := r.store.Fence(r.t.Context()); err != nil || got != token {
		r.t.Errorf("Fence: %d, %v, want %d", got, err, token)
	}
}

// TestFence: on a quiet server each kind passes at once, by one request. The watch
// first reports its pending events.
func TestFence(t *testing.T) {
	for _, legacy := range []bool{false, true} {
		f := newFake(standardKinds()...)
		f.legacy = legacy
		bubble(t, f, Config{}, func(r *rig) {
			r.create("ConfigMap", named("ns", "a"))
			r.watch()
			pass(time.Second)
			r.reported()
			r.takeCalls()
			r.fence(7)
			r.want(sorted(of(r.reported(), "fence")), "fence-passed 7 ", "fence-passed 7 ConfigMap", "fence-passed 7 Node", "fence-passed 7 apps/Deployment")
			r.want(sorted(of(r.takeCalls(), "list")), "list apiservices limit 500", "list configmaps limit 500",
				"list customresourcedefinitions limit 500", "list deployments limit 500", "list nodes limit 500")
			r.agree()
		})
	}
}

// TestFenceOfManyObjects: a kind of more than one page passes with the event or
// bookmark at the fence's version. If none comes soon, the store reads the rest of the
// page, if it is small. Otherwise it opens the watch again, for a bookmark.
func TestFenceOfManyObjects(t *testing.T) {
	for _, c := range []struct {
		reason string
		after  func(*rig)
		within time.Duration
		calls  []string
		little bool // the server reports the size of the rest
	}{
		{"an event comes", func(r *rig) { r.create("ConfigMap", named("ns", "z")) }, 0,
			[]string{"list configmaps limit 2"}, true},
		{"nothing comes, and the rest is little: it is read", func(*rig) {}, fenceWait,
			[]string{"list configmaps limit 2", "list configmaps limit 2"}, true},
		{"no event comes, and the size of the rest is unknown", func(*rig) {}, fenceWait + time.Duration(shortWatch-2)*time.Second,
			[]string{"list configmaps limit 2", "watch configmaps from 103"}, false},
		{"nothing comes, and no bookmark either: it is listed", func(r *rig) {
			r.locked(func() {
				r.fault = func(q *http.Request) *fakeResponse {
					if q.URL.Query().Get("timeoutSeconds") != "" {
						return &fakeResponse{hang: true}
					}
					return nil
				}
			})
		}, openTimeout + fenceWait + shortWait + time.Minute, nil, false},
	} {
		t.Run(c.reason, func(t *testing.T) {
			bubble(t, newFake(standardKinds()...), Config{PageSize: 2}, func(r *rig) {
				for _, n := range []string{"a", "b", "c"} {
					r.create("ConfigMap", named("ns", n))
				}
				r.countsRest = c.little
				r.watch()
				r.create("Node", named("", "n")) // the server's version is above the kind's
				pass(time.Second)
				r.reported()
				r.takeCalls()
				r.fence(1)
				if got := of(r.reported(), "fence-passed 1 ConfigMap"); len(got) != 0 {
					t.Error("it passed though the watch has not come so far")
				}
				c.after(r)
				pass(c.within)
				events := r.reported()
				if got := of(events, "fence-passed 1 ConfigMap"); len(got) != 1 {
					t.Errorf("passed %d times:\n%s", len(got), strings.Join(events, "\n"))
				}
				if calls := of(r.takeCalls(), "configmaps"); c.calls != nil && !slices.Equal(calls, c.calls) {
					t.Errorf("it took %q, want %q", calls, c.calls)
				}
				if c.calls != nil {
					listed := len(of(events, "begun ConfigMap", "ended ConfigMap")) == 2
					if len(of(events, "sick")) != 0 || listed != (len(c.calls) == 2 && c.little) {
						t.Errorf("events\n%s", strings.Join(events, "\n"))
					}
				}
				pass(time.Minute)
				r.agree()
			})
		})
	}
}

// TestFenceOfSickKind: a sick kind passes the fence after its recovery. The other kinds
// pass at once.
func TestFenceOfSickKind(t *testing.T) {
	bubble(t, newFake(standardKinds()...), Config{}, func(r *rig) {
		r.fault = failing("nodes", 500)
		r.watch()
		r.reported()
		r.fence(1)
		pass(time.Hour)
		r.want(sorted(of(r.reported(), "fence")), "fence-passed 1 ", "fence-passed 1 ConfigMap", "fence-passed 1 apps/Deployment")
		r.locked(func() { r.fault = nil })
		pass(time.Minute)
		r.want(of(r.reported(), "kind-recovered", "list", "fence"), "kind-recovered Node", "list-begun Node", "list-ended Node@100", "fence-passed 1 Node")
	})
}

// TestFenceOfUncertainKind: a kind that discovery does not confirm blocks the fence
// too.
func TestFenceOfUncertainKind(t *testing.T) {
	bubble(t, newFake(standardKinds()...), Config{}, func(r *rig) {
		r.watch()
		r.locked(func() {
			r.discover = func(g string) error {
				if g == "apps" {
					return context.DeadlineExceeded
				}
				return nil
			}
		})
		pass(time.Minute)
		r.reported()
		r.fence(1)
		if err := r.store.List(r.t.Context(), "apps/Deployment"); err != nil {
			t.Error(err)
		}
		pass(time.Minute)
		r.want(of(r.reported(), "fence-passed 1 apps", "ended apps"), "list-ended apps/Deployment@100")
		r.locked(func() { r.discover = nil })
		pass(time.Minute)
		r.want(of(r.reported(), "Deployment")[:2], "kind-recovered apps/Deployment", "fence-passed 1 apps/Deployment")
	})
}

// TestFenceOfNewKind: the set of kinds passes only after a new discovery, together with
// the new kinds.
func TestFenceOfNewKind(t *testing.T) {
	bubble(t, newFake(definitionKinds()...), Config{Rediscover: time.Hour}, func(r *rig) {
		r.watch()
		pass(time.Minute)
		r.reported()
		r.hide(false)
		r.create("shop.example/Cart", named("ns", "c"))
		r.fence(1)
		pass(time.Second)
		events := of(r.reported(), "known", "fence-passed 1 ")
		known := slices.IndexFunc(events, func(s string) bool { return strings.Contains(s, "Cart") })
		set := slices.Index(events, "fence-passed 1 ")
		if known < 0 || set < known || !slices.Contains(events, "fence-passed 1 shop.example/Cart") {
			t.Errorf("events\n%s", strings.Join(events, "\n"))
		}
		r.locked(func() {
			r.fault = func(q *http.Request) *fakeResponse {
				if q.URL.Path == "/apis" {
					return &fakeResponse{code: 503}
				}
				return nil
			}
		})
		r.fence(2)
		pass(time.Minute)
		if slices.Contains(r.reported(), "fence-passed 2 ") {
			t.Error("the set of kinds passed without a discovery")
		}
		r.locked(func() { r.fault = nil })
		pass(time.Minute)
		if !slices.Contains(r.reported(), "fence-passed 2 ") {
			t.Error("the set of kinds did not pass")
		}
	})
}

// TestFencesAreBounded: a kind that is sick or slow keeps the newest fences.
func TestFencesAreBounded(t *testing.T) {
	bubble(t, newFake(standardKinds()...), Config{}, func(r *rig) {
		r.fault = failing("nodes", 500)
		r.watch()
		r.reported()
		for id := range uint64(maxFences + 3) {
			r.fence(id)
			pass(time.Second)
		}
		if got := of(r.reported(), " Node"); len(of(got, "fence")) != 0 {
			t.Errorf("passed while sick: %v", got)
		}
		r.locked(func() { r.fault = nil })
		pass(time.Minute)
		if got := of(r.reported(), "fence-passed"); len(got) != maxFences || got[0] != "fence-passed 3 Node" {
			t.Errorf("%d passed: %v", len(got), got)
		}
	})
}

// TestFenceIsNotEarly: all changes before a fence are reported before the fence passes,
// among many writes, broken connections and listings.
func TestFenceIsNotEarly(t *testing.T) {
	for seed := range uint64(12) {
		f := newFake(standardKinds()...)
		bubble(t, f, Config{PageSize: 3 + int(seed%3)*100, NoStreaming: seed%2 == 0}, func(r *rig) {
			for i := range 8 {
				r.create("ConfigMap", named("ns", fmt.Sprint("old-", i)))
			}
			committed := map[uint64]graph.Version{} // of an object before the fence
			end := r.watch()
			n := seed
			next := func(m uint64) uint64 { n = n*6364136223846793005 + 1442695040888963407; return (n >> 33) % m }
			for id := uint64(1); id <= 30; id++ {
				m := r.create("ConfigMap", named("ns", fmt.Sprint("new-", id)))
				committed[id] = graph.Version(m.ResourceVersion)
				switch next(6) {
				case 0:
					r.breakWatches()
				case 1:
					_ = r.store.List(r.t.Context(), "ConfigMap")
				case 2:
					r.delete("ConfigMap", "ns", fmt.Sprint("new-", id), 0)
				case 3:
					r.compact()
				}
				r.fence(id)
				pass(time.Duration(next(4)) * time.Second)
			}
			pass(5 * time.Minute)
			synctest.Wait()
			_ = end()
			seen := map[string]bool{}
			passed := map[uint64]bool{}
			for _, e := range r.events {
				switch {
				case e.Type == graph.Put:
					seen[e.Object.Name] = true
				case e.Type == graph.Gone:
					seen[e.Key.Name] = true
				case e.Type == graph.ListEnded && e.Kind == "ConfigMap":
					for id, v := range committed {
						if compare(string(e.Version), string(v)) > 0 {
							seen[fmt.Sprint("new-", id)] = true // or a listing reports its removal
						}
					}
				case e.Type == graph.FencePassed && e.Kind == "ConfigMap":
					passed[e.Fence] = true
					if !seen[fmt.Sprint("new-", e.Fence)] {
						t.Errorf("seed %d: fence %d passed before version %s was reported", seed, e.Fence, committed[e.Fence])
					}
				}
			}
			if len(passed) != len(committed) {
				t.Errorf("seed %d: %d of %d fences passed", seed, len(passed), len(committed))
			}
		})
	}
}

func TestList(t *testing.T) {
	bubble(t, newFake(standardKinds()...), Config{}, func(r *rig) {
		r.create("ConfigMap", named("ns", "a"))
		r.watch()
		r.watch()
		r.reported()
		if err := r.store.List(r.t.Context(), "ConfigMap"); err != nil {
			t.Error(err)
		}
		r.want(sorted(of(r.reported(), "begun", "put")), "list-begun ConfigMap", "list-begun ConfigMap", "put a@101", "put a@101")
		only(t, "a kind that is not served", r.store.List(r.t.Context(), "X"), graph.ErrKindUnknown)
		ended, end := context.WithCancel(r.t.Context())
		end()
		if _, err := r.store.Fence(ended); r.store.List(ended, "ConfigMap") == nil || err == nil {
			t.Error("a context that has ended was not heeded")
		}
	})
}
