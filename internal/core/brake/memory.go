package brake

import (
	"slices"
	"time"

	"github.com/ownergraph/ownergraph/graph"
)

// Memory is the part of a brake that outlives it: trips, refusals, approvals and exemptions.
// It is a value that shares nothing with the brake.
type Memory struct {
	Cascades []Remembered // by key
	Exempt   []graph.UID  // the oldest first
	// Listed says that every kind is listed. It is for a fork, which lists fewer kinds.
	Listed bool
}

// Remembered is one cascade of a Memory.
type Remembered struct {
	Key   graph.Key
	State State // Tripped, Approved, RefusedKeep or RefusedOrphan
	Cause Cause
	Until time.Time // with Approved
	Left  int       // approved deletes that were not handed out
}

// Memory returns the memory of the brake.
func (m *Machine) Memory(v View) Memory {
	out := Memory{Exempt: m.exempt.Keys(), Listed: v.Listed}
	for k, s := range m.index {
		if c := m.at(s); c.state >= Tripped {
			x := Remembered{Key: k, State: c.state, Cause: c.cause}
			if c.state == Approved {
				x.Until, x.Left = c.until, c.atMost-c.used
			}
			out.Cascades = append(out.Cascades, x)
		}
	}
	slices.SortFunc(out.Cascades, func(a, b Remembered) int { return a.Key.Compare(b.Key) })
	return out
}

// Recall takes over the memory of another brake. Its own knowledge goes first. Cascades
// for which there is no room are counted anew.
//
//test:by TestRecall
func (m *Machine) Recall(v View, all Memory) {
	m.listed = m.listed || all.Listed
	for _, x := range all.Cascades {
		if m.isKnown(v, x.Key) || x.State < Tripped || x.State >= numStates {
			continue
		}
		s := m.remember(x.Key)
		if s == 0 {
			break
		}
		c := m.at(s)
		c.state, c.cause = x.State, x.Cause
		if c.state == Approved {
			c.until, c.atMost, c.used = x.Until, x.Left, 0
			c.approvals++
		}
		m.wake(v, &c.held)
		m.noteEnd(s)
	}
	for _, u := range all.Exempt {
		m.Exempt(v, graph.Key{UID: u})
	}
}

// IsListed reports whether the memory of another brake says that every kind is listed.
func (m *Machine) IsListed() bool { return m.listed }
