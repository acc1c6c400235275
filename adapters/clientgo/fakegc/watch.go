package fakegc

import (
	"context"
	"fmt"
	"maps"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/ownergraph/ownergraph/graph"
)

// watching is one running Watch. The store's lock guards it.
type watching struct {
	anew   bool                // everything has to be listed
	asked  map[graph.Kind]bool // these have to
	queue  []graph.Event       // what was written since
	fences []uint64

	infos []graph.KindInfo        // as told
	told  map[graph.Key]graph.UID // what is where, as told or in the queue
}

const (
	maxFences = 64     // that one watch has pending; the newest stay
	maxQueue  = 10_000 // changes that it is behind; then it lists anew
)

// Watch lists every kind, and then reports every write that is made through the
// store's client, until ctx ends, sink returns an error, or the fake client does.
// It calls sink from the caller's goroutine, without the store's lock.
func (s *Store) Watch(ctx context.Context, sink func(graph.Event) error) error {
	w := &watching{anew: true, asked: map[graph.Kind]bool{}, told: map[graph.Key]graph.UID{}}
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
		events, idle, err := s.look(ctx, w)
		if err != nil {
			return fmt.Errorf("watch: %w", err)
		}
		for _, e := range events {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := sink(e); err != nil {
				return fmt.Errorf("watch: sink: %w", err)
			}
		}
		select {
		case <-ctx.Done():
		case <-idle:
		}
	}
}

// look returns what there is to report, as it is at one moment, and a channel that
// is closed when there is more.
func (s *Store) look(ctx context.Context, w *watching) ([]graph.Event, <-chan struct{}, error) {
	ctx, unlock := s.lock(ctx)
	defer unlock()
	lists, err := s.listFor(ctx, w)
	if err != nil {
		return nil, nil, err
	}
	events := append(s.tellKinds(w), w.queue...)
	for _, name := range slices.Sorted(maps.Keys(lists)) {
		events = append(events, s.tellList(w, s.kinds[name], lists[name])...)
	}
	for _, id := range w.fences {
		for _, info := range w.infos {
			events = append(events, graph.Event{Type: graph.FencePassed, Kind: info.Kind, Fence: id})
		}
		events = append(events, graph.Event{Type: graph.FencePassed, Fence: id})
	}
	w.anew, w.queue, w.fences = false, nil, nil
	clear(w.asked)
	if s.changed == nil {
		s.changed = make(chan struct{})
	}
	return events, s.changed, nil
}

// listFor lists what a watch has to list, and again if that has taught more of
// the kinds.
func (s *Store) listFor(ctx context.Context, w *watching) (map[graph.Kind][]*partial, error) {
	for {
		before := s.renewals
		lists := map[graph.Kind][]*partial{}
		for _, k := range s.sortedKinds() {
			if !w.anew && !w.asked[k.info.Kind] {
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

// tellKinds reports the set of kinds if it has changed.
func (s *Store) tellKinds(w *watching) []graph.Event {
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

func (s *Store) tellList(w *watching, k *kind, items []*partial) []graph.Event {
	maps.DeleteFunc(w.told, func(at graph.Key, _ graph.UID) bool { return at.Kind == k.info.Kind })
	out := []graph.Event{{Type: graph.ListBegun, Kind: k.info.Kind}}
	for _, m := range items {
		o := s.objectOf(k, m)
		w.told[o.Place()] = o.UID
		out = append(out, graph.Event{Type: graph.Put, Object: o})
	}
	return append(out, graph.Event{Type: graph.ListEnded, Kind: k.info.Kind})
}

// touch has every watch report what is at a place now. The lock is held.
func (s *Store) touch(ctx context.Context, k *kind, namespace, name string) {
	if len(s.watches) == 0 {
		return
	}
	m, err := s.read(ctx, k, namespace, name)
	for w := range s.watches {
		switch {
		case w.anew || w.asked[k.info.Kind]: // a listing will show it
		case err != nil && !apierrors.IsNotFound(err), len(w.queue) > maxQueue:
			w.anew, w.queue = true, nil
		case err != nil:
			w.add(graph.Key{Kind: k.info.Kind, Scope: namespace, Name: name}, nil)
		default:
			o := s.objectOf(k, m)
			w.add(o.Place(), &o)
		}
	}
	s.wake()
}

// add enqueues what is at a place now, nil for nothing, and that what was there
// is gone.
func (w *watching) add(at graph.Key, now *graph.Object) {
	if old, was := w.told[at]; was && (now == nil || now.UID != old) {
		delete(w.told, at)
		gone := at
		gone.UID = old
		w.queue = append(w.queue, graph.Event{Type: graph.Gone, Key: gone})
	}
	if now != nil {
		w.told[at] = now.UID
		w.queue = append(w.queue, graph.Event{Type: graph.Put, Object: now.Clone()})
	}
}

// renew has every watch list everything: references may mean something else. The
// lock is held.
func (s *Store) renew() {
	s.renewals++
	for w := range s.watches {
		w.anew, w.queue = true, nil
	}
	s.wake()
}

func (s *Store) wake() {
	if s.changed != nil {
		close(s.changed)
		s.changed = nil
	}
}

// Fence reports through every watch that runs now when it has looked at all that
// was written before. It returns at once.
func (s *Store) Fence(ctx context.Context, id uint64) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	_, unlock := s.lock(ctx)
	defer unlock()
	for w := range s.watches {
		w.fences = append(w.fences, id)
		w.fences = w.fences[max(0, len(w.fences)-maxFences):]
	}
	s.wake()
	return nil
}

// List has every watch that runs now list a kind anew. ErrKindUnknown for one
// that the scheme does not know.
func (s *Store) List(ctx context.Context, name graph.Kind) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	_, unlock := s.lock(ctx)
	defer unlock()
	if s.kinds[name] == nil {
		return fmt.Errorf("list kind %s: %w", name, graph.ErrKindUnknown)
	}
	for w := range s.watches {
		w.asked[name] = true
	}
	s.wake()
	return nil
}
