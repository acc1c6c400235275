package storetest

import (
	"context"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
)

func mutantsOfLists() []mutant {
	return []mutant{
		{name: "list does nothing", law: listAnew, reason: "a power without code", plant: relists(func(ownergraph.Lister, *runningWatches, *signal) listFunc {
			return func(context.Context, ownergraph.Kind) error { return nil }
		}, nil)},
		{name: "a new listing forgets one", law: "list/complete", reason: "the last row of a page", plant: losing(shortRelisting)},
		{name: "a new listing has no marked objects", law: "list/complete", reason: "a query of the living objects", plant: losing(func() func(ownergraph.Event) bool {
			in := newListings()
			return func(e ownergraph.Event) bool {
				in.applyEvent(e)
				return e.Type == graph.Put && !in.change(e) && e.Object.Deleting && in.ended[e.Object.Kind] > 0
			}
		})},
		{name: "one watch lists for all", law: "list/every-watch", reason: "a queue in place of a log", plant: listsOldest},
		{name: "list waits for the listing", law: "list/returns", reason: "a call that waits for its own effect", plant: listWaits},
	}
}

type listFunc = func(ctx context.Context, kind ownergraph.Kind) error

// runningWatches lists the running watches, the oldest first.
type runningWatches = guarded[[]*listings]

// relists replaces the store's List. The replacement gets the sound store's. The
// function lost selects events that a watch does not report.
func relists(list func(ownergraph.Lister, *runningWatches, *signal) listFunc, lost func(*runningWatches, *listings, ownergraph.Event) bool) func(TB, Subject) Subject {
	return func(tb TB, s Subject) Subject {
		sound, ok := ownergraph.As[ownergraph.Lister](s.Store)
		if !ok {
			tb.Fatalf("the sound store is no Lister")
		}
		var running runningWatches
		var reported signal
		s.Store = registering(s.Store, &running, func(in *listings, e ownergraph.Event, sink sinkFunc) error {
			defer reported.broadcast()
			if lost != nil && lost(&running, in, e) {
				return nil
			}
			err := sink(e)
			running.with(func(*[]*listings) { in.applyEvent(e) })
			return err
		})
		s.Store = &relister{Store: s.Store, list: list(sound, &running, &reported)}
		return s
	}
}

func shortRelisting() func(ownergraph.Event) bool {
	in, n := newListings(), 0
	return func(e ownergraph.Event) bool {
		in.applyEvent(e)
		switch {
		case e.Type == graph.ListBegun:
			n = 0
		case e.Type == graph.Put && !in.change(e) && in.ended[e.Object.Kind] > 0:
			n++
			return n == 10
		}
		return false
	}
}

// listsOldest makes only the oldest watch list again.
func listsOldest(tb TB, s Subject) Subject {
	list := func(sound ownergraph.Lister, _ *runningWatches, _ *signal) listFunc { return sound.List }
	return relists(list, func(running *runningWatches, in *listings, e ownergraph.Event) (lost bool) {
		running.with(func(list *[]*listings) {
			of := e.Of()
			again := in.ended[of] > 0 && (e.Type == graph.ListBegun || e.Type == graph.ListEnded)
			lost = again && (*list)[0] != in
		})
		return lost
	})(tb, s)
}

func listWaits(tb TB, s Subject) Subject {
	return relists(func(sound ownergraph.Lister, running *runningWatches, reported *signal) listFunc {
		return func(ctx context.Context, kind ownergraph.Kind) error {
			ended := func() (n int) {
				running.with(func(list *[]*listings) {
					for _, in := range *list {
						n += in.ended[kind]
					}
				})
				return n
			}
			before := ended()
			if err := sound.List(ctx, kind); err != nil {
				return err
			}
			return reported.wait(ctx, func() bool { return ended() > before })
		}
	}, nil)(tb, s)
}

// signal wakes all goroutines that wait for a change.
type signal struct{ ch guarded[chan struct{}] }

func (s *signal) changed() (ch <-chan struct{}) {
	s.ch.with(func(c *chan struct{}) {
		if *c == nil {
			*c = make(chan struct{})
		}
		ch = *c
	})
	return ch
}

func (s *signal) broadcast() {
	s.ch.with(func(c *chan struct{}) {
		if *c != nil {
			close(*c)
		}
		*c = nil
	})
}

// wait waits until ok, or until ctx ends.
func (s *signal) wait(ctx context.Context, ok func() bool) error {
	for {
		rung := s.changed()
		if ok() {
			return nil
		}
		select {
		case <-rung:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
