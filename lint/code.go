package lint

import (
	"fmt"

	"github.com/ownergraph/ownergraph/graph"
)

// Code is the stable name of one fault. [Codes] describes each of them. It is a value.
type Code uint8

// The codes, by number: MissingOwner is OG001.
const (
	// CodeUnset is no code.
	CodeUnset Code = iota
	MissingOwner
	UnlistedOwner
	UnservedVersion
	UnresolvedOwner
	OtherKind
	OtherScope
	OtherName
	BannedOwner
	UnservedKind
	LowerCaseKind
	ScopedOwner
	SelfReference
	RepeatedReference
	TwoPlaces
	TwoControllers
	Malformed
	Ring
	WaitingRing
	VoidBlock
	HeldBlocker
	OldMark
	NoHandler
	TwoPropagations
	SeveralKinds
	DuplicateUID
	FanOut
	Depth
	LostOwner
	LostController
	UnservedObject
	AbsentContainer
	UnqualifiedFinalizer
	RefusingConstraint
	RemovingConstraint
	UnindexedConstraint
	CascadeBeside
	RestrictRing
	RestrictsAbsent
	DormantPolicy
)

// maxCode is the last code.
const maxCode = DormantPolicy

// String returns the stable name, such as OG001.
func (c Code) String() string {
	if c == CodeUnset {
		return "unset"
	}
	return fmt.Sprintf("OG%03d", uint8(c))
}

// ParseCode reads the text that String writes. An error wraps graph.ErrInvalid.
func ParseCode(s string) (Code, error) {
	for c := CodeUnset + 1; c <= maxCode; c++ {
		if c.String() == s {
			return c, nil
		}
	}
	return CodeUnset, fmt.Errorf("parse code %q: want OG001 to %s: %w", short(s), maxCode, graph.ErrInvalid)
}

// Severity is the weight of a finding.
type Severity uint8

// The severities.
const (
	// SeverityUnset is no severity.
	SeverityUnset Severity = iota
	// Note: the state is correct now, and a change may break it.
	Note
	// Warning: the state is not known to be wrong, or it has no effect yet.
	Warning
	// Error: an object is lost, or a deletion does not do its work.
	Error
)

var severityNames = [...]string{"unset", "note", "warning", "error"}

// String returns the severity in lower case.
func (s Severity) String() string {
	if int(s) < len(severityNames) {
		return severityNames[s]
	}
	return fmt.Sprintf("severity(%d)", uint8(s))
}

// Fate is the end of the object of a finding, if nothing changes. The collector is the one
// that the field of a Finding names.
type Fate uint8

// The fates. A Finding names the other object of a fate in its field Of.
const (
	// FateUnset: the finding says nothing about an end.
	FateUnset Fate = iota
	// Deleted: all its owners are absent or waiting.
	Deleted
	// Trimmed: an owner lives, and the collector drops the references to absent ones.
	Trimmed
	// Kept: an owner that lives keeps it.
	Kept
	// KeptForever: no event of the collector ends it.
	KeptForever
	// KeptUntilKnown: the collector cannot resolve an owner, and looks again.
	KeptUntilKnown
	// NotKnown: the dump does not have the owner's kind, and the collector may see it. Or
	// the store cannot describe the object's own kind now.
	NotKnown
	// Leaving: it carries a deletion mark, which no decision takes back.
	Leaving
	// Blocks: it delays a deletion.
	Blocks
	// Passed: the deletion does not wait for it.
	Passed
	// KeptRestricted: it has to go, and an unmarked object refers to it with restrict.
	KeptRestricted
)

var fateNames = [...]string{"unset", "the collector deletes this now",
	"kept, and the collector drops the reference now", "kept while an owner lives", "kept for ever",
	"kept until the collector can resolve the owner", "not known from this dump", "is being deleted",
	"blocks the deletion of", "does not hold up the deletion of", "kept while another object restricts it"}

// String returns the fate in words.
func (f Fate) String() string {
	if int(f) < len(fateNames) {
		return fateNames[f]
	}
	return fmt.Sprintf("fate(%d)", uint8(f))
}
