package storetest

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
)

// mutantsOfBeginnings are stores whose watches know their position before they list.
func mutantsOfBeginnings() []mutant {
	return []mutant{
		{name: "a listing is newer than the position", law: watchNotBack, reason: "the position is read first, and each kind is listed when its turn comes", plant: listedLater(false)},
		{name: "a listing beside writes is newer than the position", law: "search/not-back", reason: "the position and the listing are two transactions", plant: listedLater(true)},
	}
}

// listedLater reads the objects of the first listing of each kind after the position of
// the watch: all of them at once after a moment, or each when it is reported. The changes
// since the position follow.
func listedLater(atOnce bool) func(TB, Subject) Subject {
	return func(_ TB, s Subject) Subject {
		var now, updates atomic.Int64
		busyUsers(&s, &now)
		update := s.Client.(*wrappedClient).update
		s.Client.(*wrappedClient).update = func(ctx context.Context, o ownergraph.Object) (ownergraph.Object, error) {
			defer updates.Add(1)
			return update(ctx, o)
		}
		sound := s.Store
		s.Store = &wrapper{Store: sound, watch: func(ctx context.Context, sink func([]ownergraph.Event) error) error {
			in := newListings()
			later := func(e ownergraph.Event) (ownergraph.Event, bool) {
				in.applyEvent(e)
				if e.Type != graph.Put || in.change(e) || in.ended[e.Object.Kind] > 0 {
					return e, true
				}
				now, err := sound.Get(context.WithoutCancel(ctx), e.Object.Key)
				e.Object = now
				return e, !errors.Is(err, graph.ErrNotFound)
			}
			return sound.Watch(ctx, func(batch []ownergraph.Event) error {
				for before, i := updates.Load(), 0; atOnce && now.Load() > 1 && updates.Load() < before+2*writers && i < 1000; i++ {
					yield()
				}
				var out []ownergraph.Event
				for _, e := range slices.Clone(batch) {
					e, there := later(e)
					switch {
					case there && atOnce:
						out = append(out, e)
					case there:
						if err := sink([]ownergraph.Event{e}); err != nil {
							return err
						}
					}
				}
				if len(out) == 0 {
					return nil
				}
				return sink(out)
			})
		}}
		return s
	}
}
