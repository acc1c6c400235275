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

// TestWatchRewound: each watch detects a restored server by its versions, even for a
// kind without changes.
func TestWatchRewound(t *testing.T) {
	for _, c := range []struct {
		reason string
		seen   func(*rig)
	}{
		{"the connections broke", func(*rig) {}},
		{"only one kind has a reason to look", func(r *rig) {
			if err := r.store.List(r.t.Context(), "Node"); err != nil {
				r.t.Error(err)
			}
		}},
		{"a fence looks", func(r *rig) {
			if err := r.store.Fence(context.Background(), 1); err != nil {
				r.t.Error(err)
			}
		}},
	} {
		t.Run(c.reason, func(t *testing.T) {
			bubble(t, newFake(standardKinds()...), Config{}, func(r *rig) {
				r.create("ConfigMap", named("ns", "a"))
				restore := r.backup()
				r.watch()
				r.create("ConfigMap", named("ns", "late"))
				r.create("Node", named("", "later"))
				r.delete("ConfigMap", "ns", "a", 0)
				pass(time.Minute)
				r.reported()
				still := r.broken
				if c.reason != "the connections broke" {
					r.locked(func() { r.broken = make(chan struct{}) }) // and not those of the watches
				}
				restore()
				c.seen(r)
				pass(time.Second)
				events := r.reported()
				defer r.locked(func() { r.broken = still })
				r.mu.Lock()
				rewinds := of(events, "rewound")
				r.mu.Unlock()
				r.want(rewinds, "rewound")
				if i := slices.Index(events, "rewound"); len(of(events[i:], "list-begun")) != 3 {
					t.Errorf("not every kind was listed after the rewind:\n%s", strings.Join(events, "\n"))
				}
				r.events = []graph.Event{{Type: graph.Rewound}} // versions may be lower from here on
				r.agree()
			})
		})
	}
}

// TestWatchAfterRewind: a watch that begins after a rewind reports it with the same
// epoch. No other Store has that epoch.
func TestWatchAfterRewind(t *testing.T) {
	bubble(t, newFake(standardKinds()...), Config{}, func(r *rig) {
		restore := r.backup()
		end := r.watch()
		r.create("ConfigMap", named("ns", "late"))
		r.reported()
		_ = end()
		restore()
		r.watch()
		r.want(of(r.reported()[:1], "rewound", "kinds"), "kinds-known ConfigMap Node apps/Deployment")
		pass(time.Second)
		r.want(of(r.reported(), "rewound"))
		r.watch()
		synctest.Wait()
		if e := r.events[0]; e.Type != graph.Rewound || e.Epoch != r.store.history.epochName(1) || e.Epoch == newHistory().epochName(1) {
			t.Errorf("a later watch begins with %v of epoch %q", e.Type, e.Epoch)
		}
	})
}

