package brake

import (
	"fmt"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/kinds"
	"github.com/ownergraph/ownergraph/policy"
)

// State is the state of a cascade.
type State uint8

const (
	// StateUnset: nothing below the root is counted, as after a rewind.
	StateUnset State = iota
	// Counting: the walk below the root has not ended.
	Counting
	// Open: the cascade is within the limit.
	Open
	// Tripped: the cascade waits for a user.
	Tripped
	// Approved: a user has approved a number of deletes, until a time.
	Approved
	// RefusedKeep: a user has refused the cascade, and its objects stay as they are.
	RefusedKeep
	// RefusedOrphan: a user has refused the cascade, and its objects lose their owners.
	RefusedOrphan

	numStates
)

var stateNames = [numStates]string{"unset", "counting", "open", "tripped", "approved", "refused: keep", "refused: orphan"}

// String returns the state in lower case.
func (s State) String() string {
	if s < numStates {
		return stateNames[s]
	}
	return fmt.Sprintf("state(%d)", uint8(s))
}

// Cause is the cause of a trip.
type Cause uint8

const (
	// CauseUnset is none.
	CauseUnset Cause = iota
	// TooMany: the walk found more objects than the limit.
	TooMany
	// LimitReached: as many deletes were handed out as the limit allows.
	LimitReached
	// ApprovalUsed: as many deletes were handed out as the approval allows.
	ApprovalUsed
	// ApprovalExpired: the time of the approval is over.
	ApprovalExpired
	// RootsLeftOut: objects have roots that are not known. It is the cause of LeftOut alone.
	RootsLeftOut

	numCauses
)

var causeNames = [numCauses]string{"unset", "too many objects", "the limit is reached", "the approval is used up", "the approval has expired", "roots are left out"}

// String returns the cause in lower case.
func (c Cause) String() string {
	if c < numCauses {
		return causeNames[c]
	}
	return fmt.Sprintf("cause(%d)", uint8(c))
}

// LeftOut returns the key of the cascade of all objects that have more roots than the history keeps of an
// object, or a root with a name that is too long for it. A limit of the unknown roots cannot be
// held, so this cascade is never within the limit: it begins with a trip. No object has this
// key, since each object has a kind.
//
//test:by TestLeftOut
func LeftOut() graph.Key { return graph.Key{UID: "roots-left-out"} }

// slot is the number of a remembered cascade, from 1.
type slot uint16

// cascade is one remembered cascade.
type cascade struct {
	key       graph.Key
	state     State
	cause     Cause
	listed    bool // among the ended ones
	free      bool // counted as one that may be forgotten
	handed    int  // deletes without an approval
	reached   int  // the part of the limit at a trip by LimitReached, otherwise 0
	underWay  int  // calls
	until     time.Time
	atMost    int // approved deletes
	used      int // of these
	approvals uint32
	at        time.Time // of the trip or the answer
	// recorded: the record has the trip or the answer. unrecorded: it has to get it.
	recorded, unrecorded bool
	seeds                []graph.NodeID // of a walk that has not ended; never changed in place
	held                 line

	gap      *kinds.Gap // the kinds that the count has left out, nil for none
	returned uint64     // how many kinds had come back until the count
}

// share is the part of a call that counts for one cascade. Approval is the number of the
// approval that it uses, 0 without one.
type share struct {
	slot     slot
	approval uint32
}

func (m *Machine) at(s slot) *cascade { return &m.cascades[s] }

// isKnown reports whether Judge can answer for a cascade without a count that begins.
func (m *Machine) isKnown(v View, k graph.Key) bool {
	return m.isExempt(k) || !m.at(m.index[k]).isUnknown(v.Returned)
}

// isUnknown reports whether a cascade has to be counted before Judge can answer for it.
func (c *cascade) isUnknown(returned uint64) bool {
	return c.state == StateUnset || c.isOutdated(returned)
}

// isOutdated reports whether a cascade within its limit is counted anew: a kind has come back that its
// count has left out. Returned is the number of the kinds that have come back so far.
//
//test:by TestCountAgain
func (c *cascade) isOutdated(returned uint64) bool {
	return c.state == Open && c.gap != nil && c.returned != returned
}

// remember returns the slot of a cascade, or 0 if there is no room for another one. NoteEnd
// follows.
func (m *Machine) remember(k graph.Key) slot {
	if s := m.index[k]; s != 0 {
		return s
	}
	if m.room() == 0 {
		return 0
	}
	return m.place(k, nil)
}

// place gives a cascade a place: a new one, or that of a cascade that may be forgotten, and that
// is none of own. The caller has looked that there is one.
func (m *Machine) place(k graph.Key, own []slot) (s slot) {
	if len(m.index) < m.set.Cascades {
		s = slot(len(m.cascades))
		m.cascades = append(m.cascades, cascade{})
	} else {
		s = m.popEnded(own)
		m.free--
		delete(m.index, m.at(s).key)
		m.setRecorded(m.at(s), false)
	}
	*m.at(s) = cascade{key: k}
	m.index[k] = s
	return s
}

// trip makes the objects of a cascade wait for a user.
func (m *Machine) trip(v View, s slot, why Cause) {
	c := m.at(s)
	c.state, c.cause, c.seeds, c.reached = Tripped, why, nil, 0
	if why == LimitReached {
		c.reached = m.limit
	}
	m.counts.Trips++
	m.note(c, v.Now)
	m.noteEnd(s)
	v.Out.Report(c.key, "", policy.Decision{Action: policy.Wait, Reason: policy.Braked})
	v.Out.Warn("cascade braked", "reason", policy.Braked.Code(), "root", c.key.String(), "cause", c.cause.String(), "limit", m.limitOf(c), "kinds", c.gap.Names())
	m.wake(v, &c.held)
}
