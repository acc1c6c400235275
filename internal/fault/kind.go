package fault

import (
	"context"
	"slices"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
)

// gap tells whether the stream has lost events of a kind.
type gap uint8

const (
	noGap        gap = iota
	untilListing     // until the next listing begins
	untilServed      // until the kind is served and well again
)

// kindState is a stream's knowledge of one kind.
type kindState struct {
	gap     gap
	sick    bool // reported by the inner watch
	listing bool
	// owed are the fences that passed during the gap. The stream reports them after
	// the listing that ends the gap.
	owed []uint64
	// The events of the kind wait until delayed, or until this number of other kinds'
	// events overtook them.
	delayed   time.Time
	overtaken int
}

// widen starts a gap, or makes it worse. It never makes it better.
func (l *kindState) widen(g gap) { l.gap = max(l.gap, g) }

// state returns the state of a kind.
func (st *stream) state(kind ownergraph.Kind) *kindState {
	l := st.states[kind]
	if l == nil {
		l = &kindState{}
		if st.s.down[kind] != Unset {
			l.gap = untilServed
		}
		st.states[kind] = l
	}
	return l
}

// delayedUntil returns the time until which the event has to wait, or the zero time.
func (st *stream) delayedUntil(ev ownergraph.Event, now time.Time) time.Time {
	l := st.states[ev.Of()]
	if l == nil || barrier(ev) || !l.delayed.After(now) {
		return time.Time{}
	}
	return l.delayed
}

// overtake notes that an event goes to the sink. Only changes count.
func (st *stream) overtake(ev ownergraph.Event) {
	if ev.Type != graph.Put && ev.Type != graph.Gone {
		return
	}
	for k, l := range st.states {
		if k != ev.Of() && l.overtaken > 0 {
			if l.overtaken--; l.overtaken == 0 {
				l.delayed = time.Time{}
			}
		}
	}
}

// release ends all delays.
func (st *stream) release() {
	for _, l := range st.states {
		l.delayed, l.overtaken = time.Time{}, 0
	}
	signal(st.changed)
}

// shownKinds returns the kinds that the sink sees.
func (st *stream) shownKinds() []ownergraph.KindInfo {
	return slices.DeleteFunc(slices.Clone(st.kinds), func(k ownergraph.KindInfo) bool {
		return st.s.down[k.Kind] == Vanish
	})
}

// relist makes the inner store list a kind again, for the streams that lost some of
// it.
func (s *Store) relist(kind ownergraph.Kind) {
	ctx, cancel := context.WithTimeout(context.Background(), callTimeout)
	defer cancel()
	if s.lister != nil && s.lister.List(ctx, kind) == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for st := range s.streams {
		if l := st.states[kind]; l != nil && l.gap == untilListing {
			st.restart()
		}
	}
}

// relistAll makes every watch list every kind again.
func (s *Store) relistAll() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for st := range s.streams {
		st.restart()
	}
}

// takeDown takes a kind out of service for a while. The caller has the lock.
func (s *Store) takeDown(kind ownergraph.Kind, f Fault) {
	if s.down[kind] != Unset {
		return
	}
	s.down[kind] = f
	for st := range s.streams {
		if st.knows(kind) {
			st.shut(kind, f)
		}
	}
	s.schedule(func() { s.bringUp(kind) })
}

// bringUp ends the effect of takeDown.
func (s *Store) bringUp(kind ownergraph.Kind) {
	s.mu.Lock()
	f := s.down[kind]
	delete(s.down, kind)
	for st := range s.streams {
		if st.knows(kind) {
			st.reopen(kind, f)
		} else {
			delete(st.states, kind)
		}
	}
	s.mu.Unlock()
	s.relist(kind)
}

func (st *stream) knows(kind ownergraph.Kind) bool {
	return slices.ContainsFunc(st.kinds, func(k ownergraph.KindInfo) bool { return k.Kind == kind })
}

// shut reports to the sink that the kind is out of service.
func (st *stream) shut(kind ownergraph.Kind, f Fault) {
	l := st.state(kind)
	l.widen(untilServed)
	l.listing = false
	switch {
	case f == Vanish:
		l.owed = nil
		st.push(ownergraph.Event{Type: graph.KindVanished, Kind: kind})
		st.push(ownergraph.Event{Type: graph.KindsKnown, Kinds: st.shownKinds()})
	case !l.sick:
		st.push(ownergraph.Event{Type: graph.KindSick, Kind: kind, Reason: ErrSick.Error()})
	}
}

// reopen reports to the sink that the kind is back. If the store itself reports the
// kind sick, the store lists the kind when it has recovered.
func (st *stream) reopen(kind ownergraph.Kind, f Fault) {
	l := st.state(kind)
	l.gap = untilListing
	switch {
	case f == Vanish:
		st.push(ownergraph.Event{Type: graph.KindsKnown, Kinds: st.shownKinds()})
		if l.sick {
			st.push(ownergraph.Event{Type: graph.KindSick, Kind: kind, Reason: ErrSick.Error()})
		}
	case !l.sick:
		st.push(ownergraph.Event{Type: graph.KindRecovered, Kind: kind})
	}
}
