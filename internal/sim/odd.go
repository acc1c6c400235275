package sim

import (
	"errors"
	"fmt"
	"slices"

	"github.com/ownergraph/ownergraph/graph"
)

// oddity is something that a watch may say and hardly ever does, or that nobody may
// say, and that is to be refused.
type oddity int16

const (
	nobodysFence oddity = iota // reports of a fence that nobody has begun here
	rewindsAgain               // history went backwards, and does not look like it
	beginsAnew                 // the watch begins anew, without having ended
	hangsUp                    // the watch ends, and a Collector begins another one
	kindsAgain                 // the same kinds, in another order
	kindsPass                  // a kind comes and goes
	vanishes                   // a kind vanishes and is back at once
	sickly                     // a kind is sick and well again, and nothing was missed
	recovers                   // a kind is well that was
	neverWas                   // somebody is gone whom nobody has seen
	unnamed                    // somebody without a UID is
	spoilt                     // the next object comes without its version
	spoiltAgain                // which is drawn more often
	numOddities
)

// odd has the watch of one engine say it.
func (s *sim) odd(st step) error {
	side := int(st.side)
	say := func(evs ...graph.Event) error { return s.w.Observe(side, evs...) }
	known := graph.Event{Type: graph.KindsKnown, Kinds: s.w.Served()}
	switch x := oddity(st.number); {
	case x == nobodysFence:
		var passed []graph.Event
		for _, k := range append(known.Kinds, graph.KindInfo{}) {
			passed = append(passed, graph.Event{Type: graph.FencePassed, Kind: k.Kind, Fence: 1 << 40})
		}
		return say(passed...)
	case x == rewindsAgain:
		return say(graph.Event{Type: graph.Rewound})
	case x == beginsAnew:
		for k := range s.w.Sides[side].Streams {
			_ = s.see(step{op: opBreak, side: st.side, kind: int8(k)})
		}
		return say(known)
	case x == hangsUp:
		return s.hangUp(st.side)
	case x == kindsAgain:
		slices.Reverse(known.Kinds)
		return say(known)
	case x == kindsPass:
		fresh := graph.KindInfo{Kind: graph.Kind(fmt.Sprint("new", s.at))}
		return say(graph.Event{Type: graph.KindsKnown, Kinds: append(s.w.Served(), fresh)}, known)
	case s.down[st.kind] == opList: // whoever is out of order says no more
		return s.oddOf(st, x, say)
	}
	return nil
}

// hangUp ends the watch of an engine and begins another one, as a Collector does:
// every kind is sick until it has been listed again.
func (s *sim) hangUp(side int8) error {
	for k := range s.w.Sides[side].Streams {
		if s.down[k] == opVanish {
			continue
		}
		_ = s.see(step{op: opBreak, side: side, kind: int8(k)})
		if err := s.w.Observe(int(side), graph.Event{Type: graph.KindSick, Kind: s.w.Kinds[k].Kind}); err != nil {
			return err
		}
		s.hungUp[side][k] = s.down[k] != opSick
	}
	return s.w.Observe(int(side), graph.Event{Type: graph.KindsKnown, Kinds: s.w.Served()})
}

// relisted has a kind recover at the end of the listing that the end of the watch
// made necessary.
func (s *sim) relisted(side, kind int) error {
	hung := s.hungUp[side][kind]
	if s.hungUp[side][kind] = false; !hung || s.down[kind] == opVanish {
		return nil
	}
	return s.w.Observe(side, graph.Event{Type: graph.KindRecovered, Kind: s.w.Kinds[kind].Kind})
}

// oddOf has it say something of one kind that is well.
func (s *sim) oddOf(st step, x oddity, say func(...graph.Event) error) error {
	side, kind := int(st.side), int(st.kind)
	name := s.w.Kinds[kind].Kind
	sick, well := graph.Event{Type: graph.KindSick, Kind: name}, graph.Event{Type: graph.KindRecovered, Kind: name}
	k := graph.Key{Kind: name, Name: "never", UID: "never/" + graph.UID(name)}
	if s.w.Kinds[kind].Scoped {
		k.Scope = "s"
	}
	switch x {
	case vanishes:
		_ = s.see(step{op: opBreak, side: st.side, kind: st.kind})
		s.served[kind], s.hungUp[side][kind] = s.at, false
		return say(graph.Event{Type: graph.KindVanished, Kind: name}, graph.Event{Type: graph.KindsKnown, Kinds: s.w.Served()})
	case sickly:
		return say(sick, well)
	case recovers:
		return say(well)
	case neverWas:
		return say(graph.Event{Type: graph.Gone, Key: k})
	case unnamed:
		k.UID = ""
		if say(graph.Event{Type: graph.Gone, Key: k}) == nil {
			return errors.New("S18: somebody without a UID is taken to be gone")
		}
		s.witnesses[side].Refused(graph.Event{Type: graph.Gone, Key: k})
	case spoilt, spoiltAgain:
		s.w.Sides[side].Streams[kind].Spoil()
	}
	return nil
}
