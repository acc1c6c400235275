package storetest

import (
	"context"
	"errors"
	"sync/atomic"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
)

func mutantsOfSearch() []mutant {
	return []mutant{
		{name: "a large listing is cut", law: "large/listing", reason: "a limit, and no second page", plant: losing(func() func(ownergraph.Event) bool {
			in, n := newListings(), 0
			return func(e ownergraph.Event) bool {
				in.applyEvent(e)
				if e.Type == graph.ListBegun {
					n = 0
				}
				if e.Type != graph.Put || in.change(e) {
					return false
				}
				n++
				return n > 1000
			}
		})},
		{name: "a log that was cut has no mark", law: "large/behind", reason: "old rows are pruned", plant: farBehind(prunedLog)},
		{name: "progress is that of the newest change", law: "large/progress", reason: "the cursor is read again", plant: farBehind(progressOfNewest)},
		{name: "an event beside another write is lost", law: "search/every-write", reason: "two writers share a slot", plant: besideWriters(false)},
		{name: "an event beside a beginning is lost", law: "search/beginning", reason: "the list and the cursor are two transactions", plant: besideWriters(true)},
		{name: "a fence beside a write is early", law: "search/fence", reason: "fences are taken after the read", plant: fencesBesideWriters},
		{name: "a cancelled call breaks its connection", law: "search/cancelled", reason: "it goes back to the pool", plant: poisoned},
	}
}

// farBehind changes the reports of changes for a watch that is 500 or more changes
// behind. The function report also gets the newest version of a new object.
func farBehind(report func(e ownergraph.Event, newest ownergraph.Version, sink sinkFunc) error) func(TB, Subject) Subject {
	return func(_ TB, s Subject) Subject {
		var commits atomic.Int64
		var newest guarded[ownergraph.Version]
		u := &wrappedClient{Client: s.Client}
		u.create = func(ctx context.Context, o ownergraph.Object) (ownergraph.Object, error) {
			o, err := u.Client.Create(ctx, o)
			newest.with(func(v *ownergraph.Version) { *v = o.Version })
			commits.Add(1)
			return o, err
		}
		s.Client = u
		s.Store = reporting(s.Store, func() func(ownergraph.Event, sinkFunc) error {
			in, reported, before := newListings(), int64(0), commits.Load()
			return func(e ownergraph.Event, sink sinkFunc) error {
				if in.applyEvent(e); e.Type != graph.Put || !in.change(e) {
					return sink(e)
				}
				if reported++; commits.Load()-before-reported < 500 {
					return sink(e)
				}
				var last ownergraph.Version
				newest.with(func(v *ownergraph.Version) { last = *v })
				return report(e, last, sink)
			}
		})
		return s
	}
}

func prunedLog(ownergraph.Event, ownergraph.Version, sinkFunc) error { return nil }

func progressOfNewest(e ownergraph.Event, newest ownergraph.Version, sink sinkFunc) error {
	return sendAll(sink, e, ownergraph.Event{Type: graph.Progress, Kind: e.Object.Kind, Version: newest})
}

// busyUsers counts the updates of users in progress.
func busyUsers(s *Subject, now *atomic.Int64) {
	u := &wrappedClient{Client: s.Client}
	u.update = func(ctx context.Context, o ownergraph.Object) (ownergraph.Object, error) {
		now.Add(1)
		defer now.Add(-1)
		yield()
		return u.Client.Update(ctx, o)
	}
	s.Client = u
}

// besideWriters loses changes while several users write at once. It loses every
// third change of a running watch, or each change of a watch that began during the
// writes.
func besideWriters(beginning bool) func(TB, Subject) Subject {
	return func(_ TB, s Subject) Subject {
		var now atomic.Int64
		busyUsers(&s, &now)
		s.Store = reporting(s.Store, func() func(ownergraph.Event, sinkFunc) error {
			in, n, late := newListings(), 0, now.Load() > 1
			return func(e ownergraph.Event, sink sinkFunc) error {
				if in.applyEvent(e); e.Type != graph.Put || !in.change(e) || now.Load() < 2 {
					return sink(e)
				}
				n++
				if beginning && late || !beginning && !late && n%3 == 0 {
					return nil
				}
				return sink(e)
			}
		})
		return s
	}
}

// fencesBesideWriters lets fences pass at once while several users write.
func fencesBesideWriters(tb TB, s Subject) Subject {
	var now atomic.Int64
	busyUsers(&s, &now)
	return fencesEarly(func(in *listings, e ownergraph.Event) (ownergraph.Kind, bool) {
		return e.Of(), in.change(e) && now.Load() > 1
	})(tb, s)
}

// poisoned makes the read after a cancelled call fail.
func poisoned(_ TB, s Subject) Subject {
	sound := s.Store
	var broken atomic.Bool
	s.Store = &wrapper{Store: sound,
		patch: func(ctx context.Context, key ownergraph.Key, pre ownergraph.Precondition, c ownergraph.Change) error {
			if _, limited := ctx.Deadline(); limited && pre == (ownergraph.Precondition{}) && c.AddFinalizer == holdFinalizer && key.Name == "shared" {
				broken.Store(true)
			}
			return sound.Patch(ctx, key, pre, c)
		},
		get: func(ctx context.Context, key ownergraph.Key) (ownergraph.Object, error) {
			if broken.Swap(false) {
				return ownergraph.Object{}, errors.New("cannot start a transaction within a transaction")
			}
			return sound.Get(ctx, key)
		},
	}
	return s
}
