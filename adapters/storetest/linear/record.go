package linear

import (
	"context"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/ownergraph/ownergraph/adapters/storetest"
	"github.com/ownergraph/ownergraph/graph"
)

// call is one that was made: what was asked and what was answered. Nothing
// changes it afterwards.
type call struct {
	step
	client int
	pre    graph.Precondition
	asked  graph.Object // create, update
	got    graph.Object // get, create, update
	err    error
	// begun and ended count begins and ends of all calls: no clock is read, and
	// no two are the same.
	begun, ended int64
}

// recorder makes the calls of a plan and writes them down. It is safe for
// concurrent use.
type recorder struct {
	subject storetest.Subject
	ticks   atomic.Int64
	mu      sync.Mutex
	calls   []call
}

// play makes each client's calls, all clients at once, and returns what came of
// them, in no order.
func (r *recorder) play(ctx context.Context, p plan) []call {
	var wg sync.WaitGroup
	start := make(chan struct{})
	for i, steps := range p {
		wg.Add(1)
		go func() {
			defer wg.Done()
			<-start
			r.client(ctx, i, steps)
		}()
	}
	close(start)
	wg.Wait()
	return r.calls
}

// client makes the calls of one. What it saw last of an object it takes for the
// next precondition, however old that is by then.
func (r *recorder) client(ctx context.Context, id int, steps []step) {
	seen := map[graph.Key]graph.Object{}
	for _, s := range steps {
		for range s.yield {
			runtime.Gosched()
		}
		last, known := seen[s.place]
		c := call{step: s, client: id}
		c.prepare(last, known)
		c = r.do(ctx, c)
		if c.err == nil && c.got.UID != "" {
			seen[s.place] = c.got
		}
		r.mu.Lock()
		r.calls = append(r.calls, c)
		r.mu.Unlock()
	}
}

// prepare fills in what the client knows. One that knows nothing of the object
// reads it where it would have had to know it.
func (c *call) prepare(last graph.Object, known bool) {
	switch {
	case c.verb == get:
		return
	case c.verb == create:
		c.asked = graph.Object{Key: c.place, Owners: c.owners, Finalizers: c.finalizers}
		return
	case !known && (c.verb == update || c.underUID || c.underState):
		c.verb = get
		return
	case c.verb == update:
		c.asked = last.Clone()
		c.asked.Owners, c.asked.Finalizers = c.owners, c.finalizers
		c.pre = graph.Precondition{UID: last.UID, Version: last.Version}
		return
	}
	if c.underState {
		c.pre.Version = last.Version
	}
	if c.underState || c.underUID {
		c.pre.UID = last.UID
	}
	c.options.Precondition = c.pre
}

// do makes the call, of copies, and keeps a copy of what it answers: what a store
// aliases is the business of other laws.
func (r *recorder) do(ctx context.Context, c call) call {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	store, users, asked, change := r.subject.Store, r.subject.Client, c.asked.Clone(), clone(c.change)
	if c.cancel {
		go cancel()
	}
	c.begun = r.ticks.Add(1)
	switch c.verb {
	case get:
		c.got, c.err = store.Get(ctx, c.place)
	case create:
		c.got, c.err = users.Create(ctx, asked)
	case update:
		c.got, c.err = users.Update(ctx, asked)
	case patch:
		c.err = store.Patch(ctx, c.place, c.pre, change)
	case erase:
		c.err = store.Delete(ctx, c.place, c.options)
	case userDelete:
		c.err = users.Delete(ctx, c.place, c.options)
	}
	c.ended = r.ticks.Add(1)
	c.got = c.got.Clone()
	return c
}

func clone(c graph.Change) graph.Change {
	c.DropOwners, c.Unblock = slices.Clone(c.DropOwners), slices.Clone(c.Unblock)
	if c.AddOwner != nil {
		owner := *c.AddOwner
		c.AddOwner = &owner
	}
	return c
}
