package brake

import (
	"fmt"
	"slices"

	"github.com/ownergraph/ownergraph/graph"
)

// Answer is the answer of the brake for a delete. Of several cascades the largest answer counts.
type Answer uint8

const (
	// AnswerUnset is none.
	AnswerUnset Answer = iota
	// Go: the delete may go out.
	Go
	// NeedToken: the window is used up.
	NeedToken
	// NeedCount: the cascade is being counted.
	NeedCount
	// NeedListings: the cascade is counted when the awaited listings have ended.
	NeedListings
	// NeedRoom: too many cascades are under way.
	NeedRoom
	// Held: the cascade has tripped.
	Held
	// Keep: a user has refused the cascade, and its objects stay as they are.
	Keep
	// Orphan: a user has refused the cascade, and its objects lose their owners.
	Orphan

	numAnswers
)

var answerNames = [numAnswers]string{"unset", "go", "need a token", "need a count", "need listings", "need room", "held", "keep", "orphan"}

// String returns the answer in lower case.
func (a Answer) String() string {
	if a < numAnswers {
		return answerNames[a]
	}
	return fmt.Sprintf("answer(%d)", uint8(a))
}

// Judge answers for the delete of a node that counts in these cascades, at most maxRoots. The
// caller has called TryReserve, and Begin for the unknown ones, if no listing is awaited. With an answer other
// than Go the node waits, and the machine asks for a new decision of it. A cascade trips here before
// the first delete beyond its limit.
func (m *Machine) Judge(v View, id graph.NodeID, roots []graph.Key) Answer {
	var blocked [maxRoots]slot
	n, worst := 0, Go
	m.asked = m.asked[:0]
	for _, k := range roots {
		if m.isExempt(k) {
			continue
		}
		s := m.index[k]
		a := m.answer(v, s)
		worst = max(worst, a)
		if s == 0 || len(m.asked) == maxRoots || slices.Contains(m.asked, s) { // several references to one owner
			continue
		}
		if m.asked = append(m.asked, s); a != Go {
			blocked[n], n = s, n+1
		}
	}
	if m.set.Window > 0 {
		if m.bucket.fill(v.Now); worst == Go && !m.hasToken(id) {
			worst = NeedToken
		}
	}
	switch worst {
	case Go:
		m.Leave(id)
	case NeedCount: // until the count the others of the node keep their places
		blocked = [maxRoots]slot{}
		copy(blocked[:], m.asked)
		fallthrough
	default:
		m.join(id, worst, blocked)
	}
	m.need = 0
	return worst
}

// answer returns the answer of one cascade. Slot 0 is a cascade that is not remembered.
func (m *Machine) answer(v View, s slot) Answer {
	c := m.at(s)
	switch {
	case !v.Listed && (c.state == StateUnset || m.isOutdated(c)):
		return NeedListings
	case c.state == StateUnset:
		return NeedRoom
	case c.state == Counting:
		return NeedCount
	case c.state == Open && c.handed >= m.set.PerCascade:
		m.trip(v, s, LimitReached)
	case c.state == Approved && !v.Now.Before(c.until):
		m.trip(v, s, ApprovalExpired)
	case c.state == Approved && c.used >= c.atMost:
		m.trip(v, s, ApprovalUsed)
	}
	switch c.state {
	case Tripped:
		return Held
	case RefusedKeep:
		return Keep
	case RefusedOrphan:
		return Orphan
	}
	return Go
}

// hasToken reports whether the window has a token for a node. Nodes that were woken for the
// tokens go first.
func (m *Machine) hasToken(id graph.NodeID) bool {
	return m.waits[id].called || m.bucket.tokens > m.called
}

// Take counts the delete that Judge has let go, as a call with this number.
func (m *Machine) Take(call uint64) {
	var shares [maxRoots]share
	for i, s := range m.asked {
		c := m.at(s)
		x := share{slot: s}
		c.underWay++
		m.noteEnd(s)
		if c.state == Approved {
			c.used++
			x.approval = c.approvals
		} else {
			c.handed++
		}
		shares[i] = x
	}
	m.calls[call] = shares
	if m.set.Window > 0 {
		m.bucket.tokens--
	}
}

// Done notes the end of a call. Undone says that the store has definitely not carried it
// out. Every other call counts, also one of unknown outcome.
func (m *Machine) Done(call uint64, undone bool) {
	shares, ok := m.calls[call]
	if !ok {
		return
	}
	delete(m.calls, call)
	for _, x := range shares {
		if x.slot == 0 {
			break
		}
		c := m.at(x.slot)
		c.underWay--
		switch {
		case !undone:
		case x.approval == 0:
			c.handed--
		case x.approval == c.approvals:
			c.used--
		}
		m.noteEnd(x.slot)
	}
}

// Return takes back a call that no caller has begun.
func (m *Machine) Return(call uint64) {
	if _, ok := m.calls[call]; ok && m.set.Window > 0 {
		m.bucket.putBack()
	}
	m.Done(call, true)
}
