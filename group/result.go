package group

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/share"
)

var (
	errSilent = errors.New("the lease has ended, and its renewal has no answer")
	errLate   = errors.New("the answer came after the end of the lease")
	errAbsent = errors.New("the coordinator does not list this member")
)

// done takes the result of the call under way.
func (m *machine) done(now time.Time, members []Member, err error) {
	which, stale := m.call, m.stale
	m.call, m.stale = callNone, false
	switch {
	case which == callLeave:
		m.left(now, err)
	case stale: // the lease is to end, or to begin anew
		m.due = now
	default:
		m.renewed(now, members, err)
	}
}

// left takes the result of a Leave. A collector that can work renews anyway.
func (m *machine) left(now time.Time, err error) {
	m.due = now
	if m.yields {
		m.yields, m.owes, m.due = false, false, now.Add(m.lease)
		return
	}
	if err == nil {
		m.owes, m.leaves = false, 0
		return
	}
	if m.leaves++; m.stopped || m.leaves == maxLeaves {
		m.owes, m.leaves = false, 0
	}
	if !m.isReady() {
		m.due = now.Add(m.renew)
	}
}

// renewed takes the result of a renewal. After an error the member keeps its set until the lease
// ends, because no other member takes it before.
func (m *machine) renewed(now time.Time, members []Member, err error) {
	if err == nil {
		err = m.accept(now, members)
	}
	if err == nil {
		// The others learn of a new member with their next renewal, and write to its part until then.
		m.awaits = m.until.IsZero() && len(m.members) > 1
		m.until, m.due = m.began.Add(m.lease), m.began.Add(m.renew)
		m.lost, m.err, m.failed, m.silent = false, nil, 0, 0
		return
	}
	if errors.Is(err, ErrTaken) {
		m.lost = m.lost || !m.until.IsZero()
		m.drop()
	}
	m.err = err
	m.failed++
	m.due = now.Add(m.pause(err))
	m.noteSilence(now, err)
}

// noteSilence counts the renewals without an answer. Some of them may have taken effect: then the
// others leave the part to a member that does not know of its lease.
//
//test:by TestAnswersLost
func (m *machine) noteSilence(now time.Time, err error) {
	switch {
	case errors.Is(err, ErrTaken) || errors.Is(err, graph.ErrInvalid) || errors.Is(err, graph.ErrRefused):
		m.silent = 0
		return
	case now.Before(m.until):
		return
	}
	if m.silent++; m.silent >= maxSilent {
		m.yields, m.due = true, now
	}
}

// accept takes the members, and computes the sets if there are others than before.
func (m *machine) accept(now time.Time, members []Member) error {
	members = slices.Clone(members)
	slices.SortFunc(members, func(a, b Member) int { return cmp.Compare(a.Name, b.Name) })
	at := slices.IndexFunc(members, func(x Member) bool { return x.Name == m.self.Name })
	switch {
	case now.Sub(m.began) >= m.lease:
		return errLate
	case len(members) > MaxMembers:
		return fmt.Errorf("%d members, more than %d", len(members), MaxMembers)
	case at < 0:
		return errAbsent
	case members[at].Instance != m.self.Instance:
		return ErrTaken
	}
	if !slices.EqualFunc(members, m.members, func(a, b Member) bool { return a.Name == b.Name }) {
		names := make([]string, len(members))
		for i, x := range members {
			names[i] = x.Name
		}
		sets, err := share.Divide(names)
		if err != nil {
			return err
		}
		m.sets, m.set = sets, sets[at]
	}
	m.members, m.heard = members, now
	return nil
}

// pause returns the time until the next try after an error. The name may become free, and an
// operator may grant a right.
func (m *machine) pause(err error) time.Duration {
	wait, longest := m.renew/4, m.renew
	switch {
	case errors.Is(err, ErrTaken):
		return m.renew
	case errors.Is(err, graph.ErrInvalid) || errors.Is(err, graph.ErrRefused):
		wait, longest = m.renew, m.lease
	}
	for n := 1; n < m.failed && wait < longest; n++ {
		wait *= 2
	}
	return min(wait, longest)
}
