package group

import (
	"time"

	"github.com/ownergraph/ownergraph/share"
)

const (
	// patience is the time after which sick kinds do not keep a collector out of the group.
	patience = time.Minute
	// maxLook bounds the time between two looks at the collector.
	maxLook = time.Second
	// leaveTime bounds the time of one Leave.
	leaveTime = 3 * time.Second
	// maxLeaves bounds the tries to leave. Then the lease ends by itself.
	maxLeaves = 3
	// maxSilent bounds the renewals in a row that have no answer and find no lease in force. They may
	// have begun leases, for which the part waits. So the member yields: it leaves, and waits for the
	// time of a lease.
	maxSilent = 3
)

// fitness says how far a collector can work on a share.
type fitness uint8

const (
	fitNone fitness = iota // it cannot
	fitSome                // it works on some kinds, and lists others
	fitSick                // it works on some kinds, and all others are sick
	fitAll
)

// sighting is the result of a look at the collector.
type sighting struct {
	fit fitness
	why string // it is not fit for all
}

// call is a call of the coordinator.
type call uint8

const (
	callNone call = iota
	callRenew
	callLeave
)

// order is a request of the machine to its driver.
type order struct {
	// set is the set to write to until a time, the zero time for None.
	set   share.Set
	until time.Time
	// do is a call to begin, with the limit of its time.
	do    call
	limit time.Duration
	// cancel says that the call under way has to end.
	cancel bool
	// at is the time of the next step, after now. The result of a call comes before.
	at time.Time
}

// machine is the state of one member. It takes the time as a parameter, starts nothing, and
// returns its requests as data. At most one call of the coordinator is under way, so that no late
// Renew takes back a Leave.
type machine struct {
	self         Member
	lease, renew time.Duration

	why     string    // the collector cannot work, "" if it can
	sick    time.Time // since then all other kinds are sick, zero otherwise
	stopped bool

	call   call // under way
	began  time.Time
	stale  bool      // the readiness has changed since the call began
	due    time.Time // of the next call
	failed int       // renewals in a row
	err    error     // of the last renewal
	owes   bool      // a lease may be in force that has to end
	leaves int       // failed ones in a row
	silent int       // renewals without an answer and without a lease, in a row
	yields bool      // the next call is a Leave, and then comes a time without one

	until   time.Time // the end of the lease, zero without one
	lost    bool      // a lease has ended since the collector can work
	heard   time.Time // the time of the members
	members []Member
	sets    []share.Set // of the members
	set     share.Set   // of this one
	awaits  bool        // the others may still write to the set
}

func newMachine(self Member, lease, renew time.Duration) machine {
	return machine{self: self, lease: lease, renew: renew, why: "not begun", set: share.None()}
}

// see takes a look at the collector.
func (m *machine) see(now time.Time, s sighting) {
	if m.stopped {
		return
	}
	switch {
	case s.fit != fitSick:
		m.sick = time.Time{}
	case m.sick.IsZero():
		m.sick = now
	}
	was, why := m.why, s.why
	goesOn := s.fit >= fitSome && was == "" // a member keeps its share while it works on some kinds
	if s.fit == fitAll || goesOn || s.fit == fitSick && now.Sub(m.sick) >= patience {
		why = ""
	}
	if m.why = why; (was == "") != (why == "") {
		m.turn(now)
	}
}

// stop ends the membership.
func (m *machine) stop(now time.Time) {
	m.stopped, m.why = true, "the membership has ended"
	m.turn(now)
}

// turn begins anew, because the collector can now work or can no longer.
func (m *machine) turn(now time.Time) {
	m.drop()
	m.lost, m.err, m.failed, m.leaves, m.silent, m.yields = false, nil, 0, 0, 0, false
	m.due, m.stale = now, m.call != callNone
}

// drop gives the set up.
func (m *machine) drop() {
	m.until, m.members, m.sets, m.set, m.awaits = time.Time{}, nil, nil, share.None(), false
}

// next returns the next request. The driver carries it out.
func (m *machine) next(now time.Time) (o order) {
	if !m.until.IsZero() && !now.Before(m.until) {
		m.drop()
		m.lost = true
	}
	switch due := m.call == callNone && !now.Before(m.due); {
	case m.call == callRenew && m.stale:
		o.cancel = true
	case due && m.isReady() && !m.yields:
		o.do, o.limit = callRenew, m.limit(now)
		m.owes = true
	case due && m.owes:
		o.do, o.limit = callLeave, leaveTime
	}
	if o.do != callNone {
		m.call, m.began = o.do, now
	}
	o.set, o.until = m.share(now)
	o.at = m.wake(now)
	return o
}

// limit returns the time of a renewal that begins now. A member that gets no answer has time for
// another try before its lease ends.
func (m *machine) limit(now time.Time) time.Duration {
	left := m.until.Sub(now)
	if m.until.IsZero() {
		return m.renew
	}
	return min(m.renew, left, max(left/2, m.renew/2))
}

// wake returns the time of the next step.
func (m *machine) wake(now time.Time) time.Time {
	at := now.Add(min(m.renew/2, maxLook)) // for the next look
	for _, t := range [...]time.Time{m.until, m.due} {
		if t.After(now) && t.Before(at) {
			at = t
		}
	}
	return at
}

// share returns the set to write to, and the time until which.
func (m *machine) share(now time.Time) (share.Set, time.Time) {
	if m.state(now) != StateMember {
		return share.None(), time.Time{}
	}
	return m.set, m.until
}

// state returns the state at a time, which may be before or after the last step.
func (m *machine) state(now time.Time) State {
	switch {
	case !m.isReady():
		return StateOut
	case !m.until.IsZero() && now.Before(m.until) && m.awaits:
		return StateJoining
	case !m.until.IsZero() && now.Before(m.until):
		return StateMember
	case m.lost || !m.until.IsZero():
		return StateLost
	}
	return StateJoining
}

func (m *machine) isReady() bool { return m.why == "" }

// isOver reports whether a stopped machine has nothing left to do.
func (m *machine) isOver() bool { return m.stopped && m.call == callNone && !m.owes }
