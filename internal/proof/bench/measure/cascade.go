package measure

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/proof/bench/server"
	"github.com/ownergraph/ownergraph/internal/proof/bench/workload"
)

// keepOne: one tree of so many is not deleted, and has to stay unchanged.
const keepOne = 50

// cascade is one deletion, by one or several collectors, with its required end state.
type cascade struct {
	Params
	world *workload.World
	roots []int // the objects that the user deletes
	by    graph.Propagation
	left  int                         // the number of objects that are left
	want  func(o graph.Object) string // the fault of an object that is left, or ""
	order []int                       // of the server's listing; nil for owners first
}

func backgroundRow(side Side, p Params) (Metrics, error) {
	w := workload.Trees(p.N)
	roots := w.Roots()
	kept := map[graph.Key]bool{}
	deleted := slices.DeleteFunc(slices.Clone(roots), func(i int) bool { return i/34%keepOne == keepOne-1 })
	gone := map[int]bool{}
	for _, i := range deleted {
		gone[i] = true
	}
	for i := range w.Len() {
		top := i
		for w.Owner(top) >= 0 {
			top = w.Owner(top)
		}
		if !gone[top] {
			kept[w.Key(i)] = true
		}
	}
	c := cascade{Params: p, world: w, roots: deleted, by: graph.Background, left: len(kept)}
	c.want = func(o graph.Object) string {
		if !kept[o.Key] || o.Deleting || len(o.Finalizers) > 0 {
			return "should be gone"
		}
		return ""
	}
	return c.run(side)
}

func foregroundRow(side Side, p Params) (Metrics, error) {
	return cascade{Params: p, world: workload.Star(p.N), roots: []int{0}, by: graph.Foreground}.run(side)
}

// starRow deletes the one root of all objects in the background.
func starRow(side Side, p Params) (Metrics, error) {
	return cascade{Params: p, world: workload.Star(p.N), roots: []int{0}, by: graph.Background}.run(side)
}

func chainRow(side Side, p Params) (Metrics, error) {
	return cascade{Params: p, world: workload.Chain(p.N), roots: []int{0}, by: graph.Background}.run(side)
}

func orphanRow(side Side, p Params) (Metrics, error) {
	c := cascade{Params: p, world: workload.Star(p.N), roots: []int{0}, by: graph.Orphan, left: p.N}
	c.want = func(o graph.Object) string {
		if o.Kind != workload.Pod || len(o.Owners) > 0 || o.Deleting {
			return "should be a pod without an owner"
		}
		return ""
	}
	return c.run(side)
}

func (c cascade) run(side Side) (Metrics, error) {
	ctx, cancel := context.WithTimeout(context.Background(), c.Timeout)
	defer cancel()
	s := load(side, c)
	team, err := gather(ctx, side, s, c)
	if err != nil {
		return nil, err
	}
	m, err := c.profiled(func() (Metrics, error) { return c.measure(ctx, s) })
	if err == nil {
		err = team.settled(ctx, c.left)
	}
	if err == nil {
		err = c.check(s)
	}
	return m, errors.Join(err, team.stop())
}

func load(side Side, c cascade) *server.Server {
	s := server.New(server.Config{
		Kinds: workload.Kinds(), Latency: c.Latency, View: side.View, Trace: c.Row == "orphan" || c.Row == "start",
		ByKind: c.Order == Parallel,
	})
	for i := range c.world.Len() {
		if c.order != nil {
			i = c.order[i]
		}
		s.Load(c.world.Object(i))
	}
	return s
}

// measure lets the user delete, and waits for the required number of objects.
func (c cascade) measure(ctx context.Context, s *server.Server) (Metrics, error) {
	work := float64(s.Len() - c.left - len(c.roots)) // objects that the collector has to write
	if c.by == graph.Orphan {
		work = float64(c.left)
	}
	crowd := runtime.NumGoroutine()
	runtime.GC()
	before := s.Counts()
	s.Reset()
	reached := s.Reaches(c.left)
	took := newMeter()
	took.begin()
	for _, i := range c.roots {
		if err := s.Remove(c.world.Key(i), graph.DeleteOptions{Propagation: c.by}); err != nil {
			return nil, fmt.Errorf("user: %w", err)
		}
	}
	select {
	case <-reached:
	case <-ctx.Done():
		return nil, fmt.Errorf("%d objects are left, want %d: %w", s.Len(), c.left, ctx.Err())
	}
	took.end()
	n := s.Counts()
	m := Metrics{
		"gets": float64(n.Gets), "fences": float64(n.Fences), "extra writes": float64(before.Patches+before.Deletes+n.Patches+n.Deletes) - work,
		"requests": float64(n.Total()) / work, "reads": float64(n.Gets) / work,
		"rate": work / took.time.Seconds(), "goroutines": float64(n.Goroutines),
		"goroutines at rest": float64(crowd), "waiting": float64(n.Waiting),
	}
	took.per(int(work), m, "object")
	return m, nil
}

// check compares the objects that are left with the required ones.
func (c cascade) check(s *server.Server) error {
	list := s.Objects()
	if len(list) != c.left {
		return fmt.Errorf("end state: %d objects, want %d", len(list), c.left)
	}
	for _, o := range list {
		if why := c.want(o); why != "" {
			return fmt.Errorf("end state: %s: %s", o, why)
		}
	}
	return nil
}

// team is all collectors on one server.
type team []Collector

func gather(ctx context.Context, side Side, s *server.Server, c cascade) (team, error) {
	var t team
	n := max(c.Collectors, 1)
	for k := range n {
		how := How{Workers: c.Workers, Batch: c.Batch, Guard: c.Guard, Root: c.world.Key(0)}
		if c.Split {
			how.Scope = func(scope string) bool { return share(scope, n) == k }
		}
		one, err := side.Start(ctx, s, how)
		if err != nil {
			return t, errors.Join(err, t.stop())
		}
		t = append(t, one)
	}
	if err := t.settled(ctx, s.Len()); err != nil {
		return t, errors.Join(err, t.stop())
	}
	return t, nil
}

// share returns the number of the collector, of n, that has a scope.
func share(scope string, n int) int {
	h := 0
	for i := range len(scope) {
		h = h*31 + int(scope[i])
	}
	return h % n
}

// settled waits for each collector. It checks the number of objects only of a collector
// that has all.
func (t team) settled(ctx context.Context, objects int) error {
	for _, c := range t {
		n := objects
		if len(t) > 1 {
			n = -1
		}
		if err := c.Settled(ctx, n); err != nil {
			return err
		}
	}
	return nil
}

func (t team) stop() error {
	var errs []error
	for _, c := range t {
		errs = append(errs, c.Stop())
	}
	return errors.Join(errs...)
}
