package fault

import (
	"fmt"

	"github.com/ownergraph/ownergraph"
)

const (
	mostPlaces = 1024 // of which a past is kept
	mostStates = 4    // of each
)

// past holds the states that objects had, for stale reads: by place, the oldest
// first.
type past map[ownergraph.Key][]ownergraph.Object

// remember notes a state of an object.
func (s *Store) remember(o ownergraph.Object) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.keep(o)
}

// keep is remember with the lock held.
func (s *Store) keep(o ownergraph.Object) {
	if !s.conf.Plan.Has(Stale) {
		return
	}
	if s.past == nil || len(s.past) >= mostPlaces {
		s.past = past{}
	}
	states := s.past[o.Place()]
	if n := len(states); n > 0 && states[n-1].Equal(o) {
		return
	}
	states = append(states, o.Clone())
	s.past[o.Place()] = states[max(0, len(states)-mostStates):]
}

// lie answers a read against the contract, if there is a way to.
func (s *Store) lie(f Fault, c call, o ownergraph.Object, err error) (ownergraph.Object, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if f == Absent && err == nil {
		s.note(f, c.String())
		return ownergraph.Object{}, fmt.Errorf("%s: %w", c, ownergraph.ErrNotFound)
	}
	if f == Stale {
		states := s.past[c.key.Place()]
		for i := len(states) - 1; i >= 0; i-- {
			if !states[i].Equal(o) {
				s.note(f, c.String()+": "+states[i].String())
				return states[i].Clone(), nil
			}
		}
	}
	if err != nil {
		return ownergraph.Object{}, err
	}
	s.keep(o)
	return o, nil
}
