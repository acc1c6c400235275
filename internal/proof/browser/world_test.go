package browser

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/adapters/memory"
	"github.com/ownergraph/ownergraph/archive"
	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/finalizer"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/guard"
)

const (
	deployment = "apps/Deployment"
	replicaSet = "apps/ReplicaSet"
)

// world is a store with everything that the pages show: deletions that wait, that the brake holds and
// that a handler carries out, a sweep, a sick kind, and objects with hostile names.
type world struct {
	*memory.Store
	collector *ownergraph.Collector
	uids      int
	list      []graph.Object
}

// add adds an object below an owner, with finalizers.
func (w *world) add(kind graph.Kind, scope, name string, owner graph.Key, finalizers ...string) graph.Key {
	w.uids++
	o := graph.Object{Key: graph.Key{Kind: kind, Scope: scope, Name: name, UID: graph.UID(fmt.Sprintf("5f0c9a1e-%04x", w.uids))}, Finalizers: finalizers}
	if owner != (graph.Key{}) {
		o.Owners = []graph.Owner{{Key: owner, Block: true, Controller: true}}
	}
	w.list = append(w.list, o)
	return o.Key
}

// app adds a deployment with its replica set and pods.
func (w *world) app(name string, pods int, finalizers ...string) graph.Key {
	d := w.add(deployment, "shop", name, graph.Key{})
	rs := w.add(replicaSet, "shop", name+"-7d4b9c6f5", d)
	for i := range pods {
		w.add("Pod", "shop", fmt.Sprintf("%s-7d4b9c6f5-%c%d", name, 'k'+i%7, i), rs, finalizers...)
	}
	w.add("ConfigMap", "shop", name+"-settings", d)
	return d
}

// hostile are names that would do harm on a careless page.
func hostile() []string {
	return []string{`<script>document.title="broken"</script>`, `"><img src=x onerror=alert(1)>`, "abc\u202egpj.exe", "line\nbreak\x00", "{{.Title}}", "javascript:alert(1)", "e" + strings.Repeat("\u0301", 80)}
}

// newWorld runs a collector on the world until the test ends.
func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{}
	w.app("front", 5)
	cart, checkout := w.app("cart", 3), w.app("checkout", 4, "shop.example/drain")
	database := w.add("shop.example/Database", "shop", "orders", cart, "shop.example/backup")
	batch := w.add("batch/Job", "shop", "import-2026", graph.Key{})
	for i := range 60 {
		w.add("Pod", "shop", fmt.Sprintf("import-2026-%02d", i), batch)
	}
	w.add("Secret", "shop", "payment-keys", graph.Key{Kind: "vault.example/Vault", Scope: "shop", Name: "main", UID: "9a77-0001"})
	tenant := w.add("shop.example/Tenant", "", "blue", graph.Key{}, "shop.example/sweep")
	for i := range 12 {
		if i < 3 {
			w.add("ConfigMap", "blue", fmt.Sprintf("page-%02d", i), graph.Key{}, "shop.example/archive")
		} else {
			w.add("ConfigMap", "blue", fmt.Sprintf("page-%02d", i), graph.Key{})
		}
	}
	var notes []graph.Key
	for _, name := range hostile() {
		notes = append(notes, w.add("Note", "shop", name, graph.Key{}, "shop.example/<b>keep</b>"))
	}
	w.run(t)
	w.delete(t, notes[0], graph.Background)
	w.delete(t, notes[1], graph.Background)
	w.delete(t, checkout, graph.Foreground)
	w.delete(t, database, graph.Background)
	w.delete(t, batch, graph.Background)
	w.delete(t, tenant, graph.Background)
	w.wait(t)
	w.keep(t)
	return w
}

