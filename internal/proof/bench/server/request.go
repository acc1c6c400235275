package server

import (
	"github.com/ownergraph/ownergraph/finalizer"
	"github.com/ownergraph/ownergraph/graph"
)

// Get returns the object at the coordinates, with any UID. It fails with ErrNotFound or
// ErrKindUnknown.
func (s *Server) Get(at graph.Key) (*Record, error) {
	s.request(Get)
	sh := s.tables[at.Kind]
	if sh == nil {
		return nil, graph.ErrKindUnknown
	}
	sh.mu.RLock()
	defer sh.mu.RUnlock()
	r := sh.objects[placeOf(at)]
	if r == nil {
		return nil, graph.ErrNotFound
	}
	return r, nil
}

// Delete is one request of a collector. It fails with the errors of finalizer.Delete,
// without its text, ErrNotFound or ErrKindUnknown.
func (s *Server) Delete(at graph.Key, opts graph.DeleteOptions) error {
	s.request(Delete)
	return s.Remove(at, opts)
}

// Remove is Delete by a user. It is not counted and takes no time.
func (s *Server) Remove(at graph.Key, opts graph.DeleteOptions) error {
	sh := s.tables[at.Kind]
	if sh == nil {
		return graph.ErrKindUnknown
	}
	sh.mu.Lock()
	defer sh.mu.Unlock()
	return s.remove(sh, at, opts)
}

// remove deletes an object of a table that is locked.
func (s *Server) remove(sh *kindTable, at graph.Key, opts graph.DeleteOptions) error {
	live := sh.objects[placeOf(at)]
	switch {
	case live == nil:
		return graph.ErrNotFound
	case !opts.Precondition.Holds(live.Object):
		return graph.ErrConflict
	}
	simple := opts.Propagation == graph.Background || opts.Propagation == graph.Unset
	if simple && opts.GraceSeconds == nil && len(live.Object.Finalizers) == 0 {
		s.commit(sh, live, nil) // as finalizer.Delete says, without its copies
		return nil
	}
	out, err := finalizer.Delete(live.Object, opts, graph.Background)
	if err != nil {
		return err
	}
	s.applyOutcome(sh, live, out)
	return nil
}

// Patch is one request of a collector. It fails with the errors of finalizer.Patch,
// ErrNotFound or ErrKindUnknown.
func (s *Server) Patch(at graph.Key, pre graph.Precondition, change graph.Change) error {
	_, err := s.Edit(at, func(o graph.Object) (finalizer.Outcome, error) { return finalizer.Patch(o, pre, change) })
	return err
}

// Edit is a patch whose meaning depends on the live object, in one atomic step. It
// returns the present object, or the last one.
func (s *Server) Edit(at graph.Key, edit func(live graph.Object) (finalizer.Outcome, error)) (*Record, error) {
	s.request(Patch)
	sh := s.tables[at.Kind]
	if sh == nil {
		return nil, graph.ErrKindUnknown
	}
	sh.mu.Lock()
	defer sh.mu.Unlock()
	return s.edit(sh, at, edit)
}

// edit changes an object of a table that is locked.
func (s *Server) edit(sh *kindTable, at graph.Key, edit func(live graph.Object) (finalizer.Outcome, error)) (*Record, error) {
	live := sh.objects[placeOf(at)]
	if live == nil {
		return nil, graph.ErrNotFound
	}
	out, err := edit(live.Object)
	if err != nil {
		return nil, err
	}
	return s.applyOutcome(sh, live, out), nil
}

// applyOutcome carries an outcome out. The table is locked.
func (s *Server) applyOutcome(sh *kindTable, live *Record, out finalizer.Outcome) *Record {
	switch out.Effect {
	case finalizer.Stored:
		out.Object.Version = s.next()
		now := s.record(out.Object)
		s.commit(sh, live, now)
		return now
	case finalizer.Removed:
		s.commit(sh, live, nil)
	}
	return live
}

// commit replaces live by now, or removes it, and tells every watch. The table is
// locked, so that the watches see each kind in order.
func (s *Server) commit(sh *kindTable, live, now *Record) {
	at := placeOf(live.Object.Key)
	if !s.changed.Load() {
		s.changed.Store(true)
	}
	if now != nil {
		sh.objects[at] = now
	} else {
		delete(sh.objects, at)
		if s.stored.Add(-1) == s.goal.Load() {
			close(s.reached)
		}
	}
	for _, f := range *s.feeds.Load() {
		f.add(Change{Old: live, New: now})
	}
}

// Fence is one request of a collector for each kind. Every running watch reports it
// behind all changes that were committed before. It returns the token of the fence.
func (s *Server) Fence() (token uint64) {
	token = s.fences.Add(1)
	for range s.cfg.Kinds {
		s.request(Fence)
	}
	for _, f := range *s.feeds.Load() {
		f.add(Change{Fence: token})
	}
	return token
}
