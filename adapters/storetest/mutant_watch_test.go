package storetest

import (
	"slices"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
)

// watching has every watch report through what begin makes for it.
func watching(begin func() func(e ownergraph.Event, tell tell) error) func(TB, Subject) Subject {
	return func(_ TB, s Subject) Subject {
		s.Store = reporting(s.Store, begin)
		return s
	}
}

// losing has no watch report what lost, made anew for each watch, says.
func losing(begin func() func(e ownergraph.Event) bool) func(TB, Subject) Subject {
	return watching(func() func(ownergraph.Event, tell) error {
		lost := begin()
		return func(e ownergraph.Event, tell tell) error {
			if lost(e) {
				return nil
			}
			return tell(e)
		}
	})
}

func mutantsOfWatch() []mutant {
	return []mutant{
		{name: "a kind is not among those known", law: kindsKnown, reason: "the set of kinds is cut short", spoil: watching(unknownKind)},
		{name: "an empty kind is not listed", law: watchListing, reason: "no rows, no listing", spoil: watching(onlyFullListings)},
		{name: "a listing forgets one", law: watchComplete, reason: "the last row of a page", spoil: losing(lastOfPage)},
		{name: "a mark is not told", law: watchEveryChange, reason: "a deletion that is no update to the trigger", spoil: losing(func() func(ownergraph.Event) bool {
			in := newListings()
			return func(e ownergraph.Event) bool {
				in.take(e)
				return e.Type == graph.Put && in.change(e) && e.Object.Waiting()
			}
		})},
		{name: "puts have no flags", law: "watch/exact", reason: "another query for the watch than for the read", spoil: watching(flagless)},
		{name: "gone has another UID", law: watchGone, reason: "an end without its own row", spoil: watching(wrongGone)},
		{name: "gone is not told", law: watchGone, reason: "what is deleted is in no query", spoil: losing(func() func(ownergraph.Event) bool {
			return func(e ownergraph.Event) bool { return e.Type == graph.Gone }
		})},
		{name: "an end is told with the next change", law: watchGone, reason: "the newest version says whether anything has changed", spoil: watching(lateGone)},
		{name: "an end is swallowed by the next beginning", law: "watch/recreated", reason: "changes of one name are folded", spoil: watching(folding)},
		{name: "one watch takes the others' changes", law: "watch/several", reason: "a queue in place of a log", spoil: oneQueue},
		{name: "changes in the wrong order", law: "watch/ordered", reason: "two workers report one kind", spoil: watching(swapping)},
		{name: "an old state comes again", law: "watch/ordered", reason: "a retry that is not forgotten", spoil: watching(oldAgain)},
		{name: "changes are told twice", law: "watch/once", reason: "at least once, without a memory", spoil: watching(twice)},
		{name: "a listing is older than the watch", law: "watch/listing-not-older", reason: "a listing from a replica", spoil: watching(oldListings)},
	}
}

func unknownKind() func(ownergraph.Event, tell) error {
	return func(e ownergraph.Event, tell tell) error {
		if n := len(e.Kinds); e.Type == graph.KindsKnown && n > 1 {
			e.Kinds = e.Kinds[:n-1]
		}
		return tell(e)
	}
}

func onlyFullListings() func(ownergraph.Event, tell) error {
	var begun []ownergraph.Event
	return func(e ownergraph.Event, tell tell) error {
		switch {
		case e.Type == graph.ListBegun:
			begun = []ownergraph.Event{e}
			return nil
		case e.Type == graph.ListEnded && len(begun) > 0:
			return nil
		}
		told := append(begun, e)
		begun = nil
		return each(tell, told...)
	}
}

// lastOfPage loses each twentieth object of the listings.
func lastOfPage() func(ownergraph.Event) bool {
	in, count := newListings(), 0
	return func(e ownergraph.Event) bool {
		in.take(e)
		if e.Type != graph.Put || in.change(e) {
			return false
		}
		count++
		return count%20 == 0
	}
}

func flagless() func(ownergraph.Event, tell) error {
	return func(e ownergraph.Event, tell tell) error {
		for i := range e.Object.Owners {
			e.Object.Owners[i].Block = false
		}
		return tell(e)
	}
}

func wrongGone() func(ownergraph.Event, tell) error {
	return func(e ownergraph.Event, tell tell) error {
		if e.Type == graph.Gone {
			e.Key.UID += "-before"
		}
		return tell(e)
	}
}

