package clientgo

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
	"unique"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/ownergraph/ownergraph/graph"
)

func TestMain(m *testing.M) {
	_ = unique.Make("x").Value() // starts its goroutine outside of any bubble
	os.Exit(m.Run())
}

// rig is a fake, a store of it, and the reports of a watch.
type rig struct {
	*fake
	t     *testing.T
	store *Store

	mu     sync.Mutex
	events []graph.Event
	live   map[graph.Key]graph.Object
	stale  map[graph.Kind]map[graph.Key]bool // missing in the listing under way
}

func newRig(t *testing.T, f *fake, c Config) *rig {
	t.Helper()
	c.Logger = slog.New(slog.NewTextHandler(t.Output(), nil))
	s, err := New(f.serve(t), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.client.http.CloseIdleConnections)
	return &rig{fake: f, t: t, store: s, live: map[graph.Key]graph.Object{}, stale: map[graph.Kind]map[graph.Key]bool{}}
}

// watch runs a watch until the test ends or until the caller calls end, which returns
// the watch's error.
func (r *rig) watch() (end func() error) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- r.store.Watch(ctx, oneByOne(r.sink)) }()
	end = sync.OnceValue(func() error {
		cancel()
		return <-done
	})
	r.t.Cleanup(func() {
		if err := end(); !errors.Is(err, context.Canceled) {
			r.t.Errorf("watch ended with %v", err)
		}
	})
	synctest.Wait()
	return end
}

// oneByOne is a sink that gives on one event at a time.
func oneByOne(take func(graph.Event) error) func([]graph.Event) error {
	return func(batch []graph.Event) error {
		for _, e := range batch {
			if err := take(e); err != nil {
				return err
			}
		}
		return nil
	}
}

// sink records the events, and applies them to a copy of the objects.
func (r *rig) sink(e graph.Event) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.events = append(r.events, e)
	switch e.Type {
	case graph.ListBegun:
		r.stale[e.Kind] = map[graph.Key]bool{}
		for k := range r.live {
			if k.Kind == e.Kind {
				r.stale[e.Kind][k] = true
			}
		}
	case graph.ListEnded:
		for k := range r.stale[e.Kind] {
			delete(r.live, k)
		}
		delete(r.stale, e.Kind)
	case graph.Put:
		if old, ok := r.live[e.Object.Key]; ok && compare(string(e.Object.Version), string(old.Version)) < 0 && !r.rewound() {
			r.t.Errorf("%s went from version %s to %s", e.Object.Key, old.Version, e.Object.Version)
		}
		r.live[e.Object.Key] = e.Object
		delete(r.stale[e.Object.Kind], e.Object.Key)
	case graph.Gone:
		delete(r.live, e.Key)
	}
	return nil
}

func (r *rig) rewound() bool {
	return slices.ContainsFunc(r.events, func(e graph.Event) bool { return e.Type == graph.Rewound })
}

// reported returns the events since the last call, one line each.
func (r *rig) reported() []string {
	synctest.Wait()
	r.mu.Lock()
	defer r.mu.Unlock()
	var out []string
	for _, e := range r.events {
		out = append(out, line(e))
	}
	r.events = nil
	return out
}

func line(e graph.Event) string {
	switch e.Type {
	case graph.KindsKnown:
		var names []string
		for _, k := range e.Kinds {
			names = append(names, string(k.Kind))
		}
		return "kinds-known " + strings.Join(names, " ")
	case graph.Put:
		return fmt.Sprintf("put %s@%s", e.Object.Name, e.Object.Version)
	case graph.Gone:
		return "gone " + e.Key.Name
	case graph.FencePassed:
		return fmt.Sprintf("fence-passed %d %s", e.Fence, e.Kind)
	case graph.KindSick:
		return fmt.Sprintf("kind-sick %s: %s", e.Kind, e.Reason)
	case graph.Rewound:
		return "rewound"
	case graph.Progress, graph.ListEnded:
		return fmt.Sprintf("%s %s@%s", e.Type, e.Kind, e.Version)
	}
	return fmt.Sprintf("%s %s", e.Type, e.Kind)
}

// of keeps the lines that contain one of the words.
func of(lines []string, words ...string) []string {
	var out []string
	for _, l := range lines {
		if slices.ContainsFunc(words, func(w string) bool { return strings.Contains(l, w) }) {
			out = append(out, l)
		}
	}
	return out
}

// want compares lines.
func (r *rig) want(got []string, want ...string) {
	r.t.Helper()
	if !slices.Equal(got, want) {
		r.t.Errorf("got\n  %s\nwant\n  %s", strings.Join(got, "\n  "), strings.Join(want, "\n  "))
	}
}

// agree checks that the copy equals the objects of the fake.
func (r *rig) agree() {
	r.t.Helper()
	synctest.Wait()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.fake.mu.Lock()
	defer r.fake.mu.Unlock()
	n := 0
	for _, k := range r.kinds {
		if k.hidden {
			continue
		}
		for _, o := range k.objects {
			n++
			key := graph.Key{Kind: kindName(k.group, k.kind), Scope: o.Namespace, Name: o.Name, UID: graph.UID(o.UID)}
			if got, ok := r.live[key]; !ok || string(got.Version) != o.ResourceVersion {
				r.t.Errorf("%s: reported version %q, held %q", key, got.Version, o.ResourceVersion)
			}
		}
	}
	if len(r.live) != n {
		r.t.Errorf("%d objects reported, %d held", len(r.live), n)
	}
}

// named returns the metadata of an object.
func named(scope, name string, owners ...metav1.OwnerReference) meta {
	m := meta{}
	m.Namespace, m.Name, m.OwnerReferences = scope, name, owners
	return m
}

func ref(apiVersion, kind, name string, uid any) metav1.OwnerReference {
	return metav1.OwnerReference{APIVersion: apiVersion, Kind: kind, Name: name, UID: uidOf(uid)}
}

func uidOf(v any) types.UID { return types.UID(fmt.Sprint(v)) }

// bubble runs a test in a bubble, which ends only when every goroutine has ended.
func bubble(t *testing.T, f *fake, c Config, test func(*rig)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) { test(newRig(t, f, c)) })
}

// pass lets time pass in the bubble.
func pass(d time.Duration) { <-time.After(d) }

// failing is a fault: each request for all objects of a resource gets a status.
func failing(resource string, code int) func(*http.Request) *fakeResponse {
	return func(q *http.Request) *fakeResponse {
		if strings.HasSuffix(q.URL.Path, "/"+resource) {
			return &fakeResponse{code: code}
		}
		return nil
	}
}
