package storetest

import (
	"context"
	"sync"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
)

// follower keeps a watch of the store running, as an engine does, and keeps its
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
	pending []ownergraph.Object            // those of the fence whose call is under way
	unnamed map[uint64]*earlyFence         // reports during that call that passed too early for it
	early   *earlyFence                    // the first fence that passed too early
	err     error                          // of the last watch
	wake    chan struct{}                  // closed by the next event
}

// follow starts a follower that knows these objects already. It ends with the test.
func follow(tb TB, store ownergraph.Store, p *waitTimes, known ...ownergraph.Object) *follower {
	ctx, cancel := context.WithCancel(context.Background())
	r := &follower{
		cancel: cancel, ended: make(chan struct{}), waits: p, wake: make(chan struct{}),
		known: replay(nil), fences: map[uint64][]ownergraph.Object{}, unnamed: map[uint64]*earlyFence{},
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
func (f *follower) watchLoop(ctx context.Context, store ownergraph.Store, pause time.Duration) {
	defer close(f.ended)
	for ctx.Err() == nil {
		err := <-start(ctx, func(ctx context.Context) error { return store.Watch(ctx, f.sink) })
		f.mu.Lock()
		f.err, f.begun = err, false
		f.runs++
		f.notify()
		f.mu.Unlock()
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
	}
}

// stop ends the watch, and waits for it as long as a store may take.
func (f *follower) stop() {
	f.cancel()
	limit := time.NewTimer(f.waits.limit())
	defer limit.Stop()
	select {
	case <-f.ended:
	case <-limit.C:
	}
}

func (f *follower) sink(batch []ownergraph.Event) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, e := range batch {
		f.take(cloneEvent(e))
	}
	f.notify()
	return nil
}

// take applies an event. The caller has the lock.
func (f *follower) take(e ownergraph.Event) {
	switch e.Type {
	case graph.Put, graph.Gone:
		f.seen = append(f.seen, e)
	case graph.Rewound:
		f.rewinds++
	case graph.KindsKnown:
		f.begun = true
	case graph.FencePassed:
		f.checkFence(e)
	}
	f.known.apply(e)
}

// notify wakes the waiting callers. The caller has the lock.
func (f *follower) notify() {
	close(f.wake)
	f.wake = make(chan struct{})
}

// earlyFence is a fence that passed a kind before the watch had reported all
// objects that the fence covers.
type earlyFence struct {
	kind          ownergraph.Kind
	shown, stored []ownergraph.Object
}

// checkFence notes a fence that passed too early. The test writes nothing while a
// fence is in progress.
func (f *follower) checkFence(e ownergraph.Event) {
	stored, ours := f.fences[e.Fence]
	if !ours {
		stored = f.pending
	}
	if e.Kind == "" || f.early != nil {
		return
	}
	want := ofKind(stored, e.Kind)
	switch {
	case f.known.agrees(e.Kind, want):
	case ours:
		f.early = &earlyFence{e.Kind, f.known.all(e.Kind), want}
	case f.unnamed[e.Fence] == nil:
		f.unnamed[e.Fence] = &earlyFence{e.Kind, f.known.all(e.Kind), want}
	}
}

// passed reports whether every kind has passed the fence, and the set of kinds too.
func (f *follower) passed(id uint64) bool {
	for _, k := range f.known.infos {
		if !f.known.passed[passage{k.Kind, id}] {
			return false
		}
	}
	return f.known.passed[passage{"", id}]
}

func ofKind(list []ownergraph.Object, kind ownergraph.Kind) (out []ownergraph.Object) {
	for _, o := range list {
		if o.Kind == kind {
			out = append(out, o)
		}
	}
	return out
}

// beginFence notes the objects that a fence has to cover, before its call.
func (f *follower) beginFence(stored []ownergraph.Object) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.pending = stored
	clear(f.unnamed)
}

// nameFence notes the token of that fence, which reports may have named before.
func (f *follower) nameFence(token uint64, stored []ownergraph.Object) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.fences[token] = stored
	if f.early == nil {
		f.early = f.unnamed[token]
	}
}

// tooEarly returns the first fence that passed too early, or nil.
func (f *follower) tooEarly() *earlyFence {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.early
}

// rewound returns the number of rewinds.
func (f *follower) rewound() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.rewinds
}

// drain returns the changes seen since the last call, in order.
func (f *follower) drain() []ownergraph.Event {
	f.mu.Lock()
	defer f.mu.Unlock()
	seen := f.seen
	f.seen = nil
	return seen
}

// waitFor waits until the follower satisfies the condition, and reports whether it
// does in time. ok runs under the lock.
func (f *follower) waitFor(ok func(*follower) bool) bool {
	began, limit := time.Now(), time.NewTimer(f.waits.limit())
	defer limit.Stop()
	for {
		f.mu.Lock()
		done, more := ok(f), f.wake
		f.mu.Unlock()
		if done {
			f.waits.noteWait(began)
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
func (f *follower) content(kinds []ownergraph.KindInfo) (all []ownergraph.Object, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, k := range kinds {
		all = append(all, f.known.all(k.Kind)...)
	}
	return all, f.err
}
