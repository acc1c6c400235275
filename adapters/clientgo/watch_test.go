package clientgo

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ownergraph/ownergraph/graph"
)

func sorted(lines []string) []string {
	slices.Sort(lines)
	return lines
}

func TestWatch(t *testing.T) {
	for _, c := range []struct {
		reason string
		set    func(*fake)
		config Config
	}{
		{"a server that streams listings, and has aggregated discovery", func(*fake) {}, Config{}},
		{"a server that lists by pages", func(f *fake) { f.noStream = true }, Config{PageSize: 2}},
		{"a setting that asks for pages", func(*fake) {}, Config{NoStreaming: true, PageSize: 1}},
		{"a server without aggregated discovery", func(f *fake) { f.legacy = true }, Config{}},
	} {
		t.Run(c.reason, func(t *testing.T) {
			f := newFake(standardKinds()...)
			c.set(f)
			bubble(t, f, c.config, func(r *rig) {
				for _, name := range []string{"a", "b", "c"} {
					f.create("ConfigMap", named("ns", name))
				}
				f.create("Node", named("", "n"))
				r.watch()
				events := r.reported()
				r.want(events[:1], "kinds-known ConfigMap Node apps/Deployment")
				r.want(of(events, "ConfigMap@"), "list-ended ConfigMap@104")
				r.agree()
				f.create("ConfigMap", named("ns", "d", ref("v1", "Node", "n", "uid-4")))
				f.delete("ConfigMap", "ns", "b", 0)
				r.want(r.reported(), "put d@105", "gone b")
				r.agree()
				pass(time.Minute)
				r.want(sorted(of(r.reported(), "progress")), "progress ConfigMap@106", "progress Node@106", "progress apps/Deployment@106")
			})
		})
	}
}

// TestWatchResumes: a broken connection goes on at the same version, after one read of
// the server's version and without a listing.
func TestWatchResumes(t *testing.T) {
	bubble(t, newFake(standardKinds()...), Config{}, func(r *rig) {
		r.create("ConfigMap", named("ns", "a"))
		r.watch()
		pass(time.Hour)
		r.reported()
		r.takeCalls()
		r.breakWatches()
		r.create("ConfigMap", named("ns", "b"))
		r.want(r.reported(), "put b@102")
		r.want(sorted(of(r.takeCalls(), "configmaps")), "list configmaps limit 1", "watch configmaps from 101")
		r.agree()
	})
}

// TestWatchExpired: if the server has forgotten the version, the kind lists anew.
func TestWatchExpired(t *testing.T) {
	bubble(t, newFake(standardKinds()...), Config{}, func(r *rig) {
		r.create("ConfigMap", named("ns", "a"))
		r.create("ConfigMap", named("ns", "b"))
		r.watch()
		pass(time.Second)
		r.reported()
		r.net.SetDown(true)
		r.delete("ConfigMap", "ns", "a", 0)
		r.compact()
		r.want(of(r.reported(), "kind-sick ConfigMap"), "kind-sick ConfigMap: watch configmaps: Get \"http://fake/api/v1/configmaps?limit=1\": connection refused")
		r.net.SetDown(false)
		pass(time.Minute)
		r.want(of(r.reported(), "ConfigMap", "put"), "kind-recovered ConfigMap", "list-begun ConfigMap", "put b@102", "list-ended ConfigMap@103")
		r.agree()
	})
}

// TestWatchAfterOutage: after an outage the watch reports the missed changes without a
// listing, if the server still has them.
func TestWatchAfterOutage(t *testing.T) {
	bubble(t, newFake(standardKinds()...), Config{}, func(r *rig) {
		r.create("ConfigMap", named("ns", "a"))
		r.watch()
		pass(time.Second)
		r.net.SetDown(true)
		pass(time.Second)
		r.reported()
		r.delete("ConfigMap", "ns", "a", 0)
		pass(time.Minute)
		r.net.SetDown(false)
		pass(time.Minute)
		r.want(of(r.reported(), "recovered ConfigMap", "begun", "gone"), "kind-recovered ConfigMap", "gone a")
	})
}