// lateGone keeps an end until something else of the kind is told.
func lateGone() func(ownergraph.Event, tell) error {
	var held []ownergraph.Event
	return func(e ownergraph.Event, tell tell) error {
		if e.Type == graph.Gone {
			held = append(held, e)
			return nil
		}
		if e.Type != graph.Put && e.Type != graph.ListBegun {
			return tell(e)
		}
		told := append(held, e)
		held = nil
		return each(tell, told...)
	}
}

// folding swallows an end that the next incarnation follows at once.
func folding() func(ownergraph.Event, tell) error {
	var held []ownergraph.Event
	return func(e ownergraph.Event, tell tell) error {
		if e.Type == graph.Put && len(held) > 0 && held[0].Key.Place() == e.Object.Place() {
			held = nil
		}
		told := append(held, e)
		held = nil
		if e.Type == graph.Gone {
			held, told = told[len(told)-1:], told[:len(told)-1]
		}
		return each(tell, told...)
	}
}

// oneQueue tells each change to the watch alone that has run for longest.
func oneQueue(_ TB, s Subject) Subject {
	var running guarded[[]*listings]
	s.Store = registering(s.Store, &running, func(in *listings, e ownergraph.Event, tell tell) error {
		first := false
		running.with(func(list *[]*listings) { first = (*list)[0] == in })
		if in.take(e); in.change(e) && !first {
			return nil
		}
		return tell(e)
	})
	return s
}

// swapping tells two changes of different objects the wrong way round, if they
// come at once.
func swapping() func(ownergraph.Event, tell) error {
	in := newListings()
	var held []ownergraph.Event
	return func(e ownergraph.Event, tell tell) error {
		in.take(e)
		told := append(held, e)
		held = nil
		switch {
		case !in.change(e):
		case len(told) == 1:
			held, told = told, nil
		case e.Of() == told[0].Of() && placeOf(e) != placeOf(told[0]):
			slices.Reverse(told)
		}
		return each(tell, told...)
	}
}

func placeOf(e ownergraph.Event) ownergraph.Key {
	if e.Type == graph.Gone {
		return e.Key.Place()
	}
	return e.Object.Place()
}

// oldAgain tells the state before once more, behind each third state of an object.
func oldAgain() func(ownergraph.Event, tell) error {
	in, before, count := newListings(), map[ownergraph.Key]ownergraph.Event{}, map[ownergraph.Key]int{}
	return func(e ownergraph.Event, tell tell) error {
		in.take(e)
		if e.Type != graph.Put {
			return tell(e)
		}
		old := before[e.Object.Key]
		before[e.Object.Key] = cloneEvent(e)
		count[e.Object.Key]++
		if n := count[e.Object.Key]; !in.change(e) || n < 3 || n%3 != 0 {
			return tell(e)
		}
		return each(tell, e, cloneEvent(old), cloneEvent(e))
	}
}

func twice() func(ownergraph.Event, tell) error {
	in := newListings()
	return func(e ownergraph.Event, tell tell) error {
		if in.take(e); e.Type == graph.Put && in.change(e) {
			again := e
			again.Object = e.Object.Clone()
			return each(tell, e, again)
		}
		return tell(e)
	}
}

// oldListings lists each object in the state before the last one told, and then
// tells how it is.
func oldListings() func(ownergraph.Event, tell) error {
	in := newListings()
	last, older := map[ownergraph.Key]ownergraph.Object{}, map[ownergraph.Key]ownergraph.Object{}
	var then []ownergraph.Event
	return func(e ownergraph.Event, tell tell) error {
		in.take(e)
		switch {
		case e.Type == graph.ListEnded:
			told := append([]ownergraph.Event{e}, then...)
			then = nil
			return each(tell, told...)
		case e.Type != graph.Put:
			return tell(e)
		}
		was, known := older[e.Object.Key]
		if before, ok := last[e.Object.Key]; ok && before.Version != e.Object.Version {
			older[e.Object.Key] = before
		}
		last[e.Object.Key] = e.Object.Clone()
		if in.change(e) || in.ended[e.Object.Kind] == 0 || !known {
			return tell(e)
		}
		then = append(then, e)
		return tell(ownergraph.Event{Type: graph.Put, Object: was.Clone()})
	}
}
