package storetest

import (
	"context"
	"sync"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
)

// follower keeps a watch of the store up, as an engine would, and knows what one
// who believes it knows. It is safe for concurrent use.
type follower struct {
	cancel context.CancelFunc
	ended  chan struct{}
	pace   *pace

	mu      sync.Mutex
	known   *replica
	seen    []ownergraph.Event // Put and Gone, until take
	rewinds int
	run     int                            // of the watch
	up      bool                           // it has told the kinds
	fences  map[uint64][]ownergraph.Object // what the store held when the fence began
	early   *haste                         // the first fence that passed too early
	err     error                          // of the last watch
	wake    chan struct{}                  // closed by the next event
}

// follow starts a follower that knows these objects already, and ends with the
// test.
func follow(tb TB, store ownergraph.Store, p *pace, known ...ownergraph.Object) *follower {
	ctx, cancel := context.WithCancel(context.Background())
	r := &follower{
		cancel: cancel, ended: make(chan struct{}), pace: p, wake: make(chan struct{}),
		known: replay(nil), fences: map[uint64][]ownergraph.Object{},
	}
	for _, o := range known {
		r.known.apply(ownergraph.Event{Type: graph.Put, Object: o})
	}
	go r.keep(ctx, store, p.patience/1000)
	tb.Cleanup(r.stop)
	return r
}

// keep watches until ctx ends. A watch that broke is begun again after a pause.
func (r *follower) keep(ctx context.Context, store ownergraph.Store, pause time.Duration) {
	defer close(r.ended)
	for ctx.Err() == nil {
		err := <-start(ctx, func(ctx context.Context) error { return store.Watch(ctx, r.sink) })
		r.mu.Lock()
		r.err, r.up = err, false
		r.run++
		r.tell()
		r.mu.Unlock()
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
	}
}

// stop ends the watch, and waits for it as long as a store may take.
func (r *follower) stop() {
	r.cancel()
	limit := time.NewTimer(r.pace.limit())
	defer limit.Stop()
	select {
	case <-r.ended:
	case <-limit.C:
	}
}

func (r *follower) sink(e ownergraph.Event) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	e = cloneEvent(e)
	switch e.Type {
	case graph.Put, graph.Gone:
		r.seen = append(r.seen, e)
	case graph.Rewound:
		r.rewinds++
	case graph.KindsKnown:
		r.up = true
	case graph.FencePassed:
		r.judge(e)
	}
	r.known.apply(e)
	r.tell()
	return nil
}

// tell wakes who waits. The lock is held.
func (r *follower) tell() {
	close(r.wake)
	r.wake = make(chan struct{})
}

// haste is a fence that passed of a kind before what it covers was reported.
type haste struct {
	kind        ownergraph.Kind
	shown, held []ownergraph.Object
}

// judge notes whether a fence passed too early. While one is under way nobody
// writes.
func (r *follower) judge(e ownergraph.Event) {
	held, ours := r.fences[e.Fence]
	if !ours || e.Kind == "" || r.early != nil {
		return
	}
	if want := ofKind(held, e.Kind); !r.known.agrees(e.Kind, want) {
		r.early = &haste{e.Kind, r.known.all(e.Kind), want}
	}
}

// passed reports whether the fence has passed of every kind, and of their set.
func (r *follower) passed(id uint64) bool {
	for _, k := range r.known.infos {
		if !r.known.passed[passage{k.Kind, id}] {
			return false
		}
	}
	return r.known.passed[passage{"", id}]
}

func ofKind(list []ownergraph.Object, kind ownergraph.Kind) (out []ownergraph.Object) {
	for _, o := range list {
		if o.Kind == kind {
			out = append(out, o)
		}
	}
	return out
}

// expect notes what a fence has to cover.
func (r *follower) expect(id uint64, held []ownergraph.Object) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.fences[id] = held
}

// tooEarly returns what the first fence missed that passed too early, nil if
// none did.
func (r *follower) tooEarly() *haste {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.early
}

// rewound returns how often history went back.
func (r *follower) rewound() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.rewinds
}

// take returns the changes seen since the last call, in order.
func (r *follower) take() []ownergraph.Event {
	r.mu.Lock()
	defer r.mu.Unlock()
	seen := r.seen
	r.seen = nil
	return seen
}

// until waits until what is known satisfies the condition, and reports whether
// it does in time. ok runs under the lock.
func (r *follower) until(ok func(*follower) bool) bool {
	began, limit := time.Now(), time.NewTimer(r.pace.limit())
	defer limit.Stop()
	for {
		r.mu.Lock()
		done, more := ok(r), r.wake
		r.mu.Unlock()
		if done {
			r.pace.took(began)
			return true
		}
		select {
		case <-more:
		case <-limit.C:
			return false
		}
	}
}

// shown returns what is known of the kinds, and why the last watch ended, if one
// did.
func (r *follower) shown(kinds []ownergraph.KindInfo) (all []ownergraph.Object, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, k := range kinds {
		all = append(all, r.known.all(k.Kind)...)
	}
	return all, r.err
}
