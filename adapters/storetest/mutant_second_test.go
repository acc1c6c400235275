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
		{name: "another process reads a cache", law: secondFresh, reason: "each process believes that it writes alone", spoil: seconds(staleRead)},
		{name: "the writes of another process are not told", law: secondObserved, reason: "a signal within the process", spoil: lose(func() func(ownergraph.Event) bool {
			in := newListings()
			return func(e ownergraph.Event) bool {
				in.take(e)
				return in.change(e)
			}
		})},
		{name: "two processes count UIDs alike", law: "second/uids", reason: "the counter is of the process", spoil: countedTwice},
		{name: "two processes at once lose a change", law: "second/every-write", reason: "one cursor for both", spoil: secondsBesideWriters},
		{name: "a fence covers its own process alone", law: "second/fence", reason: "what is pending is counted in memory", spoil: fencesOfOneProcess},
		{name: "a restore is told in its own process alone", law: "second/rewound", reason: "a flag in memory", spoil: seconds(watching(unaware))},
	}
}

// seconds spoils what a second handle is.
func seconds(spoil func(TB, Subject) Subject) func(TB, Subject) Subject {
	return func(tb TB, s Subject) Subject {
		sound := s.Second
		s.Second = func(ctx context.Context) (Subject, error) {
			next, err := sound(ctx)
			return spoil(tb, next), err
		}
		return s
	}
}

// everywhere spoils the subject, what comes back from a restart, and what a second
// handle is.
func everywhere(spoil func(TB, Subject) Subject) func(TB, Subject) Subject {
	return func(tb TB, s Subject) Subject { return spoil(tb, seconds(spoil)(tb, restarting(spoil)(tb, s))) }
}

// countedTwice has both count, from one seed.
func countedTwice(tb TB, s Subject) Subject {
	count := func() func(TB, Subject) Subject {
		c := &counter{made: map[ownergraph.UID]ownergraph.UID{}}
		return renaming(func(n *renamed) { n.uid = c.uid })
	}
	first := count()
	return first(tb, seconds(count())(tb, restarting(first)(tb, s)))
}

// secondsBesideWriters has the watches of the first lose changes while users of
// the second write, several at once.
func secondsBesideWriters(tb TB, s Subject) Subject {
	var now atomic.Int64
	s.Store = reporting(s.Store, func() func(ownergraph.Event, tell) error {
		in := newListings()
		return func(e ownergraph.Event, tell tell) error {
			if in.take(e); e.Type == graph.Put && in.change(e) && now.Load() > 1 {
				return nil
			}
			return tell(e)
		}
	})
	return seconds(func(_ TB, next Subject) Subject {
		busyUsers(&next, &now)
		return next
	})(tb, s)
}

// fencesOfOneProcess has fences pass at once while users of a second handle write,
// several at once.
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
