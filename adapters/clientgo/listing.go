package clientgo

import (
	"context"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/ownergraph/ownergraph/graph"
)

// list lists the kind and returns the watch that goes on from there. It reports each
// page before it reads the next one. All waiting fences pass with the listing, because
// it is consistent and begins after them.
//
// list requests a stream if the server supports it. A stream is one request, and no
// page is held in memory.
func (w *worker) list() (*connection, error) {
	at := w.run.store.slots.healthy
	if w.failed != "" {
		at = w.run.store.slots.failed
	}
	leave, err := acquire(w.ctx, at)
	if err != nil {
		return nil, err
	}
	defer leave()
	w.reset()
	if !w.pages && !w.run.store.config.NoStreaming {
		c, err := w.stream()
		if err == nil || !refusesStream(err) {
			return c, err
		}
		w.pages = true
	}
	if err := w.listPages(); err != nil {
		return nil, err
	}
	return w.watch(w.position, nil)
}

// reset clears the state that the listing replaces.
func (w *worker) reset() {
	w.epoch, _ = w.run.store.history.epoch()
	w.complete, w.pageVersion, w.nextShort, w.short = false, "", false, false
	if p := w.fence; p != nil {
		w.fences = keepNewest(append(p.ids, w.fences...))
		w.fence = nil
		w.fenceTimer.Stop()
	}
	clear(w.meanings)
	w.meaningsFull = false
}

// end reports that the listing is complete, at a version.
func (w *worker) end(version string) error {
	ids := w.fences
	w.fences = nil
	w.position, w.complete, w.listedAt = version, true, time.Now()
	out := []graph.Event{{Type: graph.ListEnded, Kind: w.kind, Version: graph.Version(version)}}
	if w.discoveryReason != "" { // discovery of the group is incomplete
		w.fences, ids = ids, nil
	}
	return w.emit(append(out, passedEvents(w.kind, ids)...)...)
}

func (w *worker) listPages() error {
	next, size := "", int64(w.run.store.config.PageSize)
	for begun := false; ; begun = true {
		page, err := w.listPage(next, size)
		if err != nil {
			return err
		}
		events, err := w.puts(page.Items)
		if err != nil {
			return err
		}
		if !begun {
			if err := w.beginListing(); err != nil {
				return err
			}
		}
		if err := w.emitPages(events); err != nil {
			return err
		}
		if next = page.Continue; next == "" {
			return w.end(page.ResourceVersion)
		}
	}
}

// beginListing reports that a listing begins. The kind is then in service.
func (w *worker) beginListing() error {
	if err := w.markHealthy(); err != nil {
		return err
	}
	return w.emit(graph.Event{Type: graph.ListBegun, Kind: w.kind})
}

// listPage reads one page of a consistent listing, and checks for a rewind. The page
// never comes from a cache that may be behind. Later pages have the version of the
// first.
func (w *worker) listPage(next string, size int64) (*metav1.PartialObjectMetadataList, error) {
	least := ""
	if next == "" {
		least = w.run.store.history.observed(w.kind)
	}
	ctx, cancel := context.WithTimeout(w.ctx, pageTimeout)
	defer cancel()
	page, err := w.run.store.client.list(ctx, w.at, metav1.ListOptions{Limit: size, Continue: next})
	if err != nil {
		return nil, err
	}
	return page, w.observe(page.ResourceVersion, least)
}

// listingEvents returns a whole listing as events.
func (w *worker) listingEvents(puts []graph.Event, version string) []graph.Event {
	out := make([]graph.Event, 0, len(puts)+2)
	out = append(out, graph.Event{Type: graph.ListBegun, Kind: w.kind})
	out = append(out, puts...)
	return append(out, graph.Event{Type: graph.ListEnded, Kind: w.kind, Version: graph.Version(version)})
}

// stream lists the kind by a watch that begins with all objects. A bookmark ends the
// listing.
func (w *worker) stream() (*connection, error) {
	yes := true
	least := w.run.store.history.observed(w.kind)
	c, err := w.watch("", &metav1.ListOptions{
		SendInitialEvents: &yes, ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan, AllowWatchBookmarks: true,
	})
	if err != nil {
		return nil, err
	}
	if err := w.readStream(c, least); err != nil {
		c.close()
		return nil, err
	}
	return c, nil
}

