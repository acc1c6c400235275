package sqlstore

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph/graph"
)

// watcher collects the events of a watch.
type watcher struct {
	mu      sync.Mutex
	events  []graph.Event
	end     context.CancelFunc
	done    chan struct{}
	err     error
	stop    chan struct{} // if not nil, each call of the sink waits for it
	stopped atomic.Bool   // a call waits
}

// watch starts a watch that ends with the test.
func (h *handle) watch(t *testing.T) *watcher { return h.watchStopped(t, nil) }

func (h *handle) watchStopped(t *testing.T, stop chan struct{}) *watcher {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	w := &watcher{end: cancel, done: make(chan struct{}), stop: stop}
	go func() {
		defer close(w.done)
		w.err = h.Watch(ctx, func(batch []graph.Event) error {
			if w.stop != nil {
				w.stopped.Store(true)
				select {
				case <-w.stop:
				case <-ctx.Done():
				}
				w.stopped.Store(false)
			}
			w.mu.Lock()
			defer w.mu.Unlock()
			w.events = append(w.events, batch...)
			return nil
		})
	}()
	t.Cleanup(func() { cancel(); <-w.done })
	return w
}

func (w *watcher) reported() []graph.Event {
	w.mu.Lock()
	defer w.mu.Unlock()
	return append([]graph.Event(nil), w.events...)
}

// until waits until the events satisfy the condition. It fails at once if the watch has ended before.
func (w *watcher) until(t *testing.T, what string, ok func([]graph.Event) bool) []graph.Event {
	t.Helper()
	var events []graph.Event
	eventually(t, what, func() bool {
		ended := w.hasEnded()
		if events = w.reported(); ok(events) {
			return true
		}
		if ended {
			t.Fatalf("not %s, and the watch has ended: %v", what, w.err)
		}
		return false
	})
	return events
}

// hasEnded reports whether the watch has ended. Then err has its error.
func (w *watcher) hasEnded() bool {
	select {
	case <-w.done:
		return true
	default:
		return false
	}
}

// watchAgain returns a watch that has listed every kind. It begins a watch that ends anew, as the
// Collector does: after a crash of the server the pool may have further dead connections.
func (h *handle) watchAgain(t *testing.T) *watcher {
	t.Helper()
	for range 10 {
		w := h.watch(t)
		eventually(t, "listed", func() bool { return w.hasEnded() || listed(w.reported()) })
		if !w.hasEnded() {
			return w
		}
		t.Logf("the watch has ended: %v", w.err)
	}
	t.Fatal("each watch ended before it had listed every kind")
	return nil
}

// eventually polls a condition, with a deadline.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	deadline := time.NewTimer(time.Minute)
	defer deadline.Stop()
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for !ok() {
		select {
		case <-deadline.C:
			t.Fatalf("after a minute: not %s", what)
		case <-tick.C:
		}
	}
}

// replayed is the state that the events show.
func replayed(events []graph.Event) map[graph.Key]graph.Object {
	state, brought := map[graph.Key]graph.Object{}, map[graph.Kind]map[graph.Key]bool{}
	for _, e := range events {
		switch e.Type {
		case graph.ListBegun:
			brought[e.Kind] = map[graph.Key]bool{}
		case graph.Put:
			state[e.Object.Key] = e.Object
			if b := brought[e.Object.Kind]; b != nil {
				b[e.Object.Key] = true
			}
		case graph.Gone:
			delete(state, e.Key)
		case graph.ListEnded:
			for key := range state {
				if key.Kind == e.Kind && !brought[e.Kind][key] {
					delete(state, key)
				}
			}
			brought[e.Kind] = nil
		}
	}
	return state
}

func listed(events []graph.Event) bool { return count(events, graph.ListEnded) >= len(kindsOfTests()) }

func count(events []graph.Event, what graph.EventType) (n int) {
	for _, e := range events {
		if e.Type == what {
			n++
		}
	}
	return n
}

// rises fails the test if a version of an object falls.
func rises(t *testing.T, s *Store, events []graph.Event) {
	t.Helper()
	last := map[graph.UID]graph.Object{}
	for _, e := range events {
		if e.Type != graph.Put {
			continue
		}
		if was, ok := last[e.Object.UID]; ok && s.CompareVersions(e.Object.Kind, e.Object.Version, was.Version) < 0 {
			t.Fatalf("%s was reported after %s", e.Object, was)
		}
		last[e.Object.UID] = e.Object
	}
}

func object(kind graph.Kind, scope, name string) graph.Object {
	return graph.Object{Key: graph.Key{Kind: kind, Scope: scope, Name: name}}
}

