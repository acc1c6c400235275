package measure

import (
	"fmt"
	"runtime"
	"time"

	"github.com/ownergraph/ownergraph/internal/proof/bench/workload"
)

const (
	batch    = 256     // events that a watch delivers at once
	maxMoves = 1 << 18 // objects that are updated or replaced in one stretch
	maxWarm  = 100_000 // objects of a graph that is filled a second time

	minUpdates = 100_000 // events of a stretch of updates
)

// graphRow fills a graph, updates, churns and empties it, and fills another one.
func graphRow(side Side, p Params) (Metrics, error) {
	r, err := begin(side, p, false)
	if err != nil {
		return nil, err
	}
	for _, step := range []func() error{
		func() error { return r.fill("fresh") },
		func() error { return r.weigh("held") },
		func() error { return r.update("update") },
		r.churn,
		func() error { return r.weigh("churned") },
		func() error { return r.update("churned update") },
		r.empty,
		func() error { return r.weigh("left") },
	} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	r.m["growth"] = r.m["churned bytes"] / r.m["held bytes"]
	r.graph = nil
	if p.N > maxWarm {
		return r.m, nil
	}
	runtime.GC()
	if r.graph, err = side.Graph(false); err != nil {
		return nil, err
	}
	return r.m, r.fill("warm")
}

// memoryRow weighs the whole memory of the product.
func memoryRow(side Side, p Params) (Metrics, error) {
	r, err := begin(side, p, true)
	if err != nil {
		return nil, err
	}
	if err := r.fill("whole"); err != nil {
		return nil, err
	}
	return r.m, r.weigh("whole")
}

func begin(side Side, p Params, whole bool) (*filling, error) {
	r := &filling{world: workload.Trees(p.N), m: Metrics{}}
	r.base, r.baseInUse = heap()
	var err error
	r.graph, err = side.Graph(whole)
	return r, err
}

// filling is a graph on which figures are taken.
type filling struct {
	world           *workload.World
	graph           Graph
	m               Metrics
	base, baseInUse float64
}

// weigh takes the bytes of memory for each present or former object.
func (r *filling) weigh(name string) error {
	alloc, inUse := heap()
	n := float64(r.world.Len())
	r.m[name+" bytes"], r.m[name+" in use"] = (alloc-r.base)/n, (inUse-r.baseInUse)/n
	runtime.KeepAlive(r.graph)
	return nil
}

// fill puts all objects, owners first.
func (r *filling) fill(name string) error {
	if err := r.graph.Begin(); err != nil {
		return err
	}
	n := r.world.Len()
	err := r.run(name, n, func(i int) []Event { return []Event{{Object: r.world.Object(i)}} })
	if err != nil {
		return err
	}
	start := time.Now()
	if err := r.graph.Listed(); err != nil {
		return err
	}
	r.m[name+" settled ns"] += float64(time.Since(start).Nanoseconds()) / float64(n)
	return r.has(n)
}

// update puts new versions of objects, in random order and without another change. A
// small graph gets several versions of each object, so that the stretch is long enough.
func (r *filling) update(name string) error {
	order := workload.Shuffled(r.world.Len(), 1)
	order = order[:min(len(order), maxMoves)]
	n := max(len(order), minUpdates)
	err := r.run(name, n, func(i int) []Event { return []Event{{Object: r.world.Object(order[i%len(order)])}} })
	if err != nil {
		return err
	}
	return r.has(r.world.Len())
}

// churn replaces pods in random order, each once, by another with the same owner.
func (r *filling) churn() error {
	leaves := r.world.Leaves()
	order := workload.Shuffled(len(leaves), 2)
	order = order[:min(len(order), maxMoves)]
	err := r.run("churn", len(order), func(i int) []Event {
		gone := Event{true, r.world.Object(leaves[order[i]])}
		r.world.Replace(leaves[order[i]])
		return []Event{gone, {Object: r.world.Object(leaves[order[i]])}}
	})
	if err != nil {
		return err
	}
	return r.has(r.world.Len())
}

// empty removes all objects, dependents first.
func (r *filling) empty() error {
	n := r.world.Len()
	if err := r.run("gone", n, func(i int) []Event { return []Event{{true, r.world.Object(n - 1 - i)}} }); err != nil {
		return err
	}
	return r.has(0)
}

func (r *filling) has(n int) error {
	if got := r.graph.Len(); got != n {
		return fmt.Errorf("end state: %d objects, want %d", got, n)
	}
	return nil
}

// run gives the graph the events of n steps. It takes their cost with and without the
// decisions that follow.
func (r *filling) run(name string, n int, of func(i int) []Event) error {
	apply := newMeter()
	var processing time.Duration
	var events []Event
	for i := range n {
		if events = append(events, of(i)...); len(events) < batch && i < n-1 {
			continue
		}
		r.graph.Prepare(events)
		clear(events)
		events = events[:0]
		apply.begin()
		if err := r.graph.Apply(); err != nil {
			return err
		}
		apply.end()
		r.graph.Drop()
		begun := time.Now()
		if err := r.graph.Process(); err != nil {
			return err
		}
		processing += time.Since(begun)
	}
	apply.per(n, r.m, name)
	r.m[name+" settled ns"] = r.m[name+" ns"] + float64(processing.Nanoseconds())/float64(n)
	return nil
}
