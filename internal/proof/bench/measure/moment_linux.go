package measure

import (
	"time"

	"golang.org/x/sys/unix"
)

// threadTime returns the processor time of the thread.
func threadTime() time.Duration {
	var t unix.Timespec
	if unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t) != nil {
		return 0 // a kernel without this clock
	}
	return time.Duration(t.Nano())
}
