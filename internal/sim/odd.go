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
	foreignFence     oddity = iota // reports of a fence that nobody has begun here
	rewindsAgain                   // history went backwards, and does not look like it
	watchRestarts                  // the watch begins anew, without having ended
	watchEnds                      // the watch ends, and a Collector begins another one
	kindsAgain                     // the same kinds, in another order
	kindsPass                      // a kind comes and goes, or some hundred do
	vanishes                       // a kind vanishes and is back at once
	sickAndWell                    // a kind is sick and well again, and nothing was missed
	recovers                       // a kind is well that was
	unseenGone                     // somebody is gone whom nobody has seen
	goneWithoutUID                 // somebody without a UID is
	takesNoPart                    // a kind that is ignored goes back in time
	unversioned                    // the next object comes without its version
	unversionedAgain               // which is drawn more often
	kindsTwice                     // a set of kinds describes one kind twice
	numOddities
)

// odd has the watch of one engine say it.
func (s *sim) odd(st step) error {
	side := int(st.side)
	say := func(evs ...graph.Event) error { return s.w.Observe(side, evs...) }
	known := graph.Event{Type: graph.KindsKnown, Kinds: s.w.Served()}
	switch x := oddity(st.number); {
	case x == foreignFence:
		var passed []graph.Event
		for _, k := range append(known.Kinds, graph.KindInfo{}) {
			passed = append(passed, graph.Event{Type: graph.FencePassed, Kind: k.Kind, Fence: 1 << 40})
		}
		return say(passed...)
	case x == rewindsAgain:
		return say(graph.Event{Type: graph.Rewound})
	case x == watchRestarts:
		for k := range s.w.Sides[side].Streams {
			_ = s.moveWatch(step{op: opBreak, side: st.side, kind: int8(k)})
		}
		return say(known)
	case x == watchEnds:
		return s.endWatch(st)
	case x == kindsAgain:
		slices.Reverse(known.Kinds)
		return say(known)
	case x == takesNoPart:
		return s.ignoredRewinds(side, say)
	case x == kindsPass:
		more := s.w.Served()
		for i := range []int{1, 1, 1, 300}[s.at%4] {
			more = append(more, graph.KindInfo{Kind: graph.Kind(fmt.Sprint("new", s.at, "-", i))})
		}
		return say(graph.Event{Type: graph.KindsKnown, Kinds: more}, known)
	case x == kindsTwice:
		twice := graph.KindInfo{Kind: "twice", Scoped: true}
		known.Kinds = append(known.Kinds, graph.KindInfo{Kind: twice.Kind}, twice)
		s.noteCause(side)
		if s.w.Sides[side].Engine.Observe(s.w.Now, known) == nil { // the witness would believe it
			return errors.New("S18: a set of kinds is taken that describes one twice")
		}
	case s.down[st.kind] == opList: // whoever is out of order says no more
		return s.oddOf(st, x, say)
	}
	return nil
}

// ignoredRewinds has a kind that takes no part go back in time, which is no evidence of
// anything.
func (s *sim) ignoredRewinds(side int, say func(...graph.Event) error) error {
	before := s.w.Sides[side].Engine.Stats().Rewinds
	put := func(v graph.Version) graph.Event {
		return graph.Event{Type: graph.Put, Object: graph.Object{Key: graph.Key{Kind: ignored, Name: "x", UID: "ignored/x"}, Version: v}}
	}
	gone := graph.Event{Type: graph.Gone, Key: put("1").Object.Key}
	err := say(graph.Event{Type: graph.KindsKnown, Kinds: append(s.w.Served(), graph.KindInfo{Kind: ignored})},
		put("900000"), put("1"), gone, put("2"),
		graph.Event{Type: graph.ListBegun, Kind: ignored}, graph.Event{Type: graph.ListEnded, Kind: ignored, Version: "1"},
		graph.Event{Type: graph.KindsKnown, Kinds: s.w.Served()})
	if after := s.w.Sides[side].Engine.Stats().Rewinds; err == nil && after != before {
		err = errors.New("R5: a kind that takes no part has shown a rewind")
	}
	return err
}

// endWatch ends the watch of an engine and begins another one, as a Collector does:
// every kind is sick until it has been listed again. One watch of two breaks, and the
// store ends the other in order.
func (s *sim) endWatch(st step) error {
	side, broke := st.side, st.kind%2 == 0
	if broke {
		s.witnesses[side].Broke()
	}
	s.w.Sides[side].Engine.WatchEnded(s.w.Now, "ended", broke)
	for k := range s.w.Sides[side].Streams {
		if s.down[k] == opVanish {
			continue
		}
		_ = s.moveWatch(step{op: opBreak, side: side, kind: int8(k)})
		s.unlisted[side][k] = s.down[k] != opSick
	}
	if err := s.w.Announce(int(side)); err != nil {
		return err
	}
	return s.w.Observe(int(side), graph.Event{Type: graph.KindsKnown, Kinds: s.w.Served()})
}

// relisted has a kind recover at the end of the listing that the end of the watch
// made necessary.
func (s *sim) relisted(side, kind int) error {
	hung := s.unlisted[side][kind]
	if s.unlisted[side][kind] = false; !hung || s.down[kind] == opVanish {
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
		_ = s.moveWatch(step{op: opBreak, side: st.side, kind: st.kind})
		s.served[kind], s.unlisted[side][kind] = s.at, false
		return say(graph.Event{Type: graph.KindVanished, Kind: name}, graph.Event{Type: graph.KindsKnown, Kinds: s.w.Served()})
	case sickAndWell:
		return say(sick, well)
	case recovers:
		return say(well)
	case unseenGone:
		return say(graph.Event{Type: graph.Gone, Key: k})
	case goneWithoutUID:
		k.UID = ""
		if say(graph.Event{Type: graph.Gone, Key: k}) == nil {
			return errors.New("S18: somebody without a UID is taken to be gone")
		}
		s.witnesses[side].Refused(graph.Event{Type: graph.Gone, Key: k})
	case unversioned, unversionedAgain:
		s.w.Sides[side].Streams[kind].Spoil()
	}
	return nil
}
