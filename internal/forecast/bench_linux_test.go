package forecast

import (
	"fmt"
	"runtime"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/seed"
	"github.com/ownergraph/ownergraph/plan"
)

// threadTime returns the processor time of the thread. The usage counters of the kernel are
// too coarse for one step.
func threadTime(tb testing.TB) time.Duration {
	tb.Helper()
	const threadClock = 3 // CLOCK_THREAD_CPUTIME_ID
	var t syscall.Timespec
	if _, _, errno := syscall.Syscall(syscall.SYS_CLOCK_GETTIME, threadClock, uintptr(unsafe.Pointer(&t)), 0); errno != 0 {
		tb.Fatal(errno)
	}
	return time.Duration(t.Nano())
}

// BenchmarkPlanOthersWait copies the part for a plan of 100,000 objects. An event waits at most
// for one step of it. For the clock of the wall and for that of the thread it reports the
// longest step of a copy on average, and the number of steps above one millisecond. The wall
// counts the pauses of the scheduler, too.
func BenchmarkPlanOthersWait(b *testing.B) {
	for _, more := range []int{10_000, 1_000_000} {
		e, root := planWorld(b, 100_000, more)
		b.Run(fmt.Sprintf("100000-in-%d", 100_000+more), func(b *testing.B) {
			runtime.LockOSThread() // its clock is read
			defer runtime.UnlockOSThread()
			var sum, slow [2]int64 // by the wall, and by the thread
			steps := 0
			for b.Loop() {
				p := seed.New(plan.Request{Delete: []plan.Target{{Key: root, Propagation: graph.Foreground}}}, 0)
				p.Restart(driver(e).Seed())
				var worst [2]int64
				for done := false; !done; steps++ {
					thread, wall := threadTime(b), time.Now()
					var err error
					if done, err = p.Step(driver(e).Seed()); err != nil {
						b.Fatal(err)
					}
					for i, d := range [2]time.Duration{time.Since(wall), threadTime(b) - thread} {
						if worst[i] = max(worst[i], d.Microseconds()); d > time.Millisecond {
							slow[i]++
						}
					}
				}
				sum[0], sum[1] = sum[0]+worst[0], sum[1]+worst[1]
			}
			for i, clock := range [2]string{"wall", "thread"} {
				b.ReportMetric(float64(sum[i])/float64(b.N), "longest-µs-"+clock)
				b.ReportMetric(float64(slow[i])/float64(b.N), "over-1ms-"+clock)
			}
			b.ReportMetric(float64(steps)/float64(b.N), "steps")
		})
	}
}
