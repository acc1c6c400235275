package sqlstore

import (
	"context"
	"slices"

	"github.com/ownergraph/ownergraph/graph"
)

// listAll lists every kind in one series of pages, in the order of creation. That is the
// order of the rows in the file, so the pages cost as much as one read of the table.
//
// The position of the watch is older than the first page. So no commit is between the
// listing and the changes after it. An object that stays is in the listing, because its
// id never changes.
func (w *watch) listAll(ctx context.Context) error {
	w.ending = nil
	for _, kind := range sortedKinds(w.kinds) {
		w.kinds[kind].listed = true
		w.out.add(graph.Event{Type: graph.ListBegun, Kind: kind})
	}
	w.newest = w.next
	if err := w.pages(ctx, 0); err != nil {
		return err
	}
	return w.endAfter(ctx, sortedKinds(w.kinds))
}

// endAfter ends the listings of the kinds when the watch has reported every change that their pages
// may have seen. Otherwise the changes after the listing would be older than the listing: one of
// them could bring an object back that the listing has ended.
//
//test:by TestListingsEndLate
func (w *watch) endAfter(ctx context.Context, kinds []graph.Kind) error {
	if len(kinds) == 0 {
		return w.out.flush()
	}
	err := w.await(ctx, func(ctx context.Context) error {
		ses, err := w.s.reading(ctx)
		var start int64
		if err == nil {
			w.endAt, start, err = w.s.tables.moment(ctx, &ses.c)
		}
		if err == nil && start != w.start {
			err = errOtherStart
		}
		return err
	})
	if err != nil {
		return readFailed("watch", "a listing", err)
	}
	w.ending = append(w.ending, kinds...)
	return w.out.flush()
}

// endListings ends the listings that wait for the position of the watch.
func (w *watch) endListings() {
	if len(w.ending) == 0 || w.next.compare(w.endAt) < 0 {
		return
	}
	known := w.s.tables.known(w.next, true)
	for _, kind := range w.ending {
		if w.kinds[kind] != nil { // it is served
			w.out.add(graph.Event{Type: graph.ListEnded, Kind: kind, Version: known})
		}
	}
	w.ending = nil
}

// listSome lists the new kinds, and the kinds that List has requested.
func (w *watch) listSome(ctx context.Context, relist map[graph.Kind]bool) error {
	var begun []graph.Kind
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
		w.ending = slices.DeleteFunc(w.ending, func(k graph.Kind) bool { return k == kind })
		begun = append(begun, kind)
	}
	return w.endAfter(ctx, begun)
}

// pages reports the rows of one kind, or of all kinds for the number 0. The sink has the
// beginning of the listing before the first page is read.
func (w *watch) pages(ctx context.Context, kind int64) error {
	var last row
	last.place = []byte{}
	for {
		if err := w.out.flush(); err != nil {
			return err
		}
		var batch []*row
		err := w.await(ctx, func(ctx context.Context) (err error) {
			batch, err = w.s.readPage(ctx, w.start, kind, last.id, last.place)
			return err
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

// readPage reads a page, behind a check of the tables and the server. On Postgres both are on one
// connection. A page of a standby or of another server may lack objects, and the end of the listing
// would prove their absence. So the server has to have the start that the look has found by which the
// page is judged. Another one is errOtherStart.
//
//test:by TestStandbyIsRefused TestVersionShutsOut TestPageOfOtherServer
func (s *Store) readPage(ctx context.Context, start, kind, after int64, place []byte) (rows []*row, err error) {
	err = s.onOne(ctx, func(ses *session) error {
		rows = rows[:0]
		if is, err := ses.c.checkTables(ctx); err != nil {
			return err
		} else if is != start {
			return errOtherStart
		}
		return s.tables.page(ctx, &ses.c, kind, after, place, pageSize, func(r *row) error {
			rows = append(rows, r)
			return nil
		})
	})
	return rows, err
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
