package fakegc

import (
	"context"
	"fmt"
	"maps"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/ownergraph/ownergraph/graph"
)

// watch is one running Watch. The store's lock guards it.
type watch struct {
	listAll bool                // list every kind
	relist  map[graph.Kind]bool // list these kinds
	queue   []graph.Event       // the writes since then
	fences  []uint64

	infos    []graph.KindInfo        // as reported
	reported map[graph.Key]graph.UID // the UID at each place, as reported or queued
}

const (
	maxFences = 64     // pending in one watch; the newest stay
	maxBatch  = 500    // events for one call of the sink
	maxQueue  = 10_000 // pending changes; above it the watch lists anew
)

// Watch lists every kind, and then reports every write through the store's client. It
// ends when ctx ends, or when sink or the fake client returns an error. It calls sink
// from the caller's goroutine, without the store's lock.
func (s *store) Watch(ctx context.Context, sink func(batch []graph.Event) error) error {
	w := &watch{listAll: true, relist: map[graph.Kind]bool{}, reported: map[graph.Key]graph.UID{}}
	_, unlock := s.lock(ctx)
	s.watches[w] = struct{}{}
	unlock()
	defer func() {
		_, unlock := s.lock(ctx)
		defer unlock()
		delete(s.watches, w)
	}()
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		events, idle, err := s.next(ctx, w)
		if err != nil {
			return fmt.Errorf("watch: %w", err)
		}
		for batch := range slices.Chunk(events, maxBatch) {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := sink(batch); err != nil {
				return fmt.Errorf("watch: sink: %w", err)
			}
		}
		select {
		case <-ctx.Done():
		case <-idle:
		}
	}
}

// next returns the events to report, which are of one moment. It also returns a channel
// that is closed at the next change.
func (s *store) next(ctx context.Context, w *watch) ([]graph.Event, <-chan struct{}, error) {
	ctx, unlock := s.lock(ctx)
	defer unlock()
	lists, err := s.listFor(ctx, w)
	if err != nil {
		return nil, nil, err
	}
	events := append(s.reportKinds(w), w.queue...)
	for _, name := range slices.Sorted(maps.Keys(lists)) {
		events = append(events, s.reportList(w, s.kinds[name], lists[name])...)
	}
	for _, token := range w.fences {
		for _, info := range w.infos {
			events = append(events, graph.Event{Type: graph.FencePassed, Kind: info.Kind, Fence: token})
		}
		events = append(events, graph.Event{Type: graph.FencePassed, Fence: token})
	}
	w.listAll, w.queue, w.fences = false, nil, nil
	clear(w.relist)
	if s.changed == nil {
		s.changed = make(chan struct{})
	}
	return events, s.changed, nil
}

// listFor lists the kinds that a watch must list. It lists them again if the listings
// changed the set of kinds.
func (s *store) listFor(ctx context.Context, w *watch) (map[graph.Kind][]*partial, error) {
	for {
		before := s.renewals
		lists := map[graph.Kind][]*partial{}
		for _, k := range s.sortedKinds() {
			if !w.listAll && !w.relist[k.info.Kind] {
				continue
			}
			items, err := s.list(ctx, k)
			if err != nil {
				return nil, err
			}
			lists[k.info.Kind] = items
		}
		if s.renewals == before {
			return lists, nil
		}
	}
}

// reportKinds reports the set of kinds if it has changed.
func (s *store) reportKinds(w *watch) []graph.Event {
	infos := s.infos()
	if slices.Equal(infos, w.infos) {
		return nil
	}
	var out []graph.Event
	for _, was := range w.infos {
		if !slices.Contains(infos, was) {
			out = append(out, graph.Event{Type: graph.KindVanished, Kind: was.Kind})
		}
	}
	w.infos = infos
	return append(out, graph.Event{Type: graph.KindsKnown, Kinds: slices.Clone(infos)})
}

func (s *store) reportList(w *watch, k *kind, items []*partial) []graph.Event {
	maps.DeleteFunc(w.reported, func(at graph.Key, _ graph.UID) bool { return at.Kind == k.info.Kind })
	out := []graph.Event{{Type: graph.ListBegun, Kind: k.info.Kind}}
	for _, m := range items {
		o := s.objectOf(k, m)
		w.reported[o.Place()] = o.UID
		out = append(out, graph.Event{Type: graph.Put, Object: o})
	}
	return append(out, graph.Event{Type: graph.ListEnded, Kind: k.info.Kind})
}

// touch makes every watch report the present object at a place. The caller has the lock.
func (s *store) touch(ctx context.Context, k *kind, namespace, name string) {
	if len(s.watches) == 0 {
		return
	}
	m, err := s.read(ctx, k, namespace, name)
	for w := range s.watches {
		switch {
		case w.listAll || w.relist[k.info.Kind]: // a listing will report it
		case err != nil && !apierrors.IsNotFound(err), len(w.queue) > maxQueue:
			w.listAll, w.queue = true, nil
		case err != nil:
			w.add(graph.Key{Kind: k.info.Kind, Scope: namespace, Name: name}, nil)
		default:
			o := s.objectOf(k, m)
			w.add(o.Place(), &o)
		}
	}
	s.wake()
}

// add queues the present object at a place, nil for none. It also queues the removal of
// the former object.
func (w *watch) add(at graph.Key, now *graph.Object) {
	if old, was := w.reported[at]; was && (now == nil || now.UID != old) {
		delete(w.reported, at)
		gone := at
		gone.UID = old
		w.queue = append(w.queue, graph.Event{Type: graph.Gone, Key: gone})
	}
	if now != nil {
		w.reported[at] = now.UID
		w.queue = append(w.queue, graph.Event{Type: graph.Put, Object: now.Clone()})
	}
}

// renew makes every watch list every kind, because references may have another meaning.
// The caller has the lock.
func (s *store) renew() {
	s.renewals++
	for w := range s.watches {
		w.listAll, w.queue = true, nil
	}
	s.wake()
}

func (s *store) wake() {
	if s.changed != nil {
		close(s.changed)
		s.changed = nil
	}
}

// Fence makes every running watch report FencePassed after all earlier writes. It
// returns a new token at once.
func (s *store) Fence(ctx context.Context) (token uint64, err error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	_, unlock := s.lock(ctx)
	defer unlock()
	s.token++
	for w := range s.watches {
		w.fences = append(w.fences, s.token)
		w.fences = w.fences[max(0, len(w.fences)-maxFences):]
	}
	s.wake()
	return s.token, nil
}

// List makes every running watch list a kind anew. It returns ErrKindUnknown for a kind
// that the scheme lacks.
func (s *store) List(ctx context.Context, name graph.Kind) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	_, unlock := s.lock(ctx)
	defer unlock()
	if s.kinds[name] == nil {
		return fmt.Errorf("list kind %s: %w", name, graph.ErrKindUnknown)
	}
	for w := range s.watches {
		w.relist[name] = true
	}
	s.wake()
	return nil
}
