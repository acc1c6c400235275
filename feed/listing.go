package feed

import (
	"context"
	"fmt"
	"sort"

	"github.com/ownergraph/ownergraph/graph"
)

// listing is a listing whose pages are read. It ends when the watch has reported every entry
// below next.
//
// Each page is of a snapshot of its own, and the log repeats the changes since the first page.
// A change at a place of a page is older than the page if its position is below the page's. So
// it must not follow: it could bring an object back, or end one that is there.
type listing struct {
	kind  graph.Kind
	parts []part // in the order of the places; neighbours differ in next
	next  uint64 // of the last page, which is the snapshot of all places behind the parts
}

// part is a run of places, up to last, that the listing has read in one state of the log.
type part struct {
	last graph.Key
	next uint64
}

// contains reports whether the listing has the change already. It is false for no listing.
func (l *listing) contains(e *Entry) bool {
	if l == nil || e.Object.Kind != l.kind {
		return false
	}
	place, read := e.Object.Place(), l.next
	i := sort.Search(len(l.parts), func(i int) bool { return place.Compare(l.parts[i].last) <= 0 })
	if i < len(l.parts) {
		read = l.parts[i].next
	}
	return e.Position < read
}

// add notes a page with objects.
func (l *listing) add(page *ObjectPage, last graph.Key) {
	if n := len(l.parts); n > 0 && l.parts[n-1].next == page.Next {
		l.parts[n-1].last = last
		return
	}
	l.parts = append(l.parts, part{last, page.Next})
}

// nextListing returns the first kind that is due for a listing, "" for none.
func (w *watch) nextListing() graph.Kind {
	for _, info := range w.infos {
		if k := w.kinds[info.Kind]; k != nil && k.due {
			return info.Kind
		}
	}
	return ""
}

// takeRequests takes the listings that List has requested since the last round.
func (w *watch) takeRequests() {
	w.feed.mu.Lock()
	defer w.feed.mu.Unlock()
	for kind := range w.relist {
		if k := w.kinds[kind]; k != nil {
			k.due = true
		}
	}
	w.relist = nil
}

// list begins the listing of a kind, and reports its pages. The sink has the beginning before
// the first page is read.
func (w *watch) list(ctx context.Context, kind graph.Kind) error {
	w.listing = &listing{kind: kind, next: w.newest}
	*w.kinds[kind] = kindState{begun: true}
	w.out.add(graph.Event{Type: graph.ListBegun, Kind: kind})
	for after := (graph.Key{Kind: kind}); ; {
		if err := w.out.flush(); err != nil {
			return err
		}
		page, err := w.feed.log.ReadObjects(ctx, kind, after, w.feed.conf.PageSize)
		if err == nil && page.Next < w.newest {
			if restored, err := w.restored(ctx); restored || err != nil {
				return err
			}
		}
		if err == nil {
			err = w.checkObjects(&page, after)
		}
		if err != nil {
			return fmt.Errorf("list kind %s: %w", kind, err)
		}
		w.newest, w.listing.next = page.Next, page.Next
		if len(page.Objects) == 0 {
			return nil
		}
		for _, o := range page.Objects {
			w.out.add(graph.Event{Type: graph.Put, Object: o})
		}
		after = page.Objects[len(page.Objects)-1].Place()
		w.listing.add(&page, after)
	}
}

// restored tells whether an old page is due to a restore, which the next round then reports.
func (w *watch) restored(ctx context.Context) (bool, error) {
	page, err := w.feed.log.ReadLog(ctx, w.next, 1)
	if err != nil {
		return false, fmt.Errorf("read the log: %w", err)
	}
	if page.Epoch == w.epoch && page.Next < w.newest {
		return false, w.fell(&page)
	}
	return page.Epoch != w.epoch, nil
}
