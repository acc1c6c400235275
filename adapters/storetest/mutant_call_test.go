package storetest

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync/atomic"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
)

func mutantsOfCalls() []mutant {
	return []mutant{
		{name: "a watch does not say that it was cancelled", law: "cancel/watch", reason: "an error of its own, which wraps nothing", plant: closedStream},
		{name: "a cancelled read hangs", law: "cancel/ended", reason: "a wait for a connection that ignores the context", plant: hanging},
		{name: "a cancelled read finds nothing", law: "cancel/ended", reason: "no rows came back", plant: findingNothing},
		{name: "a cancelled patch is half done", law: "cancel/whole", reason: "two statements, and a context between them", plant: patching(cutInHalf)},
		{name: "a read aliases the cache", law: "alias/get", reason: "the cached object is returned as it is", plant: aliasingGet},
		{name: "a patch keeps its change", law: "alias/patch", reason: "the pointer is stored", plant: aliasingPatch},
		{name: "a delete keeps its options", law: "alias/delete", reason: "the pointer is stored", plant: aliasingDelete},
		{name: "an event aliases the cache", law: "alias/event", reason: "the cached object is reported as it is", plant: aliasingEvent},
		{name: "check, then act", law: "concurrency/one-wins", reason: "the version is compared before the step that writes", plant: patching(checkThenAct)},
		{name: "a disturbed write is lost", law: "concurrency/no-lost-update", reason: "a serialization failure is swallowed", plant: disturbed},
		{name: "a fence beside a write fails", law: "concurrency/mixed", reason: "one connection, and an error in place of a queue", plant: busy},
	}
}

func closedStream(_ TB, s Subject) Subject {
	sound := s.Store
	s.Store = &wrapper{Store: sound, watch: func(ctx context.Context, sink func([]ownergraph.Event) error) error {
		err := sound.Watch(ctx, sink)
		if ctx.Err() != nil {
			return errors.New("stream closed")
		}
		return err
	}}
	return s
}

func hanging(tb TB, s Subject) Subject {
	sound, over := s.Store, make(chan struct{})
	tb.Cleanup(func() { close(over) })
	s.Store = &wrapper{Store: sound, get: func(ctx context.Context, key ownergraph.Key) (ownergraph.Object, error) {
		if ctx.Err() != nil {
			<-over
		}
		return sound.Get(ctx, key)
	}}
	return s
}

func findingNothing(_ TB, s Subject) Subject {
	sound := s.Store
	s.Store = &wrapper{Store: sound, get: func(ctx context.Context, key ownergraph.Key) (ownergraph.Object, error) {
		o, err := sound.Get(ctx, key)
		if ctx.Err() != nil {
			err = fmt.Errorf("get %s: %w", place(key), graph.ErrNotFound)
		}
		return o, err
	}}
	return s
}

// cutInHalf does half of the change, and then checks the context.
func cutInHalf(sound ownergraph.Store) patchFunc {
	return func(ctx context.Context, key ownergraph.Key, pre ownergraph.Precondition, c ownergraph.Change) error {
		yield()
		if ctx.Err() == nil {
			return sound.Patch(ctx, key, pre, c)
		}
		_ = sound.Patch(context.WithoutCancel(ctx), key, pre, ownergraph.Change{DropOwners: c.DropOwners, DropFinalizer: c.DropFinalizer})
		return ctx.Err()
	}
}

// yield lets all other runnable goroutines run, several times.
func yield() {
	for range 50 {
		runtime.Gosched()
	}
}

// cache keeps objects by key, in one version.
type cache = guarded[map[ownergraph.Key]ownergraph.Object]

func newCache() *cache { return &cache{v: map[ownergraph.Key]ownergraph.Object{}} }

// serve returns the cached object, if it has the version of o.
func serve(c *cache, o ownergraph.Object) (kept ownergraph.Object, ok bool) {
	c.with(func(m *map[ownergraph.Key]ownergraph.Object) {
		kept, ok = (*m)[o.Key]
		ok = ok && kept.Version == o.Version
	})
	return kept, ok
}

func keep(c *cache, o ownergraph.Object) {
	c.with(func(m *map[ownergraph.Key]ownergraph.Object) { (*m)[o.Key] = o })
}

func aliasingGet(tb TB, s Subject) Subject {
	c := newCache()
	return reading(func(_ ownergraph.Key, o ownergraph.Object, err error) (ownergraph.Object, error) {
		if kept, ok := serve(c, o); ok {
			return kept, err
		}
		keep(c, o)
		return o, err
	})(tb, s)
}

