package plan

import "fmt"

// AssumptionType is the type of an assumption.
type AssumptionType uint8

const (
	// AssumptionUnset is no assumption.
	AssumptionUnset AssumptionType = iota
	// HandlerSucceeds: the handler of the finalizer Name succeeds.
	HandlerSucceeds
	// HandlerFails: the handler of the finalizer Name fails (Request.Failing).
	HandlerFails
	// FinalizerStays: no controller removes the foreign finalizer Name.
	FinalizerStays
	// FinalizerRemoved: the controller of the finalizer Name removes it (Request.Removed).
	FinalizerRemoved
	// GracePasses: the grace periods of Count objects pass.
	GracePasses
	// OwnerAbsent: Count owners of the kind Name do not exist. The kind is listed, and the
	// listing did not bring them.
	OwnerAbsent
	// OwnerUnknown: Count owners of the kind Name are unknown. Their dependents stay.
	OwnerUnknown
	// KindSick: the kind Name cannot be observed.
	KindSick
	// KindUnlisted: the kind Name is not listed yet.
	KindUnlisted
	// PropagationAssumed: the request does not say the propagation of Count objects, and
	// background is assumed.
	PropagationAssumed
	// LabelsUnknown: the collector has not selected objects of the kind Name by a label. They
	// may be members of a sweep. Such an object of the plan is possible, and so are the
	// holders. The plan does not have the others.
	LabelsUnknown
	// EnginePaused: the pause Name ends. It covers Count objects of the plan.
	EnginePaused
	// MembersRemoved: the actor Name deletes Count members of containers that go.
	MembersRemoved
	// SweepInScope: the sweep of the holder at the place Name covers the members in the holder's
	// scope alone. Others that it would select stay.
	SweepInScope
	// RemovalsAllowed: the database allows the removal of Count objects of the kind Name, although
	// rows that are still there may refer to theirs: those of dependents, or of no object. Detail is
	// the constraint.
	RemovalsAllowed
	// RowsKept: the removal of Count objects of the kind Name takes no row of a dependent along that
	// needs it. Detail is the constraint.
	RowsKept
	// OnlyDependentsRefer: of rows that may refer to those of Count objects of the kind Name, there
	// are those of dependents alone, and the order of the plan suits these. Detail is the constraint.
	OnlyDependentsRefer
	// ConstraintsUnread: the rules of the database are not known. Detail is the cause.
	ConstraintsUnread
	// CascadesMeant: the cascade references of Count objects of the kind Name are right. One of them
	// deletes such an object, even if its other owners exist.
	CascadesMeant
)

var assumptionNames = [...]string{
	"unset", "handler succeeds", "handler fails", "finalizer stays", "finalizer removed", "grace passes",
	"owner absent", "owner unknown", "kind sick", "kind unlisted", "propagation assumed", "labels unknown",
	"engine paused", "members removed by", "members outside its scope are not covered by the sweep of",
	"removals allowed", "rows kept", "only dependents refer", "constraints unread",
	"cascades meant",
}

// String returns the type in words.
func (t AssumptionType) String() string {
	if int(t) < len(assumptionNames) {
		return assumptionNames[t]
	}
	return fmt.Sprintf("assumption(%d)", uint8(t))
}

// Assumption is a fact that a plan takes for granted (RULES, P4). It is a value.
type Assumption struct {
	Type AssumptionType
	// Name is a finalizer, a kind, an actor, a pause or the place of a holder.
	Name string
	// Count is the number of objects that the assumption is about. It is zero for kinds as a
	// whole (KindSick, KindUnlisted and LabelsUnknown), for SweepInScope and for ConstraintsUnread.
	Count int
	// Detail says more, such as the reason of a sick kind. It has at most about 512 bytes.
	Detail string
}
