package group

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/ownergraph/ownergraph/graph"
)

const (
	// MaxMembers bounds the members of a group, whose sets take half a megabyte then. If more
	// leases are in force, those of the first names count, the same for all members.
	MaxMembers = 1024
	// MaxLease bounds the time of a lease. So no entry of another writer holds a part of the
	// work for longer.
	MaxLease = time.Hour
)

const (
	maxBytes   = 1024 // bytes of a name or of an instance
	maxSubject = 200  // bytes of a name in a message
)

// ValidateMember returns an error that wraps graph.ErrInvalid, if no coordinator takes the
// member. The error names the field. A name and an instance have 1 to 1,024 bytes of UTF-8
// without control characters, so that each coordinator keeps them byte by byte.
//
//test:by TestValidate adapters/memory.TestGroup
func ValidateMember(m Member) error {
	for _, f := range [...]struct{ field, text string }{{"name", m.Name}, {"instance", m.Instance}} {
		if cause := flaw(f.text); cause != "" {
			return fmt.Errorf("member %s: %s: %s: %w", m.subject(), f.field, cause, graph.ErrInvalid)
		}
	}
	return nil
}

// ValidateRenewal is [ValidateMember] for a lease, which is above zero and at most [MaxLease].
//
//test:by TestValidate adapters/memory.TestGroup
func ValidateRenewal(m Member, lease time.Duration) error {
	if err := ValidateMember(m); err != nil {
		return err
	}
	if lease <= 0 || lease > MaxLease {
		return fmt.Errorf("member %s: lease: %s, want more than 0 and at most %s: %w", m.subject(), lease, MaxLease, graph.ErrInvalid)
	}
	return nil
}

// flaw returns the cause for which no coordinator keeps a text, or "".
func flaw(text string) string {
	switch {
	case text == "":
		return "empty"
	case len(text) > maxBytes:
		return fmt.Sprintf("%d bytes, more than %d", len(text), maxBytes)
	case !utf8.ValidString(text):
		return "not UTF-8"
	}
	for _, r := range text {
		if unicode.IsControl(r) {
			return fmt.Sprintf("control character %U", r)
		}
	}
	return ""
}

// subject quotes the name for a message. A long name is cut, since its length may be the fault.
func (m Member) subject() string {
	if len(m.Name) > maxSubject {
		return fmt.Sprintf("%q...", m.Name[:maxSubject])
	}
	return fmt.Sprintf("%q", m.Name)
}

var errNoLease = errors.New("its lease was over before the answer")

// Result makes the result of a Renew from the members whose leases are in force, in any order.
// It sorts them by name, and keeps the first [MaxMembers]. It changes the slice. The error wraps
// graph.ErrRefused if self comes after those. Another error says that self has no lease.
//
//test:by TestResult adapters/storetest/grouptest.TestMutants
func Result(self Member, inForce []Member) ([]Member, error) {
	slices.SortFunc(inForce, func(a, b Member) int { return cmp.Compare(a.Name, b.Name) })
	first := inForce[:min(len(inForce), MaxMembers)]
	switch {
	case slices.ContainsFunc(first, func(m Member) bool { return m.Name == self.Name }):
		return first, nil
	case len(inForce) > MaxMembers:
		return nil, fmt.Errorf("member %s: the group has %d others with names before it, which is the most: %w", self.subject(), MaxMembers, graph.ErrRefused)
	}
	return nil, fmt.Errorf("member %s: %w", self.subject(), errNoLease)
}
