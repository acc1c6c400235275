package graph

import (
	"fmt"
	"slices"
)

// OnDelete is the policy of one owner reference: the effect of the owner's end on the dependent, and
// that of the dependent on the owner's deletion. An object may have references of several policies
// (RULES, E1). [Config].Policies lets the policies of a graph act.
//
//	policy    SQL                  the dependent, at the owner's end
//	unset     none                 goes if the owners of all its unset references go
//	release   SET NULL             loses the reference, and stays
//	restrict  RESTRICT, NO ACTION  stays, and until then the owner is not deleted
//	cascade   CASCADE              goes, whatever its other owners do
//
// An owner goes if it is absent, or waits in a foreground deletion. The numbers are stored, so they
// never change.
//
//   - One cascade reference decides alone, so one wrong reference suffices to lose an object. Package
//     lint finds such references beside other owners, and plans count the objects that they delete.
//   - At level 3 the store refuses the deletion of an object to which an unmarked object refers with
//     restrict. The error wraps [ErrRestricted] and names the dependents.
//   - Below level 3 the mark of such an object counts for no dependent. Nothing stops a background
//     deletion of an owner without finalizers. Only a guard does: see package guard.
//   - Below the deleted object a cascade stops at restricted objects. To refuse the whole cascade, as
//     Django's PROTECT does, guard the root.
//   - Without [Config].Policies an engine holds each object with a policy. OG039 of package lint counts
//     these references, so look there before the setting.
//   - All programs of a store have the setting, or none. A collector of the former version takes release
//     and restrict for unset: see the documentation of each store for the step.
//
//test:by TestOnDelete policy.TestDecideEnds internal/proof/oracle.TestPolicies
type OnDelete uint8

const (
	// OnDeleteUnset: the reference is counted. The dependent goes when the owners of all its unset
	// references are absent or wait (Kubernetes).
	OnDeleteUnset OnDelete = iota
	// OnDeleteRelease: the reference neither keeps the dependent nor deletes it. It is dropped at the
	// owner's foreground mark or orphan mark, or at its end.
	OnDeleteRelease
	// OnDeleteRestrict: the owner is not deleted while an unmarked dependent has the reference. It
	// never deletes the dependent.
	OnDeleteRestrict
	// OnDeleteCascade: the dependent goes when this owner is absent or waits. The reference does not
	// keep it.
	OnDeleteCascade
)

var onDeleteNames = [...]string{"unset", "release", "restrict", "cascade"}

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
		return fmt.Errorf("read policy: %.100q is unknown, want release, restrict or cascade: %w", text, ErrInvalid)
	}
	*d = OnDelete(i)
	return nil
}

func (d OnDelete) known() bool { return int(d) < len(onDeleteNames) }
