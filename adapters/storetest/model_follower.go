package storetest

import (
	"context"
	"sync"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
)

// follower keeps a watch of the store running, as an engine does, and holds its
// content. It is safe for concurrent use.
type follower struct {
	cancel context.CancelFunc
	ended  chan struct{}
	waits  *waitTimes

	mu      sync.Mutex
	known   *replica
	seen    []ownergraph.Event // Put and Gone, until drain
	rewinds int
	runs    int                            // of the watch
	begun   bool                           // it has reported the kinds
	fences  map[uint64][]ownergraph.Object // the objects of the store when the fence began
	early   *earlyFence                    // the first fence that passed too early
	err     error                          // of the last watch
	wake    chan struct{}                  // closed by the next event
}

// follow starts a follower that knows these objects already. It ends with the test.
func follow(tb TB, store ownergraph.Store, p *waitTimes, known ...ownergraph.Object) *follower {
	ctx, cancel := context.WithCancel(context.Background())
	r := &follower{
		cancel: cancel, ended: make(chan struct{}), waits: p, wake: make(chan struct{}),
		known: replay(nil), fences: map[uint64][]ownergraph.Object{},
	}
	for _, o := range known {
		r.known.apply(ownergraph.Event{Type: graph.Put, Object: o})
	}
	go r.watchLoop(ctx, store, p.patience/1000)
	tb.Cleanup(r.stop)
	return r
}

// watchLoop watches until ctx ends. After a watch has ended, it pauses and starts
// the next one.
func (r *follower) watchLoop(ctx context.Context, store ownergraph.Store, pause time.Duration) {
	defer close(r.ended)
	for ctx.Err() == nil {
		err := <-start(ctx, func(ctx context.Context) error { return store.Watch(ctx, r.sink) })
		r.mu.Lock()
		r.err, r.begun = err, false
		r.runs++
		r.notify()
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
	limit := time.NewTimer(r.waits.limit())
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
		r.begun = true
	case graph.FencePassed:
		r.checkFence(e)
	}
	r.known.apply(e)
	r.notify()
	return nil
}

// notify wakes the waiting callers. The lock is held.
func (r *follower) notify() {
	close(r.wake)
	r.wake = make(chan struct{})
}

// earlyFence is a fence that passed a kind before the watch had reported all
// objects that the fence covers.
type earlyFence struct {
	kind        ownergraph.Kind
	shown, held []ownergraph.Object
}

// checkFence notes a fence that passed too early. The test writes nothing while a
// fence is in progress.
func (r *follower) checkFence(e ownergraph.Event) {
	held, ours := r.fences[e.Fence]
	if !ours || e.Kind == "" || r.early != nil {
		return
	}
	if want := ofKind(held, e.Kind); !r.known.agrees(e.Kind, want) {
		r.early = &earlyFence{e.Kind, r.known.all(e.Kind), want}
	}
}

// passed reports whether every kind has passed the fence, and the set of kinds too.
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

// noteFence notes the objects that a fence has to cover.
func (r *follower) noteFence(id uint64, held []ownergraph.Object) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.fences[id] = held
}

// tooEarly returns the first fence that passed too early, or nil.
func (r *follower) tooEarly() *earlyFence {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.early
}

// rewound returns the number of rewinds.
func (r *follower) rewound() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.rewinds
}

// drain returns the changes seen since the last call, in order.
func (r *follower) drain() []ownergraph.Event {
	r.mu.Lock()
	defer r.mu.Unlock()
	seen := r.seen
	r.seen = nil
	return seen
}

// waitFor waits until the follower satisfies the condition, and reports whether it
// does in time. ok runs under the lock.
func (r *follower) waitFor(ok func(*follower) bool) bool {
	began, limit := time.Now(), time.NewTimer(r.waits.limit())
	defer limit.Stop()
	for {
		r.mu.Lock()
		done, more := ok(r), r.wake
		r.mu.Unlock()
		if done {
			r.waits.noteWait(began)
			return true
		}
		select {
		case <-more:
		case <-limit.C:
			return false
		}
	}
}

// content returns the known objects of the kinds. If the last watch has ended, it
// also returns its error.
func (r *follower) content(kinds []ownergraph.KindInfo) (all []ownergraph.Object, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, k := range kinds {
		all = append(all, r.known.all(k.Kind)...)
	}
	return all, r.err
}