// readStream reports the events of a stream until its listing is complete. It reports
// the begin of the listing with the first event. Otherwise the kind of a server that
// sends nothing valid would seem in service.
func (w *worker) readStream(c *connection, least string) error {
	s := streamed{worker: w, least: least}
	silence := time.NewTimer(streamSilence)
	defer silence.Stop()
	for {
		select {
		case <-w.ctx.Done():
			return w.ctx.Err()
		case <-silence.C:
			w.pages = true // the server does not know the option, or cannot stream the kind
			return fmt.Errorf("list %s: nothing for %v", w.at.GroupResource(), streamSilence)
		case e, ok := <-c.ResultChan():
			if !ok {
				return errEnded
			}
			silence.Reset(streamSilence)
			if complete, err := s.add(e); err != nil || complete {
				return err
			}
		}
	}
}

// streamed is a listing that comes as a stream.
type streamed struct {
	*worker
	least string // the version that the listing must reach
	batch []graph.Event
	begun bool
}

// add adds one event, and reports whether the listing is complete.
func (s *streamed) add(e watch.Event) (complete bool, err error) {
	m, err := metadataOf(e)
	if err != nil {
		return false, err
	}
	defer s.run.store.client.codec.release(m)
	if e.Type == watch.Bookmark {
		if m.Annotations[metav1.InitialEventsAnnotationKey] != "true" {
			return false, nil
		}
		if err := s.observe(m.ResourceVersion, s.least); err != nil {
			return false, err
		}
		if err := s.flush(); err != nil {
			return false, err
		}
		return true, s.end(m.ResourceVersion)
	}
	out, err := s.event(e.Type, m)
	if err != nil {
		return false, err
	}
	if s.batch == nil {
		s.batch = s.run.newBatch()
	}
	if s.batch = append(s.batch, out); len(s.batch) < maxBatch {
		return false, nil
	}
	return false, s.flush()
}

func (s *streamed) flush() error {
	if !s.begun {
		s.begun = true
		if err := s.beginListing(); err != nil {
			return err
		}
	}
	if len(s.batch) == 0 {
		return nil
	}
	batch := s.batch
	s.batch = nil
	return s.handEvents(batch)
}

// puts returns the objects of a page as events.
func (w *worker) puts(items []metav1.PartialObjectMetadata) ([]graph.Event, error) {
	out := make([]graph.Event, len(items))
	for i := range items {
		e, err := w.event(watch.Added, &items[i])
		if err != nil {
			return nil, err
		}
		out[i] = e
	}
	return out, nil
}

// maxMeanings bounds the distinct references of a kind's objects. Above it, any change
// of the kinds makes the worker list the kind anew.
const maxMeanings = 4096

// event converts an event of the watch.
func (w *worker) event(t watch.EventType, m *metav1.PartialObjectMetadata) (graph.Event, error) {
	if t == watch.Bookmark {
		return graph.Event{Type: graph.Progress, Kind: w.kind, Version: graph.Version(m.ResourceVersion)}, nil
	}
	if !identified(m) {
		return graph.Event{}, fmt.Errorf("%s %q: %w: no name, UID or version", w.at.GroupResource(), m.Name, errNoMetadata)
	}
	if t == watch.Deleted {
		return graph.Event{Type: graph.Gone, Key: graph.Key{Kind: w.kind, Scope: intern(m.Namespace), Name: m.Name, UID: graph.UID(m.UID)}}, nil
	}
	w.recordMeanings(m.OwnerReferences)
	if refs, _ := annotated(w.kind, m); len(refs) > 0 { // the conversion reports the fault of a value
		list := make([]metav1.OwnerReference, len(refs))
		for i := range refs {
			list[i] = ownerReference(&refs[i])
		}
		w.recordMeanings(list)
	}
	w.run.store.warnGrace(w.kind, m)
	o := w.catalog.objectOf(w.kind, m)
	w.run.store.layouts.record(o, m)
	return graph.Event{Type: graph.Put, Object: o}, nil
}

// recordMeanings records the meanings of references. When a meaning changes, the worker
// lists the kind anew.
func (w *worker) recordMeanings(refs []metav1.OwnerReference) {
	for i := range refs {
		gvk := gvkOf(&refs[i])
		if _, ok := w.meanings[gvk]; ok {
			continue
		}
		if len(w.meanings) >= maxMeanings {
			w.meaningsFull = true
			continue
		}
		w.meanings[schema.GroupVersionKind{Group: intern(gvk.Group), Version: intern(gvk.Version), Kind: intern(gvk.Kind)}] = w.catalog.resolve(gvk)
	}
}
