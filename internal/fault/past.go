package fault

import (
	"fmt"

	"github.com/ownergraph/ownergraph"
)

const (
	maxPlaces = 1024 // whose states are kept
	maxStates = 4    // of each
)

// past has the former states of objects for stale reads: by place, the oldest
// first.
type past map[ownergraph.Key][]ownergraph.Object

// remember notes a state of an object.
func (s *Store) remember(o ownergraph.Object) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rememberLocked(o)
}

// rememberLocked is remember under the lock.
func (s *Store) rememberLocked(o ownergraph.Object) {
	if !s.conf.Plan.Has(Stale) {
		return
	}
	if s.past == nil || len(s.past) >= maxPlaces {
		s.past = past{}
	}
	states := s.past[o.Place()]
	if n := len(states); n > 0 && states[n-1].Equal(o) {
		return
	}
	states = append(states, o.Clone())
	s.past[o.Place()] = states[max(0, len(states)-maxStates):]
}

// answerWrongly answers a read against the contract, if that is possible.
func (s *Store) answerWrongly(f Fault, c call, o ownergraph.Object, err error) (ownergraph.Object, error) {
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
	s.rememberLocked(o)
	return o, nil
}
