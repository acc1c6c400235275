package storetest

import (
	"slices"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
)

// watching makes every watch report through the function that begin makes for it.
func watching(begin func() func(e ownergraph.Event, sink sinkFunc) error) func(TB, Subject) Subject {
	return func(_ TB, s Subject) Subject {
		s.Store = reporting(s.Store, begin)
		return s
	}
}

// losing makes every watch lose the events that lost selects. Each watch has its
// own lost.
func losing(begin func() func(e ownergraph.Event) bool) func(TB, Subject) Subject {
	return watching(func() func(ownergraph.Event, sinkFunc) error {
		lost := begin()
		return func(e ownergraph.Event, sink sinkFunc) error {
			if lost(e) {
				return nil
			}
			return sink(e)
		}
	})
}

func mutantsOfWatch() []mutant {
	return []mutant{
		{name: "a kind is not among those known", law: kindsKnown, reason: "the set of kinds is cut short", plant: watching(unknownKind)},
		{name: "an empty kind is not listed", law: watchListing, reason: "no rows, no listing", plant: watching(onlyFullListings)},
		{name: "a listing forgets one", law: watchComplete, reason: "the last row of a page", plant: losing(lastOfPage)},
		{name: "a mark is not reported", law: watchEveryChange, reason: "a deletion that is no update to the trigger", plant: losing(func() func(ownergraph.Event) bool {
			in := newListings()
			return func(e ownergraph.Event) bool {
				in.applyEvent(e)
				return e.Type == graph.Put && in.change(e) && e.Object.Waiting()
			}
		})},
		{name: "puts have no flags", law: "watch/exact", reason: "another query for the watch than for the read", plant: watching(flagless)},
		{name: "gone has another UID", law: watchGone, reason: "an end without its own row", plant: watching(wrongGone)},
		{name: "gone is not reported", law: watchGone, reason: "deleted rows are in no query", plant: losing(func() func(ownergraph.Event) bool {
			return func(e ownergraph.Event) bool { return e.Type == graph.Gone }
		})},
		{name: "an end is reported with the next change", law: watchGone, reason: "the newest version decides whether there are changes", plant: watching(lateGone)},
		{name: "an end is swallowed by the next beginning", law: "watch/recreated", reason: "changes of one name are folded", plant: watching(folding)},
		{name: "one watch takes the others' changes", law: "watch/several", reason: "a queue in place of a log", plant: oneQueue},
		{name: "changes in the wrong order", law: "watch/ordered", reason: "two workers report one kind", plant: watching(swapping)},
		{name: "an old state comes again", law: "watch/ordered", reason: "a retry of an old report", plant: watching(oldAgain)},
		{name: "changes are reported twice", law: "watch/once", reason: "at least once, without a memory", plant: watching(twice)},
		{name: "a listing is older than the watch", law: "watch/listing-not-older", reason: "a listing from a replica", plant: watching(oldListings)},
	}
}

func unknownKind() func(ownergraph.Event, sinkFunc) error {
	return func(e ownergraph.Event, sink sinkFunc) error {
		if n := len(e.Kinds); e.Type == graph.KindsKnown && n > 1 {
			e.Kinds = e.Kinds[:n-1]
		}
		return sink(e)
	}
}

func onlyFullListings() func(ownergraph.Event, sinkFunc) error {
	var begun []ownergraph.Event
	return func(e ownergraph.Event, sink sinkFunc) error {
		switch {
		case e.Type == graph.ListBegun:
			begun = []ownergraph.Event{e}
			return nil
		case e.Type == graph.ListEnded && len(begun) > 0:
			return nil
		}
		reported := append(begun, e)
		begun = nil
		return sendAll(sink, reported...)
	}
}

// lastOfPage loses each twentieth object of the listings.
func lastOfPage() func(ownergraph.Event) bool {
	in, count := newListings(), 0
	return func(e ownergraph.Event) bool {
		in.applyEvent(e)
		if e.Type != graph.Put || in.change(e) {
			return false
		}
		count++
		return count%20 == 0
	}
}

func flagless() func(ownergraph.Event, sinkFunc) error {
	return func(e ownergraph.Event, sink sinkFunc) error {
		for i := range e.Object.Owners {
			e.Object.Owners[i].Block = false
		}
		return sink(e)
	}
}

func wrongGone() func(ownergraph.Event, sinkFunc) error {
	return func(e ownergraph.Event, sink sinkFunc) error {
		if e.Type == graph.Gone {
			e.Key.UID += "-before"
		}
		return sink(e)
	}
}

