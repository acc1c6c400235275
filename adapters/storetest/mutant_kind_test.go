package storetest

import (
	"context"
	"errors"
	"fmt"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
)

func mutantsOfKinds() []mutant {
	return []mutant{
		{name: "a kind that is not served has no objects", law: "kinds/unserved", reason: "an unknown table is read as empty",
			plant: answering(func(err error) error {
				if errors.Is(err, graph.ErrKindUnknown) {
					return fmt.Errorf("no table: %w", graph.ErrNotFound)
				}
				return err
			})},
		{name: "a sick kind has no objects", law: "kinds/sick-read", reason: "every error of a read counts as absence",
			plant: answering(func(err error) error {
				if err != nil && !known(err) && !errors.Is(err, errBusy) && !errors.Is(err, errDisk) {
					return fmt.Errorf("%w: %v", graph.ErrNotFound, err)
				}
				return err
			})},
		{name: "sickness is not reported", law: sickReported, reason: "the watch of one kind is retried without a report",
			plant: losing(func() func(ownergraph.Event) bool {
				return func(e ownergraph.Event) bool { return e.Type == graph.KindSick || e.Type == graph.KindRecovered }
			})},
		{name: "a sick kind is listed empty", law: "kinds/sick-keeps", reason: "a listing that fails brings nothing",
			plant: watching(func() func(ownergraph.Event, sinkFunc) error {
				return func(e ownergraph.Event, sink sinkFunc) error {
					if e.Type != graph.KindSick {
						return sink(e)
					}
					return sendAll(sink, ownergraph.Event{Type: graph.ListBegun, Kind: e.Kind}, ownergraph.Event{Type: graph.ListEnded, Kind: e.Kind}, e)
				}
			})},
		{name: "a recovered kind is not listed", law: "kinds/recovered", reason: "the stream goes on where it is", plant: watching(goingOn(graph.KindRecovered))},
		{name: "a kind that vanished has no objects", law: "kinds/vanished-read", reason: "a table that was dropped is read as empty", plant: droppedTable},
		{name: "the set of kinds is reported once", law: vanishedReported, reason: "kinds count as constant",
			plant: losing(func() func(ownergraph.Event) bool {
				known := false
				return func(e ownergraph.Event) bool {
					again := known && e.Type == graph.KindsKnown
					known = known || e.Type == graph.KindsKnown
					return again || e.Type == graph.KindVanished
				}
			})},
		{name: "a removed kind removes its objects", law: "kinds/vanished-keeps", reason: "a table that is dropped deletes its rows", plant: watching(takingAlong)},
		{name: "a kind that is back is not listed", law: "kinds/served-again", reason: "the stream goes on where it is", plant: watching(goingOn(graph.KindVanished))},
	}
}

func known(err error) bool {
	for _, is := range []error{graph.ErrNotFound, graph.ErrConflict, graph.ErrKindUnknown, graph.ErrRefused, graph.ErrInvalid,
		context.Canceled, context.DeadlineExceeded} {
		if errors.Is(err, is) {
			return true
		}
	}
	return false
}

// goingOn drops the listing of a kind that follows such an event.
func goingOn(after graph.EventType) func() func(ownergraph.Event, sinkFunc) error {
	return func() func(ownergraph.Event, sinkFunc) error {
		in, due := newListings(), map[ownergraph.Kind]bool{}
		return func(e ownergraph.Event, sink sinkFunc) error {
			in.applyEvent(e)
			kind := e.Of()
			switch {
			case e.Type == after:
				due[kind] = true
			case due[kind] && e.Type == graph.ListEnded:
				due[kind] = false
				return nil
			case due[kind] && (e.Type == graph.ListBegun || e.Type == graph.Put && !in.change(e)):
				return nil
			}
			return sink(e)
		}
	}
}

// droppedTable answers not found for a kind that was served once.
func droppedTable(tb TB, s Subject) Subject {
	var gone guarded[map[ownergraph.Kind]bool]
	gone.v = map[ownergraph.Kind]bool{}
	s.Vanish = around(s.Vanish, func(kind ownergraph.Kind, on bool) {
		gone.with(func(m *map[ownergraph.Kind]bool) { (*m)[kind] = on })
	})
	return answering(func(err error) error {
		some := false
		gone.with(func(m *map[ownergraph.Kind]bool) {
			for _, on := range *m {
				some = some || on
			}
		})
		if some && errors.Is(err, graph.ErrKindUnknown) {
			return fmt.Errorf("dropped: %w", graph.ErrNotFound)
		}
		return err
	})(tb, s)
}

func takingAlong() func(ownergraph.Event, sinkFunc) error {
	r := replay(nil)
	return func(e ownergraph.Event, sink sinkFunc) error {
		if e.Type == graph.KindVanished {
			for _, o := range r.all(e.Kind) {
				if err := sink(ownergraph.Event{Type: graph.Gone, Key: o.Key}); err != nil {
					return err
				}
			}
		}
		r.apply(cloneEvent(e))
		return sink(e)
	}
}
