package clientgo

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ownergraph/ownergraph/graph"
)

// deleteSeen deletes a ConfigMap under its UID and its observed version.
func (r *rig) deleteSeen(name string) error {
	r.mu.Lock()
	var at graph.Object
	for k, o := range r.live {
		if k.Name == name {
			at = o
		}
	}
	r.mu.Unlock()
	return r.store.Delete(r.t.Context(), at.Key, graph.DeleteOptions{
		Precondition: graph.Precondition{UID: at.UID, Version: at.Version}, Propagation: graph.Background,
	})
}

// noAnswer leaves every write without an answer.
func noAnswer(q *http.Request) *fakeResponse {
	if q.Method != http.MethodGet {
		return &fakeResponse{hang: true}
	}
	return nil
}

// TestLossIsCompared: after a write without an answer, and after the end of a watch,
// the store compares the history once before the next write. All waiting writes share
// the comparison.
func TestLossIsCompared(t *testing.T) {
	for _, c := range []struct {
		reason string
		lose   func(*rig)
		want   int
	}{
		{"nothing was lost", func(*rig) {}, 0},
		{"a write had no answer", func(r *rig) {
			r.locked(func() { r.fault = noAnswer })
			ctx, end := context.WithTimeout(r.t.Context(), time.Second)
			defer end()
			_ = r.store.Delete(ctx, graph.Key{Kind: "ConfigMap", Scope: "ns", Name: "x"}, graph.DeleteOptions{})
		}, 2},
		{"the watches ended", func(r *rig) { r.breakWatches() }, 2},
		{"the server is down for a moment", func(r *rig) { r.net.SetDown(true); pass(time.Second); r.net.SetDown(false) }, 2},
		{"a server behind the server fails", func(r *rig) {
			r.locked(func() { r.fault = failing("x", 502) })
			_ = r.store.Delete(r.t.Context(), graph.Key{Kind: "ConfigMap", Scope: "ns", Name: "x"}, graph.DeleteOptions{})
		}, 2},
		{"a write is refused", func(r *rig) {
			r.locked(func() { r.fault = failing("x", 403) })
			_ = r.store.Delete(r.t.Context(), graph.Key{Kind: "ConfigMap", Scope: "ns", Name: "x"}, graph.DeleteOptions{})
		}, 0},
	} {
		t.Run(c.reason, func(t *testing.T) {
			bubble(t, newFake(standardKinds()...), Config{}, func(r *rig) {
				names := []string{"a", "b", "c", "d"}
				for _, n := range names {
					r.create("ConfigMap", named("ns", n))
				}
				r.watch()
				r.create("Node", named("", "newest"))
				pass(time.Second)
				c.lose(r)
				r.locked(func() { r.fault = nil })
				pass(2 * time.Minute)
				r.takeCalls()
				var all sync.WaitGroup
				for _, n := range names {
					all.Go(func() {
						if err := r.deleteSeen(n); err != nil {
							r.t.Error(err)
						}
					})
				}
				all.Wait()
				if lists := of(r.takeCalls(), "limit 1"); len(lists) > c.want || (len(lists) == 0) != (c.want == 0) {
					t.Errorf("asked %q, want %d", lists, c.want)
				}
			})
		})
	}
}