// aliasingPatch shows an added owner as its writer has it now.
func aliasingPatch(_ TB, s Subject) Subject {
	sound := s.Store
	var added guarded[map[graph.UID]*ownergraph.Owner]
	added.v = map[graph.UID]*ownergraph.Owner{}
	s.Store = &wrapper{
		Store: sound,
		patch: func(ctx context.Context, key ownergraph.Key, pre ownergraph.Precondition, c ownergraph.Change) error {
			if c.AddOwner != nil {
				added.with(func(m *map[graph.UID]*ownergraph.Owner) { (*m)[c.AddOwner.UID] = c.AddOwner })
			}
			return sound.Patch(ctx, key, pre, c)
		},
		get: func(ctx context.Context, key ownergraph.Key) (ownergraph.Object, error) {
			o, err := sound.Get(ctx, key)
			added.with(func(m *map[graph.UID]*ownergraph.Owner) {
				for i, r := range o.Owners {
					if p := (*m)[r.UID]; p != nil {
						o.Owners[i] = *p
					}
				}
			})
			return o, err
		},
	}
	return s
}

// aliasingDelete shows a grace period as the deleting caller has it now.
func aliasingDelete(_ TB, s Subject) Subject {
	sound := s.Store
	var given guarded[map[ownergraph.Key]*int64]
	given.v = map[ownergraph.Key]*int64{}
	s.Store = &wrapper{
		Store: sound,
		delete: func(ctx context.Context, key ownergraph.Key, opts ownergraph.DeleteOptions) error {
			err := sound.Delete(ctx, key, opts)
			if err == nil && opts.GraceSeconds != nil {
				given.with(func(m *map[ownergraph.Key]*int64) { (*m)[key.Place()] = opts.GraceSeconds })
			}
			return err
		},
		get: func(ctx context.Context, key ownergraph.Key) (ownergraph.Object, error) {
			o, err := sound.Get(ctx, key)
			given.with(func(m *map[ownergraph.Key]*int64) {
				if p := (*m)[key.Place()]; p != nil && o.Deleting {
					o.GraceSeconds = *p
				}
			})
			return o, err
		},
	}
	return s
}

// aliasingEvent answers reads with the first events of the second watch.
func aliasingEvent(tb TB, s Subject) Subject {
	c := newCache()
	var running runningWatches
	s.Store = registering(s.Store, &running, func(in *listings, e ownergraph.Event, sink sinkFunc) error {
		second := false
		running.with(func(list *[]*listings) { second = slices.Index(*list, in) == 1 })
		if _, kept := serve(c, e.Object); e.Type == graph.Put && second && !kept {
			keep(c, e.Object)
		}
		return sink(e)
	})
	return reading(func(_ ownergraph.Key, o ownergraph.Object, err error) (ownergraph.Object, error) {
		if kept, ok := serve(c, o); ok {
			return kept.Clone(), err
		}
		return o, err
	})(tb, s)
}

func checkThenAct(sound ownergraph.Store) patchFunc {
	return func(ctx context.Context, key ownergraph.Key, pre ownergraph.Precondition, c ownergraph.Change) error {
		if live, err := sound.Get(ctx, key); err == nil && !pre.Holds(live) {
			return fmt.Errorf("patch %s: %w", key, graph.ErrConflict)
		}
		yield()
		return sound.Patch(ctx, key, ownergraph.Precondition{UID: pre.UID}, c)
	}
}

// disturbed acknowledges a patch during which another client has read, and does not
// do it.
func disturbed(_ TB, s Subject) Subject {
	sound := s.Store
	var reads atomic.Int64
	s.Store = &wrapper{
		Store: sound,
		get: func(ctx context.Context, key ownergraph.Key) (ownergraph.Object, error) {
			reads.Add(1)
			return sound.Get(ctx, key)
		},
		patch: func(ctx context.Context, key ownergraph.Key, pre ownergraph.Precondition, c ownergraph.Change) error {
			before := reads.Load()
			yield()
			if live, err := sound.Get(ctx, key); err == nil && pre.Holds(live) && reads.Load() != before {
				return nil
			}
			return sound.Patch(ctx, key, pre, c)
		},
	}
	return s
}

// busy refuses a fence during a write.
func busy(_ TB, s Subject) Subject {
	sound, fencer := s.Store, s.Store.(ownergraph.Fencer)
	var writes atomic.Int64
	s.Store = &fencing{
		Store: &wrapper{Store: sound, patch: func(ctx context.Context, key ownergraph.Key, pre ownergraph.Precondition, c ownergraph.Change) error {
			writes.Add(1)
			defer writes.Add(-1)
			yield()
			return sound.Patch(ctx, key, pre, c)
		}},
		fence: func(ctx context.Context) (token uint64, err error) {
			for range 50 {
				if runtime.Gosched(); writes.Load() > 0 {
					return 0, errors.New("busy")
				}
			}
			return fencer.Fence(ctx)
		},
	}
	return s
}
