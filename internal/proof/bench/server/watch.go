package server

import (
	"context"
	"slices"
	"sync"
)

// Change is one report of a watch. New says that an object was put, and Old is nil in
// the listing. Old alone says that it is gone. A fence has passed if neither is set.
type Change struct {
	Old, New *Record
	Fence    uint64
}

// feed has the pending changes of one watch. Its two buffers take turns, so a watch
// that is as fast as the writers allocates nothing.
type feed struct {
	mu    sync.Mutex
	queue []Change
	spare []Change
	ready chan struct{}
}

func (f *feed) add(c Change) {
	f.mu.Lock()
	f.queue = append(f.queue, c)
	first := len(f.queue) == 1
	f.mu.Unlock()
	if first {
		select {
		case f.ready <- struct{}{}:
		default:
		}
	}
}

func (f *feed) take() []Change {
	f.mu.Lock()
	defer f.mu.Unlock()
	out := f.queue
	f.queue, f.spare = f.spare[:0], out
	return out
}

// Watch gives list all loaded objects that are still there, in that order. Then it
// gives next each change, from one goroutine, until ctx or an error of either ends it.
func (s *Server) Watch(ctx context.Context, list func([]*Record) error, next func(Change) error) error {
	f := &feed{ready: make(chan struct{}, 1)}
	now := s.join(f)
	defer s.leave(f)
	if err := list(now); err != nil {
		return err
	}
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-f.ready:
		}
		changes := f.take()
		for i := range changes {
			if err := next(changes[i]); err != nil {
				return err
			}
		}
		clear(changes)
	}
}

// join adds a feed at one moment, and returns the objects of that moment.
func (s *Server) join(f *feed) []*Record {
	for _, k := range s.cfg.Kinds {
		sh := s.tables[k.Kind]
		sh.mu.Lock()
		defer sh.mu.Unlock()
	}
	s.alter(func(list []*feed) []*feed { return append(list, f) })
	var now []*Record
	for _, k := range s.loaded {
		if r := s.tables[k.Kind].objects[placeOf(k)]; r != nil && r.Object.UID == k.UID {
			now = append(now, r)
		}
	}
	return now
}

func (s *Server) leave(f *feed) {
	s.alter(func(list []*feed) []*feed {
		return slices.DeleteFunc(list, func(g *feed) bool { return g == f })
	})
}

func (s *Server) alter(change func([]*feed) []*feed) {
	s.feeding.Lock()
	defer s.feeding.Unlock()
	list := change(slices.Clone(*s.feeds.Load()))
	s.feeds.Store(&list)
}
