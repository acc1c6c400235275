package storetest

import (
	"context"
	"sync/atomic"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
)

func mutantsOfSeconds() []mutant {
	lose := func(lost func() func(ownergraph.Event) bool) func(TB, Subject) Subject { return seconds(losing(lost)) }
	return []mutant{
		{name: "another process reads a cache", law: secondFresh, reason: "each process believes that it writes alone", plant: seconds(staleRead)},
		{name: "the writes of another process are not reported", law: secondObserved, reason: "a signal within the process", plant: lose(func() func(ownergraph.Event) bool {
			in := newListings()
			return func(e ownergraph.Event) bool {
				in.applyEvent(e)
				return in.change(e)
			}
		})},
		{name: "two processes count UIDs alike", law: "second/uids", reason: "the counter is of the process", plant: countedTwice},
		{name: "two processes at once lose a change", law: "second/every-write", reason: "one cursor for both", plant: secondsBesideWriters},
		{name: "a fence covers its own process alone", law: "second/fence", reason: "pending fences are counted in memory", plant: fencesOfOneProcess},
		{name: "a restore is reported in its own process alone", law: "second/rewound", reason: "a flag in memory", plant: seconds(watching(unaware))},
	}
}

// seconds adds a bug to a second handle.
func seconds(plant func(TB, Subject) Subject) func(TB, Subject) Subject {
	return func(tb TB, s Subject) Subject {
		sound := s.Second
		s.Second = func(ctx context.Context) (Subject, error) {
			next, err := sound(ctx)
			return plant(tb, next), err
		}
		return s
	}
}

// everywhere adds a bug to the subject, to the restarted store, and to a second
// handle.
func everywhere(plant func(TB, Subject) Subject) func(TB, Subject) Subject {
	return func(tb TB, s Subject) Subject { return plant(tb, seconds(plant)(tb, restarting(plant)(tb, s))) }
}

// countedTwice makes both handles count, from one seed.
func countedTwice(tb TB, s Subject) Subject {
	count := func() func(TB, Subject) Subject {
		c := &counter{made: map[graph.UID]graph.UID{}}
		return renaming(func(n *renamed) { n.uid = c.uid })
	}
	first := count()
	return first(tb, seconds(count())(tb, restarting(first)(tb, s)))
}

// secondsBesideWriters makes the watches of the first handle lose changes while
// several users of the second one write at once.
func secondsBesideWriters(tb TB, s Subject) Subject {
	var now atomic.Int64
	s.Store = reporting(s.Store, func() func(ownergraph.Event, sinkFunc) error {
		in := newListings()
		return func(e ownergraph.Event, sink sinkFunc) error {
			if in.applyEvent(e); e.Type == graph.Put && in.change(e) && now.Load() > 1 {
				return nil
			}
			return sink(e)
		}
	})
	return seconds(func(_ TB, next Subject) Subject {
		busyUsers(&next, &now)
		return next
	})(tb, s)
}

// fencesOfOneProcess lets fences pass at once while several users of a second
// handle write.
func fencesOfOneProcess(tb TB, s Subject) Subject {
	var now atomic.Int64
	s = fencesEarly(func(in *listings, e ownergraph.Event) (ownergraph.Kind, bool) {
		return e.Of(), in.change(e) && now.Load() > 1
	})(tb, s)
	return seconds(func(_ TB, next Subject) Subject {
		busyUsers(&next, &now)
		return next
	})(tb, s)
}
