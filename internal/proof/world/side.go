package world

import (
	"slices"

	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/probe"
)

// Side is one engine with its watch and the calls that it has handed out.
type Side struct {
	Engine *engine.Engine
	// Streams has the undelivered events of the watch, by kind.
	Streams []Stream
	// Calls are the calls under way, in the order in which the engine handed them out.
	Calls []InFlight
	// Sets are the fences that the set of kinds has still to pass.
	Sets []uint64
	// Asked are the fences whose tokens the engine has not got yet, in order.
	Asked []Asked
	// Token is that of the engine's last fence.
	Token uint64

	selecting Store // at the begin of the selection under way
}

// Stream is the part of a watch for one kind.
type Stream struct {
	// Begun: a listing has begun. The stream carries no change before that.
	Begun bool
	// Down: the stream lists and delivers nothing for now.
	Down   bool
	Events []graph.Event
	// Fences began before the listing, which reports them at its end.
	Fences []uint64
}

// InFlight is a call under way. The answer of a read is of the time at which the engine
// handed it out. The answer of a page of a selection is of the time of the first
// page. Renew makes a later answer.
type InFlight struct {
	engine.Call
	Answer engine.Result
	// Committed: the store has committed the write and not answered yet.
	Committed bool
}

// Asked is a fence that has begun, and whose call has not returned.
type Asked struct {
	Call  engine.Call
	Token uint64
}

func (s *Side) clone() *Side {
	c := &Side{
		Engine: probe.Clone(s.Engine), Streams: slices.Clone(s.Streams), Calls: slices.Clone(s.Calls), Sets: slices.Clone(s.Sets),
		Asked: slices.Clone(s.Asked), Token: s.Token, selecting: s.selecting,
	}
	for i := range c.Streams {
		c.Streams[i].Events = slices.Clone(c.Streams[i].Events)
		c.Streams[i].Fences = slices.Clone(c.Streams[i].Fences)
	}
	return c
}

// push adds an event to the stream of a kind, if a listing has begun.
func (s *Side) push(kind int, e graph.Event) {
	if st := &s.Streams[kind]; st.Begun {
		st.Events = append(st.Events, e)
	}
}

// list begins a listing of a kind: a snapshot, then the changes. It discards the
// undelivered events. The listing reports their fences at its end.
func (s *Side) list(kind int, name graph.Kind, at graph.Version, objects []graph.Object) {
	st := &s.Streams[kind]
	st.cut()
	st.Begun = true
	st.Events = []graph.Event{{Type: graph.ListBegun, Kind: name}}
	for _, o := range objects {
		if o.Kind == name {
			st.Events = append(st.Events, graph.Event{Type: graph.Put, Object: o})
		}
	}
	st.Events = append(st.Events, graph.Event{Type: graph.ListEnded, Kind: name, Version: at})
	for _, f := range st.Fences {
		st.Events = append(st.Events, graph.Event{Type: graph.FencePassed, Kind: name, Fence: f})
	}
	st.Fences = nil
}

// cut ends the stream. It discards the undelivered events, and keeps their fences.
func (st *Stream) cut() {
	for _, e := range st.Events {
		if e.Type == graph.FencePassed {
			st.Fences = append(st.Fences, e.Fence)
		}
	}
	st.Begun, st.Events = false, nil
}

// StripVersion removes the version of the next object, if the next event is a put.
func (st *Stream) StripVersion() {
	if len(st.Events) > 0 && st.Events[0].Type == graph.Put {
		st.Events = slices.Clone(st.Events)
		st.Events[0].Object.Version = ""
	}
}

// fence marks the present instant in the stream of every served kind, and in the
// stream of the set of kinds, with the token.
func (s *Side) fence(kinds []graph.KindInfo, unserved []graph.Kind) {
	id := s.Token
	for i, k := range kinds {
		if slices.Contains(unserved, k.Kind) {
			continue
		}
		if st := &s.Streams[i]; st.Begun {
			st.Events = append(st.Events, graph.Event{Type: graph.FencePassed, Kind: k.Kind, Fence: id})
		} else {
			st.Fences = append(st.Fences, id)
		}
	}
	s.Sets = append(s.Sets, id)
}
