package storetest

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"sync"
	"testing/synctest"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
)

func mutantsOfSinks() []mutant {
	return []mutant{
		{name: "a full buffer delays the writers", law: slowDelaysNone, reason: "a channel of limited size, sent to under the lock", plant: fullBuffer},
		{name: "a full buffer overflows", law: "watch/slow-loses-nothing", reason: "a send that gives up", plant: losing(overflowing)},
		{name: "the sink's error is ignored", law: "watch/sink-error", reason: "errors are logged and forgotten", plant: deafToSinks},
		{name: "a heartbeat has its own goroutine", law: "watch/one-call", reason: "a timer beside the reader of the log", plant: watching(heartbeat)},
		{name: "an array is filled again too early", law: batchKept, reason: "the next changes are read while the sink is busy", plant: readingAhead},
	}
}

// registering is reporting that keeps a list of the running watches, the oldest
// first.
func registering(s ownergraph.Store, running *guarded[[]*listings], report func(in *listings, e ownergraph.Event, sink sinkFunc) error) ownergraph.Store {
	return &wrapper{Store: s, watch: eachEvent(func(ctx context.Context, sink sinkFunc) error {
		in := newListings()
		running.with(func(list *[]*listings) { *list = append(*list, in) })
		defer running.with(func(list *[]*listings) {
			*list = slices.DeleteFunc(*list, func(other *listings) bool { return other == in })
		})
		return watchEach(ctx, s, func(e ownergraph.Event) error { return report(in, e, sink) })
	})}
}

const bufferSize = 32

// backlog counts, for each running watch, the created objects that it has not
// reported.
type backlog struct {
	sync.Mutex
	*sync.Cond
	watches map[*int]bool
}

func (b *backlog) full() bool {
	for n := range b.watches {
		if *n >= bufferSize {
			return true
		}
	}
	return false
}

// fullBuffer makes users wait until no watch is too far behind.
func fullBuffer(_ TB, s Subject) Subject {
	b := &backlog{watches: map[*int]bool{}}
	b.Cond = sync.NewCond(&b.Mutex)
	client, sound := s.Client, s.Store
	s.Client = &wrappedClient{Client: client, create: func(ctx context.Context, o ownergraph.Object) (ownergraph.Object, error) {
		b.Lock()
		defer b.Unlock()
		for b.full() {
			b.Wait()
		}
		for n := range b.watches {
			*n++
		}
		return client.Create(ctx, o)
	}}
	s.Store = &wrapper{Store: sound, watch: eachEvent(func(ctx context.Context, sink sinkFunc) error {
		waiting := b.enter()
		defer b.leave(waiting)
		known := map[graph.UID]bool{}
		return watchEach(ctx, sound, func(e ownergraph.Event) error {
			if err := sink(e); err != nil {
				return err
			}
			if e.Type == graph.Put && !known[e.Object.UID] {
				known[e.Object.UID] = true
				b.reported(waiting)
			}
			return nil
		})
	})}
	return s
}

func (b *backlog) enter() *int {
	b.Lock()
	defer b.Unlock()
	n := new(int)
	b.watches[n] = true
	return n
}

func (b *backlog) leave(n *int) {
	b.Lock()
	defer b.Unlock()
	delete(b.watches, n)
	b.Broadcast()
}

func (b *backlog) reported(n *int) {
	b.Lock()
	defer b.Unlock()
	*n--
	b.Broadcast()
}

// overflowing loses the changes of one burst beyond 96.
func overflowing() func(ownergraph.Event) bool {
	in, burst := newListings(), 0
	return func(e ownergraph.Event) bool {
		if in.applyEvent(e); !in.change(e) {
			burst = 0
			return false
		}
		burst++
		return burst > 96
	}
}

func deafToSinks(_ TB, s Subject) Subject {
	sound := s.Store
	s.Store = &wrapper{Store: sound, watch: eachEvent(func(ctx context.Context, sink sinkFunc) error {
		return watchEach(ctx, sound, func(e ownergraph.Event) error {
			_ = sink(e)
			return ctx.Err()
		})
	})}
	return s
}

// heartbeat reports progress on a goroutine of its own while a listing begins.
func heartbeat() func(ownergraph.Event, sinkFunc) error {
	begun := false
	return func(e ownergraph.Event, sink sinkFunc) error {
		if begun || e.Type != graph.ListBegun {
			return sink(e)
		}
		begun = true
		listing := make(chan error, 1)
		go func() { listing <- sink(e) }()
		for {
			unit := sink(ownergraph.Event{Type: graph.Progress, Kind: e.Kind})
			select {
			case err := <-listing:
				return errors.Join(err, unit)
			default:
				runtime.Gosched()
			}
		}
	}
}

// readingAhead overwrites the batches that a sink still has, at each creation.
func readingAhead(_ TB, s Subject) Subject {
	client, sound, calls := s.Client, s.Store, &callsInProgress{turn: make(chan struct{}, 1), arrays: map[*ownergraph.Event][]ownergraph.Event{}}
	s.Client = &wrappedClient{Client: client, create: func(ctx context.Context, o ownergraph.Object) (ownergraph.Object, error) {
		o, err := client.Create(ctx, o)
		if err == nil {
			calls.overwrite(ownergraph.Event{Type: graph.Put, Object: o})
		}
		return o, err
	}}
	s.Store = &wrapper{Store: sound, watch: func(ctx context.Context, sink func([]ownergraph.Event) error) error {
		return sound.Watch(ctx, func(batch []ownergraph.Event) error {
			array := slices.Clone(batch)
			calls.begin(array)
			defer calls.end(array)
			return sink(array)
		})
	}}
	return s
}

// callsInProgress are the batches that sinks have now.
type callsInProgress struct {
	turn   chan struct{} // one goroutine may wait until the others are blocked
	mu     sync.Mutex
	arrays map[*ownergraph.Event][]ownergraph.Event
}

func (c *callsInProgress) begin(array []ownergraph.Event) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.arrays[&array[0]] = array
}

func (c *callsInProgress) end(array []ownergraph.Event) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.arrays, &array[0])
}

// overwrite waits until every sink that has a batch is blocked. Otherwise it would be a
// data race. Outside of a bubble it does nothing.
func (c *callsInProgress) overwrite(by ownergraph.Event) {
	c.turn <- struct{}{}
	defer func() { <-c.turn }()
	defer func() { _ = recover() }() // synctest.Wait panics outside of a bubble
	synctest.Wait()
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, array := range c.arrays {
		for i := range array {
			array[i] = cloneEvent(by)
		}
	}
}
