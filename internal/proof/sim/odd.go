package sim

import (
	"errors"
	"fmt"
	"slices"

	"github.com/ownergraph/ownergraph/graph"
)

// oddity is a report that a watch may make and hardly ever makes, or one that no watch
// may make and that the engine has to refuse.
type oddity int16

const (
	foreignFence     oddity = iota // reports of a fence that no engine has begun here
	rewindsAgain                   // a rewind, without a sign of it in the versions
	watchRestarts                  // the watch begins anew, without having ended
	watchEnds                      // the watch ends, and a Collector begins another one
	kindsAgain                     // the same kinds, in another order
	kindsPass                      // a kind comes and goes, or some hundred do
	vanishes                       // a kind vanishes and is back at once
	sickAndWell                    // a kind is sick and well again, without a missed event
	recovers                       // a kind that was well recovers
	unseenGone                     // an object goes that no engine has seen
	goneWithoutUID                 // an object without a UID goes
	takesNoPart                    // an ignored kind goes back in time
	unversioned                    // the next object comes without its version
	unversionedAgain               // the same, so that it is drawn more often
	kindsTwice                     // a set of kinds describes one kind twice
	numOddities
)

// odd lets the watch of one engine report an oddity.
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
	case s.down[st.kind] == opList: // a kind that is out of order reports nothing
		return s.oddOf(st, x, say)
	}
	return nil
}

// ignoredRewinds lets an ignored kind go back in time. That is no evidence.
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

// endWatch ends the watch of an engine and begins another one, as a Collector does.
// Every kind is sick until its next listing ends. One watch of two breaks, and the
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

// relisted lets a kind recover at the end of the listing that follows the end of a
// watch.
func (s *sim) relisted(side, kind int) error {
	hung := s.unlisted[side][kind]
	if s.unlisted[side][kind] = false; !hung || s.down[kind] == opVanish {
		return nil
	}
	return s.w.Observe(side, graph.Event{Type: graph.KindRecovered, Kind: s.w.Kinds[kind].Kind})
}

// oddOf lets the watch report an oddity of one well kind.
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
			return errors.New("S18: an event of a gone object without a UID is accepted")
		}
		s.witnesses[side].Refused(graph.Event{Type: graph.Gone, Key: k})
	case unversioned, unversionedAgain:
		s.w.Sides[side].Streams[kind].StripVersion()
	}
	return nil
}
