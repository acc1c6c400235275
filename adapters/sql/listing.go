package sqlstore

import (
	"context"

	"github.com/ownergraph/ownergraph/graph"
)

// listAll lists every kind in one series of pages, in the order of creation. That is the
// order of the rows in the file, so the pages cost as much as one read of the table.
//
// The position of the watch is older than the first page. So no commit is between the
// listing and the changes after it. An object that stays is in the listing, because its
// id never changes.
func (w *watch) listAll(ctx context.Context) error {
	for _, kind := range sortedKinds(w.kinds) {
		w.kinds[kind].listed = true
		w.out.add(graph.Event{Type: graph.ListBegun, Kind: kind})
	}
	w.newest = w.next
	if err := w.pages(ctx, 0); err != nil {
		return err
	}
	known := w.s.tables.known(w.next, true)
	for _, kind := range sortedKinds(w.kinds) {
		w.out.add(graph.Event{Type: graph.ListEnded, Kind: kind, Version: known})
	}
	return w.out.flush()
}

// listSome lists the new kinds, and the kinds that List has requested.
func (w *watch) listSome(ctx context.Context, l *look, relist map[graph.Kind]bool) error {
	for _, kind := range sortedKinds(w.kinds) {
		k := w.kinds[kind]
		if k.listed && !relist[kind] {
			continue
		}
		k.listed = true
		w.out.add(graph.Event{Type: graph.ListBegun, Kind: kind})
		if w.newest.compare(w.next) < 0 {
			w.newest = w.next
		}
		if err := w.pages(ctx, w.set.number(kind)); err != nil {
			return err
		}
		w.out.add(graph.Event{Type: graph.ListEnded, Kind: kind, Version: w.s.tables.known(position{pos: l.moment}, true)})
	}
	return w.out.err
}

// pages reports the rows of one kind, or of all kinds for the number 0. The sink has the
// beginning of the listing before the first page is read.
func (w *watch) pages(ctx context.Context, kind int64) error {
	batch := make([]*row, 0, pageSize)
	var last row
	last.place = []byte{}
	for {
		if err := w.out.flush(); err != nil {
			return err
		}
		err := w.s.retry(ctx, func() error {
			batch = batch[:0]
			ses, err := w.s.reading(ctx)
			if err != nil {
				return err
			}
			return w.s.tables.page(ctx, &ses.c, kind, last.id, last.place, pageSize, func(r *row) error {
				batch = append(batch, r)
				return nil
			})
		})
		if err != nil {
			return readFailed("watch", "a listing", err)
		}
		for _, r := range batch {
			w.reportRow(r)
		}
		if len(batch) < pageSize {
			return w.out.err
		}
		last = *batch[len(batch)-1]
	}
}

// reportRow reports a row of a listing.
func (w *watch) reportRow(r *row) {
	kind := w.set.byID[r.kind].info.Kind
	if w.kinds[kind] == nil {
		return // it is not served
	}
	r.object.Kind = kind
	if r.at.compare(w.next) >= 0 {
		w.listed[r.object.UID] = r.at
		if r.at.compare(w.newest) > 0 {
			w.newest = r.at
		}
	}
	w.out.add(graph.Event{Type: graph.Put, Object: r.object})
}