func TestWatchSick(t *testing.T) {
	for _, c := range []struct {
		reason string
		fault  fakeResponse
		want   string
	}{
		{"a right is missing: the message says which", fakeResponse{code: 403},
			"kind-sick Node: list nodes: it takes the rights to get, list and watch them, and to act to patch and delete them: a fault"},
		{"a conversion webhook is broken", fakeResponse{code: 500},
			"kind-sick Node: list nodes: an error on the server (\"a fault\") has prevented the request from succeeding"},
		{"the server is not ready, and names a time", fakeResponse{code: 429, after: 20},
			"kind-sick Node: list nodes: the server has received too many requests and has asked us to try again later"},
		{"an aggregated server that answers by a page", fakeResponse{code: 404, body: "404 page not found"},
			"kind-sick Node: list nodes: the server could not find the requested resource"},
		{"objects without an identity", fakeResponse{code: 200, body: `{"type":"ADDED","object":{"apiVersion":"meta.k8s.io/v1","kind":"PartialObjectMetadata","metadata":{"name":"n"}}}` + "\n"},
			"kind-sick Node: list nodes: nodes \"n\": the server's answer is not object metadata: no name, UID or version"},
	} {
		t.Run(c.reason, func(t *testing.T) {
			bubble(t, newFake(standardKinds()...), Config{}, func(r *rig) {
				r.create("Node", named("", "n"))
				r.fault = func(q *http.Request) *fakeResponse {
					if strings.HasSuffix(q.URL.Path, "/nodes") {
						return &c.fault
					}
					return nil
				}
				r.watch()
				events := r.reported()
				r.want(of(events, "kind-sick"), c.want)
				r.want(sorted(of(events, "list-ended")), "list-ended ConfigMap@101", "list-ended apps/Deployment@101")
				r.takeCalls()
				pass(10 * time.Minute)
				if n := len(of(r.takeCalls(), "nodes")); n < 10 || n > 60 {
					t.Errorf("it was tried %d times in 10 minutes", n)
				}
				r.locked(func() { r.fault = nil })
				pass(time.Minute)
				if got := of(r.reported(), "kind-recovered"); len(got) != 1 {
					t.Errorf("recovered: %v", got)
				}
				r.agree()
			})
		})
	}
}

func TestWatchEnds(t *testing.T) {
	stop := errors.New("stop")
	for _, c := range []struct {
		reason string
		ctx    func() (context.Context, context.CancelFunc)
		sink   func([]graph.Event) error
		set    func(*fake)
		want   error
	}{
		{"the sink has had enough", func() (context.Context, context.CancelFunc) { return context.WithCancel(context.Background()) },
			oneByOne(func(e graph.Event) error {
				if e.Type == graph.Put {
					return stop
				}
				return nil
			}), func(*fake) {}, stop},
		{"the context ends", func() (context.Context, context.CancelFunc) {
			return context.WithTimeout(context.Background(), time.Hour)
		},
			func([]graph.Event) error { return nil }, func(*fake) {}, context.DeadlineExceeded},
		{"the context ends while the server hangs", func() (context.Context, context.CancelFunc) {
			return context.WithTimeout(context.Background(), time.Second)
		},
			func([]graph.Event) error { return nil }, func(f *fake) {
				f.fault = func(*http.Request) *fakeResponse { return &fakeResponse{hang: true} }
			}, context.DeadlineExceeded},
		{"no sink", func() (context.Context, context.CancelFunc) { return context.WithCancel(context.Background()) }, nil, func(*fake) {}, graph.ErrRefused},
		{"discovery fails", func() (context.Context, context.CancelFunc) { return context.WithCancel(context.Background()) },
			func([]graph.Event) error { return nil }, func(f *fake) { f.kinds = nil }, errNothingServed},
	} {
		t.Run(c.reason, func(t *testing.T) {
			f := newFake(standardKinds()...)
			c.set(f)
			bubble(t, f, Config{}, func(r *rig) {
				if len(f.kinds) > 0 {
					r.create("ConfigMap", named("ns", "a"))
				}
				ctx, cancel := c.ctx()
				defer cancel()
				if err := r.store.Watch(ctx, c.sink); !errors.Is(err, c.want) {
					t.Errorf("watch ended with %v, want %v", err, c.want)
				}
				if len(r.store.running) != 0 {
					t.Error("the watch still counts as running")
				}
			})
		})
	}
}

// TestWatchSlowSink: a blocked sink delays only its own watch.
func TestWatchSlowSink(t *testing.T) {
	bubble(t, newFake(standardKinds()...), Config{}, func(r *rig) {
		ctx, cancel := context.WithCancel(context.Background())
		done := make(chan error)
		go func() {
			done <- r.store.Watch(ctx, func([]graph.Event) error { <-ctx.Done(); return ctx.Err() })
		}()
		r.watch()
		for range 300 {
			r.create("ConfigMap", named("ns", "x"))
			r.delete("ConfigMap", "ns", "x", 0)
		}
		r.create("ConfigMap", named("ns", "a"))
		synctest.Wait()
		r.agree()
		cancel()
		if err := <-done; !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	})
}
