package exhaustive

import "time"

// maxShorter bounds the states that are visited to find a shorter history.
const maxShorter = 300_000

// Shorten looks for a shorter history to the broken rule, on the same graph and within
// the same scope. It returns the shortest one that it finds.
func Shorten(r Result) Result {
	if r.scope.defect == nil {
		return shortest(r)
	}
	for {
		s := newSearch(r.start, r.scope)
		s.scope.States, s.scope.Deadline = maxShorter, time.Time{}
		s.depths, s.limit = map[uint64]int{}, len(r.History)-2
		s.run()
		if s.res.Broken == nil {
			return r
		}
		r.Broken, r.History = s.res.Broken, s.res.History
		if s.res.Cut {
			continue
		}
		return r
	}
}

// enterSooner reports whether a state is reached by fewer moves than before.
func (s *search) enterSooner(h uint64) bool {
	depth, seen := s.depths[h]
	if seen && depth <= len(s.path) {
		return false
	}
	s.depths[h] = len(s.path)
	s.seen.mark(h)
	s.count()
	return true
}
