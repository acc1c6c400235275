package fault

import (
	"context"
	"slices"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
)

// meet has an event of the inner watch meet its fault, and queues what is left
// of it. The lock is held, as in all of this file.
func (st *stream) meet(ev ownergraph.Event) {
	s := st.s
	at := atOther
	switch ev.Type {
	case graph.Put:
		s.keep(ev.Object)
		at = atChange
	case graph.Gone:
		at = atChange
	case graph.Progress:
		at = atProgress
	}
	f := Unset
	if l := st.line(ev.Of()); ev.Of() == "" || l.gap == whole {
		f = s.draw(at)
	}
	if f != Unset && (f != Lose || !st.line(ev.Of()).listing) {
		s.note(f, what(ev))
	}
	if !st.alter(f, ev) {
		st.pass(ev)
	}
}

// what names an event in a note: "put pod/s/a".
func what(ev ownergraph.Event) string {
	key := ev.Key
	if ev.Type == graph.Put {
		key = ev.Object.Key
	}
	if ev.Type != graph.Put && ev.Type != graph.Gone {
		key = ownergraph.Key{Kind: ev.Of()}
	}
	return call{verb: ev.Type.String(), key: key}.String()
}

// alter has the fault happen, and reports whether that took the event away.
func (st *stream) alter(f Fault, ev ownergraph.Event) (gone bool) {
	s, kind := st.s, ev.Of()
	l := st.line(kind)
	switch f {
	case Break:
		st.end(ErrBroken)
		return true
	case Compact:
		st.ask(st.compact)
	case Mute:
		return true
	case Lose:
		return !l.listing
	case Drop:
		l.open(lossy)
		s.put(func() { s.relist(kind) })
		return true
	case Duplicate:
		again := ev
		again.Object = ev.Object.Clone()
		st.push(again)
	case Delay:
		l.held = time.Now().Add(s.conf.Lag)
	case Reorder:
		l.held, l.overtaken = time.Now().Add(s.conf.Lag), 1
	case Sick, Vanish:
		s.takeDown(kind, f)
	}
	return false
}

// compact makes the store forget, and the watch begin anew.
func (st *stream) compact(ctx context.Context) {
	if st.s.conf.Compact != nil {
		_ = st.s.conf.Compact(ctx) // what it was to bring about happens anyway
	}
	st.s.mu.Lock()
	defer st.s.mu.Unlock()
	st.restart()
}

// pass queues what the sink may see of an event.
func (st *stream) pass(ev ownergraph.Event) {
	switch ev.Type {
	case graph.KindsKnown:
		st.learn(ev.Kinds)
		return
	case graph.Rewound:
		st.push(ev)
		return
	case graph.FencePassed:
		if ev.Kind == "" {
			st.report("", ev.Fence)
			return
		}
	case graph.KindVanished:
		if st.s.down[ev.Kind] != Vanish {
			st.push(ev)
		}
		delete(st.lines, ev.Kind)
		return
	}
	st.passOf(st.line(ev.Of()), ev)
}

// passOf is pass for the events of a kind.
func (st *stream) passOf(l *line, ev ownergraph.Event) {
	switch ev.Type {
	case graph.KindSick:
		l.sick = true
	case graph.KindRecovered:
		l.sick = false
	case graph.ListBegun:
		if l.gap == lossy {
			l.gap = whole
		}
		l.listing = l.gap == whole
		if l.listing && l.sick { // it has recovered where this watch did not see it
			l.sick = false
			st.push(ownergraph.Event{Type: graph.KindRecovered, Kind: ev.Kind})
		}
	case graph.FencePassed:
		if l.gap == whole {
			st.report(ev.Kind, ev.Fence)
		} else if st.s.down[ev.Kind] != Vanish {
			l.owed = append(l.owed, ev.Fence)
			l.owed = l.owed[max(0, len(l.owed)-mostTickets):]
		}
		return
	}
	health := ev.Type == graph.KindSick || ev.Type == graph.KindRecovered
	if l.gap == whole || health && l.gap == lossy {
		st.push(ev)
	}
	if ev.Type == graph.ListEnded && l.gap == whole {
		l.listing = false
		for _, id := range l.owed {
			st.report(ev.Kind, id)
		}
		l.owed = nil
	}
}

// learn takes the set of kinds, and tells the sink what is out of service.
func (st *stream) learn(kinds []ownergraph.KindInfo) {
	before := st.kinds
	st.kinds = slices.Clone(kinds)
	st.push(ownergraph.Event{Type: graph.KindsKnown, Kinds: st.told()})
	for _, k := range kinds {
		l := st.line(k.Kind)
		told := slices.ContainsFunc(before, func(b ownergraph.KindInfo) bool { return b.Kind == k.Kind })
		if !told && st.s.down[k.Kind] == Sick && !l.sick {
			st.push(ownergraph.Event{Type: graph.KindSick, Kind: k.Kind, Reason: ErrSick.Error()})
		}
	}
	for kind := range st.lines {
		if !slices.ContainsFunc(kinds, func(k ownergraph.KindInfo) bool { return k.Kind == kind }) {
			delete(st.lines, kind)
		}
	}
	if st.anew {
		st.anew = false
		st.askAgain()
	}
}
