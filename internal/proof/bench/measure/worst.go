package measure

import (
	"fmt"
	"runtime"
	"time"

	"github.com/ownergraph/ownergraph/internal/proof/bench/workload"
)

// worstRow times each add by itself while a graph grows.
func worstRow(side Side, p Params) (Metrics, error) {
	w := workload.Trees(p.N)
	g, err := side.Graph(false)
	if err != nil {
		return nil, err
	}
	if err := g.Begin(); err != nil {
		return nil, err
	}
	var worst time.Duration
	var over float64
	for i := range w.Len() {
		d, err := one(g, Event{Object: w.Object(i)})
		if err != nil {
			return nil, err
		}
		if worst = max(worst, d); d > time.Millisecond {
			over++
		}
	}
	if g.Len() != p.N {
		return nil, fmt.Errorf("end state: %d objects, want %d", g.Len(), p.N)
	}
	return Metrics{"worst ns": float64(worst.Nanoseconds()), "over 1 ms": over}, nil
}

// one gives the graph one event, returns its time, and processes it.
func one(g Graph, e Event) (time.Duration, error) {
	g.Prepare([]Event{e})
	start := time.Now()
	err := g.Apply()
	d := time.Since(start)
	g.Drop()
	if err == nil {
		err = g.Process()
	}
	return d, err
}

// maxWait is the target for the wait of another event while an owner ends.
const maxWait = 250 * time.Microsecond

// fanRow ends an owner of many on a graph whose dependents came and went in random
// order. It takes the waits of other events.
func fanRow(side Side, p Params) (Metrics, error) {
	w := workload.Star(p.N)
	g, err := side.Graph(false)
	if err != nil {
		return nil, err
	}
	if err := crowd(g, w); err != nil {
		return nil, err
	}
	g.Prepare([]Event{{true, w.Object(0)}})
	runtime.LockOSThread() // the clock of the thread is read
	defer runtime.UnlockOSThread()
	start := Now()
	if err := g.Apply(); err != nil {
		return nil, err
	}
	event := start.Span()
	g.Drop()
	worst, slow := event, 0.0
	err = g.Drain(func(d Span) {
		worst.Wall, worst.Thread = max(worst.Wall, d.Wall), max(worst.Thread, d.Thread)
		if d.Wall > maxWait {
			slow++
		}
	})
	return Metrics{
		"event ns": float64(event.Wall), "wait ns": float64(worst.Wall), "over 0.25 ms": slow,
		"event ns per dependent": float64(event.Wall) / float64(p.N), "wait thread ns": float64(worst.Thread),
	}, err
}

// crowd fills a graph with a star in random order, and replaces half of it.
func crowd(g Graph, w *workload.World) error {
	r := &filling{world: w, graph: g, m: Metrics{}}
	order := workload.Shuffled(w.Len()-1, 3)
	if err := g.Begin(); err != nil {
		return err
	}
	err := r.run("fill", w.Len(), func(i int) []Event {
		if i > 0 {
			i = order[i-1] + 1
		}
		return []Event{{Object: w.Object(i)}}
	})
	if err != nil {
		return err
	}
	if err := g.Listed(); err != nil {
		return err
	}
	order = workload.Shuffled(w.Len()-1, 4)
	err = r.run("churn", len(order)/2, func(i int) []Event {
		gone := Event{true, w.Object(order[i] + 1)}
		w.Replace(order[i] + 1)
		return []Event{gone, {Object: w.Object(order[i] + 1)}}
	})
	if err != nil {
		return err
	}
	return r.has(w.Len())
}
