package clientgo

import (
	"context"
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/ownergraph/ownergraph/graph"
)

// Fence notes the server's present and reports, through every watch that runs
// now, when that has passed it: for each kind, and for the set of kinds, which
// is looked at anew. It returns at once.
//
// It costs one request for each kind: a consistent list of at most one page. For the
// set of kinds it costs four: two of discovery, and lists of the definitions and API
// services. If that is the whole kind, the kind
// passes with it, or as soon as its watch is there, whichever is sooner.
// Otherwise it passes with the first event or bookmark that is not older. If
// none comes soon, the rest of a kind of a few pages is read; the watch of one
// that has more is opened once more, so as to end soon with a bookmark. A kind
// that is sick passes when it has recovered. Each of a watch's kinds reports the
// newest 64. Held by TestFence, TestFenceOfManyObjects, TestFenceOfSickKind,
// TestFencesAreBounded and TestFenceIsNotEarly.
func (s *Store) Fence(ctx context.Context, id uint64) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.each(func(r *run) {
		r.mu.Lock()
		r.asked = keepNewest(append(r.asked, id))
		r.open = keepNewest(append(r.open, id))
		for _, w := range r.workers {
			w.mail.order(orders{fences: []uint64{id}})
		}
		r.mu.Unlock()
		signal(r.fenced)
	})
	return nil
}

// List makes every watch that runs now list kind anew, a sick one when it
// recovers. It returns at once. ErrKindUnknown where the kind is not served, or
// takes no part. Held by TestList.
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
			w.mail.order(orders{anew: true})
		}
	})
	return nil
}

// passage is a fence that a kind has on its way.
type passage struct {
	ids    []uint64
	at     string        // the version that the kind has to reach
	whole  bool          // page is all of the kind, as it was then
	next   string        // what page lacks of it, if that is little
	page   []graph.Event // its objects
	newest string        // of their versions
	short  bool          // the watch was opened once more for this
}

// beginFence asks how far the kind is, for all fences that wait.
func (w *worker) beginFence() error {
	if len(w.fences) == 0 || w.passing != nil || w.sick() != "" {
		return nil
	}
	if !ordered(w.position) {
		return errAnew // a listing passes them
	}
	leave, err := take(w.ctx, w.run.store.places.fence)
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
		return errAnew
	}
	w.fences = nil
	p := &passage{ids: ids, at: list.ResourceVersion, whole: list.Continue == ""}
	if left := list.RemainingItemCount; left != nil && *left <= (fencePages-1)*int64(w.run.store.config.PageSize) {
		p.next = list.Continue
	}
	if (p.whole || p.next != "") && compare(w.position, p.at) < 0 {
		if err := w.gather(p, list.Items); err != nil {
			return err
		}
	}
	w.passing = p
	w.setAlarm()
	return w.passFence()
}

// gather adds objects to a fence's page.
func (w *worker) gather(p *passage, items []metav1.PartialObjectMetadata) error {
	for i := range items {
		if v := items[i].ResourceVersion; p.newest == "" || compare(v, p.newest) > 0 {
			p.newest = v
		}
	}
	puts, err := w.puts(items)
	p.page = append(p.page, puts...)
	return err
}

// setAlarm has a fence helped that takes long.
func (w *worker) setAlarm() {
	if w.passing.whole {
		w.alarm.Reset(fencePatience)
		return
	}
	w.alarm.Reset(pagePatience)
}

// readOn reads the rest of the kind, as it was when the fence began.
func (w *worker) readOn() error {
	p := w.passing
	for p.next != "" {
		list, err := w.listPage(p.next, int64(w.run.store.config.PageSize))
		if err != nil {
			return err
		}
		if err := w.gather(p, list.Items); err != nil {
			return err
		}
		p.next = list.Continue
	}
	p.whole = true
	w.setAlarm()
	return w.passFence()
}

// passFence lets a fence pass if the kind has got there. A whole page tells as
// much as the watch will; it waits for the watch only to have shown everything
// that is in it, lest a listing brings what the watch was about to.
func (w *worker) passFence() error {
	p := w.passing
	switch {
	case p == nil:
		return nil
	case !ordered(w.position):
		return errAnew
	case compare(w.position, p.at) >= 0:
		return w.passed()
	case p.whole && (p.newest == "" || compare(w.position, p.newest) >= 0):
		return w.showPage()
	}
	return nil
}

// hurryFence is called when a fence takes long.
func (w *worker) hurryFence() error {
	p := w.passing
	switch {
	case p == nil:
		return nil
	case p.whole:
		return w.showPage()
	case p.next != "":
		return w.readOn()
	case !p.short:
		p.short = true
		w.alarm.Reset(shortPatience)
		return errShort
	}
	return errAnew
}

// showPage reports the page as a listing. What the watch has still to say up to
// its version is in it.
func (w *worker) showPage() error {
	p := w.passing
	if err := w.emit(w.listed(p.page, p.at)...); err != nil {
		return err
	}
	w.position, w.floor = p.at, p.at
	return w.passed()
}

func (w *worker) passed() error {
	ids := w.passing.ids
	w.passing = nil
	w.alarm.Stop()
	return w.emit(passedEvents(w.kind, ids)...)
}

func passedEvents(kind graph.Kind, ids []uint64) []graph.Event {
	out := make([]graph.Event, len(ids))
	for i, id := range ids {
		out[i] = graph.Event{Type: graph.FencePassed, Kind: kind, Fence: id}
	}
	return out
}
