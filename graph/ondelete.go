package graph

import (
	"fmt"
	"slices"
)

// OnDelete is the policy of one owner reference for the end of its owner. The field is
// reserved. Stores keep it, and no decision reads it yet. An engine treats every value as
// OnDeleteUnset.
//
//test:by internal/proof/sim.TestNothingReadsOnDelete internal/proof/lattice.TestOnDeleteIsReserved
type OnDelete uint8

const (
	// OnDeleteUnset: the rules of ownership (RULES, Decisions).
	OnDeleteUnset OnDelete = iota
	// OnDeleteRelease is reserved. The end of the owner is to remove the reference, and the
	// dependent is to stay.
	OnDeleteRelease
	// OnDeleteRestrict is reserved. The reference is to delay the deletion of the owner.
	OnDeleteRestrict
)

var onDeleteNames = [...]string{"unset", "release", "restrict"}

// String returns the policy in lower case.
func (d OnDelete) String() string {
	if int(d) < len(onDeleteNames) {
		return onDeleteNames[d]
	}
	return fmt.Sprintf("onDelete(%d)", uint8(d))
}

// MarshalText returns the text of String. The error for an unknown policy wraps ErrInvalid.
func (d OnDelete) MarshalText() ([]byte, error) {
	if !d.known() {
		return nil, fmt.Errorf("write policy: %s is unknown: %w", d, ErrInvalid)
	}
	return []byte(onDeleteNames[d]), nil
}

// UnmarshalText reads the text that MarshalText writes. An error wraps ErrInvalid, and the
// policy is unchanged.
//
//test:by TestOnDelete
func (d *OnDelete) UnmarshalText(text []byte) error {
	i := slices.Index(onDeleteNames[:], string(text))
	if i < 0 {
		return fmt.Errorf("read policy: %.100q is unknown, want release or restrict: %w", text, ErrInvalid)
	}
	*d = OnDelete(i)
	return nil
}

func (d OnDelete) known() bool { return int(d) < len(onDeleteNames) }