// lateGone keeps an end until the next report of the kind.
func lateGone() func(ownergraph.Event, sinkFunc) error {
	var delayed []ownergraph.Event
	return func(e ownergraph.Event, sink sinkFunc) error {
		if e.Type == graph.Gone {
			delayed = append(delayed, e)
			return nil
		}
		if e.Type != graph.Put && e.Type != graph.ListBegun {
			return sink(e)
		}
		reported := append(delayed, e)
		delayed = nil
		return sendAll(sink, reported...)
	}
}

// folding drops an end that the next incarnation follows at once.
func folding() func(ownergraph.Event, sinkFunc) error {
	var delayed []ownergraph.Event
	return func(e ownergraph.Event, sink sinkFunc) error {
		if e.Type == graph.Put && len(delayed) > 0 && delayed[0].Key.Place() == e.Object.Place() {
			delayed = nil
		}
		reported := append(delayed, e)
		delayed = nil
		if e.Type == graph.Gone {
			delayed, reported = reported[len(reported)-1:], reported[:len(reported)-1]
		}
		return sendAll(sink, reported...)
	}
}

// oneQueue reports each change only in the oldest watch.
func oneQueue(_ TB, s Subject) Subject {
	var running guarded[[]*listings]
	s.Store = registering(s.Store, &running, func(in *listings, e ownergraph.Event, sink sinkFunc) error {
		first := false
		running.with(func(list *[]*listings) { first = (*list)[0] == in })
		if in.applyEvent(e); in.change(e) && !first {
			return nil
		}
		return sink(e)
	})
	return s
}

// swapping reports two changes of different objects in the wrong order, if they
// come at once.
func swapping() func(ownergraph.Event, sinkFunc) error {
	in := newListings()
	var delayed []ownergraph.Event
	return func(e ownergraph.Event, sink sinkFunc) error {
		in.applyEvent(e)
		reported := append(delayed, e)
		delayed = nil
		switch {
		case !in.change(e):
		case len(reported) == 1:
			delayed, reported = reported, nil
		case e.Of() == reported[0].Of() && placeOf(e) != placeOf(reported[0]):
			slices.Reverse(reported)
		}
		return sendAll(sink, reported...)
	}
}

func placeOf(e ownergraph.Event) ownergraph.Key {
	if e.Type == graph.Gone {
		return e.Key.Place()
	}
	return e.Object.Place()
}

// oldAgain repeats the former state after each third state of an object.
func oldAgain() func(ownergraph.Event, sinkFunc) error {
	in, before, count := newListings(), map[ownergraph.Key]ownergraph.Event{}, map[ownergraph.Key]int{}
	return func(e ownergraph.Event, sink sinkFunc) error {
		in.applyEvent(e)
		if e.Type != graph.Put {
			return sink(e)
		}
		old := before[e.Object.Key]
		before[e.Object.Key] = cloneEvent(e)
		count[e.Object.Key]++
		if n := count[e.Object.Key]; !in.change(e) || n < 3 || n%3 != 0 {
			return sink(e)
		}
		return sendAll(sink, e, cloneEvent(old), cloneEvent(e))
	}
}

func twice() func(ownergraph.Event, sinkFunc) error {
	in := newListings()
	return func(e ownergraph.Event, sink sinkFunc) error {
		if in.applyEvent(e); e.Type == graph.Put && in.change(e) {
			again := e
			again.Object = e.Object.Clone()
			return sendAll(sink, e, again)
		}
		return sink(e)
	}
}

// oldListings lists each object in its former state, and then reports the present
// one.
func oldListings() func(ownergraph.Event, sinkFunc) error {
	in := newListings()
	last, older := map[ownergraph.Key]ownergraph.Object{}, map[ownergraph.Key]ownergraph.Object{}
	var then []ownergraph.Event
	return func(e ownergraph.Event, sink sinkFunc) error {
		in.applyEvent(e)
		switch {
		case e.Type == graph.ListEnded:
			reported := append([]ownergraph.Event{e}, then...)
			then = nil
			return sendAll(sink, reported...)
		case e.Type != graph.Put:
			return sink(e)
		}
		was, known := older[e.Object.Key]
		if before, ok := last[e.Object.Key]; ok && before.Version != e.Object.Version {
			older[e.Object.Key] = before
		}
		last[e.Object.Key] = e.Object.Clone()
		if in.change(e) || in.ended[e.Object.Kind] == 0 || !known {
			return sink(e)
		}
		then = append(then, e)
		return sink(ownergraph.Event{Type: graph.Put, Object: was.Clone()})
	}
}