// TestWatchErratic: a kind whose versions fall repeatedly is sick, and no other kind
// is.
func TestWatchErratic(t *testing.T) {
	bubble(t, newFake(standardKinds()...), Config{NoStreaming: true}, func(r *rig) {
		r.create("ConfigMap", named("ns", "a"))
		r.watch()
		pass(time.Second)
		version := func(v string) {
			r.locked(func() {
				r.fault = func(q *http.Request) *fakeResponse {
					if !strings.HasSuffix(q.URL.Path, "/nodes") || q.URL.Query().Get("watch") != "" {
						return nil
					}
					return &fakeResponse{code: 200, body: `{"apiVersion":"meta.k8s.io/v1","kind":"PartialObjectMetadataList","metadata":{"resourceVersion":"` + v + `"}}`}
				}
			})
			r.breakWatches()
			pass(time.Minute)
		}
		version("50")
		version("40")
		events := of(r.reported(), "rewound", "kind-sick")
		r.want(events[:1], "rewound")
		if len(events) < 2 || len(of(events, "rewound")) != 1 || len(of(events, "kind-sick")) != len(of(events, "kind-sick Node")) {
			t.Errorf("events\n%s", strings.Join(events, "\n"))
		}
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

// TestWatchWithoutStreaming: a server that does not know streaming never ends the
// listing. The store then reads pages.
func TestWatchWithoutStreaming(t *testing.T) {
	f := newFake(standardKinds()...)
	f.unknownStream, f.noBookmarks = true, true
	bubble(t, f, Config{}, func(r *rig) {
		r.create("ConfigMap", named("ns", "a"))
		r.watch()
		pass(2 * streamSilence)
		r.agree()
		if got := of(r.reported(), "list-ended"); len(got) != 3 {
			t.Errorf("listed: %v", got)
		}
	})
}

// TestWatchPagesExpire: after an expired page token the listing begins anew.
func TestWatchPagesExpire(t *testing.T) {
	bubble(t, newFake(standardKinds()...), Config{PageSize: 1, NoStreaming: true}, func(r *rig) {
		r.create("ConfigMap", named("ns", "a"))
		r.create("ConfigMap", named("ns", "b"))
		once := true
		r.fault = func(q *http.Request) *fakeResponse {
			if q.URL.Query().Get("continue") != "" && once {
				once = false
				return &fakeResponse{code: 410}
			}
			return nil
		}
		r.watch()
		pass(time.Minute)
		r.want(of(r.reported(), "begun ConfigMap", "ended ConfigMap", "put"),
			"list-begun ConfigMap", "put a@101", "list-begun ConfigMap", "put a@101", "put b@102", "list-ended ConfigMap@102")
	})
}

// TestWatchPagesAndWrites: a listing shows one version, although writes go on between
// its pages. The watch reports the writes afterwards.
func TestWatchPagesAndWrites(t *testing.T) {
	bubble(t, newFake(standardKinds()...), Config{PageSize: 1, NoStreaming: true}, func(r *rig) {
		r.create("ConfigMap", named("ns", "a"))
		r.create("ConfigMap", named("ns", "b"))
		r.fault = func(q *http.Request) *fakeResponse {
			if strings.HasPrefix(q.URL.Query().Get("continue"), "102") {
				r.fault = nil
				go func() {
					r.delete("ConfigMap", "ns", "b", 0)
					r.create("ConfigMap", named("ns", "c"))
				}()
				return &fakeResponse{code: 500}
			}
			return nil
		}
		r.watch()
		pass(time.Minute)
		r.agree()
	})
}

func TestWatchEnds(t *testing.T) {
	stop := errors.New("stop")
	for _, c := range []struct {
		reason string
		ctx    func() (context.Context, context.CancelFunc)
		sink   func(graph.Event) error
		set    func(*fake)
		want   error
	}{
		{"the sink has had enough", func() (context.Context, context.CancelFunc) { return context.WithCancel(context.Background()) },
			func(e graph.Event) error {
				if e.Type == graph.Put {
					return stop
				}
				return nil
			}, func(*fake) {}, stop},
		{"the context ends", func() (context.Context, context.CancelFunc) {
			return context.WithTimeout(context.Background(), time.Hour)
		},
			func(graph.Event) error { return nil }, func(*fake) {}, context.DeadlineExceeded},
		{"the context ends while the server hangs", func() (context.Context, context.CancelFunc) {
			return context.WithTimeout(context.Background(), time.Second)
		},
			func(graph.Event) error { return nil }, func(f *fake) {
				f.fault = func(*http.Request) *fakeResponse { return &fakeResponse{hang: true} }
			}, context.DeadlineExceeded},
		{"no sink", func() (context.Context, context.CancelFunc) { return context.WithCancel(context.Background()) }, nil, func(*fake) {}, graph.ErrRefused},
		{"discovery fails", func() (context.Context, context.CancelFunc) { return context.WithCancel(context.Background()) },
			func(graph.Event) error { return nil }, func(f *fake) { f.kinds = nil }, errNothingServed},
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

// TestWatchSlowSink: a blocked sink holds up only its own watch.
func TestWatchSlowSink(t *testing.T) {
	bubble(t, newFake(standardKinds()...), Config{}, func(r *rig) {
		ctx, cancel := context.WithCancel(context.Background())
		done := make(chan error)
		go func() {
			done <- r.store.Watch(ctx, func(graph.Event) error { <-ctx.Done(); return ctx.Err() })
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
