package linear

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/ownergraph/ownergraph/adapters/storetest"
	"github.com/ownergraph/ownergraph/graph"
)

// call is one recorded call with its answer. It does not change afterwards.
type call struct {
	step
	client int
	pre    graph.Precondition
	sent   graph.Object // create, update
	got    graph.Object // get, create, update
	err    error
	// begun and ended count the begins and ends of all calls. They come from no
	// clock, and no two are the same.
	begun, ended int64
}

// recorder makes the calls of a plan and records them. It is safe for concurrent
// use.
type recorder struct {
	subject storetest.Subject
	ticks   atomic.Int64
	mu      sync.Mutex
	calls   []call
}

// play makes the calls of all clients at once. It returns the recorded calls in no
// order.
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

// client makes the calls of one client. It uses the state that it saw last of an
// object for the next precondition, however old that state is by then.
func (r *recorder) client(ctx context.Context, id int, steps []step) {
	seen := map[graph.Key]graph.Object{}
	for _, s := range steps {
		for range s.yield {
			runtime.Gosched()
		}
		calls := []call{{step: s, client: id}}
		if s.with != nil {
			calls = append(calls, call{step: *s.with, client: id})
		}
		for i := range calls {
			last, known := seen[calls[i].place]
			calls[i].prepare(last, known)
		}
		for _, c := range r.doTogether(ctx, calls) {
			if c.err == nil && c.got.UID != "" {
				seen[c.place] = c.got
			}
			r.mu.Lock()
			r.calls = append(r.calls, c)
			r.mu.Unlock()
		}
	}
}

// errResults is the error of a batch with a wrong number of results. Its outcome is
// unknown.
var errResults = errors.New("another number of results than of writes")

// prepare fills in the client's knowledge of the object. A call that needs the
// object's state becomes a read if the client has not seen it.
func (c *call) prepare(last graph.Object, known bool) {
	switch {
	case c.verb == get:
		return
	case c.verb == create:
		c.sent = graph.Object{Key: c.place, Owners: c.owners, Finalizers: c.finalizers}
		return
	case !known && (c.verb == update || c.underUID || c.underState):
		c.verb = get
		return
	case c.verb == update:
		c.sent = last.Clone()
		c.sent.Owners, c.sent.Finalizers = c.owners, c.finalizers
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

// do makes the call with copies of its arguments, and keeps a copy of its answer.
// Other laws are about aliasing.
func (r *recorder) do(ctx context.Context, c call) call {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	store, users, sent, change := r.subject.Store, r.subject.Client, c.sent.Clone(), clone(c.change)
	if c.cancel {
		go cancel()
	}
	c.begun = r.ticks.Add(1)
	switch c.verb {
	case get:
		c.got, c.err = store.Get(ctx, c.place)
	case create:
		c.got, c.err = users.Create(ctx, sent)
	case update:
		c.got, c.err = users.Update(ctx, sent)
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
	c.DropOwners, c.Relink, c.Unblock = slices.Clone(c.DropOwners), slices.Clone(c.Relink), slices.Clone(c.Unblock)
	if c.AddOwner != nil {
		owner := *c.AddOwner
		c.AddOwner = &owner
	}
	return c
}
