package brake

import (
	"math/bits"

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

// tryMakeRoom reports whether another cascade can be remembered. It drops the cascades from
// the ended ones that go on, and moves those that have handed out more in the meantime.
func (m *Machine) tryMakeRoom() bool {
	if len(m.index) < m.set.Cascades {
		return true
	}
	for i := range m.ended {
		for l := &m.ended[i]; l.Len() > 0; {
			s := l.All()[0]
			c := m.at(s)
			loss := c.lossOf()
			if c.hasEnded() && loss <= i {
				return true
			}
			l.Pop(&s)
			if c.listed = c.hasEnded(); c.listed {
				m.ended[loss].Push(&s)
			}
		}
	}
	return false
}

// popEnded takes the cascade that is forgotten next, for which tryMakeRoom has made room.
func (m *Machine) popEnded() (s slot) {
	for i := range m.ended {
		if m.ended[i].Pop(&s) {
			break
		}
	}
	return s
}

// anyEnded reports whether a cascade may be forgotten.
func (m *Machine) anyEnded() bool {
	for i := range m.ended {
		for _, s := range m.ended[i].All() {
			if m.at(s).hasEnded() {
				return true
			}
		}
	}
	return false
}

// hasEnded reports whether nothing of a cascade is left that the engine knows.
func (c *cascade) hasEnded() bool {
	return c.state != Counting && c.underWay == 0 && c.held.live == 0
}

// noteEnd lists a cascade among the ended ones, if it is one.
func (m *Machine) noteEnd(s slot) {
	if c := m.at(s); !c.listed && c.hasEnded() {
		c.listed = true
		m.ended[c.lossOf()].Push(&s)
	}
}