// TestLossAndRestore: a server fails during writes and comes back restored. The store
// sends no write of the former history, for each sign of the loss. The watch reports
// the rewind. After a pause the store sends writes again.
func TestLossAndRestore(t *testing.T) {
	for _, c := range []struct {
		reason string
		lose   func(*rig)
	}{
		{"a write had no answer, and the watches say nothing", func(r *rig) {
			r.locked(func() { r.fault = noAnswer })
			ctx, end := context.WithTimeout(r.t.Context(), time.Second)
			defer end()
			if err := r.store.Delete(ctx, graph.Key{Kind: "ConfigMap", Scope: "ns", Name: "a"}, graph.DeleteOptions{}); err == nil {
				r.t.Error("there was an answer")
			}
			r.locked(func() { r.broken = make(chan struct{}) }) // and not the one of the watches
		}},
		{"the watches broke", func(*rig) {}},
	} {
		t.Run(c.reason, func(t *testing.T) {
			bubble(t, newFake(standardKinds()...), Config{}, func(r *rig) {
				r.create("ConfigMap", named("ns", "a"))
				restore := r.backup()
				r.watch()
				r.create("Node", named("", "n")) // the quiet kind has no new version
				pass(time.Second)
				r.reported()
				still := r.broken
				defer r.locked(func() { r.broken = still })
				c.lose(r)
				restore()
				r.locked(func() { r.fault = nil })
				synctest.Wait()
				r.takeCalls()
				for range 5 {
					err := r.deleteSeen("a")
					var l interface{ RetryAfter() time.Duration }
					if err == nil || !errors.Is(err, errUnsent) || !errors.As(err, &l) || sentinelOf(err, "configmaps", "a") != nil {
						t.Fatalf("delete on the former history: %v", err)
					}
					pass(rewindPause / 10)
				}
				if sent := of(r.takeCalls(), "delete"); len(sent) != 0 {
					t.Errorf("sent %q", sent)
				}
				rewinds := 0
				r.mu.Lock()
				for _, e := range r.events {
					if e.Type == graph.Rewound {
						rewinds++
						if e.Epoch == "" || e.Epoch != r.store.history.epochName(1) {
							t.Errorf("epoch %q", e.Epoch)
						}
					}
				}
				r.mu.Unlock()
				if rewinds != 1 {
					t.Errorf("%d rewinds were reported", rewinds)
				}
				pass(time.Minute)
				if err := r.deleteSeen("a"); err != nil {
					t.Errorf("after all was listed: %v", err)
				}
			})
		})
	}
}

// TestLossWithoutComparison: while the server's history is not compared, the store
// sends no write. The returned error is not an answer to the write.
func TestLossWithoutComparison(t *testing.T) {
	for _, code := range []int{403, 404, 409, 503} {
		bubble(t, newFake(standardKinds()...), Config{}, func(r *rig) {
			r.create("ConfigMap", named("ns", "a"))
			r.watch()
			pass(time.Second)
			r.store.losses.addSign()
			r.locked(func() { r.fault = failing("configmaps", code) })
			err := r.deleteSeen("a")
			if !errors.Is(err, errUnsent) || sentinelOf(err, "configmaps", "a") != nil || len(of(r.takeCalls(), "delete")) != 0 {
				t.Errorf("%d: %v", code, err)
			}
			ended, end := context.WithCancel(r.t.Context())
			end()
			if err := r.store.allow(ended, r.store.catalog.Load().kinds["ConfigMap"], 0); err == nil || !errors.Is(err, context.Canceled) {
				t.Errorf("a context that has ended: %v", err)
			}
			r.locked(func() { r.fault = nil })
			if err := r.deleteSeen("a"); err != nil {
				t.Errorf("after it was shown: %v", err)
			}
		})
	}
}

// TestLossAndSickKind: if the server of the newest kind returns errors, the writes of
// other kinds go on.
func TestLossAndSickKind(t *testing.T) {
	bubble(t, newFake(standardKinds()...), Config{}, func(r *rig) {
		r.create("ConfigMap", named("ns", "a"))
		r.watch()
		r.create("Node", named("", "n"))
		pass(time.Second)
		r.store.losses.addSign()
		r.locked(func() { r.fault = failing("nodes", 503) })
		if err := r.deleteSeen("a"); err != nil {
			t.Error(err)
		}
	})
}

// TestWriteIsSentOnce: a write whose connection ends before the answer is not sent
// again.
func TestWriteIsSentOnce(t *testing.T) {
	bubble(t, newFake(standardKinds()...), Config{}, func(r *rig) {
		r.create("ConfigMap", named("ns", "a"))
		r.watch()
		pass(time.Second)
		var bodies []bool
		r.store.client.http.Transport = once{recorder{r.store.client.http.Transport.(once).next, func(q *http.Request) {
			bodies = append(bodies, q.GetBody != nil)
		}}}
		req, err := http.NewRequestWithContext(r.t.Context(), http.MethodDelete, "http://fake/api/v1/namespaces/ns/configmaps/a", strings.NewReader("{}"))
		if err != nil {
			t.Fatal(err)
		}
		resp, err := r.store.client.http.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		if len(bodies) != 1 || bodies[0] {
			t.Errorf("the transport may send the body again: %v", bodies)
		}
	})
}

type recorder struct {
	next http.RoundTripper
	see  func(*http.Request)
}

func (r recorder) RoundTrip(q *http.Request) (*http.Response, error) {
	r.see(q)
	return r.next.RoundTrip(q)
}
