package clientgo

import (
	"errors"
	"maps"
	"slices"

	"github.com/ownergraph/ownergraph/graph"
)

// mourned is what is known to be there of a kind whose definition goes away.
type mourned struct {
	keys  map[graph.UID]graph.Key
	whole bool // a listing since then is complete: what comes later is of another definition
}

func newMourned() *mourned { return &mourned{keys: map[graph.UID]graph.Key{}} }

func (m *mourned) add(k graph.Key) {
	if m != nil && !m.whole {
		m.keys[k.UID] = k
	}
}

func (m *mourned) drop(k graph.Key) {
	if m != nil {
		delete(m.keys, k.UID)
	}
}

var errBuried = errors.New("the kind's definition is gone")

// bury tells what ended with the kind's definition: all that was there when it
// was seen marked, and that the server has removed since, if it does not serve
// the kind any more.
func (w *worker) bury() error {
	_, err := w.listPage("", 1)
	switch {
	case err == nil: // it is served again: a listing says what there is
		w.buried, w.dying = false, false
		return errAnew
	case !unserved(err):
		return err
	}
	w.buried, w.dying = false, false
	if w.mourned != nil && w.mourned.whole {
		if err := w.emit(w.mourned.gone()...); err != nil {
			return err
		}
	}
	w.mourned = nil
	if err := w.hand(delivery{from: w, epoch: w.epoch, finished: true}); err != nil {
		return err
	}
	return errBuried
}

// gone returns the ends of all that is left, sorted.
func (m *mourned) gone() []graph.Event {
	keys := slices.SortedFunc(maps.Values(m.keys), graph.Key.Compare)
	out := make([]graph.Event, len(keys))
	for i, k := range keys {
		out[i] = graph.Event{Type: graph.Gone, Key: k}
	}
	return out
}
