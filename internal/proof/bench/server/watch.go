package server

import (
	"context"
	"slices"
	"sync"

	"github.com/ownergraph/ownergraph/graph"
)

// Change is one report of a watch. New says that an object was put, and Old is nil in
// the listing. Old alone says that it is gone. A fence has passed if neither is set.
type Change struct {
	Old, New *Record
	Fence    uint64
}

// MaxPage is the number of objects in a page of a listing.
const MaxPage = 500

// Page is a part of the listing of a watch. The receiver does not change it.
type Page struct {
	Records []*Record
	Ended   []graph.Kind // the kinds without an object on a later page
}

// feed has the pending changes of one watch. Its two buffers take turns, so a watch
// that is as fast as the writers allocates nothing.
type feed struct {
	mu    sync.Mutex
	queue []Change
	spare []Change
	busy  bool // the watch works on the last changes that it took
	ready chan struct{}
}

func (f *feed) add(c ...Change) {
	f.mu.Lock()
	first := len(f.queue) == 0
	f.queue = append(f.queue, c...)
	f.mu.Unlock()
	if first {
		select {
		case f.ready <- struct{}{}:
		default:
		}
	}
}

// take returns the pending changes, and ends the work on the former ones.
func (f *feed) take() []Change {
	f.mu.Lock()
	defer f.mu.Unlock()
	out := f.queue
	f.queue, f.spare, f.busy = f.spare[:0], out, len(out) > 0
	return out
}

// reserve makes room for n changes in both buffers, so that their growth is no part of
// a measurement.
func (f *feed) reserve(n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.queue, f.spare = slices.Grow(f.queue, n), slices.Grow(f.spare[:0], n)
}

func (f *feed) idle() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return !f.busy && len(f.queue) == 0
}

// Delivered reports whether no watch has pending changes, and none works on changes.
func (s *Server) Delivered() bool {
	return !slices.ContainsFunc(*s.feeds.Load(), func(f *feed) bool { return !f.idle() })
}

// Watch gives list the pages of all loaded objects that are still there. They are in
// the order of their loading. Then it gives next all pending changes, again and again,
// from one goroutine, until ctx or an error of either ends it. Next does not keep them.
func (s *Server) Watch(ctx context.Context, list func([]Page) error, next func([]Change) error) error {
	f := &feed{ready: make(chan struct{}, 1)}
	now := s.join(f)
	defer s.leave(f)
	if err := list(s.pages(now)); err != nil {
		return err
	}
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-f.ready:
		}
		for changes := f.take(); len(changes) > 0 && ctx.Err() == nil; changes = f.take() {
			if err := next(changes); err != nil {
				return err
			}
			clear(changes)
		}
	}
}

// pages cuts a listing into pages. With Config.ByKind a page has objects of one kind.
func (s *Server) pages(list []*Record) []Page {
	out := make([]Page, 0, len(list)/MaxPage+1)
	for len(list) > 0 {
		n := 1
		for n < min(MaxPage, len(list)) && (!s.cfg.ByKind || list[n].Object.Kind == list[0].Object.Kind) {
			n++
		}
		out, list = append(out, Page{Records: list[:n:n]}), list[n:]
	}
	if len(out) == 0 {
		out = append(out, Page{})
	}
	last := map[graph.Kind]int{} // the kind's last page
	for i, p := range out {
		if s.cfg.ByKind && len(p.Records) > 0 {
			last[p.Records[0].Object.Kind] = i
		}
	}
	for _, k := range s.cfg.Kinds {
		at, ok := last[k.Kind]
		if !ok {
			at = len(out) - 1
		}
		out[at].Ended = append(out[at].Ended, k.Kind)
	}
	return out
}

// join adds a feed at one moment, and returns the objects of that moment.
func (s *Server) join(f *feed) []*Record {
	for _, k := range s.cfg.Kinds {
		sh := s.tables[k.Kind]
		sh.mu.Lock()
		defer sh.mu.Unlock()
	}
	s.alter(func(list []*feed) []*feed { return append(list, f) })
	if !s.changed.Load() {
		return s.loaded // a look at each table would be a large part of a listing's time
	}
	var now []*Record
	for _, old := range s.loaded {
		k := old.Object.Key
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
