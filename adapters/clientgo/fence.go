package clientgo

import (
	"context"
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/ownergraph/ownergraph/graph"
)

// Fence begins a fence at the server's present. Each running watch reports FencePassed
// for each kind, and then for the set of kinds after a new discovery. Fence returns a new
// token at once: a random number of the Store, and a counter.
//
// A fence costs one request for each kind: a consistent list of at most one page. The
// set of kinds costs four requests: two of discovery, and the lists of definitions and
// API services.
//
// If the page has the whole kind, the kind passes with the page or with its watch,
// whichever comes first. Otherwise the kind passes with the first event or bookmark at
// the fence's version. If none comes soon, the store reads the rest of a kind of a few
// pages. For a larger kind it opens the watch again with a short timeout, because such
// a watch ends with a bookmark. A sick kind passes after its recovery. Each kind of a
// watch reports the newest 64 fences.
//
//test:by TestFence TestFenceOfManyObjects TestFenceOfSickKind TestFencesAreBounded
//test:by TestFenceIsNotEarly
func (s *Store) Fence(ctx context.Context) (token uint64, err error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	token = s.token.Add(1)
	s.each(func(r *run) {
		r.mu.Lock()
		r.queued = keepNewest(append(r.queued, token))
		r.unpassed = keepNewest(append(r.unpassed, token))
		for _, w := range r.workers {
			w.mailbox.send(commands{fences: []uint64{token}})
		}
		r.mu.Unlock()
		signal(r.fenced)
	})
	return token, nil
}

// List makes every running watch list kind anew. A watch lists a sick kind when the
// kind recovers. List returns at once. It returns ErrKindUnknown for a kind that is not
// served or not in the set of kinds.
//
//test:by TestList
func (s *Store) List(ctx context.Context, kind graph.Kind) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if _, _, err := s.find(ctx, "list", graph.Key{Kind: kind}); err != nil {
		return fmt.Errorf("list kind %s: %w", kind, err)
	}
	s.each(func(r *run) {
		r.mu.Lock()
		defer r.mu.Unlock()
		if w := r.workers[kind]; w != nil {
			w.mailbox.send(commands{relist: true})
		}
	})
	return nil
}

// pendingFence is a fence that a kind has not passed yet.
type pendingFence struct {
	ids      []uint64
	at       string        // the version that the kind has to reach
	whole    bool          // page has the whole kind at that version
	next     string        // the continue token of the rest, if the rest is small
	page     []graph.Event // its objects
	newest   string        // the highest version in page
	reopened bool          // the watch was opened again for this fence
}

// beginFence reads the version of the kind for all waiting fences.
func (w *worker) beginFence() error {
	if len(w.fences) == 0 || w.fence != nil || w.sickReason() != "" {
		return nil
	}
	if !ordered(w.position) {
		return errRelist // a listing passes the fences
	}
	leave, err := acquire(w.ctx, w.run.store.slots.fence)
	if err != nil {
		return err
	}
	defer leave()
	ids := slices.Clone(w.fences)
	list, err := w.listPage("", int64(w.run.store.config.PageSize))
	if err != nil {
		return err
	}
	if !ordered(list.ResourceVersion) {
		return errRelist
	}
	w.fences = nil
	p := &pendingFence{ids: ids, at: list.ResourceVersion, whole: list.Continue == ""}
	if left := list.RemainingItemCount; left != nil && *left <= (fencePages-1)*int64(w.run.store.config.PageSize) {
		p.next = list.Continue
	}
	if (p.whole || p.next != "") && compare(w.position, p.at) < 0 {
		if err := w.addPage(p, list.Items); err != nil {
			return err
		}
	}
	w.fence = p
	w.setFenceTimer()
	return w.passFence()
}

// addPage adds objects to a fence's page.
func (w *worker) addPage(p *pendingFence, items []metav1.PartialObjectMetadata) error {
	for i := range items {
		if v := items[i].ResourceVersion; p.newest == "" || compare(v, p.newest) > 0 {
			p.newest = v
		}
	}
	puts, err := w.puts(items)
	p.page = append(p.page, puts...)
	return err
}

// setFenceTimer sets the time after which helpFence helps a slow fence.
func (w *worker) setFenceTimer() {
	if w.fence.whole {
		w.fenceTimer.Reset(pageWait)
		return
	}
	w.fenceTimer.Reset(fenceWait)
}

// readRest reads the rest of the kind at the version of the fence.
func (w *worker) readRest() error {
	p := w.fence
	for p.next != "" {
		list, err := w.listPage(p.next, int64(w.run.store.config.PageSize))
		if err != nil {
			return err
		}
		if err := w.addPage(p, list.Items); err != nil {
			return err
		}
		p.next = list.Continue
	}
	p.whole = true
	w.setFenceTimer()
	return w.passFence()
}

// passFence passes the fence if the kind has reached its version. A whole page is as
// complete as the watch. It waits until the watch has reported all objects in it,
// because a listing would report them a second time.
func (w *worker) passFence() error {
	p := w.fence
	switch {
	case p == nil:
		return nil
	case !ordered(w.position):
		return errRelist
	case compare(w.position, p.at) >= 0:
		return w.endFence()
	case p.whole && (p.newest == "" || compare(w.position, p.newest) >= 0):
		return w.reportPage()
	}
	return nil
}

// helpFence helps a fence that takes long.
func (w *worker) helpFence() error {
	p := w.fence
	switch {
	case p == nil:
		return nil
	case p.whole:
		return w.reportPage()
	case p.next != "":
		return w.readRest()
	case !p.reopened:
		p.reopened = true
		w.fenceTimer.Reset(shortWait)
		return errShort
	}
	return errRelist
}

// reportPage reports the page as a listing. The page contains all later events of the
// watch up to its version.
func (w *worker) reportPage() error {
	p := w.fence
	if err := w.emitPages(w.listingEvents(p.page, p.at)); err != nil {
		return err
	}
	w.position, w.pageVersion = p.at, p.at
	return w.endFence()
}

func (w *worker) endFence() error {
	ids := w.fence.ids
	w.fence = nil
	w.fenceTimer.Stop()
	return w.emit(passedEvents(w.kind, ids)...)
}

func passedEvents(kind graph.Kind, ids []uint64) []graph.Event {
	out := make([]graph.Event, len(ids))
	for i, id := range ids {
		out[i] = graph.Event{Type: graph.FencePassed, Kind: kind, Fence: id}
	}
	return out
}
