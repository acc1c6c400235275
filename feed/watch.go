package feed

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/ownergraph/ownergraph/graph"
)

// Watch reports the kinds, a listing of each kind, and every later change in the order of the
// log. After a restore it begins with Rewound. It calls sink from the caller's goroutine. Any
// number of watches may run at once, and a slow one delays no other and no write.
//
// A listing is read in pages. Behind them the watch reports the changes since the first page,
// without those that the pages have already. Then the listing ends. So its end is the state of
// one moment, although no snapshot stays open while sink runs. A watch that is behind the log
// lists every kind anew.
//
// Watch ends when ctx ends, when sink returns an error, or when the Log returns an error or
// breaks a law that Watch can see. It returns the context's error as it is, and wraps the
// others. It returns ErrRefused for a nil sink, and ErrInvalid for a broken law.
//
//test:by TestKit TestWatchEnds TestWatchRefusesBadPages TestRewoundWithoutEpoch TestRestoreBesideListing
//test:by TestListingBesideWrites
func (f *Feed) Watch(ctx context.Context, sink func(batch []graph.Event) error) error {
	if sink == nil {
		return fmt.Errorf("watch: sink: nil: %w", graph.ErrRefused)
	}
	w := &watch{
		feed: f, out: outbox{ctx: ctx, sink: sink, size: f.conf.PageSize},
		wake: make(chan struct{}, 1), kinds: map[graph.Kind]*kindState{},
	}
	f.enter(w)
	defer f.leave(w)
	for {
		more, err := w.round(ctx)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			return fmt.Errorf("watch: %w", err)
		case !more:
			w.wait(ctx)
		}
	}
}

// watch is one running Watch.
type watch struct {
	feed *Feed
	out  outbox
	wake chan struct{} // has space for one signal

	// Guarded by the Feed's lock.
	fences []fence
	relist map[graph.Kind]bool // kinds that List requested

	started bool
	next    uint64 // every entry below it is reported, or is in a listing
	newest  uint64 // the highest Next of all reads
	epoch   string // as reported
	infos   []graph.KindInfo
	kinds   map[graph.Kind]*kindState
	listing *listing // under way, or nil
	reached []uint64 // the tokens of fences that wait for the end of a listing
}

// kindState is the state of one kind in the reports of a watch.
type kindState struct {
	due   bool // its listing has to begin
	begun bool // a listing has begun, so changes are reported
}

// wait returns when the log may have more, or ctx has ended.
func (w *watch) wait(ctx context.Context) {
	timer := time.NewTimer(w.feed.conf.Poll)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-w.wake:
	case <-timer.C:
	}
}

// round reads the log once and reports the news. It returns whether to read again at once.
func (w *watch) round(ctx context.Context) (more bool, err error) {
	limit := w.feed.conf.PageSize
	if !w.started {
		limit = 1 // the listings contain the entries
	}
	page, err := w.feed.log.ReadLog(ctx, w.next, limit)
	if err == nil {
		err = w.checkPage(&page)
	}
	if err != nil {
		return false, fmt.Errorf("read the log: %w", err)
	}
	if page.Epoch == w.epoch && page.Next < w.newest {
		return false, w.fell(&page)
	}
	if !w.begin(&page) {
		w.reportEntries(&page)
	}
	w.newest = page.Next
	w.takeRequests()
	if l := w.listing; l != nil && w.next >= l.next {
		w.out.add(graph.Event{Type: graph.ListEnded, Kind: l.kind})
		w.listing = nil
	}
	w.reachDropped()
	w.pass()
	if kind := w.nextListing(); kind != "" && w.listing == nil {
		return true, w.list(ctx, kind)
	}
	return w.next < page.Next, w.out.flush()
}

// begin reports a restore and the set of kinds, if they are news. It returns whether the watch
// has to list every kind. The page's entries are then in the listings.
func (w *watch) begin(page *LogPage) (anew bool) {
	restored := page.Epoch != w.epoch
	if restored {
		w.out.add(graph.Event{Type: graph.Rewound, Reason: "the log has a new epoch", Epoch: page.Epoch})
	}
	anew = !w.started || restored || page.First > w.next
	w.started, w.epoch = true, page.Epoch
	w.reportKinds(page.Kinds, anew)
	if anew {
		w.listing, w.next = nil, page.Next
	}
	if restored {
		w.lower()
	}
	return anew
}

// fell reports a log that ends below a position that it had, in the same epoch. That is a
// restore without an epoch, or a broken law. The watch ends with an error, so that a log that
// falls again and again does not keep it busy.
func (w *watch) fell(page *LogPage) error {
	w.out.add(graph.Event{Type: graph.Rewound, Reason: "the log ends below a position that it had"})
	if err := w.out.flush(); err != nil {
		return err
	}
	return fmt.Errorf("read the log: next: position %d is below %d, and the epoch is the same: %w", page.Next, w.newest, graph.ErrInvalid)
}

// reportKinds reports the removed kinds, and the set of kinds if it has changed or all is told
// anew. Kinds that are new, or all of them, are then due for a listing.
func (w *watch) reportKinds(infos []graph.KindInfo, anew bool) {
	infos = slices.Clone(infos)
	slices.SortFunc(infos, func(a, b graph.KindInfo) int { return cmp.Compare(a.Kind, b.Kind) })
	if !anew && slices.Equal(infos, w.infos) {
		return
	}
	served := map[graph.Kind]*kindState{}
	for _, info := range infos {
		if !info.Unwatched {
			served[info.Kind] = cmp.Or(w.kinds[info.Kind], &kindState{due: true})
		}
	}
	for _, info := range w.infos {
		if !slices.ContainsFunc(infos, func(x graph.KindInfo) bool { return x.Kind == info.Kind }) {
			w.out.add(graph.Event{Type: graph.KindVanished, Kind: info.Kind})
		}
	}
	if w.listing != nil && served[w.listing.kind] == nil {
		w.listing = nil
	}
	if anew {
		for _, k := range served {
			*k = kindState{due: true}
		}
	}
	w.infos, w.kinds = infos, served
	w.out.add(graph.Event{Type: graph.KindsKnown, Kinds: slices.Clone(infos)})
}

// reportEntries reports the entries of a page. It leaves out a change that the listing under
// way contains, and the changes of a kind whose listing has not begun.
func (w *watch) reportEntries(page *LogPage) {
	for i := range page.Entries {
		e := &page.Entries[i]
		w.next = e.Position + 1
		switch k := w.kinds[e.Object.Kind]; {
		case e.Fence != 0:
			w.reach(e.Fence)
		case k == nil || !k.begun || w.listing.contains(e):
		case e.Removed:
			w.out.add(graph.Event{Type: graph.Gone, Key: e.Object.Key})
		default:
			w.out.add(graph.Event{Type: graph.Put, Object: e.Object})
		}
	}
	if len(page.Entries) == 0 { // a gap at the end of the log
		w.next = page.Next
	}
}
