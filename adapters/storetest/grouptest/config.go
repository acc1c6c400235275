package grouptest

import (
	"testing"
	"time"

	"github.com/ownergraph/ownergraph/group"
)

// Config describes the coordinator under test. New and Lease are required.
type Config struct {
	// New makes a system for one law. It closes its resources in tb.Cleanup, and reports errors
	// by tb.Fatalf. Without Bubble, several goroutines may call it at once.
	New func(tb testing.TB) System
	// Lease is the shortest lease that the system can have. Laws about the end of a lease wait
	// for some of them.
	Lease time.Duration
	// Patience is the longest time after its end in which a lease may be in force, and in which
	// a call returns after the end of its context. 0: one minute.
	Patience time.Duration
	// Bubble says that the system is in memory. Each law then runs in a bubble of
	// testing/synctest, where waiting costs nothing. Otherwise the laws run in parallel.
	Bubble bool
}

// System is a system of coordination under test.
type System struct {
	// Open returns a coordinator of the group of a name, as a process has it. A second call with
	// the name returns another coordinator of the same group, as a second process has it. The
	// kit gives each law names of its own.
	Open func(name string) group.Coordinator
	// Outage takes the system out of reach of every coordinator that is open. The returned
	// function ends that. Nil: the laws about an outage do not run.
	Outage func() (end func())
}

const defaultPatience = time.Minute

// wrong returns the first wrong setting with the reason, or "".
func (c Config) wrong() string {
	switch {
	case c.New == nil:
		return "New: nil"
	case c.Lease <= 0 || c.Lease > group.MaxLease:
		return "Lease: want more than 0 and at most " + group.MaxLease.String()
	case c.Patience < 0:
		return "Patience: negative"
	}
	return ""
}
