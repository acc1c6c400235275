package world

import (
	"slices"

	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/finalizer"
	"github.com/ownergraph/ownergraph/graph"
)

// Undo makes the store undo every write of an engine to objects of a kind, or ends
// that. The policy of a store may do so.
func (w *World) Undo(kind graph.Kind, undo bool) {
	w.undoes = slices.DeleteFunc(slices.Clone(w.undoes), func(k graph.Kind) bool { return k == kind })
	if undo {
		w.undoes = append(w.undoes, kind)
	}
}

// undo carries out a write and undoes it in the same step. The write succeeds. Its
// object has the old content and a new version.
func (w *World) undo(c engine.Call) error {
	if err := w.serves(c.Key); err != nil {
		return err
	}
	live, err := w.Store.Get(c.Key)
	if err != nil {
		return err
	}
	tried, ev := w.Store, graph.Event{}
	if c.Type == engine.CallDelete {
		ev, err = tried.Delete(c.Key, c.Options)
	} else {
		ev, err = tried.Patch(c.Key, c.Precondition, c.Change)
	}
	if err != nil || ev.Type == graph.EventUnset {
		return err
	}
	w.judge(c)
	w.publish(w.Store.commit(live, finalizer.Outcome{Effect: finalizer.Stored, Object: live}))
	return nil
}
