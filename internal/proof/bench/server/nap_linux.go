package server

import (
	"syscall"
	"time"
)

// nap sleeps by the kernel's timer. It may end early.
func nap(d time.Duration) {
	t := syscall.NsecToTimespec(int64(d))
	_ = syscall.Nanosleep(&t, nil) // woken by a signal: the caller looks at the clock
}
