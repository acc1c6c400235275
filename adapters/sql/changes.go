package sqlstore

import (
	"maps"
	"slices"

	"github.com/ownergraph/ownergraph/graph"
)

// reportChanges reports the changes of a look, and the progress of each kind.
func (w *watch) reportChanges(l *look) {
	for i := range l.changes {
		c := &l.changes[i]
		w.reportChange(c)
		w.next, w.anchor = w.s.tables.after(c.at), anchor{c.at, c.mark}
	}
	if len(l.changes) < maxChanges {
		w.next = l.moment // not below the last change
	}
	if w.next.compare(w.newest) > 0 {
		clear(w.listed)
	}
	if len(l.changes) == 0 {
		return
	}
	known := w.s.tables.known(w.next, false)
	for _, kind := range sortedKinds(w.kinds) {
		if known != "" && w.kinds[kind].listed && !slices.Contains(w.ending, kind) {
			w.out.add(graph.Event{Type: graph.Progress, Kind: kind, Version: known})
		}
	}
}

// reportChange leaves out a change of a kind that is not listed yet, because the listing
// will contain it. It also leaves out a state that is not newer than a listed one.
func (w *watch) reportChange(c *change) {
	kind := w.set.byID[c.kind]
	k := w.kinds[kind.info.Kind]
	if c.what != logPut && c.what != logGone || k == nil || !k.listed {
		return
	}
	key := c.key
	key.Kind = kind.info.Kind
	if at, ok := w.listed[key.UID]; ok && at.compare(c.at) >= 0 {
		return
	}
	if c.what == logGone {
		w.out.add(graph.Event{Type: graph.Gone, Key: key})
		return
	}
	o := graph.Object{Key: key, Version: c.at.version()}
	if err := decodeBody(c.body, &o); err != nil {
		w.out.fail(err)
		return
	}
	w.out.add(graph.Event{Type: graph.Put, Object: o})
}

func sortedKinds[T any](m map[graph.Kind]T) []graph.Kind { return slices.Sorted(maps.Keys(m)) }
