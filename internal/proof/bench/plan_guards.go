package main

import (
	"fmt"
	"time"

	"github.com/ownergraph/ownergraph/internal/proof/bench/measure"
)

// guardRows run one cascade of ours without a guard, and with each guard. Kubernetes has no
// guards, so it takes no part.
func guardRows(s sizes) []row {
	var out []row
	for _, c := range []struct {
		work string
		p    measure.Params
	}{
		{"guards, trees", measure.Params{Row: "background", N: s.cascade, Workers: 20}},
		{"guards, trees, 1 ms", measure.Params{Row: "background", N: min(s.cascade, 20_000), Workers: 20, Latency: time.Millisecond}},
		{"guards, one root", measure.Params{Row: "star", N: s.cascade, Workers: 20}},
		{"guards, one root, 1 ms", measure.Params{Row: "star", N: min(s.cascade, 20_000), Workers: 20, Latency: time.Millisecond}},
	} {
		w := s.pair(fmt.Sprintf("%s %d", c.work, c.p.N), c.p, figure{work: c.work, name: "time without a guard", unit: "ns/object", metric: "object ns", how: delay},
			figure{work: c.work, name: "processor time without a guard", unit: "ns/object", metric: "object cpu ns", how: delay})
		w.runs = w.runs[:1]
		for _, guard := range []string{measure.IdleGuard, measure.WideGuard, measure.IdleRule, measure.RootGuard} {
			run := one{side: guard, params: w.runs[0].params, program: ours}
			run.params.Guard = guard
			if run.params.Profile != "" {
				run.params.Profile = fmt.Sprintf("%s/%s-%s.pprof", s.profile, fileName(w.name), guard)
			}
			w.runs = append(w.runs, run)
			w.figures = append(w.figures, guardFigures(c.work, guard)...)
		}
		out = append(out, w)
	}
	return out
}

// guardFigures are those of a guard. Each ratio is to the same cascade without a guard.
func guardFigures(work, guard string) []figure {
	writes := 0.0
	if guard == measure.RootGuard {
		writes = 4 // both finalizers are put on and taken off
	}
	by := source{side: ours}
	return []figure{
		{work: work, name: guard + ": time", unit: "times", metric: "object ns", how: delay, side: guard, over: by, goal: atMost(1.03)},
		{work: work, name: guard + ": processor time", unit: "times", metric: "object cpu ns", how: delay, side: guard, over: by, goal: atMost(1.03)},
		{work: work, name: guard + ": allocations", unit: "times", metric: "object allocs", side: guard, over: by},
		{work: work, name: guard + ": allocated", unit: "times", metric: "object bytes", side: guard, over: by},
		{work: work, name: guard + ": further writes", metric: "extra writes", side: guard, goal: atMost(writes)},
		{work: work, name: guard + ": reads", metric: "gets", side: guard, goal: atMost(0)},
		{work: work, name: guard + ": requests of fences", metric: "fences", side: guard},
	}
}
