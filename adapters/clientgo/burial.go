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

// bury tells what ended with the kind's definition. For a moment the server may
// serve the kind still: then it says itself that nothing is left. If it does not,
// and is sure to be done with it, what ended is all that was there when the
// definition was seen marked; where nobody could list that any more, it is all.
func (w *worker) bury() error {
	page, err := w.listPage("", 1)
	switch {
	case err == nil && len(page.Items) > 0: // it is defined anew: a listing says what there is
		w.keepNothing()
		return errAnew
	case err == nil:
		err = w.tellNothing(page.ResourceVersion)
	case unserved(err):
		if err = w.undefined(); err == nil {
			err = w.mourn()
		}
	}
	if errors.Is(err, errRewound) { // or it would be found again and again
		w.keepNothing()
	}
	if err != nil {
		return err
	}
	w.keepNothing()
	if err := w.hand(delivery{from: w, epoch: w.epoch, finished: true}); err != nil {
		return err
	}
	return errBuried
}

// mourn tells the ends of what was there.
func (w *worker) mourn() error {
	if m := w.mourned; m != nil && m.whole {
		return w.emit(m.gone()...)
	}
	return w.tellNothing(w.position)
}

// keepNothing forgets what was seen of the end of the kind's definition: it is
// told, or was of a former history.
func (w *worker) keepNothing() {
	w.dying, w.buried, w.uncounted, w.mourned = false, false, false, nil
}

// tellNothing hands over a listing that brings nothing, in the epoch in which the
// definition was seen to go: after a rewind it counts for nothing.
func (w *worker) tellNothing(version string) error {
	w.epoch = w.seen
	w.reset()
	if err := w.tellListed(); err != nil {
		return err
	}
	return w.end(version)
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