func (h *handle) mustCreate(t *testing.T, o graph.Object) graph.Object {
	t.Helper()
	made, err := h.Create(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// TestCommitOrder: two writers commit in the reverse order of their numbers. The second one
// commits, a third one as well, and the watch looks. Only then does the first one commit. The watch
// misses nothing, and a fence of the time between waits for it.
func TestCommitOrder(t *testing.T) {
	h := newPostgresDatabase(t).mustHandle(t, nil)
	w := h.watch(t)
	w.until(t, "listed", listed)
	first, err := h.db.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer first.Rollback() //nolint:errcheck // it is committed by then
	early, err := h.Tx(first).Create(t.Context(), object("team", "", "early"))
	if err != nil {
		t.Fatal(err)
	}
	late := h.mustCreate(t, object("team", "", "late"))
	third := h.mustCreate(t, object("team", "", "third"))
	if h.CompareVersions("team", early.Version, late.Version) >= 0 || h.CompareVersions("team", late.Version, third.Version) >= 0 {
		t.Fatalf("versions %s, %s, %s do not rise", early.Version, late.Version, third.Version)
	}
	token, err := h.Fence(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	looks := func() position { p, _, _ := h.tables.moment(t.Context(), &conn{s: h.Store}); return p }
	for range 20 { // the watch looks while the first writer is open
		h.Wake()
		looks()
	}
	if n := count(w.reported(), graph.Put); n != 0 {
		t.Errorf("%d objects were reported ahead of a running transaction", n)
	}
	if err := first.Commit(); err != nil {
		t.Fatal(err)
	}
	events := w.until(t, "all three and the fence reported", func(events []graph.Event) bool {
		return len(replayed(events)) == 3 && count(events, graph.FencePassed) > len(kindsOfTests())
	})
	var order []string
	for _, e := range events {
		if e.Type == graph.Put {
			order = append(order, e.Object.Name)
		}
	}
	if got := fmt.Sprint(order); got != "[early late third]" {
		t.Errorf("reported in the order %s", got)
	}
	if events[len(events)-1].Fence != token {
		t.Errorf("the fence came before the first writer's object: %v", events)
	}
}

// TestCommitOrderOfOneObject: a transaction with a low number changes an object after one with a
// higher number, while a third one delays the watch between the two.
func TestCommitOrderOfOneObject(t *testing.T) {
	h := newPostgresDatabase(t).mustHandle(t, nil)
	o := h.mustCreate(t, object("team", "", "a"))
	w := h.watch(t)
	w.until(t, "listed", listed)
	begin := func(note string) func(change string, commit bool) {
		tx, err := h.db.BeginTx(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = tx.Rollback() })
		if _, err := h.Tx(tx).Create(t.Context(), object("bucket", "one", note)); err != nil { // it takes its number now
			t.Fatal(err)
		}
		return func(change string, commit bool) {
			if change != "" {
				if _, err := h.Tx(tx).Update(t.Context(), graph.Object{Key: o.Key, Finalizers: []string{"x/" + change}}); err != nil {
					t.Fatal(err)
				}
			}
			if commit {
				if err := tx.Commit(); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	low, middle, high := begin("low"), begin("middle"), begin("high")
	high("first", true)
	low("second", true)
	h.Wake()
	middle("", true)
	events := w.until(t, "the last state reported", func(events []graph.Event) bool {
		now := replayed(events)[o.Key]
		return len(replayed(events)) == 4 && now.HasFinalizer("x/second")
	})
	rises(t, h.Store, events)
}

// TestManyWriters: writers of two handles change few objects in transactions of random length. The
// watch ends with the state that a read shows, and no version falls.
func TestManyWriters(t *testing.T) {
	onEach(t, func(t *testing.T, d *database) {
		h, other := d.mustHandle(t, nil), d.mustHandle(t, nil)
		w := h.watch(t)
		keys := []graph.Key{}
		for i := range 6 {
			keys = append(keys, h.mustCreate(t, object("team", "", fmt.Sprint(i))).Key)
		}
		var group sync.WaitGroup
		for i := range 4 {
			s := []*handle{h, other}[i%2]
			group.Go(func() {
				for n := range 40 {
					o := graph.Object{Key: keys[(n*7+i)%len(keys)], Finalizers: []string{fmt.Sprintf("x/%d-%d", i, n)}}
					if _, err := s.Update(t.Context(), o); err != nil {
						t.Errorf("update: %v", err)
						return
					}
				}
			})
		}
		group.Wait()
		events := w.until(t, "the watch knows the last states", func(events []graph.Event) bool {
			state := replayed(events)
			for _, key := range keys {
				if now, err := h.Get(t.Context(), key); err != nil || !now.Equal(state[key]) {
					return false
				}
			}
			return true
		})
		rises(t, h.Store, events)
	})
}
