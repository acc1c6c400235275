package sim

import (
	"fmt"
	"sync"
	"time"
)

// Fleet is a run over many seeds. A zero Workers means one, and a zero Until no end.
type Fleet struct {
	History     // the first
	Seeds   int // 0 for as many as the time allows
	Workers int
	Until   time.Time
	Most    int // failures, after which no seed begins; 0 for no bound
	// Record gives each result a digest: see History.Record.
	Record bool
	// Ended, if set, gets every result, and Failed every failed one. Calls come one at
	// a time and in no order.
	Ended, Failed func(Result)
}

// Total is the outcome of a fleet. It is a value.
type Total struct {
	Steps, Seeds, Failed int
	Distinct             int // about: see Count
	Plans                Plans
	Took                 time.Duration
	Workers              int
}

// String returns the total in one line.
func (t Total) String() string {
	seconds := max(t.Took.Seconds(), 1e-9)
	return fmt.Sprintf("%d steps, about %d distinct states (±0.4%%), %d seeds, %d failed, %.0f steps/s on %d workers, %.1f s",
		t.Steps, t.Distinct, t.Seeds, t.Failed, float64(t.Steps)/seconds, t.Workers, seconds)
}

// Run runs the fleet. Each worker takes the next seed as soon as it is free, so the
// number of workers does not change the set of seeds.
func (f Fleet) Run() Total {
	total := Total{Workers: max(1, f.Workers)}
	began := time.Now()
	var (
		mu    sync.Mutex
		next  int
		all   Count
		group sync.WaitGroup
	)
	take := func() (History, bool) {
		mu.Lock()
		defer mu.Unlock()
		if f.Seeds > 0 && next == f.Seeds || f.Most > 0 && total.Failed >= f.Most || !f.Until.IsZero() && time.Now().After(f.Until) {
			return History{}, false
		}
		h := f.History
		h.Seed += uint64(next)
		next++
		return h, true
	}
	for range total.Workers {
		group.Go(func() {
			var count Count
			for h, ok := take(); ok; h, ok = take() {
				r := f.one(h, &count)
				mu.Lock()
				total.add(r)
				if f.Ended != nil {
					f.Ended(r)
				}
				if r.Broken != nil && f.Failed != nil {
					f.Failed(r)
				}
				mu.Unlock()
			}
			mu.Lock()
			all.Merge(&count)
			mu.Unlock()
		})
	}
	group.Wait()
	total.Distinct, total.Took = all.Distinct(), time.Since(began)
	return total
}

func (f Fleet) one(h History, count *Count) Result {
	if f.Record {
		return h.Record(count, nil)
	}
	return h.Run(count)
}

func (t *Total) add(r Result) {
	t.Seeds++
	t.Steps += r.Made
	t.Plans.add(r.Plans)
	if r.Broken != nil {
		t.Failed++
	}
}
