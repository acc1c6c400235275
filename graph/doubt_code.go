package graph

import (
	"fmt"
	"slices"
)

var doubtCodeNames = [...]string{"Unset", "Unobserved", "Unlisted", "UnresolvedScope", "UnservedKind", "IgnoredKind",
	"BannedOwner", "ForeignScope", "ScopedOwner", "Misplaced", "Unreadable", "SharedUID", "Renamed"}

// Code returns the doubt as one word, which is the name of its constant. The codes are
// stable. DoubtUnset is "Unset".
//
//test:by TestDoubtCodes
func (d Doubt) Code() string {
	if int(d) < len(doubtCodeNames) {
		return doubtCodeNames[d]
	}
	return fmt.Sprintf("Doubt(%d)", uint8(d))
}

// MarshalText returns the code. The error for a doubt without one wraps ErrInvalid.
func (d Doubt) MarshalText() ([]byte, error) {
	if int(d) >= len(doubtCodeNames) {
		return nil, fmt.Errorf("write doubt: %d has no code: %w", uint8(d), ErrInvalid)
	}
	return []byte(doubtCodeNames[d]), nil
}

// UnmarshalText reads a code. An error wraps ErrInvalid, and the doubt is unchanged.
//
//test:by TestDoubtCodes
func (d *Doubt) UnmarshalText(code []byte) error {
	i := slices.Index(doubtCodeNames[:], string(code))
	if i < 0 {
		return fmt.Errorf("read doubt: unknown code %.100q: %w", code, ErrInvalid)
	}
	*d = Doubt(i)
	return nil
}
