package processes

import (
	"context"
	"fmt"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/servers"
)

// Site is a real store on which processes collect. The objects of a proof are alone in one scope.
type Site interface {
	// Kinds returns the kinds of owners and of dependents, and the scope of both.
	Kinds() (owner, dependent graph.Kind, scope string)
	// Create and Delete are calls of a user.
	Create(ctx context.Context, o graph.Object) (graph.Object, error)
	Delete(ctx context.Context, key graph.Key, how graph.Propagation) error
	// List returns all objects in the scope, in any order.
	List(ctx context.Context) ([]graph.Object, error)
	// Start starts a process, which ends with ctx. It has the lease and the workers of the size.
	Start(ctx context.Context, name string, r Role, z Size) (*Process, error)
	// Writes returns the writes of all processes to objects in the scope, in any order.
	Writes(ctx context.Context) ([]Write, error)
	// Mark makes the history begin now, and Past returns it. The versions do not count.
	Mark(ctx context.Context) error
	Past(ctx context.Context) (before []graph.Object, changes []graph.Event, err error)
}

// Role is the role of a process.
type Role uint8

const (
	// RoleUnset is no role.
	RoleUnset Role = iota
	// RoleMember writes to its share, as a member of a group.
	RoleMember
	// RoleAlone writes to all objects, and knows no group.
	RoleAlone
	// RoleLeader writes to all objects while it has the one Lease. Kubernetes alone has it.
	RoleLeader
)

// String returns the role in lower case.
func (r Role) String() string {
	names := [...]string{"unset", "member", "alone", "leader"}
	if int(r) < len(names) {
		return names[r]
	}
	return fmt.Sprintf("role(%d)", uint8(r))
}

// Process is a process of a collector.
type Process struct {
	*servers.Process
	// Ask asks the process for its status.
	Ask func(ctx context.Context) (Status, error)

	role   Role
	last   Status
	memory memory
}

// Status is the state of a process, by its own account.
type Status struct {
	// Members, Slots and Gap are those of the group, and 0 without one: see group.Status.
	Members, Slots, Gap int
	// Written, Reads and Fences are the calls of the store that have begun.
	Written, Reads, Fences int
	// Synced says that the process could write to all objects, with a share of all.
	Synced bool
}

// Outcome is the outcome of a write.
type Outcome uint8

const (
	// OutcomeUnset is not known, because the process was killed, or stopped past the timeout of the
	// call.
	OutcomeUnset Outcome = iota
	// OutcomeDone is a write that has changed the object.
	OutcomeDone
	// OutcomeLost met another state, or no object.
	OutcomeLost
	// OutcomeFailed is every other one.
	OutcomeFailed
)

// String returns the outcome in lower case.
func (o Outcome) String() string {
	names := [...]string{"unset", "done", "lost", "failed"}
	if int(o) < len(names) {
		return names[o]
	}
	return fmt.Sprintf("outcome(%d)", uint8(o))
}

// Write is one write of a process.
type Write struct {
	Process string
	Verb    string
	// Key has the UID that the write demands.
	Key graph.Key
	// Bound says that the write demands a UID and a version.
	Bound   bool
	Outcome Outcome
	Text    string // of an error
	// At is the time of the beginning, and Ended that of the answer, zero without one.
	At, Ended time.Time
}
