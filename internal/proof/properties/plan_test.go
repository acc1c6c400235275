package properties

import (
	"flag"
	"fmt"
	"slices"
	"testing"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/portion"
	"github.com/ownergraph/ownergraph/internal/probe"
	"github.com/ownergraph/ownergraph/internal/proof/oracle"
	"github.com/ownergraph/ownergraph/internal/proof/world"
	"github.com/ownergraph/ownergraph/plan"
)

var planOrders = flag.Bool("plan.all", false, "also plan with every propagation that an object carries, and with references that are not resolved")

// planCase is one store with one deletion.
type planCase struct {
	start  string
	delete graph.Propagation
	key    string
}

func (c planCase) String() string { return fmt.Sprintf("%s; %s %s", c.start, verbOf(c.delete), c.key) }

func verbOf(p graph.Propagation) oracle.Verb {
	return map[graph.Propagation]oracle.Verb{graph.Foreground: oracle.Foreground, graph.Background: oracle.Background, graph.Orphan: oracle.Orphan}[p]
}

// planGraphs calls yield with each graph of three objects: each reference of one to another
// plain, blocking, or none, each object with a foreign finalizer or without. With -plan.all
// one object also carries a propagation finalizer. Without -whole it takes one in seven of the
// references.
func planGraphs(yield func(string)) {
	names := [...]string{"a", "b", "c"}
	var codes []int
	for code := range 729 {
		codes = append(codes, code)
	}
	marks := []string{"", "[x]"}
	if *planOrders {
		marks = append(marks, "[foreground]", "[orphan]")
	}
	for _, code := range portion.Of(7, codes) {
		var refs [3]string
		for i, n := 0, code; i < 6; i, n = i+1, n/3 {
			dep := i / 2
			own := (dep + 1 + i%2) % 3
			if n%3 == 0 {
				continue
			}
			if refs[dep] == "" {
				refs[dep] = " -> "
			} else {
				refs[dep] += ", "
			}
			refs[dep] += names[own] + [...]string{"", "", "!"}[n%3]
		}
		for _, x := range marks {
			for _, y := range marks {
				for _, z := range marks {
					yield("a" + x + refs[0] + "; b" + y + refs[1] + "; c" + z + refs[2])
				}
			}
		}
	}
}

// TestPlanIsTheRun: on every graph of three objects, with every propagation, with and without
// foreign finalizers, the plan agrees with the run and with every end that the rules permit
// (RULES, P3). Without -whole it has a share of the graphs.
func TestPlanIsTheRun(t *testing.T) {
	cases, failed, possible, spurious, real := 0, 0, 0, 0, 0
	planGraphs(func(start string) {
		for _, p := range []graph.Propagation{graph.Background, graph.Foreground, graph.Orphan} {
			c := planCase{start, p, "a"}
			cases++
			r, err := runPlan(c)
			possible, spurious, real = possible+r.possible, spurious+r.spurious, real+r.possible-r.spurious
			if err != nil {
				if failed++; failed <= 10 {
					t.Errorf("%s: %v", c, err)
				}
			}
		}
	})
	t.Logf("%d cases, %d failed; %d objects possible, %d of them always end alike", cases, failed, possible, spurious)
}

// planResult counts the possible objects of one case, and those that end alike in every
// order.
type planResult struct{ possible, spurious int }

func runPlan(c planCase) (r planResult, err error) {
	objects, err := graph.Parse(c.start)
	if err != nil {
		return r, err
	}
	w, err := world.New(ownergraph.Level2, ownergraph.Config{}, 1, nil, objects)
	if err != nil {
		return r, err
	}
	if err := w.RunToRest(); err != nil {
		return r, err
	}
	k, err := graph.ParseKey(c.key)
	if err != nil {
		return r, err
	}
	before := w.Requests
	p, err := probe.Plan(w.Sides[0].Engine, w.Now, plan.Request{Delete: []plan.Target{{Key: k, Propagation: c.delete}}})
	if err != nil {
		return r, err
	}
	do := oracle.Action{Verb: verbOf(c.delete), Object: graph.Object{Key: k}}
	ends := oracle.EndsQuiet(w.Store.Objects(), []oracle.Action{do}, oracle.Config{})
	if r, err = judgeEnds(p, ends); err != nil {
		return r, err
	}
	w.Do(do)
	if err := w.RunToRest(); err != nil {
		return r, err
	}
	if _, err := judgeEnds(p, []string{oracle.Line(w.Store.Objects())}); err != nil {
		return r, fmt.Errorf("the run: %w", err)
	}
	return r, judgeCost(p.Cost, before, w.Requests)
}

// judgeEnds compares a plan with the ends that may come.
func judgeEnds(p plan.Plan, ends []string) (r planResult, err error) {
	seen := map[graph.Key]map[string]bool{}
	for _, end := range ends {
		left, err := graph.Parse(end)
		if err != nil {
			return r, err
		}
		for _, o := range p.Objects {
			i := slices.IndexFunc(left, func(l graph.Object) bool { return l.Key == o.Key })
			now := "gone"
			if i >= 0 {
				now = left[i].String()
			}
			if seen[o.Key] == nil {
				seen[o.Key] = map[string]bool{}
			}
			seen[o.Key][now] = true
			if o.Possible {
				continue
			}
			if err := judgeObject(o, i >= 0, left, i); err != nil {
				return r, fmt.Errorf("end %q: %w", end, err)
			}
		}
	}
	for _, o := range p.Objects {
		if o.Possible {
			r.possible++
			if len(seen[o.Key]) == 1 {
				r.spurious++
			}
		}
	}
	return r, nil
}

func judgeObject(o plan.Object, stays bool, left []graph.Object, i int) error {
	switch {
	case (o.Outcome == plan.Removed) == stays:
	case !stays:
		return nil
	case o.Outcome == plan.Held:
		return nil
	case left[i].Deleting:
	default:
		return nil
	}
	now := "gone"
	if stays {
		now = left[i].String()
	}
	return fmt.Errorf("%s is planned as %s (%s), and is %s", o.Key, o.Outcome, o.Reason, now)
}

// judgeCost compares the cost of a plan with the requests of the run.
func judgeCost(c plan.Cost, before, after [9]int) error {
	n := func(t engine.CallType) int { return after[t] - before[t] }
	writes := n(engine.CallPatch) + n(engine.CallDelete) + 1
	switch {
	case !c.Varies && writes != c.Writes:
		return fmt.Errorf("%d writes, planned %d", writes, c.Writes)
	case n(engine.CallRead) > c.Reads:
		return fmt.Errorf("%d reads, planned %d at most", n(engine.CallRead), c.Reads)
	case n(engine.CallFence) > c.Fences:
		return fmt.Errorf("%d fences, planned %d at most", n(engine.CallFence), c.Fences)
	}
	return nil
}
