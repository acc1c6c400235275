package clientgo

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ownergraph/ownergraph/graph"
)

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
			r.fence(1)
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
