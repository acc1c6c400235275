package main

import (
	"fmt"

	"github.com/ownergraph/ownergraph/internal/proof/bench/measure"
)

// The work of rows that drive the engine without a Collector. Theirs is driven without
// its workers there.
const (
	ingestWork = "ingest, the engine alone"
	updateWork = "update that changes nothing, the engine alone"
	memoryWork = "memory, the engine alone"
)

func graphRows(s sizes) []row {
	var out []row
	seen := map[int]bool{}
	for _, g := range []struct {
		n             int
		update, fresh float64 // the target ratios
		warm          float64
	}{{10_000, 25, 0, 0}, {min(100_000, s.large), 10, 8, 10}, {s.large, 5, 8, 0}} {
		if seen[g.n] {
			continue
		}
		seen[g.n] = true
		w := s.pair(fmt.Sprintf("graph %d", g.n), measure.Params{Row: "graph", N: g.n})
		beside := one{side: alone, params: measure.Params{Row: "graph", N: g.n}}
		if g.n > 100_000 {
			w.rounds, beside.rounds = min(w.rounds, 2), 1
		}
		w.runs = append(w.runs, beside)
		if g.fresh > 0 {
			w.figures = ingestFigures(g.fresh, g.warm)
		}
		w.figures = append(w.figures, updateFigures(g.update)...)
		if g.fresh > 0 {
			w.figures = append(w.figures, memoryFigures()...)
		}
		out = append(out, w)
		if g.fresh > 0 {
			out = append(out, s.memory(g.n))
		}
	}
	return append(out, s.pair("worst", measure.Params{Row: "worst", N: s.large},
		figure{work: ingestWork, name: "the slowest single event", unit: "ms", metric: "worst ns", how: delay, scale: 1e-6, goal: atMost(1)}))
}

func ingestFigures(fresh, warm float64) []figure {
	out := []figure{
		ingest("fresh", "fresh ns", ours, times(fresh)),
		{work: ingestWork, name: "allocations", unit: "1/event", metric: "fresh allocs", goal: atMost(0.05)},
		{work: ingestWork, name: "allocated", unit: "B/event", metric: "fresh bytes"},
		ingest("fresh, and decided", "fresh settled ns", ours, goal{}),
		ingest("fresh, our graph alone", "fresh ns", alone, goal{}),
	}
	if warm > 0 {
		out = append(out,
			ingest("warm", "warm ns", ours, times(warm)),
			ingest("warm, and decided", "warm settled ns", ours, goal{}),
			ingest("warm, our graph alone", "warm ns", alone, goal{}))
	}
	return out
}

func ingest(name, metric, side string, g goal) figure {
	return figure{work: ingestWork, name: name, unit: "ns/event", metric: metric, how: delay, side: side, goal: g}
}

func updateFigures(by float64) []figure {
	f := func(name, metric, side string, g goal) figure {
		return figure{work: updateWork, name: name, unit: "ns/event", metric: metric, how: delay, side: side, goal: g}
	}
	return []figure{
		f("fresh", "update ns", ours, times(by)),
		f("churned", "churned update ns", ours, times(by)),
		{work: updateWork, name: "allocations", unit: "1/event", metric: "update allocs", goal: atMost(0.001)},
		f("fresh, and decided", "update settled ns", ours, goal{}),
		f("fresh, our graph alone", "update ns", alone, goal{}),
		f("churned, our graph alone", "churned update ns", alone, goal{}),
	}
}

func memoryFigures() []figure {
	f := func(name, metric, side string, g goal) figure {
		return figure{work: memoryWork, name: name, unit: "B/object", metric: metric, side: side, goal: g}
	}
	return []figure{
		f("the graph and what it pins", "held bytes", alone, goal{}),
		f("left of a former object", "left bytes", ours, atMost(5)),
		{work: memoryWork, name: "growth by churn", unit: "times", metric: "growth", goal: atMost(1.05)},
	}
}

func (s sizes) memory(n int) row {
	w := s.pair(fmt.Sprintf("memory %d", n), measure.Params{Row: "memory", N: n},
		figure{work: memoryWork, name: "all that is kept", unit: "B/object", metric: "whole bytes", goal: atMost(110)},
		figure{work: memoryWork, name: "all, with pages", unit: "B/object", metric: "whole in use"})
	w.rounds = 1 // bytes do not vary
	return w
}

func otherRows(s sizes) []row {
	start := s.pair("start", measure.Params{Row: "start", N: 10_000, Workers: 20},
		figure{work: "start, any order", name: "requests", unit: "1/object", metric: "requests", goal: atMost(0)},
		figure{work: "start, any order", name: "tail", unit: "s", metric: "tail s", goal: atMost(0)})
	start.rounds = 1 // in a bubble of time
	out := []row{start}
	for _, consumers := range []int{1, 64} {
		p := measure.Params{Row: "queue", N: 1 << 20, Workers: consumers}
		out = append(out, s.queue(fmt.Sprintf("queue %d", consumers), "queue alone", p, 0))
		p.Product = true
		w := s.queue(fmt.Sprintf("queue %d product", consumers), "queue, as each product uses it", p, 3)
		w.runs[1].program = product
		w.runs = append(w.runs, barely(p))
		w.figures = append(w.figures, floor(w.figures[0], "two turns of an empty mutex"))
		out = append(out, w)
	}
	return out
}

func (s sizes) queue(name, work string, p measure.Params, ratio float64) row {
	return s.pair(name, p,
		figure{work: work, name: "add, get, done", unit: "ns", metric: "cycle ns", how: delay, goal: times(ratio)},
		figure{work: work, name: "allocations", unit: "1/cycle", metric: "cycle allocs", goal: atMost(0.001)},
	)
}
