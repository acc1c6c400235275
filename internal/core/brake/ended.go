package brake

import (
	"math/bits"
	"slices"

	"github.com/ownergraph/ownergraph/internal/core/fifo"
)

// ended has the cascades that may be forgotten. A cascade in a later list has handed out more
// deletes, and waits for an answer or has got one in the last list.
type ended [numEnded]fifo.List[slot]

const numEnded = 6

// lossOf returns the list of a cascade. A cascade that is forgotten may delete as many objects
// again, so those that have deleted few are forgotten first.
func (c *cascade) lossOf() int {
	if c.hasTripped() {
		return numEnded - 1
	}
	return min(bits.Len(uint(c.handed)), numEnded-2)
}

func (e *ended) clone() (c ended) {
	for i := range e {
		c[i] = e[i].Clone()
	}
	return c
}

// room returns the number of cascades for which there is a place: a new one, or that of a cascade
// that may be forgotten.
func (m *Machine) room() int { return m.set.Cascades - len(m.index) + m.free }

// popEnded takes the cascade that is forgotten next, and that is none of own. There is one. It
// drops the cascades from the ended ones that go on, and moves those that have handed out more in
// the meantime.
func (m *Machine) popEnded(own []slot) (s slot) {
	for i := range m.ended {
		for l, n := &m.ended[i], m.ended[i].Len(); n > 0 && l.Pop(&s); n-- {
			c := m.at(s)
			c.listed = false
			switch loss := c.lossOf(); {
			case !c.free:
			case loss > i || slices.Contains(own, s):
				c.listed = true
				m.ended[loss].Push(&s)
			default:
				return s
			}
		}
	}
	return 0
}

// hasEnded reports whether nothing of a cascade is left that the engine knows.
func (c *cascade) hasEnded() bool {
	return c.state != Counting && c.underWay == 0 && c.held.live == 0
}

// noteEnd counts and lists a cascade among the ended ones, if it is one. It follows each change
// of a cascade.
func (m *Machine) noteEnd(s slot) {
	c := m.at(s)
	if is := c.hasEnded(); is != c.free {
		if c.free = is; is {
			m.free++
		} else {
			m.free--
		}
	}
	if c.free && !c.listed {
		c.listed = true
		m.ended[c.lossOf()].Push(&s)
	}
}
