package brake

import (
	"fmt"
	"slices"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/policy"
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

// Decide returns the decision about an object for the answer. D is the decision to delete it.
func (a Answer) Decide(d policy.Decision) policy.Decision {
	why := d.Reason
	switch a {
	case Go:
		return d
	case NeedToken:
		why = policy.BrakeWindow
	case NeedListings:
		why = policy.BrakeListing
	case NeedRoom, Held:
		why = policy.Braked
	case Keep, Orphan:
		why = policy.CascadeRefused
	}
	return policy.Decision{Action: policy.Wait, Reason: why}
}

// Judgement is the answer of the brake for a delete, with what its commit does. It is a value, and
// its roots belong to the caller.
type Judgement struct {
	Answer Answer
	// Begins says that a cascade has to be counted, and that there is room: see Begin. Then the answer is
	// NeedCount, or a larger one.
	Begins bool

	need    uint8 // places, with NeedRoom
	known   int   // cascades that are remembered
	roots   []graph.Key
	slots   [maxRoots]slot   // of the remembered cascades, each once; 0 ends them
	answers [maxRoots]Answer // of these
	trips   [maxRoots]Cause  // of these, with which they trip
}

// Judge answers for the delete of a node that counts in these cascades, at most maxRoots. It changes
// nothing, and the time may be later than that of the last step. Begin and Commit carry the judgement
// out.
//
//test:by TestJudgeLater TestJudgeUnknown
func (m *Machine) Judge(v View, id graph.NodeID, roots []graph.Key) Judgement {
	j := Judgement{Answer: Go, roots: roots}
	j.Begins, j.need = m.begins(v, id, roots)
	for _, k := range roots {
		if m.isExempt(k) {
			continue
		}
		s := m.index[k]
		a, trip := m.answer(v, s)
		if j.Begins && m.at(s).isUnknown(v.Returned) {
			a, trip = begun(k), CauseUnset
		}
		j.add(s, a, trip)
	}
	if m.set.Window > 0 && j.Answer == Go && !m.hasToken(id, v.Now) {
		j.Answer = NeedToken
	}
	return j
}

// add adds the answer of one cascade.
func (j *Judgement) add(s slot, a Answer, trip Cause) {
	j.Answer = max(j.Answer, a)
	n := j.known
	if s == 0 || n == maxRoots || slices.Contains(j.slots[:n], s) { // several references to one owner
		return
	}
	j.slots[n], j.answers[n], j.trips[n] = s, a, trip
	j.known++
}

// begun returns the answer of a cascade whose count begins.
func begun(k graph.Key) Answer {
	if k == LeftOut() {
		return Held
	}
	return NeedCount
}

// answer returns the answer of one cascade, and the cause if the cascade trips with it. Slot 0 is a
// cascade that is not remembered.
func (m *Machine) answer(v View, s slot) (a Answer, trip Cause) {
	c := m.at(s)
	switch {
	case !v.Listed && c.isUnknown(v.Returned):
		return NeedListings, CauseUnset
	case c.state == StateUnset:
		return NeedRoom, CauseUnset
	case c.state == Open && c.handed >= m.limit:
		return Held, LimitReached
	case c.state == Approved && !v.Now.Before(c.until):
		return Held, ApprovalExpired
	case c.state == Approved && c.used >= c.atMost:
		return Held, ApprovalUsed
	}
	return m.stateAnswer(s), CauseUnset
}

// hasToken reports whether the window has a token for a node at a time. Nodes that were woken for
// the tokens go first.
func (m *Machine) hasToken(id graph.NodeID, now time.Time) bool {
	return m.waits[id].called || m.bucket.at(now).tokens > m.called
}

// Begin begins the counts that a judgement lacks. The object is judged again then, since a small cascade
// is counted at once. Seeds returns the nodes from which a cascade is counted, and the number of its
// objects that are known without a walk.
//
//test:by TestJudgeUnknown
func (m *Machine) Begin(v View, j *Judgement, seeds func(root graph.Key) (from []graph.NodeID, members int)) {
	m.reserve(j.roots)
	for _, k := range j.roots {
		if !m.isKnown(v, k) {
			from, members := seeds(k)
			m.begin(v, k, from, members)
		}
	}
}

// Commit carries a judgement out that lacks no count. With an answer other than Go the node waits, and
// the machine asks for a new decision of it. A cascade trips here before the first delete beyond its
// limit.
//
//test:by TestCommitTrips TestReports
func (m *Machine) Commit(v View, id graph.NodeID, j *Judgement) {
	for i, s := range j.slots[:j.known] {
		if j.trips[i] != CauseUnset {
			m.trip(v, s, j.trips[i])
		}
	}
	if m.set.Window > 0 {
		m.bucket.fill(v.Now)
	}
	if j.Answer == Go {
		m.Leave(id)
		return
	}
	m.join(id, j)
}

// blocked returns the cascades that a node waits for. Until a count its others keep their places.
func (j *Judgement) blocked() (slots [maxRoots]slot) {
	if j.Answer == NeedCount {
		return j.slots
	}
	n := 0
	for i, a := range j.answers[:j.known] {
		if a != Go {
			slots[n], n = j.slots[i], n+1
		}
	}
	return slots
}

// Take counts a delete that its judgement has let go, as a call with this number.
func (m *Machine) Take(call uint64, j *Judgement) {
	var shares [maxRoots]share
	for i, s := range j.slots[:j.known] {
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
