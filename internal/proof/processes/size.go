package processes

import (
	"flag"
	"time"
)

var whole = flag.Bool("processes.whole", false, "prove the shares of processes with 200 cascades of 100 dependents, and print the figures")

// Size is the extent of a proof.
type Size struct {
	// Cascades is the number of cascades. Seven of ten are in the background, two in the foreground,
	// and one orphans. Each has Dependents of its own.
	Cascades, Dependents int
	// Lease is the lease of the members. A machine that stalls for a shorter time changes no members.
	Lease time.Duration
	// Stopped is the least time for which a process is stopped. It is stopped for longer than its
	// lease in any case.
	Stopped time.Duration
	// Workers bounds the calls under way of each process. 0: the default. A process that goes on after
	// a stop sends those that it had under way, and they meet conflicts. A small proof has few objects,
	// and so few workers.
	Workers int
	// Speed is the number of cascades that measure the speed of one, two and three processes, each.
	// 0: no such measurement.
	Speed int
	// Patience bounds each wait.
	Patience time.Duration
}

// SizeOfTests returns the size of the tests, and that of the figures with the flag -processes.whole.
func SizeOfTests() Size {
	if *whole {
		return Size{Cascades: 200, Dependents: 100, Lease: 15 * time.Second, Stopped: time.Minute, Speed: 40, Patience: 10 * time.Minute}
	}
	return Size{Cascades: 40, Dependents: 25, Lease: 12 * time.Second, Workers: 16, Patience: 2 * time.Minute}
}
