package exhaustive

// set has the fingerprints of visited states, and marks those on the way to the
// present one. It is a table with open addressing, at most three quarters full. The
// lowest bit of a cell is the mark.
type set struct {
	cells []uint64
	used  int
}

const marked = 1

// enter adds a state and marks it. It reports whether the state is new, and otherwise
// whether it was marked.
func (s *set) enter(h uint64) (fresh, onWay bool) {
	if 4*(s.used+1) > 3*len(s.cells) {
		s.grow()
	}
	c := s.find(h)
	if s.cells[c] != 0 {
		return false, s.cells[c]&marked != 0
	}
	s.cells[c] = tidy(h) | marked
	s.used++
	return true, false
}

// mark and leave put the mark on an entered state, and remove it.
func (s *set) mark(h uint64)  { s.cells[s.find(h)] |= marked }
func (s *set) leave(h uint64) { s.cells[s.find(h)] &^= marked }

// find returns the cell of a state, or the empty cell at its place.
func (s *set) find(h uint64) uint64 {
	h = tidy(h)
	mask := uint64(len(s.cells) - 1)
	c := h >> 1 & mask
	for s.cells[c] != 0 && s.cells[c]&^marked != h {
		c = (c + 1) & mask
	}
	return c
}

func (s *set) grow() {
	old := s.cells
	s.cells = make([]uint64, max(1024, 2*len(old)))
	for _, x := range old {
		if x != 0 {
			s.cells[s.find(x)] = x
		}
	}
}

// tidy returns h without the bit of the mark, and never 0.
func tidy(h uint64) uint64 { return max(h&^marked, 2) }
