package storetest

import (
	"context"
	"sync"
	"testing"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
)

// split reports each kind by a watch of its own, as a store with a table for each
// kind does. Order is kept only within a kind.
type split struct{ *testStore }

// splitWatch is one watch of a split.
type splitWatch struct {
	mu    sync.Mutex
	enter sync.WaitGroup // of the kinds' watches: a fence has to find them running
	known chan struct{}  // closed when the kinds are reported
	once  sync.Once
	sink  func([]ownergraph.Event) error
	err   error // the first, which ends the whole watch
}

func (s split) Watch(ctx context.Context, sink func([]ownergraph.Event) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	w := &splitWatch{known: make(chan struct{}), sink: sink}
	var wg sync.WaitGroup
	errs := make(chan error, len(memoryKinds())+1)
	w.enter.Add(len(memoryKinds()) + 1)
	for _, kind := range append([]ownergraph.KindInfo{{}}, memoryKinds()...) {
		enter := sync.OnceFunc(w.enter.Done)
		wg.Go(func() {
			defer enter()
			errs <- s.testStore.Watch(ctx, func(batch []ownergraph.Event) error {
				enter()
				return w.forward(ctx, ofKindIn(batch, kind.Kind))
			})
			cancel()
		})
	}
	wg.Wait()
	return <-errs
}

// ofKindIn returns the events of a kind.
func ofKindIn(batch []ownergraph.Event, kind ownergraph.Kind) (events []ownergraph.Event) {
	for _, e := range batch {
		if e.Of() == kind {
			events = append(events, e)
		}
	}
	return events
}

func (w *splitWatch) forward(ctx context.Context, batch []ownergraph.Event) error {
	if len(batch) == 0 {
		return nil
	}
	if batch[0].Type == graph.KindsKnown {
		w.enter.Wait()
		defer w.once.Do(func() { close(w.known) })
	} else {
		select {
		case <-w.known:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err == nil {
		w.err = ctx.Err()
	}
	if w.err == nil {
		w.err = w.sink(batch)
	}
	return w.err
}

func splitConfig() Config {
	return Config{
		New: func(tb TB) Subject {
			s := memorySubject(tb)
			s.Store = split{s.Store.(*testStore)}
			return s
		},
		Without: []Promise{ChangingKinds, Rewinds, Durability}, // these need an order across kinds
	}
}

// TestSplit checks that the kit demands no order across kinds.
func TestSplit(t *testing.T) {
	t.Parallel()
	testLaws(t, splitConfig())
	runModel(t, splitConfig())
}
