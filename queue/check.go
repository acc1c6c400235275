package queue

import (
	"errors"
	"fmt"

	"github.com/ownergraph/ownergraph/internal/core/dense"
)

// ErrInvariant is the sentinel of Check. It means a bug in this package, concurrent use,
// keys that do not equal themselves, or times of several clocks.
var ErrInvariant = errors.New("invariant broken")

func broken(number int, format string, args ...any) error {
	return fmt.Errorf("check queue: %w: %d: %s", ErrInvariant, number, fmt.Sprintf(format, args...))
}

// Check returns the first broken invariant, by its number in the comment on Queue, or
// nil. It changes nothing. It walks the whole queue, so it is for tests and checkers.
//
//test:by TestCheckFindsDamage
func (q *Queue[K]) Check() error {
	for _, check := range []func() error{
		q.checkIndex, q.checkSlots, q.checkLists, q.checkHeap, q.checkTurns, q.checkCapacity,
	} {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

func (q *Queue[K]) checkSlots() error {
	for i := range int32(q.slots.Len()) {
		s := q.slots.At(i)
		if q.find(s.key) != i {
			return broken(1, "key %v is not found at slot %d", s.key, i)
		}
		if err := s.check(); err != nil {
			return err
		}
	}
	return nil
}

// check compares the fields of a slot with its state.
func (s *slot[K]) check() error {
	asked, timed := s.priority != PriorityUnset, !s.at.IsZero()
	switch s.state {
	case Ready, Delayed:
		if !asked || s.priority > Low {
			return broken(3, "%v key %v has priority %v", s.state, s.key, s.priority)
		}
		if timed != (s.state == Delayed) {
			return broken(4, "%v key %v has time %v", s.state, s.key, s.at)
		}
	case InFlight:
		if timed && !asked {
			return broken(4, "key %v in flight has time %v and no priority", s.key, s.at)
		}
	case Idle:
		if asked || s.attempts <= 0 {
			return broken(3, "idle key %v has priority %v and %d attempts", s.key, s.priority, s.attempts)
		}
		if timed {
			return broken(4, "idle key %v has time %v", s.key, s.at)
		}
	default:
		return broken(2, "key %v is in state %v", s.key, s.state)
	}
	return nil
}

// checkLists walks each list. The lists and the heap have as many slots as exist, and
// none twice, so none is missing.
func (q *Queue[K]) checkLists() error {
	total := len(q.heap)
	for n := range q.lists {
		l, prev, count := &q.lists[n], none, int32(0)
		for i := l.head; i != none; i = q.slots.At(i).next {
			s := q.slots.At(i)
			if s.state == Delayed && s.pos != none || s.list() != n || s.prev != prev {
				return broken(2, "%v key %v of priority %v is in list %d behind slot %d", s.state, s.key, s.priority, n, prev)
			}
			if n == delayed && prev != none {
				if d, before := q.delayOf(i), q.delayOf(prev); !before.before(&d) {
					return broken(5, "key %v is due before the one ahead of it in the list", s.key)
				}
			}
			prev = i
			count++
		}
		if l.tail != prev || l.len != count {
			return broken(2, "list %d ends at slot %d with %d slots, but says %d and %d", n, prev, count, l.tail, l.len)
		}
		total += int(count)
	}
	if total != q.slots.Len() {
		return broken(2, "%d slots are in lists and heap, of %d", total, q.slots.Len())
	}
	return nil
}

func (q *Queue[K]) checkHeap() error {
	for pos := range q.heap {
		d := &q.heap[pos]
		s := q.slots.At(d.slot)
		switch {
		case s.state != Delayed || s.pos != int32(pos):
			return broken(2, "%v key %v of position %d is in the heap at %d", s.state, s.key, s.pos, pos)
		case q.delayOf(d.slot) != *d:
			return broken(5, "key %v has the time %v, and is in the heap for %v", s.key, s.at, q.base.Add(d.due))
		case pos > 0 && d.before(&q.heap[(pos-1)/2]):
			return broken(5, "key %v at position %d is due before its parent", s.key, pos)
		}
	}
	return nil
}

func (q *Queue[K]) checkTurns() error {
	for p := High; p <= Low; p++ {
		if n := q.passed[p]; n > passLimit+1 || n > 0 && q.lists[p].len == 0 {
			return broken(6, "priority %v was passed over %d times, with %d keys ready", p, n, q.lists[p].len)
		}
	}
	return nil
}

func (q *Queue[K]) checkIndex() error {
	if q.dense.Used() {
		return q.checkDense()
	}
	if q.index.cells == nil {
		if q.index.used != 0 || q.slots.Len() > scanLimit {
			return broken(7, "there is no index for %d slots", q.slots.Len())
		}
		return nil
	}
	used := 0
	for _, c := range q.index.cells {
		if c.ref == 0 {
			continue
		}
		if used++; int(c.ref) > q.slots.Len() || q.slots.At(c.ref-1).hash != c.hash {
			return broken(7, "the index refers to slot %d by another hash", c.ref-1)
		}
	}
	if used != q.slots.Len() || used != q.index.used || 4*used > 3*len(q.index.cells) {
		return broken(7, "%d of %d cells are used, %d by count, for %d slots", used, len(q.index.cells), q.index.used, q.slots.Len())
	}
	return nil
}

func (q *Queue[K]) checkDense() error {
	used, err := q.dense.Check()
	if err != nil {
		return broken(7, "%v", err)
	}
	if used != q.slots.Len() || q.index.used != 0 {
		return broken(7, "%d slots are found by number, of %d", used, q.slots.Len())
	}
	return nil
}

func (q *Queue[K]) checkCapacity() error {
	if err := q.slots.Check(); err != nil {
		return broken(8, "slots: %v", err)
	}
	for _, r := range []struct {
		of                    string
		len, cap, keep, spare int
	}{
		{"heap", len(q.heap), cap(q.heap), keepCapacity, dense.Share},
		{"index", q.index.used, len(q.index.cells), keepCells, 2 * dense.Share},
	} {
		if r.cap > r.keep && r.len < r.cap/r.spare {
			return broken(8, "%s have space for %d and have %d", r.of, r.cap, r.len)
		}
	}
	return nil
}
