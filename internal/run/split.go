package run

const (
	// manyRefused is the number of refused writes from which on their share counts.
	manyRefused = 8
	// none is no beginning of a first half.
	none = -1
)

// Split divides the writes of a batch into the parts that go to the store. The first part has
// all of them. If the store refuses a part, or breaks it off by a limit of time, nothing of the
// part is done, and its halves follow. So k refused writes of n cost about 2*k*log2(n) parts,
// and the neighbours of a locked row go without it. If the first half of a refused part passes,
// the second half is divided without a try. If most of the writes are refused, each of the others
// goes alone.
//
// A part is a range. The caller keeps the writes of a part together. The zero value has no
// parts. It is not safe for concurrent use.
//
//test:by TestSplit TestSplitCost
type Split struct {
	parts          []part
	last           part // the last one that was handed out
	failed         bool // and it has failed
	alone, refused int  // single writes so far, and the refused ones of them
}

// part is a range of writes. The last part goes next. So single writes go early, and a store
// that refuses all of them shows that soon.
type part struct {
	from, to int
	first    int // the beginning of the first half, if this is the second half of a refused part
}

// Begin makes the writes below n the only part.
func (s *Split) Begin(n int) {
	*s = Split{parts: append(s.parts[:0], part{0, n, none})}
}

// Next returns the next part, with at most so many writes. A limit below 1 counts as 1.
func (s *Split) Next(most int) (from, to int, ok bool) {
	for len(s.parts) > 0 {
		last := len(s.parts) - 1
		p := s.parts[last]
		s.parts = s.parts[:last]
		n, bad := p.to-p.from, p.first >= 0 && s.last.from == p.first && s.last.to == p.from && !s.failed
		if n <= max(most, 1) && (n <= 1 || !bad) {
			s.last, s.failed = p, false
			return p.from, p.to, n > 0
		}
		s.halve(p, bad)
	}
	return 0, 0, false
}

// Again makes the writes of a range go again, in smaller parts, since none of them is done. They
// have gone in the last part. A single write that has gone with others goes alone. Refused says
// that one of them is refused, and that no limit of time is the cause.
func (s *Split) Again(from, to int, refused bool) {
	p := part{from, to, none}
	s.failed = s.failed || to > from
	switch n := to - from; {
	case n <= 0:
	case n == 1:
		s.parts = append(s.parts, p)
	case s.refused >= manyRefused && 2*s.refused >= s.alone:
		for i := to; i > from; i-- {
			s.parts = append(s.parts, part{i - 1, i, none})
		}
	default:
		s.halve(p, refused)
	}
}

// Alone takes the end of a write that went alone.
func (s *Split) Alone(refused bool) {
	s.failed = refused
	s.alone++
	if refused {
		s.refused++
	}
}

func (s *Split) halve(p part, refused bool) {
	mid := p.from + (p.to-p.from+1)/2
	first := none
	if refused {
		first = p.from
	}
	s.parts = append(s.parts, part{mid, p.to, first}, part{p.from, mid, none})
}
