package main

import (
	"fmt"

	"github.com/ownergraph/ownergraph/internal/proof/bench/measure"
)

// productRows measure the whole Collector, and the whole garbage collector of
// Kubernetes.
func productRows(s sizes) []row {
	var out []row
	small := min(100_000, s.large)
	for _, g := range []struct {
		n     int
		ratio float64
	}{{small, 4}, {s.large, 6}} {
		if len(out) > 0 && g.n == small {
			continue
		}
		first := s.pair(fmt.Sprintf("listing %d", g.n), measure.Params{Row: "listing", N: g.n},
			wholeFigures("listing, owners first, the whole Collector", g.ratio)...)
		p := measure.Params{Row: "listing", N: g.n, Order: measure.Parallel}
		mixed := s.pair(fmt.Sprintf("listing %d parallel", g.n), p, wholeFigures("listing, parallel, the whole Collector", 4)...)
		mixed.figures = append(mixed.figures, figure{
			work: mixed.figures[0].work, name: "time by that of owners first", unit: "times", metric: "object ns", how: delay,
			over: source{row: first.name}, goal: atMost(1.3),
		}, requests(mixed.figures[0].work, 0))
		mixed.figures[len(mixed.figures)-1].goal = goal{}
		if g.n > 100_000 {
			first.rounds, mixed.rounds = min(first.rounds, 2), min(mixed.rounds, 2)
		}
		out = append(out, first, mixed)
	}
	return append(out, s.pair(fmt.Sprintf("update %d", small), measure.Params{Row: "update", N: small},
		wholeFigures("update that changes nothing, the whole Collector", 5)...))
}

// wholeFigures are those of each object or event of a whole collector.
func wholeFigures(work string, ratio float64) []figure {
	return []figure{
		{work: work, name: "time", unit: "ns/object", metric: "object ns", how: delay, goal: times(ratio)},
		{work: work, name: "allocations", unit: "1/object", metric: "object allocs"},
		{work: work, name: "allocated", unit: "B/object", metric: "object bytes"},
	}
}
