package world

import (
	"slices"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
)

// Side is one engine with its watch and the calls that it has handed out.
type Side struct {
	Engine *ownergraph.Engine
	// Streams holds what the watch has still to deliver, by kind.
	Streams []Stream
	// Calls are under way, in the order in which they were handed out.
	Calls []Flight
	// Sets are the fences that the set of kinds has still to pass.
	Sets []uint64

	selecting Store // when the selection under way began
}

// Stream is the part of a watch that is about one kind.
type Stream struct {
	// Begun: a listing was begun; before that changes go unseen.
	Begun bool
	// Down: nothing is listed or delivered for now.
	Down   bool
	Events []graph.Event
	// Fences that were begun before the listing: it reports them at its end.
	Fences []uint64
}

// Flight is a call under way. The answer of a read is that of the moment at
// which it was handed out, that of a page of a selection that of the moment at
// which its first page was; Renew makes it a later one.
type Flight struct {
	ownergraph.Call
	Answer ownergraph.Result
	// Carried: a write is carried out already, and has still to be answered.
	Carried bool
}

func (s *Side) clone() *Side {
	c := &Side{Engine: s.Engine.Clone(), Streams: slices.Clone(s.Streams), Calls: slices.Clone(s.Calls), Sets: slices.Clone(s.Sets), selecting: s.selecting}
	for i := range c.Streams {
		c.Streams[i].Events = slices.Clone(c.Streams[i].Events)
		c.Streams[i].Fences = slices.Clone(c.Streams[i].Fences)
	}
	return c
}

// push sends an event down the stream of a kind, if it is listened to.
func (s *Side) push(kind int, e graph.Event) {
	if st := &s.Streams[kind]; st.Begun {
		st.Events = append(st.Events, e)
	}
}

// list begins a listing of a kind: a snapshot, after which changes follow. What
// was under way is lost, but for fences, whose reports come at its end.
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

// cut ends the stream: what was under way is lost, but for fences.
func (st *Stream) cut() {
	for _, e := range st.Events {
		if e.Type == graph.FencePassed {
			st.Fences = append(st.Fences, e.Fence)
		}
	}
	st.Begun, st.Events = false, nil
}

// Spoil takes the version off the object that comes next, if one does.
func (st *Stream) Spoil() {
	if len(st.Events) > 0 && st.Events[0].Type == graph.Put {
		st.Events = slices.Clone(st.Events)
		st.Events[0].Object.Version = ""
	}
}

// fence notes the present in every stream of a kind that is served, and in that
// of the set of kinds.
func (s *Side) fence(kinds []graph.KindInfo, unserved []graph.Kind, id uint64) {
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
