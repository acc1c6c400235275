package fault

import (
	"context"
	"slices"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
)

// gap says what is missing of a kind.
type gap uint8

const (
	whole gap = iota
	lossy     // until the next listing begins
	shut      // until the kind is served and well again
)

// line is what a stream knows of one kind.
type line struct {
	gap     gap
	sick    bool // by the inner watch's word
	listing bool
	// owed are the fences that passed in the gap: reported behind the listing
	// that ends it.
	owed []uint64
	// Its events wait until then, or until so many of other kinds overtook them.
	held      time.Time
	overtaken int
}

// open makes a gap, unless there is a worse one.
func (l *line) open(g gap) { l.gap = max(l.gap, g) }

// ticket is a fence that the store was asked for.
type ticket struct {
	id     uint64
	passed map[ownergraph.Kind]bool // reported already
}

const mostTickets = 64

// expect notes a fence that the streams have to report.
func (s *Store) expect(id uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for st := range s.streams {
		st.tickets = append(st.tickets, &ticket{id, map[ownergraph.Kind]bool{}})
		st.tickets = st.tickets[max(0, len(st.tickets)-mostTickets):]
	}
}

// line returns the line of a kind.
func (st *stream) line(kind ownergraph.Kind) *line {
	l := st.lines[kind]
	if l == nil {
		l = &line{}
		if st.s.down[kind] != Unset {
			l.gap = shut
		}
		st.lines[kind] = l
	}
	return l
}

// heldUntil returns until when the event has to wait, the zero time if not.
func (st *stream) heldUntil(ev ownergraph.Event, now time.Time) time.Time {
	l := st.lines[ev.Of()]
	if l == nil || barrier(ev) || !l.held.After(now) {
		return time.Time{}
	}
	return l.held
}

// overtake notes that an event goes out. Only changes count.
func (st *stream) overtake(ev ownergraph.Event) {
	if ev.Type != graph.Put && ev.Type != graph.Gone {
		return
	}
	for k, l := range st.lines {
		if k != ev.Of() && l.overtaken > 0 {
			if l.overtaken--; l.overtaken == 0 {
				l.held = time.Time{}
			}
		}
	}
}

// release ends what holds events back.
func (st *stream) release() {
	for _, l := range st.lines {
		l.held, l.overtaken = time.Time{}, 0
	}
	signal(st.filled)
}

// report queues that a fence has passed, once for each kind.
func (st *stream) report(kind ownergraph.Kind, id uint64) {
	for _, t := range st.tickets {
		if t.id == id {
			if t.passed[kind] {
				return
			}
			t.passed[kind] = true
		}
	}
	st.push(ownergraph.Event{Type: graph.FencePassed, Kind: kind, Fence: id})
}

// askAgain asks for the fences again that an inner watch which begins anew does
// not know of.
func (st *stream) askAgain() {
	for _, t := range st.tickets {
		done := t.passed[""]
		for _, k := range st.told() {
			done = done && t.passed[k.Kind]
		}
		if id := t.id; !done && st.s.fencer != nil {
			st.ask(func(ctx context.Context) { _ = st.s.fencer.Fence(ctx, id) })
		}
	}
}

// told returns the kinds that the sink is told of.
func (st *stream) told() []ownergraph.KindInfo {
	return slices.DeleteFunc(slices.Clone(st.kinds), func(k ownergraph.KindInfo) bool {
		return st.s.down[k.Kind] == Vanish
	})
}

// relist has the inner store list a kind anew for the streams that miss some of
// it.
func (s *Store) relist(kind ownergraph.Kind) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if s.lister != nil && s.lister.List(ctx, kind) == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for st := range s.streams {
		if l := st.lines[kind]; l != nil && l.gap == lossy {
			st.restart()
		}
	}
}

// relistAll has every watch list everything anew.
func (s *Store) relistAll() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for st := range s.streams {
		st.restart()
	}
}

// takeDown takes a kind out of service, for a while. The lock is held.
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
	s.put(func() { s.bringUp(kind) })
}

// bringUp ends what takeDown began.
func (s *Store) bringUp(kind ownergraph.Kind) {
	s.mu.Lock()
	f := s.down[kind]
	delete(s.down, kind)
	for st := range s.streams {
		if st.knows(kind) {
			st.reopen(kind, f)
		} else {
			delete(st.lines, kind)
		}
	}
	s.mu.Unlock()
	s.relist(kind)
}

func (st *stream) knows(kind ownergraph.Kind) bool {
	return slices.ContainsFunc(st.kinds, func(k ownergraph.KindInfo) bool { return k.Kind == kind })
}

// shut tells the sink that the kind is out of service.
func (st *stream) shut(kind ownergraph.Kind, f Fault) {
	l := st.line(kind)
	l.open(shut)
	l.listing = false
	switch {
	case f == Vanish:
		l.owed = nil
		st.push(ownergraph.Event{Type: graph.KindVanished, Kind: kind})
		st.push(ownergraph.Event{Type: graph.KindsKnown, Kinds: st.told()})
	case !l.sick:
		st.push(ownergraph.Event{Type: graph.KindSick, Kind: kind, Reason: ErrSick.Error()})
	}
}

// reopen tells the sink that the kind is back, unless the store itself has it
// down: then it lists the kind when it has recovered.
func (st *stream) reopen(kind ownergraph.Kind, f Fault) {
	l := st.line(kind)
	l.gap = lossy
	switch {
	case f == Vanish:
		st.push(ownergraph.Event{Type: graph.KindsKnown, Kinds: st.told()})
		if l.sick {
			st.push(ownergraph.Event{Type: graph.KindSick, Kind: kind, Reason: ErrSick.Error()})
		}
	case !l.sick:
		st.push(ownergraph.Event{Type: graph.KindRecovered, Kind: kind})
	}
}
