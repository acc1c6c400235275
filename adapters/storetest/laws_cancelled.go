package storetest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
)

// cancelledCallsLeaveNothing cancels calls and watches at random moments. Each
// round ends with calls that are not cancelled.
func cancelledCallsLeaveNothing(t *trial) {
	shared := t.made("shared")
	begun := time.Now()
	shared = t.touch(shared)
	typical := time.Since(begun)
	t.search(func(i int) {
		t.cancelAll(shared.Key, typical)
		shared = t.rewritten(shared.Key, i)
		t.freshToMany(shared)
	})
	t.watch().mustSee("a watch knows "+shared.String(), func(r *replica) bool { return r.listed() && r.knows(shared) })
}

// cancelAll makes cancelled calls on several goroutines, and waits for them.
func (t *trial) cancelAll(key ownergraph.Key, typical time.Duration) {
	t.Helper()
	t.together(func(ctx context.Context, i int) error {
		for range 3 {
			short, cancel := context.WithTimeout(ctx, randomPart(typical))
			err := t.useOnce(short, i, key)
			cancel()
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// useOnce makes one cancelled call. Another law is about its answer.
func (t *trial) useOnce(ctx context.Context, i int, key ownergraph.Key) error {
	switch i % 5 {
	case 0:
		_, _ = t.Store.Get(ctx, key)
	case 1:
		_ = t.Store.Patch(ctx, key, ownergraph.Precondition{}, ownergraph.Change{AddFinalizer: holdFinalizer})
	case 2:
		_ = t.Store.Delete(ctx, key, ownergraph.DeleteOptions{Precondition: ownergraph.Precondition{UID: "another"}})
	case 3:
		_ = t.Store.Watch(ctx, func([]ownergraph.Event) error { return nil })
	case 4:
		if f, ok := ownergraph.As[ownergraph.Fencer](t.Store); ok {
			_, _ = f.Fence(ctx)
		}
	}
	return nil
}

// rewritten changes the object. A cancelled patch may still come, and then the
// first tries are in conflict.
func (t *trial) rewritten(key ownergraph.Key, round int) ownergraph.Object {
	t.Helper()
	var err error
	for range writers * 3 {
		o := t.live(key)
		if o, err = t.tryUpdate(withFinalizers(o, fmt.Sprintf("example.org/round-%d", round))); err == nil {
			return o
		}
		if !errors.Is(err, graph.ErrConflict) {
			break
		}
	}
	t.broken("an update succeeds after other calls were cancelled", err.Error())
	return ownergraph.Object{}
}

// freshToMany reads by as many callers at once as were cancelled, so that it uses
// each connection.
func (t *trial) freshToMany(want ownergraph.Object) {
	t.Helper()
	var mu sync.Mutex
	var seen []ownergraph.Object
	errs := t.together(func(ctx context.Context, _ int) error {
		for range 3 {
			o, err := t.Store.Get(ctx, want.Key)
			if err != nil {
				return err
			}
			mu.Lock()
			seen = append(seen, o)
			mu.Unlock()
		}
		return nil
	})
	if err := errors.Join(errs...); err != nil {
		t.broken("reads succeed after other calls were cancelled", err.Error())
	}
	for _, o := range seen {
		if !o.HasFinalizer(want.Finalizers[0]) { // a cancelled patch may have come since
			t.broken(fmt.Sprintf("after other calls were cancelled, a read answers %s", want), o.String())
		}
	}
}
