package ownergraph

import (
	"context"
	"fmt"
	"time"

	"github.com/ownergraph/ownergraph/internal/core/observed"
)

// nearbySlice is the number of objects and references that Nearby looks at under one lock.
const nearbySlice = 256

// Nearby is an object with the objects around it. It is a value, and the receiver owns it.
type Nearby struct {
	// Key is the object, with its UID.
	Key Key
	// Objects has the observed objects, the nearest ones first: the object itself, the owners
	// above it at all heights, the dependents below it at all depths, and the owners of each
	// dependent.
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
// Held by TestNearby, TestNearbyErrors, TestNearbyInSlices and BenchmarkNearby.
func (c *Collector) Nearby(ctx context.Context, key Key, limit int) (Nearby, error) {
	if ctx == nil {
		return Nearby{}, fmt.Errorf("look around %s: context: nil: %w", placeText(key), ErrInvalid)
	}
	w := &nearbyWalk{limit: limit, seen: map[Key]bool{}}
	err := c.findNearby(ctx, w, key)
	if err != nil {
		return Nearby{}, fmt.Errorf("look around %w", err)
	}
	defer c.locked(func(e *Engine, _ time.Time) { e.graph.CloseCursor(&w.cursor) })
	for done := false; !done && err == nil; {
		if ctx.Err() != nil {
			return Nearby{}, fmt.Errorf("look around %s: %w", placeText(key), context.Cause(ctx))
		}
		c.locked(func(e *Engine, _ time.Time) {
			done, err = w.step(e), e.Err()
		})
	}
	if err != nil {
		return Nearby{}, fmt.Errorf("look around %s: %w", placeText(key), err)
	}
	return w.out, nil
}

// findNearby finds the object of a walk, and begins the walk. Its errors begin with the key.
func (c *Collector) findNearby(ctx context.Context, w *nearbyWalk, key Key) (err error) {
	byUID := key.UID != "" && key == Key{UID: key.UID}
	for s := (keySearch{}); key.UID == "" && err == nil; {
		if ctx.Err() != nil {
			return fmt.Errorf("%s: %w", placeText(key), context.Cause(ctx))
		}
		c.locked(func(e *Engine, _ time.Time) { err = e.search(key, &s, explainSlice) })
		if err == nil && s.done {
			s.gone = Key{}
			key, err = s.choose(key)
		}
	}
	if err != nil {
		return err
	}
	c.locked(func(e *Engine, _ time.Time) {
		n, ok := e.graph.Lookup(key)
		if byUID {
			n, ok = e.graph.Alive(key.UID)
		}
		if !ok {
			err = fmt.Errorf("%s: %w", placeText(key), ErrNotFound)
			return
		}
		e.graph.OpenCursor(&w.cursor)
		w.out.Key, w.out.References = n.Key(), n.Referring()
		w.seen[n.Key()] = true
		w.todo = append(w.todo, nearbyItem{n.Key(), true, true})
	})
	return err
}

// nearbyWalk is a walk over the objects around one object, nearest first. Between two steps it
// knows the objects by their keys, since a node may then stand for another object.
type nearbyWalk struct {
	out    Nearby
	limit  int
	seen   map[Key]bool // in todo now or before
	todo   []nearbyItem
	cursor observed.Cursor // on the dependents of the object that was taken last
}

type nearbyItem struct {
	key      Key
	up, down bool // its owners and its dependents come too
}

// step does a slice of the walk. It returns true at the end.
func (w *nearbyWalk) step(e *Engine) (done bool) {
	for units := 0; units < nearbySlice; units++ {
		if id, ok := w.cursor.Next(e.graph); ok {
			w.add(e.graph.Node(id), false, true)
			continue
		}
		if len(w.todo) == 0 {
			return true
		}
		item := w.todo[0]
		w.todo = w.todo[1:]
		if n, ok := e.graph.Lookup(item.key); ok {
			units += n.Owners()
			w.take(e.graph, n, item)
		}
	}
	return false
}

// take adds the object of a node to the result, and the objects beside it to the walk.
func (w *nearbyWalk) take(g *observed.Graph, n observed.Node, item nearbyItem) {
	if n.State() == observed.Observed {
		if len(w.out.Objects) >= w.limit {
			w.todo, w.out.More = nil, true
			return
		}
		w.out.Objects = append(w.out.Objects, n.Object())
	}
	for _, owner := range n.OwnerNodes() {
		w.add(owner, item.up, false)
	}
	if item.down && !w.out.More {
		w.cursor.Start(g, n.ID())
	}
}

// add adds a node to the walk. More nodes than the limit has room for end the search for others.
func (w *nearbyWalk) add(n observed.Node, up, down bool) {
	if n.State() != observed.Observed {
		return
	}
	k := n.Key()
	switch {
	case w.seen[k]:
	case len(w.seen) >= max(w.limit, 1):
		w.out.More, w.cursor = true, observed.Cursor{}
	default:
		w.seen[k] = true
		w.todo = append(w.todo, nearbyItem{k, up, down})
	}
}
