package server

import "github.com/ownergraph/ownergraph/graph"

// Stage stores new versions of objects that are there, and returns their changes. No
// watch hears of them before Announce. So a measurement of the watches has no part of
// the work on the tables.
func (s *Server) Stage(objects []graph.Object) []Change {
	out := make([]Change, 0, len(objects))
	s.changed.Store(true)
	for _, o := range objects {
		now, sh := s.record(o), s.tables[o.Kind]
		sh.mu.Lock()
		at := placeOf(o.Key)
		out = append(out, Change{Old: sh.objects[at], New: now})
		sh.objects[at] = now
		sh.mu.Unlock()
	}
	for _, f := range *s.feeds.Load() {
		f.reserve(len(out))
	}
	return out
}

// Announce gives every watch staged changes, all at once.
func (s *Server) Announce(changes []Change) {
	for _, f := range *s.feeds.Load() {
		f.add(changes...)
	}
}
