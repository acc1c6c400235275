package measure

import (
	"time"

	"golang.org/x/sys/unix"
)

// threadTime returns the processor time of the thread.
func threadTime() time.Duration { return clock(unix.CLOCK_THREAD_CPUTIME_ID) }

// processTime returns the processor time of the process.
func processTime() time.Duration { return clock(unix.CLOCK_PROCESS_CPUTIME_ID) }

func clock(id int32) time.Duration {
	var t unix.Timespec
	if unix.ClockGettime(id, &t) != nil {
		return 0 // a kernel without this clock
	}
	return time.Duration(t.Nano())
}
