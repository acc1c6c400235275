package group

import (
	"context"
	"errors"
	"time"
)

// Coordinator keeps the leases of the members of one group. Package
// adapters/storetest/grouptest has its laws as a kit. A Coordinator is safe for concurrent use by the members of one process.
//
// Times are durations, and no clock of one machine is compared with that of another. Etcd and
// databases measure a lease by their own clock. In Kubernetes an observer measures on its
// monotonic clock for how long it has seen no renewal. A coordinator may find out late that a
// lease is over, and never early: a lease is in force for its time at least, from the beginning
// of the Renew that renewed it.
type Coordinator interface {
	// Renew begins or renews the lease of a member. It returns the members whose leases are in
	// force, sorted by name, with the member itself: see [Result]. Name, Instance and Age are
	// filled. The caller owns the slice. A member is its name and its instance, in each process.
	// The time may be another one than before. It counts from this Renew on.
	//
	// The error wraps ErrTaken if another instance has a lease in force under this name. Such a
	// call changes nothing. It wraps graph.ErrInvalid for a name, an instance or a time that the
	// system cannot have: see [ValidateRenewal]. It wraps graph.ErrRefused if the system gives no
	// right to the leases. After any other error the lease may or may not have been renewed. Renew
	// returns soon after the end of its context, and the error wraps that of the context.
	Renew(ctx context.Context, self Member, lease time.Duration) ([]Member, error)

	// Leave ends the lease of this instance at once, so that the others get its part with their
	// next renewal. It does nothing if the instance has no lease. Its errors are those of Renew
	// without ErrTaken. After an error the lease may go on until its end.
	Leave(ctx context.Context, self Member) error
}

// Member is one collector of a group. It is a value.
type Member struct {
	// Name is unique in the group.
	Name string
	// Instance tells two collectors apart that were given one name. New draws it.
	Instance string
	// Age is the time since the last renewal that the coordinator has seen. It is not above the
	// true time. A coordinator that has just begun may not know the time before, and then counts
	// from the first time that it sees the member. Only the results of Renew have an Age.
	Age time.Duration
}

// ErrTaken says that another collector has a lease under this name.
var ErrTaken = errors.New("another collector has this name")
