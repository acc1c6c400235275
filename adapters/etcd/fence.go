package etcdstore

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"fmt"

	"github.com/ownergraph/ownergraph/graph"
)

// fence is a fence that a watch has not passed yet.
type fence struct {
	token    uint64
	revision int64  // the watch has to reach it
	epoch    string // of the revision
}

const maxFences = 64 // pending in one watch; the newest stay

// Fence begins a fence at the present revision, by a linearizable read. Each watch of this
// Store that runs now reports FencePassed when it has reported all changes up to that
// revision.
// Fence returns a random token of 64 bits without waiting. A watch that is slower than its
// fences reports the newest 64.
//
//test:by TestKit TestFencesAreBounded
func (s *Store) Fence(ctx context.Context) (token uint64, err error) {
	if err := ctx.Err(); err != nil {
		return 0, fmt.Errorf("fence: %w", err)
	}
	now, err := s.identify(ctx)
	if err != nil {
		return 0, fmt.Errorf("fence: %w", err)
	}
	for token == 0 {
		var b [8]byte
		_, _ = rand.Read(b[:]) // it never fails
		token = binary.NativeEndian.Uint64(b[:])
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for w := range s.watches {
		w.orders.fences = keepNewest(append(w.orders.fences, fence{token, now.revision, now.Epoch}))
		w.wakeUp()
	}
	return token, nil
}

// List makes every running watch of this Store list kind anew. It returns at once. It returns
// ErrKindUnknown for a kind that is not served.
//
//test:by TestKit
func (s *Store) List(ctx context.Context, kind graph.Kind) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("list kind %s: %w", kind, err)
	}
	if _, ok := s.kinds[kind]; !ok {
		return fmt.Errorf("list kind %s: %w", kind, graph.ErrKindUnknown)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for w := range s.watches {
		if w.orders.relist == nil {
			w.orders.relist = map[graph.Kind]bool{}
		}
		w.orders.relist[kind] = true
		w.wakeUp()
	}
	return nil
}

func keepNewest[T any](list []T) []T { return list[max(0, len(list)-maxFences):] }

// orders are the wishes of other goroutines to a watch. The store's lock guards them.
type orders struct {
	fences []fence
	relist map[graph.Kind]bool
}

// takeOrders returns the orders since the last call.
func (w *watch) takeOrders() orders {
	w.store.mu.Lock()
	defer w.store.mu.Unlock()
	out := w.orders
	w.orders = orders{}
	return out
}

// wakeUp wakes the watch. It never waits.
func (w *watch) wakeUp() {
	select {
	case w.wake <- struct{}{}:
	default:
	}
}
