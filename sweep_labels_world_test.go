package ownergraph_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/adapters/memory"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/probe"
)

// labelWorld is a memory store that notes which labels each version of an object
// has, and judges every delete of a collector by them.
type labelWorld struct {
	*memory.Store
	mu     sync.Mutex
	of     map[string]labelling // by UID and version
	wrong  []string
	slow   time.Duration
	failed int // of the next calls
}

// labelling is the tenant of a label, and the state of this tenant when the object got
// the label.
type labelling struct {
	tenant       string
	lived, going bool
}

func at(uid graph.UID, v ownergraph.Version) string { return string(uid) + "#" + string(v) }

// mark labels an object, and notes the state of the tenant. The lock keeps out the deletes
// of the collectors in between.
func (w *labelWorld) mark(key ownergraph.Key, tenant string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	labels := map[string]string{"x.io/of": tenant}
	if tenant == "" {
		labels = nil
	}
	if o, err := w.Label(context.Background(), key, graph.Precondition{}, labels); err == nil {
		holder, err := w.Get(context.Background(), ownergraph.Key{Kind: "tenant", Name: tenant})
		w.of[at(o.UID, o.Version)] = labelling{tenant, err == nil && !holder.Deleting, holder.Deleting}
	}
}

// bother makes a call slow, or fail.
func (w *labelWorld) bother() error {
	w.mu.Lock()
	slow, fails := w.slow, w.failed > 0
	w.failed = max(w.failed-1, 0)
	w.mu.Unlock()
	pass(slow)
	if fails {
		return errTest
	}
	return nil
}

func (w *labelWorld) Select(ctx context.Context, q ownergraph.SelectRequest) (ownergraph.SelectPage, error) {
	page, err := w.Store.Select(ctx, q)
	if bad := w.bother(); bad != nil { // the answer is already taken, and comes late
		return ownergraph.SelectPage{}, bad
	}
	return page, err
}

func (w *labelWorld) Delete(ctx context.Context, key ownergraph.Key, opts ownergraph.DeleteOptions) error {
	_ = w.bother()
	w.mu.Lock()
	defer w.mu.Unlock()
	err := w.Store.Delete(ctx, key, opts)
	l := w.of[at(opts.Precondition.UID, opts.Precondition.Version)]
	holder, there := w.Get(ctx, ownergraph.Key{Kind: "tenant", Name: l.tenant})
	if err == nil && (!l.lived && !l.going || there == nil && !holder.Deleting) {
		w.wrong = append(w.wrong, fmt.Sprintf("%s#%s was deleted: %+v, %s", key, opts.Precondition.Version, l, holder))
	}
	return err
}

// TestSweepLabelWorlds: labels change while tenants are deleted. Two collectors come and
// go, and the store is slow and fails. A delete needs a version whose label names a
// tenant. This tenant was there at the time of the label, and has been deleted since. In
// the end all deleted tenants are gone. So are their members, except for objects that got
// the label during the deletion.
func TestSweepLabelWorlds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { rapid.SyncTest(t, sweepLabelWorld) })
}

func sweepLabelWorld(t *rapid.T) {
	kinds := []graph.KindInfo{{Kind: "tenant"}, {Kind: "volume"}, {Kind: "pod", Scoped: true}}
	s, err := memory.New(memory.Config{Kinds: kinds, UIDPrefix: "u"})
	if err != nil {
		t.Fatal(err)
	}
	w := &labelWorld{Store: s, of: map[string]labelling{}}
	tenants := []string{"1", "11", "2"}
	for _, name := range tenants {
		_, _ = s.Create(t.Context(), graph.Object{Key: graph.Key{Kind: "tenant", Name: name}, Finalizers: []string{"x.io/tenant"}})
	}
	cfg := sweeping(labelled(""))
	probe.Tuning(&cfg).SelectPage = rapid.IntRange(1, 4).Draw(t, "page")
	keys := []graph.Key{{Kind: "volume", Name: "a"}, {Kind: "volume", Name: "1-b"}, {Kind: "pod", Scope: "x", Name: "a"}, {Kind: "pod", Scope: "1", Name: "c"}}
	stops := []func(){runWorld(t, w, cfg), runWorld(t, w, cfg)}
	defer func() {
		for _, stop := range stops {
			stop()
		}
	}()
	marked := map[string]bool{}
	t.Repeat(map[string]func(*rapid.T){
		"create": func(t *rapid.T) {
			_, _ = s.Create(t.Context(), graph.Object{Key: rapid.SampledFrom(keys).Draw(t, "key")})
		},
		"label": func(t *rapid.T) {
			w.mark(rapid.SampledFrom(keys).Draw(t, "key"), rapid.SampledFrom(append(tenants, "", "3")).Draw(t, "tenant"))
		},
		"delete": func(t *rapid.T) {
			name := rapid.SampledFrom(tenants[:2]).Draw(t, "tenant")
			_ = s.Delete(t.Context(), graph.Key{Kind: "tenant", Name: name}, ownergraph.DeleteOptions{})
			marked[name] = true
		},
		"pass": func(t *rapid.T) { pass(time.Duration(rapid.IntRange(0, 3000).Draw(t, "ms")) * time.Millisecond) },
		"slow": func(t *rapid.T) {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.slow = time.Duration(rapid.IntRange(0, 900).Draw(t, "ms")) * time.Millisecond
			w.failed = rapid.IntRange(0, 3).Draw(t, "fails")
		},
		"crash": func(t *rapid.T) {
			i := rapid.IntRange(0, 1).Draw(t, "who")
			stops[i]()
			stops[i] = runWorld(t, w, cfg)
		},
	})
	pass(5 * time.Minute)
	synctest.Wait()
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.wrong) > 0 {
		t.Fatalf("%s", strings.Join(w.wrong, "\n"))
	}
	for _, o := range s.Objects() {
		if l := w.of[at(o.UID, o.Version)]; o.Kind == "tenant" && marked[o.Name] || l.lived && marked[l.tenant] {
			t.Errorf("%s is left, %+v, with %v", o.Key, l, s.Objects())
		}
	}
}

// runWorld runs a collector until it is stopped.
func runWorld(t *rapid.T, w *labelWorld, cfg ownergraph.Config) (stop func()) {
	c, err := ownergraph.New(w, cfg)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- c.Run(ctx) }()
	return sync.OnceFunc(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("Run: %v", err)
		}
	})
}
