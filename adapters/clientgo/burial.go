package clientgo

import (
	"errors"
	"maps"
	"slices"
	"time"

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

// count learns what there is of a kind whose definition was marked, beside the
// watch that goes on: that still says which of them end, even when nothing can be
// listed any more.
func (w *worker) count() error {
	w.uncounted, w.mourned = false, newMourned()
	for next := ""; ; {
		page, err := w.listPage(next, int64(w.run.store.config.PageSize))
		switch {
		case unserved(err):
			return nil // too late
		case err != nil:
			w.complete = false // a listing counts them
			return err
		}
		for i := range page.Items {
			m := &page.Items[i]
			w.mourned.add(graph.Key{Kind: w.kind, Scope: common(m.Namespace), Name: m.Name, UID: graph.UID(m.UID)})
		}
		if next = page.Continue; next == "" {
			w.mourned.whole = true
			return nil
		}
	}
}

// lastWords is how long the watch of a kind is heard whose definition is gone, and
// that nobody had time to list.
const lastWords = 3 * time.Second

// parting returns what ends that, nil where it is not so.
func (w *worker) parting() <-chan time.Time {
	if !w.buried {
		return nil
	}
	return time.After(time.Until(w.silent))
}

var errBuried = errors.New("the kind's definition is gone")

// bury tells what ended with the kind's definition: all that was there when it
// was seen marked, and that the server has removed since, if it does not serve
// the kind any more. For a moment it still may: then it says itself that nothing
// is left.
func (w *worker) bury() error {
	page, err := w.listPage("", 1)
	if err != nil && !unserved(err) {
		return err
	}
	w.buried, w.dying = false, false
	switch {
	case err != nil:
		err = w.mourn()
	case len(page.Items) > 0: // it is defined anew: a listing says what there is
		return errAnew
	default:
		w.begin()
		if err = w.tellListed(); err == nil {
			err = w.end(page.ResourceVersion)
		}
	}
	if err != nil {
		return err
	}
	if err := w.hand(delivery{from: w, epoch: w.epoch, finished: true}); err != nil {
		return err
	}
	return errBuried
}

// mourn tells the ends of what was there, if somebody could list it.
func (w *worker) mourn() error {
	m := w.mourned
	w.mourned = nil
	if m == nil || !m.whole {
		return nil
	}
	return w.emit(m.gone()...)
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
