package ownergraph

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/explain"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/excerpt"
	"github.com/ownergraph/ownergraph/internal/core/search"
	"github.com/ownergraph/ownergraph/internal/core/seed"
	"github.com/ownergraph/ownergraph/internal/inside"
)

const (
	// keySlice is the number of nodes that Keys looks at under one lock.
	keySlice = 1024
	// keyBytes bounds the text that Keys copies under one lock, apart from one key.
	keyBytes = 64 << 10
	// nearbySlice is the number of objects and references that Nearby looks at under one lock.
	nearbySlice = 256
)

// Keys returns at most limit of the observed objects, by key. It returns those that come after
// a key, and that match takes. A nil match takes every object. With the last key of one page as
// the first argument, the next call returns the next page.
//
// Each call looks at each object once, a slice at a time, and lets the engine go on in between. A
// page of many objects therefore mixes several moments. An object that exists all the time is on its page.
// The memory is in proportion to the limit. Keys makes no request, and calls match without a lock.
//
// The error wraps ErrInvalid for a nil context, and the cause of a context that has ended. It
// wraps ErrBroken if the engine is broken.
//
//test:by TestKeys TestKeysErrors TestKeysInSlices BenchmarkKeys
func (c *Collector) Keys(ctx context.Context, after Key, limit int, match func(Key) bool) ([]Key, error) {
	if ctx == nil {
		return nil, fmt.Errorf("list keys: context: nil: %w", ErrInvalid)
	}
	var page, some []Key
	limit = max(limit, 0)
	for from, more := graph.NodeID(0), true; more; {
		if ctx.Err() != nil {
			return nil, fmt.Errorf("list keys: %w", context.Cause(ctx))
		}
		var err error
		c.locked(func(e engine.Driver, _ time.Time) {
			some, from = e.Graph().Inside(inside.Key{}).KeysFrom(some[:0], from, keySlice, keyBytes)
			more, err = from != 0, e.Err()
		})
		if err != nil {
			return nil, fmt.Errorf("list keys: %w", err)
		}
		for _, k := range some {
			if k.Compare(after) > 0 && (match == nil || match(k)) {
				page = append(page, k)
			}
		}
		if !more || len(page)-limit > limit { // twice the limit may be no int
			slices.SortFunc(page, Key.Compare)
			page = slices.Compact(page) // one that has moved to another node
			clear(page[min(limit, len(page)):])
			page = page[:min(limit, len(page))]
		}
	}
	return page, nil
}

// Nearby is an object with the objects around it. It is a value, and the receiver owns it.
type Nearby struct {
	// Key is the object, with its UID.
	Key Key
	// Objects has the observed objects, the nearest ones first: the object itself, the owners above
	// it at all heights, the dependents below it at all depths, and the owners of each dependent.
	Objects []Object
	// References is the number of references of other objects to the object.
	References int
	// More says that the limit has left out objects.
	More bool
}

// Nearby returns one object and at most limit of the objects around it, itself included. The
// key may be without a UID. It then stands for the object at that place. A key with nothing but
// a UID stands for the object with that UID. An object that only references name has no entry
// in Objects, and its dependents have.
//
// Nearby looks at a slice of the objects at a time, and lets the engine go on in between. So
// the objects may be of several moments. The cost is in proportion to the limit, apart from the
// search for a key without a UID, which looks at each object. Nearby makes no request.
//
// The error wraps ErrNotFound for an object that is neither observed nor named by a reference,
// and ErrInvalid for a nil context and for a place with two objects. It wraps the cause of a
// context that has ended, and ErrBroken if the engine is broken.
//
//test:by TestNearby TestNearbyErrors TestNearbyInSlices BenchmarkNearby
func (c *Collector) Nearby(ctx context.Context, key Key, limit int) (out Nearby, err error) {
	if ctx == nil {
		return out, fmt.Errorf("look around %s: context: nil: %w", seed.PlaceText(key), ErrInvalid)
	}
	key, err = c.fullKey(ctx, key, false)
	if err != nil {
		return Nearby{}, fmt.Errorf("look around %w", err)
	}
	var w excerpt.Around
	c.locked(func(e engine.Driver, _ time.Time) {
		n, ok := e.Node(key)
		if key == (Key{UID: key.UID}) {
			n, ok = e.Graph().Alive(key.UID)
		}
		if !ok {
			err = ErrNotFound
			return
		}
		w.Start(e.Graph(), n, limit)
		out.Key, out.References = n.Key(), n.Referring()
	})
	defer c.locked(func(e engine.Driver, _ time.Time) { w.Close(e.Graph()) })
	if err == nil {
		err = c.inSlices(ctx, func(e engine.Driver) (bool, error) { return w.Step(e.Graph(), nearbySlice), nil })
	}
	if err != nil {
		return Nearby{}, fmt.Errorf("look around %s: %w", seed.PlaceText(key), err)
	}
	out.Objects, out.More = w.Objects()
	return out, nil
}

// fullKey adds the UID to a key without one, also that of an object that is gone. Its errors begin with
// the key.
func (c *Collector) fullKey(ctx context.Context, key Key, gone bool) (_ Key, err error) {
	if key.UID != "" && !gone {
		return key, nil
	}
	s := search.New(key)
	for !s.Done() && err == nil {
		if ctx.Err() != nil {
			return key, fmt.Errorf("%s: %w", seed.PlaceText(key), context.Cause(ctx))
		}
		c.locked(func(e engine.Driver, _ time.Time) { err = e.StepSearch(s) })
	}
	if err != nil {
		return key, err
	}
	if !gone {
		s.LeaveGone()
	}
	return s.Choose()
}

// Explain explains an object: see Engine.Explain. The key may be without a UID. Then the
// search looks at a slice of the nodes at a time, and lets the engine go on in between.
//
// Explain makes no request, and changes nothing. It may be called before Run and after its
// end. Objects that are gone are known as long as the engine remembers them.
//
// Its errors are those of Engine.Explain. An error of a context that has ended wraps the
// context's cause.
//
//test:by TestCollectorExplain TestCollectorExplainErrors
func (c *Collector) Explain(ctx context.Context, key Key) (x explain.Explanation, err error) {
	if ctx == nil {
		return x, fmt.Errorf("explain %s: context: nil: %w", seed.PlaceText(key), ErrInvalid)
	}
	full, err := c.fullKey(ctx, key, true)
	if err != nil {
		return x, fmt.Errorf("explain %w", err)
	}
	c.locked(func(e engine.Driver, now time.Time) { x, err = e.ExplainAt(full, now) })
	return x, err
}
