package group

import (
	"fmt"
	"strings"
	"time"

	"github.com/ownergraph/ownergraph/share"
)

// State is the state of a member. The package documentation, "States", describes each.
type State uint8

const (
	// StateUnset is no state.
	StateUnset State = iota
	// StateOut: the collector cannot work on a share now.
	StateOut
	// StateJoining: the collector can work, and its lease has not begun, or the others may still write
	// to its part.
	StateJoining
	// StateMember: the lease is in force, and the collector writes to its set.
	StateMember
	// StateLost: the collector can work. Its lease has ended without a renewal, or another
	// collector has its name.
	StateLost
)

var stateNames = [...]string{"unset", "out", "joining", "member", "lost"}

// String returns the state in lower case.
func (s State) String() string {
	if int(s) < len(stateNames) {
		return stateNames[s]
	}
	return fmt.Sprintf("state(%d)", uint8(s))
}

// Status describes a member and its group, as far as the member knows. It is a value that shares
// nothing with the Membership.
//
//test:by TestStatus
type Status struct {
	// Name and Instance are the member's own. They are valid in every state.
	Name, Instance string
	State          State
	// Reason says why the collector is no member. It is empty for a member.
	Reason string
	// Err is the error of the last renewal, nil after a success. It wraps ErrTaken,
	// graph.ErrInvalid or graph.ErrRefused if the coordinator's error does.
	Err error
	// Share is the set that the collector writes to, and Left the time until its lease ends.
	Share share.Set
	Left  time.Duration
	// Members are the members of the last renewal, by name. A collector that is no member knows
	// none.
	Members []MemberStatus
	// Gap has the UIDs without a working member: those of late members, and all UIDs if the
	// members are not known. The smallest Gap of all collectors is that of the group.
	Gap share.Set
}

// MemberStatus is one member of a group with its set. It is a value.
type MemberStatus struct {
	// Member has the name and the instance. Age is the time since the last renewal that the
	// collector has learned of.
	Member
	Share share.Set
	// Late says that the member had not renewed for two times Config.Renew.
	Late bool
}

// status returns the state for users.
func (m *machine) status(now time.Time) Status {
	s := Status{Name: m.self.Name, Instance: m.self.Instance, State: m.state(now), Err: m.err, Share: share.None(), Gap: share.All()}
	if s.State != StateMember {
		s.Reason = m.reason(s.State)
		return s
	}
	s.Share, s.Left, s.Gap = m.set, m.until.Sub(now), share.None()
	for i, x := range m.members {
		late := x.Age > 2*m.renew
		if late {
			s.Gap = s.Gap.Or(m.sets[i])
		}
		x.Age = max(x.Age, 0) + max(now.Sub(m.heard), 0)
		s.Members = append(s.Members, MemberStatus{Member: x, Share: m.sets[i], Late: late})
	}
	return s
}

// reason says why the collector is no member.
func (m *machine) reason(s State) string {
	switch err := m.trouble(s); {
	case s == StateOut:
		return m.why
	case err != nil:
		return err.Error()
	case m.awaits:
		return "the other members give its part up with their next renewal"
	}
	return "the first renewal has no answer yet"
}

// trouble returns the error of the renewals, nil without one.
func (m *machine) trouble(s State) error {
	if m.err == nil && s == StateLost {
		return errSilent
	}
	return m.err
}

// String returns one line for a person, such as
//
//	member "a" (1 of 3): 1365 of 4096 slots: 000-002 ..., 12s left
//	no member "a" (out): everything is paused
//
//test:by TestStatus
func (s Status) String() string {
	if s.State != StateMember {
		return fmt.Sprintf("no member %q (%s): %s", s.Name, s.State, s.Reason)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "member %q (1 of %d): %s, %v left", s.Name, len(s.Members), s.Share, s.Left.Round(time.Millisecond))
	if n := s.Gap.Len(); n > 0 {
		fmt.Fprintf(&b, "; %d of %d slots without a working member", n, share.Slots)
	}
	if s.Err != nil {
		fmt.Fprintf(&b, "; last renewal: %v", s.Err)
	}
	return b.String()
}
