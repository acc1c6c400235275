package storetest

import (
	"context"
	"maps"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
)

func mutantsOfGaps() []mutant {
	return []mutant{
		{name: "the stream begins behind the listing", law: watchNoGap, reason: "an end during the listing is in neither", plant: lateStream},
		{name: "a new watch goes on where the last one ended", law: "watch/reconnect", reason: "a cache that is not read again", plant: cached},
		{name: "a broken watch does not end", law: "watch/break", reason: "an error that is swallowed", plant: silent},
		{name: "a compaction is not followed by a listing", law: "watch/compaction", reason: "the cursor jumps", plant: jumping},
	}
}

// lateStream loses the ends of objects that users delete while a watch lists their
// kind.
func lateStream(_ TB, s Subject) Subject {
	client, sound := s.Client, s.Store
	var deleted guarded[map[ownergraph.Key]int]
	deleted.v = map[ownergraph.Key]int{}
	s.Client = &wrappedClient{Client: client, delete: func(ctx context.Context, key ownergraph.Key, opts ownergraph.DeleteOptions) error {
		err := client.Delete(ctx, key, opts)
		deleted.with(func(m *map[ownergraph.Key]int) { (*m)[key]++ })
		return err
	}}
	s.Store = &wrapper{Store: sound, watch: eachEvent(func(ctx context.Context, sink sinkFunc) error {
		in := newListings()
		var before, lost map[ownergraph.Key]int
		deleted.with(func(m *map[ownergraph.Key]int) { before = maps.Clone(*m) })
		lost = map[ownergraph.Key]int{}
		return watchEach(ctx, sound, func(e ownergraph.Event) error {
			if in.applyEvent(e); e.Type == graph.ListEnded && in.ended[e.Kind] == 1 {
				deleted.with(func(m *map[ownergraph.Key]int) {
					for key, n := range *m {
						if key.Kind == e.Kind {
							lost[key] = n - before[key]
						}
					}
				})
			}
			if e.Type == graph.Gone && lost[e.Key] > 0 {
				lost[e.Key]--
				return nil
			}
			return sink(e)
		})
	})}
	return s
}

// cached begins a watch with the last content of the former one.
func cached(_ TB, s Subject) Subject {
	sound := s.Store
	var cache guarded[*replica]
	s.Store = &wrapper{Store: sound, watch: eachEvent(func(ctx context.Context, sink sinkFunc) error {
		in, r := newListings(), replay(nil)
		var old *replica
		cache.with(func(c **replica) { old = *c })
		defer cache.with(func(c **replica) { *c = r })
		return watchEach(ctx, sound, func(e ownergraph.Event) error {
			in.applyEvent(e)
			switch {
			case old == nil:
			case e.Type == graph.Put && in.now[e.Object.Kind] && in.ended[e.Object.Kind] == 0:
				return nil
			case e.Type == graph.ListEnded && in.ended[e.Kind] == 1:
				for _, o := range old.all(e.Kind) {
					put := ownergraph.Event{Type: graph.Put, Object: o.Clone()}
					r.apply(cloneEvent(put))
					if err := sink(put); err != nil {
						return err
					}
				}
			}
			r.apply(cloneEvent(e))
			return sink(e)
		})
	})}
	return s
}

// silent hides the end of a watch.
func silent(_ TB, s Subject) Subject {
	sound := s.Store
	s.Store = &wrapper{Store: sound, watch: eachEvent(func(ctx context.Context, sink sinkFunc) error {
		var failed error
		err := watchEach(ctx, sound, func(e ownergraph.Event) error { failed = sink(e); return failed })
		if failed == nil {
			<-ctx.Done()
		}
		return err
	})}
	return s
}

// jumping drops the listings after a compaction.
func jumping(_ TB, s Subject) Subject {
	var compactions guarded[int]
	count := func() (n int) {
		compactions.with(func(c *int) { n = *c })
		return n
	}
	if compact := s.Compact; compact != nil {
		s.Compact = func(ctx context.Context) error {
			compactions.with(func(c *int) { *c++ })
			return compact(ctx)
		}
	}
	s.Store = reporting(s.Store, func() func(ownergraph.Event, sinkFunc) error {
		in, before, swallowed := newListings(), count(), map[ownergraph.Kind]int{}
		return func(e ownergraph.Event, sink sinkFunc) error {
			again := in.ended[e.Of()] > 0 && count()-before > swallowed[e.Of()]
			in.applyEvent(e)
			switch {
			case again && e.Type == graph.ListEnded:
				swallowed[e.Kind]++
				return nil
			case again && (e.Type == graph.ListBegun || e.Type == graph.Put && !in.change(e)):
				return nil
			}
			return sink(e)
		}
	})
	return s
}
