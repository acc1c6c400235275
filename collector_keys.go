package ownergraph

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/ownergraph/ownergraph/internal/core/observed"
)

const (
	// keySlice is the number of nodes that Keys looks at under one lock.
	keySlice = 1024
	// keyBytes bounds the text that Keys copies under one lock, apart from one key.
	keyBytes = 64 << 10
)

// Keys returns at most limit of the observed objects, by key. It returns those that come after
// a key, and that match takes. A nil match takes every object. With the last key of one page as
// the first argument, the next call returns the next page.
//
// Each call looks at each object once, a slice at a time, and lets the engine go on in between.
// So a page of many objects is of no one moment. An object that exists all the time is on its
// page. The memory is in proportion to the limit. Keys makes no request, and calls match
// without a lock.
//
// The error wraps ErrInvalid for a nil context, and the cause of a context that has ended. It
// wraps ErrBroken if the engine is broken.
//
// Held by TestKeys, TestKeysErrors, TestKeysInSlices and BenchmarkKeys.
func (c *Collector) Keys(ctx context.Context, after Key, limit int, match func(Key) bool) ([]Key, error) {
	if ctx == nil {
		return nil, fmt.Errorf("list keys: context: nil: %w", ErrInvalid)
	}
	var page, some []Key
	limit = max(limit, 0)
	for from, more := observed.NodeID(1), true; more; {
		if ctx.Err() != nil {
			return nil, fmt.Errorf("list keys: %w", context.Cause(ctx))
		}
		var err error
		c.locked(func(e *Engine, _ time.Time) {
			some, from, more = e.keysFrom(some[:0], from)
			err = e.Err()
		})
		if err != nil {
			return nil, fmt.Errorf("list keys: %w", err)
		}
		for _, k := range some {
			if k.Compare(after) > 0 && (match == nil || match(k)) {
				page = append(page, k)
			}
		}
		if !more || len(page) > 2*limit {
			slices.SortFunc(page, Key.Compare)
			page = slices.Compact(page) // one that has moved to another node
			clear(page[min(limit, len(page)):])
			page = page[:min(limit, len(page))]
		}
	}
	return page, nil
}

// keysFrom appends the keys of the observed objects in a slice of the nodes, from an id on. It
// returns the id of the next slice, if there is one.
func (e *Engine) keysFrom(out []Key, from observed.NodeID) (all []Key, next observed.NodeID, more bool) {
	end, size := min(int(from)+keySlice, e.graph.Cap()), 0
	for ; int(from) < end && size < keyBytes; from++ {
		if !e.graph.InUse(from) || e.graph.Node(from).State() != observed.Observed {
			continue
		}
		k := e.graph.Node(from).Key()
		out, size = append(out, k), size+len(k.Scope)+len(k.Name)+len(k.UID)
	}
	return out, from, int(from) < e.graph.Cap()
}
