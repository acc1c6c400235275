package etcdstore

import (
	"context"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph/graph"
)

// mirror is the state that the events of a watch describe.
type mirror struct {
	objects  map[graph.Key]graph.Object
	listing  map[graph.Kind]map[graph.Key]bool
	listings map[graph.Kind]int
	begun    map[graph.Kind]int
	sick     map[graph.Kind]string
	passed   map[uint64]int // the reports of a fence
	epochs   []string
	events   int
}

func newMirror() *mirror {
	return &mirror{
		objects: map[graph.Key]graph.Object{}, listing: map[graph.Kind]map[graph.Key]bool{}, listings: map[graph.Kind]int{},
		begun: map[graph.Kind]int{}, sick: map[graph.Kind]string{}, passed: map[uint64]int{},
	}
}

func (m *mirror) apply(e *graph.Event) {
	m.events++
	switch e.Type {
	case graph.Put:
		m.objects[e.Object.Key] = e.Object
		if l := m.listing[e.Object.Kind]; l != nil {
			l[e.Object.Key] = true
		}
	case graph.Gone:
		delete(m.objects, e.Key)
	case graph.ListBegun:
		m.listing[e.Kind] = map[graph.Key]bool{}
		m.begun[e.Kind]++
	case graph.ListEnded:
		for key := range m.objects {
			if key.Kind == e.Kind && !m.listing[e.Kind][key] {
				delete(m.objects, key)
			}
		}
		m.listing[e.Kind] = nil
		m.listings[e.Kind]++
	case graph.KindSick:
		m.sick[e.Kind] = e.Reason
	case graph.KindRecovered:
		delete(m.sick, e.Kind)
	case graph.FencePassed:
		m.passed[e.Fence]++
	case graph.Rewound:
		m.epochs = append(m.epochs, e.Epoch)
	}
}

// is reports whether the mirror has exactly these objects.
func (m *mirror) is(want ...graph.Object) bool {
	if len(m.objects) != len(want) {
		return false
	}
	for _, o := range want {
		if seen, ok := m.objects[o.Key]; !ok || !seen.Equal(o) {
			return false
		}
	}
	return true
}

// watcher is a running watch with its mirror.
type watcher struct {
	mu     sync.Mutex
	mirror *mirror
	gate   func(batch []graph.Event) // before each batch, without the lock; may wait
	ended  chan struct{}
	err    error // after ended
	cancel context.CancelFunc
}

// watchOf starts a watch that ends with the test.
func watchOf(tb testing.TB, s *Store) *watcher { return watchGated(tb, s, nil) }

func watchGated(tb testing.TB, s *Store, gate func([]graph.Event)) *watcher {
	tb.Helper()
	ctx, cancel := context.WithCancel(tb.Context())
	w := &watcher{mirror: newMirror(), gate: gate, ended: make(chan struct{}), cancel: cancel}
	go func() {
		defer close(w.ended)
		w.err = s.Watch(ctx, w.take)
	}()
	tb.Cleanup(func() {
		cancel()
		<-w.ended
	})
	return w
}

// watchListed is watchGated, and waits for the first listing.
func watchListed(tb testing.TB, s *Store, gate func([]graph.Event)) *watcher {
	tb.Helper()
	w := watchGated(tb, s, gate)
	w.until(tb, "it is listed", listed(1))
	return w
}

// randomOf returns the numbers of a random test, and says how to draw them again. The flag has the seed, 0
// for a random one.
func randomOf(tb testing.TB, flag string, seed uint64) *rand.Rand {
	tb.Helper()
	if seed == 0 {
		seed = rand.Uint64()
	}
	tb.Logf("to run it again: -%s=%d", flag, seed)
	return rand.New(rand.NewPCG(seed, 0))
}

func (w *watcher) take(batch []graph.Event) error {
	if w.gate != nil {
		w.gate(batch)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for i := range batch {
		w.mirror.apply(&batch[i])
	}
	return nil
}

// patience is the longest wait of a test for an event.
const patience = time.Minute

// until waits until the mirror satisfies the condition.
func (w *watcher) until(tb testing.TB, what string, is func(*mirror) bool) {
	tb.Helper()
	ctx, cancel := context.WithTimeout(tb.Context(), patience)
	defer cancel()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for !w.sees(is) {
		select {
		case <-ctx.Done():
			tb.Fatalf("not in time: %s: %+v", what, w.mirror)
		case <-w.ended:
			tb.Fatalf("the watch has ended before %s: %v", what, w.err)
		case <-tick.C:
		}
	}
}

func (w *watcher) sees(is func(*mirror) bool) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return is(w.mirror)
}

// lastEpoch returns the epoch that was announced last.
func (w *watcher) lastEpoch() (epoch string) {
	w.sees(func(m *mirror) bool {
		if n := len(m.epochs); n > 0 {
			epoch = m.epochs[n-1]
		}
		return true
	})
	return epoch
}

// listed reports whether every kind was listed at least n times.
func listed(n int) func(*mirror) bool {
	return func(m *mirror) bool {
		for _, info := range testKinds() {
			if m.listings[info.Kind] < n {
				return false
			}
		}
		return true
	}
}
