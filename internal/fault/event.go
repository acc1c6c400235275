package fault

import (
	"context"
	"slices"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
)

// receive draws a fault for an event of the inner watch, and queues the rest of the
// event. The caller has the lock, as in all of this file.
func (st *stream) receive(ev ownergraph.Event) {
	s := st.s
	at := atOther
	switch ev.Type {
	case graph.Put:
		s.rememberLocked(ev.Object)
		at = atChange
	case graph.Gone:
		at = atChange
	case graph.Progress:
		at = atProgress
	}
	f := Unset
	if l := st.state(ev.Of()); ev.Of() == "" || l.gap == noGap {
		f = s.draw(at)
	}
	if f != Unset && (f != Lose || !st.state(ev.Of()).listing) {
		s.note(f, describe(ev))
	}
	if !st.inject(f, ev) {
		st.forward(ev)
	}
}

// describe returns the name of an event in a note: "put pod/s/a".
func describe(ev ownergraph.Event) string {
	key := ev.Key
	if ev.Type == graph.Put {
		key = ev.Object.Key
	}
	if ev.Type != graph.Put && ev.Type != graph.Gone {
		key = ownergraph.Key{Kind: ev.Of()}
	}
	return call{verb: ev.Type.String(), key: key}.String()
}

// inject carries out the fault, and reports whether the fault removed the event.
func (st *stream) inject(f Fault, ev ownergraph.Event) (gone bool) {
	s, kind := st.s, ev.Of()
	l := st.state(kind)
	switch f {
	case Break:
		st.end(ErrBroken)
		return true
	case Compact:
		st.request(st.compact)
	case Mute:
		return true
	case Lose:
		return !l.listing
	case Drop:
		l.widen(untilListing)
		s.schedule(func() { s.relist(kind) })
		return true
	case Duplicate:
		again := ev
		again.Object = ev.Object.Clone()
		st.push(again)
	case Delay:
		l.delayed = time.Now().Add(s.conf.Lag)
	case Reorder:
		l.delayed, l.overtaken = time.Now().Add(s.conf.Lag), 1
	case Sick, Vanish:
		s.takeDown(kind, f)
	}
	return false
}

// compact makes the store forget its log, and restarts the inner watch.
func (st *stream) compact(ctx context.Context) {
	if st.s.conf.Compact != nil {
		_ = st.s.conf.Compact(ctx) // the watch restarts even without a compaction
	}
	st.s.mu.Lock()
	defer st.s.mu.Unlock()
	st.restart()
}

// forward queues the part of an event that the sink may see.
func (st *stream) forward(ev ownergraph.Event) {
	switch ev.Type {
	case graph.KindsKnown:
		st.setKinds(ev.Kinds)
		return
	case graph.Rewound:
		st.push(ev)
		return
	case graph.FencePassed:
		if ev.Kind == "" {
			st.reportFence("", ev.Fence)
			return
		}
	case graph.KindVanished:
		if st.s.down[ev.Kind] != Vanish {
			st.push(ev)
		}
		delete(st.states, ev.Kind)
		return
	}
	st.forwardOfKind(st.state(ev.Of()), ev)
}

// forwardOfKind is forward for the events of a kind.
func (st *stream) forwardOfKind(l *kindState, ev ownergraph.Event) {
	switch ev.Type {
	case graph.KindSick:
		l.sick = true
	case graph.KindRecovered:
		l.sick = false
	case graph.ListBegun:
		if l.gap == untilListing {
			l.gap = noGap
		}
		l.listing = l.gap == noGap
		// The kind has recovered while this watch did not see it.
		if l.listing && l.sick {
			l.sick = false
			st.push(ownergraph.Event{Type: graph.KindRecovered, Kind: ev.Kind})
		}
	case graph.FencePassed:
		if l.gap == noGap {
			st.reportFence(ev.Kind, ev.Fence)
		} else if st.s.down[ev.Kind] != Vanish {
			l.owed = append(l.owed, ev.Fence)
			l.owed = l.owed[max(0, len(l.owed)-maxFences):]
		}
		return
	}
	health := ev.Type == graph.KindSick || ev.Type == graph.KindRecovered
	if l.gap == noGap || health && l.gap == untilListing {
		st.push(ev)
	}
	if ev.Type == graph.ListEnded && l.gap == noGap {
		l.listing = false
		for _, id := range l.owed {
			st.reportFence(ev.Kind, id)
		}
		l.owed = nil
	}
}

// setKinds takes the set of kinds, and reports each kind that is out of service to
// the sink.
func (st *stream) setKinds(kinds []ownergraph.KindInfo) {
	before := st.kinds
	st.kinds = slices.Clone(kinds)
	st.push(ownergraph.Event{Type: graph.KindsKnown, Kinds: st.shownKinds()})
	for _, k := range kinds {
		l := st.state(k.Kind)
		known := slices.ContainsFunc(before, func(b ownergraph.KindInfo) bool { return b.Kind == k.Kind })
		if !known && st.s.down[k.Kind] == Sick && !l.sick {
			st.push(ownergraph.Event{Type: graph.KindSick, Kind: k.Kind, Reason: ErrSick.Error()})
		}
	}
	for kind := range st.states {
		if !slices.ContainsFunc(kinds, func(k ownergraph.KindInfo) bool { return k.Kind == kind }) {
			delete(st.states, kind)
		}
	}
	if st.kindsPending {
		st.kindsPending = false
		st.repeatFences()
	}
}
