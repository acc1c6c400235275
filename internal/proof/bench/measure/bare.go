package measure

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/proof/bench/server"
	"github.com/ownergraph/ownergraph/internal/proof/bench/workload"
)

// The bare rows do only the inevitable work, and decide nothing. They take the time of
// the machine and of the server.

// bares are the bare runs beside the rows, by the names of the rows.
var bares = map[string]func(Side, Params) (Metrics, error){
	"background": bareRow, "chain": bareChainRow, "fan": bareClockRow, "queue": bareMutexRow,
}

// bareWorkers is the number of workers beside a row with the defaults of the products.
const bareWorkers = 20

// bareRow has the given number of workers, which only send the deletes.
func bareRow(side Side, p Params) (Metrics, error) {
	w := workload.Trees(p.N)
	s := load(side, cascade{Params: p, world: w})
	var next atomic.Int64
	var failed atomic.Int64
	var workers sync.WaitGroup
	start := time.Now()
	for range cmp.Or(p.Workers, bareWorkers) {
		workers.Go(func() {
			for i := int(next.Add(1)) - 1; i < w.Len(); i = int(next.Add(1)) - 1 {
				if s.Delete(w.Key(i), graph.DeleteOptions{Propagation: graph.Background}) != nil {
					failed.Add(1)
				}
			}
		})
	}
	workers.Wait()
	took := time.Since(start)
	if failed.Load() > 0 || s.Len() > 0 {
		return nil, fmt.Errorf("end state: %d objects are left", s.Len())
	}
	return Metrics{"rate": float64(p.N) / took.Seconds(), "object ns": float64(took.Nanoseconds()) / float64(p.N)}, nil
}

// bareChainRow ends a chain with two goroutines. One hears of each end, as a watch
// does. The other deletes the next level.
func bareChainRow(side Side, p Params) (Metrics, error) {
	w := workload.Chain(p.N)
	s := load(side, cascade{Params: p, world: w})
	ctx, stop := context.WithTimeout(context.Background(), p.Timeout)
	defer stop()
	work, listed := make(chan graph.Key), make(chan struct{})
	var failed atomic.Int64
	go func() {
		for k := range work {
			if s.Delete(k, graph.DeleteOptions{Propagation: graph.Background}) != nil {
				failed.Add(1)
			}
		}
	}()
	ended := make(chan error, 1)
	go func() {
		defer close(work)
		i := 0
		ended <- s.Watch(ctx, func([]server.Page) error { close(listed); return nil }, func(changes []server.Change) error {
			for range changes {
				if i++; i < p.N {
					work <- w.Key(i)
				}
			}
			return nil
		})
	}()
	<-listed
	reached, start := s.Reaches(0), time.Now()
	err := s.Remove(w.Key(0), graph.DeleteOptions{Propagation: graph.Background})
	select {
	case <-reached:
	case <-ctx.Done():
		err = errors.Join(err, ctx.Err())
	}
	took := time.Since(start)
	stop()
	<-ended
	if failed.Load() > 0 || s.Len() > 0 {
		err = errors.Join(err, fmt.Errorf("end state: %d objects are left", s.Len()))
	}
	return Metrics{"object ns": float64(took.Nanoseconds()) / float64(p.N-1)}, err
}

// bareClockRow only reads the clocks, for about as long as the end of an owner takes.
func bareClockRow(_ Side, p Params) (Metrics, error) {
	runtime.LockOSThread() // the clock of the thread is read
	defer runtime.UnlockOSThread()
	var worst Span
	slow, last := 0.0, Now()
	for end := last.wall.Add(time.Duration(p.N) * 2 * time.Microsecond); last.wall.Before(end); {
		now := Now()
		d := now.Sub(last)
		worst.Wall, worst.Thread = max(worst.Wall, d.Wall), max(worst.Thread, d.Thread)
		if d.Wall > maxWait {
			slow++
		}
		last = now
	}
	return Metrics{"wait ns": float64(worst.Wall), "over 0.25 ms": slow, "wait thread ns": float64(worst.Thread)}, nil
}

// bareMutexRow takes a mutex as often as a cycle of the queue does, and does no work
// under it.
func bareMutexRow(_ Side, p Params) (Metrics, error) {
	var mu sync.Mutex
	var all sync.WaitGroup
	taken, start := 0, time.Now()
	for range p.Workers {
		all.Go(func() {
			for range 2 * (p.N / p.Workers) {
				mu.Lock()
				taken++
				mu.Unlock()
			}
		})
	}
	all.Wait()
	took := time.Since(start)
	if want := 2 * (p.N / p.Workers) * p.Workers; taken != want {
		return nil, fmt.Errorf("end state: %d times, want %d", taken, want)
	}
	return Metrics{"cycle ns": float64(took.Nanoseconds()) / float64(p.N)}, nil
}
