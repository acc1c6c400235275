package replica

import (
	"github.com/ownergraph/ownergraph/finalizer"
	"github.com/ownergraph/ownergraph/graph"
)

// Commit is the effect of one write. It is an immutable value. The objects that its
// methods return belong to the caller.
type Commit struct {
	effect  finalizer.Effect
	object  *graph.Object // immutable
	version graph.Version
}

// Changed reports whether the write changed the state.
func (c Commit) Changed() bool { return c.effect == finalizer.Stored || c.effect == finalizer.Removed }

// Key returns the key of the written object.
func (c Commit) Key() graph.Key { return c.object.Key }

// Object returns the object after the write. For a removed object it returns the last
// state.
func (c Commit) Object() graph.Object { return c.object.Clone() }

// Version returns the version of the state after the write.
func (c Commit) Version() graph.Version { return c.version }

// Event returns the event by which a watch reports the write: Put or Gone. It is the zero
// Event if the write changed nothing.
func (c Commit) Event() graph.Event {
	switch c.effect {
	case finalizer.Stored:
		return graph.Event{Type: graph.Put, Object: c.object.Clone()}
	case finalizer.Removed:
		return graph.Event{Type: graph.Gone, Key: c.object.Key}
	}
	return graph.Event{}
}