// keep fills the archive: an object with a hostile name ends, and comes back under another name, and another entry has holds.
func (w *world) keep(t *testing.T) {
	t.Helper()
	old := w.addNow(t, hostile()[4])
	w.delete(t, old, graph.Background)
	if _, err := w.RestoreEntries(t.Context(), []archive.Item{{UID: old.UID, Scope: old.Scope, Name: "notes " + strings.Repeat("long ", 30)}}); err != nil {
		t.Fatal(err)
	}
	kept := w.addNow(t, `<b>minutes</b> "><img src=x onerror=alert(1)>`)
	w.delete(t, kept, graph.Background)
	for _, by := range []string{"law <b>team</b>", "audit"} {
		if err := w.HoldEntry(t.Context(), kept, archive.Hold{By: by, Reason: strings.Repeat("case 7 ", 20)}); err != nil {
			t.Fatal(err)
		}
	}
}

// addNow creates an object in the running store.
func (w *world) addNow(t *testing.T, name string) graph.Key {
	t.Helper()
	o, err := w.Create(t.Context(), graph.Object{Key: graph.Key{Kind: "ConfigMap", Scope: "archived", Name: name}})
	if err != nil {
		t.Fatal(err)
	}
	return o.Key
}

func (w *world) run(t *testing.T) {
	t.Helper()
	var kinds []graph.KindInfo
	for _, k := range []graph.Kind{deployment, replicaSet, "Pod", "ConfigMap", "Secret", "shop.example/Database", "batch/Job", "Note", "metrics.example/Sample"} {
		kinds = append(kinds, graph.KindInfo{Kind: k, Scoped: true})
	}
	kinds = append(kinds, graph.KindInfo{Kind: "shop.example/Tenant"})
	store, err := memory.New(memory.Config{Kinds: kinds, Objects: w.list, Archive: &archive.Config{Keep: 720 * time.Hour}})
	if err != nil {
		t.Fatal(err)
	}
	hangs := func(ctx context.Context, _ graph.Object) error { <-ctx.Done(); return ctx.Err() }
	w.Store = store
	w.collector, err = ownergraph.New(sickly{store}, ownergraph.Config{
		Brake:    engine.Brake{PerCascade: 40},
		Sweeps:   []guard.Sweep{guard.ScopeSweep("shop.example/Tenant", "shop.example/sweep")},
		Handlers: map[string]finalizer.Handler{"shop.example/backup": hangs},
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- w.collector.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

func (w *world) delete(t *testing.T, k graph.Key, p graph.Propagation) {
	t.Helper()
	if err := w.Delete(t.Context(), k, graph.DeleteOptions{Propagation: p}); err != nil {
		t.Fatal(err)
	}
}

// wait returns once the collector has no work left.
func (w *world) wait(t *testing.T) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(20 * time.Second); ; <-tick.C {
		s, sweeps := w.collector.Stats(), w.collector.Sweeps(1)
		if len(w.collector.Braked(1)) == 1 && len(w.collector.Running()) == 1 && len(sweeps) == 1 && sweeps[0].MembersLeft == 3 &&
			s.ByStatus.Of(engine.StatusQueued) == 0 && s.InFlight == 1 {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("the world is not complete: %+v, sweeps %+v, held %v", s, sweeps, w.collector.Held(20))
		}
	}
}

// sickly is a store in which one kind cannot be watched.
type sickly struct{ *memory.Store }

// Unwrap shows the powers of the store.
func (s sickly) Unwrap() ownergraph.Store { return s.Store }

// Watch reports the kind as sick once it is listed.
func (s sickly) Watch(ctx context.Context, sink func([]graph.Event) error) error {
	var reported atomic.Bool
	return s.Store.Watch(ctx, func(batch []graph.Event) error {
		for _, e := range batch {
			if e.Type == graph.ListEnded && e.Kind == "metrics.example/Sample" && !reported.Swap(true) {
				batch = append(batch, graph.Event{Type: graph.KindSick, Kind: e.Kind, Reason: "the server is unable to handle the request"})
			}
		}
		return sink(batch)
	})
}
