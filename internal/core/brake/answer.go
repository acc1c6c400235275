package brake

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/kinds"
	"github.com/ownergraph/ownergraph/internal/spell"
)

// Status describes a cascade that is held. It is a value.
type Status struct {
	Key      graph.Key
	State    State
	Cause    Cause
	Limit    int
	Handed   int        // deletes without an approval
	Approved int        // deletes of the last approval
	Objects  int        // that wait
	Gap      *kinds.Gap // the kinds that the count has left out, nil for none
}

// Text returns the root, the cause and the limit on one line.
//
//test:by engine.TestBrakeApproval
func (s Status) Text() string {
	text := s.Key.Text() + ": "
	switch s.Cause {
	case TooMany:
		text += "more than " + spell.Counted(s.Limit, "object", "objects")
	case RootsLeftOut:
		text += "these objects have more roots than the engine keeps"
	case ApprovalUsed:
		text += spell.Counted(s.Approved, "delete was", "deletes were") + " approved and handed out"
	case ApprovalExpired:
		text += spell.Counted(s.Approved, "delete was", "deletes were") + " handed out before the approval expired"
	default:
		text += spell.Counted(s.Handed, "delete was", "deletes were") + " handed out"
	}
	return fmt.Sprintf("%s, the limit is %d", text, s.Limit)
}

func (m *Machine) statusOf(s slot) Status {
	c := m.at(s)
	return Status{c.key, c.state, c.cause, m.limitOf(c), c.handed, c.used, c.held.live, c.gap}
}

// limitOf returns the limit that stands beside the cause of a trip.
func (m *Machine) limitOf(c *cascade) int { return cmp.Or(c.reached, m.set.PerCascade) }

// StatusOf returns the status of a cascade, and whether the machine remembers it.
func (m *Machine) StatusOf(k graph.Key) (Status, bool) {
	s := m.index[k]
	return m.statusOf(s), s != 0
}

// waitsForUser reports whether a cascade goes on only after an answer of a user.
func (c *cascade) waitsForUser() bool {
	return c.state == Tripped || c.state == RefusedKeep || c.state == RefusedOrphan
}

// isHeld reports whether a cascade waits for a user, and has objects that wait here.
func (c *cascade) isHeld() bool { return c.held.live > 0 && c.waitsForUser() }

// Held returns the cascades that wait for a user, by key: those with objects that wait here,
// and those of the record.
func (m *Machine) Held() (out []Status) {
	for _, s := range m.index {
		if m.at(s).isAnswerable() {
			out = append(out, m.statusOf(s))
		}
	}
	slices.SortFunc(out, func(a, b Status) int { return a.Key.Compare(b.Key) })
	return out
}

// Complete returns the root of Held that a key with the UID alone means, or the key.
//
//test:by engine.TestBrakeManyRoots
func (m *Machine) Complete(k graph.Key) graph.Key {
	if k == (graph.Key{UID: k.UID}) {
		for _, s := range m.Held() {
			if s.Key.UID == k.UID {
				return s.Key
			}
		}
	}
	return k
}

// CountHeld returns the number of cascades with objects that wait for a user.
func (m *Machine) CountHeld() (n int) {
	for i := range m.cascades {
		if m.cascades[i].isHeld() {
			n++
		}
	}
	return n
}

func (c *cascade) isAnswerable() bool {
	return c.isHeld() || (c.recorded || c.unrecorded) && c.hasTripped() && c.state != Approved
}

// TryApprove lets a number of deletes of a cascade go, until a time. It reports false for a
// cascade that Held does not return.
func (m *Machine) TryApprove(v View, k graph.Key, until time.Time, atMost int) bool {
	c := m.at(m.index[k])
	if !c.isAnswerable() {
		return false
	}
	c.state, c.cause, c.until, c.atMost, c.used = Approved, CauseUnset, until, atMost, 0
	c.approvals++
	m.answered(v, c)
	return true
}

// answered takes the answer of a user.
func (m *Machine) answered(v View, c *cascade) {
	m.note(c, v.Now)
	m.reportAnswer(v, c.key, c.state)
	m.wake(v, &c.held)
}

// TryRefuse keeps the objects of a cascade: as they are, or without their owners. It reports
// false for a cascade that Held does not return.
func (m *Machine) TryRefuse(v View, k graph.Key, orphan bool) bool {
	c := m.at(m.index[k])
	if !c.isAnswerable() {
		return false
	}
	if c.state = RefusedKeep; orphan {
		c.state = RefusedOrphan
	}
	m.answered(v, c)
	return true
}

// exemptions are the UIDs of the roots whose guard has judged. No question counts as a use, so
// beyond maxExempt the first one of them is forgotten.
type exemptions = simplelru.LRU[graph.UID, struct{}]

// maxExempt bounds the remembered exemptions.
const maxExempt = 1024

func newExemptions(uids ...graph.UID) *exemptions {
	x, _ := simplelru.NewLRU[graph.UID, struct{}](maxExempt, nil) // its error is for a size below 1
	for _, u := range uids {
		x.Add(u, struct{}{})
	}
	return x
}

// Exempt leaves the cascade of a root alone: its guard has judged it. The machine remembers
// the last exemptions by UID, a bounded number.
func (m *Machine) Exempt(v View, k graph.Key) {
	if m.set.PerCascade == 0 || m.exempt.Contains(k.UID) {
		return
	}
	m.exempt.Add(k.UID, struct{}{})
	m.wake(v, &m.at(m.index[k]).held)
}

// isExempt reports whether the guard of a root has judged its cascade. LeftOut has no guard.
func (m *Machine) isExempt(k graph.Key) bool { return m.exempt.Contains(k.UID) && k != LeftOut() }

// Wait is the wait of a node. It is a value.
type Wait struct {
	For     Answer
	Cascade Status    // the first one that it waits for, if any
	Next    time.Time // of the next token
}

// WaitOf returns the wait of a node. It returns false for a node that does not wait, and for
// one that is about to be decided again, or cannot be decided now.
func (m *Machine) WaitOf(id graph.NodeID) (w Wait, ok bool) {
	x, ok := m.waits[id]
	if !ok || x.called || x.later {
		return w, false
	}
	w.For = x.answer
	switch x.answer {
	case NeedRoom, NeedListings:
		return w, true
	case NeedToken:
		w.Next = m.bucket.next()
	}
	for _, s := range x.slots {
		if s == 0 {
			break
		}
		if a := m.stateAnswer(s); a == x.answer {
			w.Cascade = m.statusOf(s)
			return w, true
		}
	}
	return w, x.slots[0] == 0
}

// stateAnswer returns the answer that goes with the state of a cascade.
func (m *Machine) stateAnswer(s slot) Answer {
	switch m.at(s).state {
	case Counting:
		return NeedCount
	case Tripped:
		return Held
	case RefusedKeep:
		return Keep
	case RefusedOrphan:
		return Orphan
	case StateUnset:
		return NeedListings
	}
	return Go
}

// Waiting returns the number of nodes that wait for a count or a token.
func (m *Machine) Waiting() int { return m.counted[NeedCount] + m.counted[NeedToken] - m.called }

// WaitingNodes returns these nodes, in no fixed order.
func (m *Machine) WaitingNodes() (ids []graph.NodeID) {
	for id, w := range m.waits {
		if w.answer == NeedCount || w.answer == NeedToken {
			ids = append(ids, id)
		}
	}
	return ids
}
