package world

import (
	"github.com/ownergraph/ownergraph/finalizer"
	"github.com/ownergraph/ownergraph/graph"
)

// Acknowledge lets the controller of an object report the latest generation as
// observed. It returns true if the object changed.
func (w *World) Acknowledge(k graph.Key) bool {
	live, err := w.Store.Get(k)
	if err != nil {
		return false
	}
	wanted := live.Clone()
	wanted.ObservedGeneration = live.Generation
	out, err := finalizer.Update(live, wanted)
	if err != nil {
		return false
	}
	ev := w.Store.commit(live, out)
	w.publish(ev)
	return ev.Type != graph.EventUnset
}

// Add lets another client put a finalizer on an object. It returns true if the object
// changed.
func (w *World) Add(k graph.Key, name string) bool {
	live, err := w.Store.Get(k)
	if err != nil {
		return false
	}
	ev, err := w.Store.Patch(k, graph.Precondition{UID: live.UID}, graph.Change{AddFinalizer: name})
	if err != nil {
		return false
	}
	w.publish(ev)
	return ev.Type != graph.EventUnset
}

// Drop lets another client remove a finalizer of an object. It returns true if the
// object changed.
func (w *World) Drop(k graph.Key, name string) bool {
	live, err := w.Store.Get(k)
	if err != nil {
		return false
	}
	ev, err := w.Store.Patch(k, graph.Precondition{UID: live.UID}, graph.Change{DropFinalizer: name})
	if err != nil {
		return false
	}
	w.publish(ev)
	return ev.Type != graph.EventUnset
}
