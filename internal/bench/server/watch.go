package server

import (
	"context"
	"slices"
	"sync"
)

// Change is what a watch tells: an object was put (New; Old is nil in the
// listing), it is gone (Old alone), or a fence has passed.
type Change struct {
	Old, New *Record
	Fence    uint64
}

// feed is what one watch has still to tell. Its two buffers take turns, so a
// watch that is as fast as the writers allocates nothing.
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

// Watch tells list everything that was loaded and is still held, in that order,
// and then each change to next, from one goroutine, until ctx or an error of
// either ends it.
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

// join adds a feed at one moment, and returns what is held at that moment.
func (s *Server) join(f *feed) []*Record {
	for _, k := range s.cfg.Kinds {
		sh := s.shelves[k.Kind]
		sh.mu.Lock()
		defer sh.mu.Unlock()
	}
	s.alter(func(list []*feed) []*feed { return append(list, f) })
	var now []*Record
	for _, k := range s.loaded {
		if r := s.shelves[k.Kind].objects[placeOf(k)]; r != nil && r.Object.UID == k.UID {
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
