package main

import (
	"fmt"
	"slices"
	"time"

	"github.com/ownergraph/ownergraph/internal/proof/bench/measure"
)

// sizes are those of the flags.
type sizes struct {
	rounds  int
	large   int // objects of the largest graph and of the largest owner
	deep    int // levels of the longest chain
	wide    int // dependents of the largest foreground deletion
	cascade int // objects of a cascade without latency
	workers []int
	profile string
}

// plan returns every row of the table.
func plan(s sizes) []row {
	return slices.Concat(graphRows(s), cascadeRows(s), starRows(s), chainRows(s), otherRows(s), latencyRows(s), collectorRows(s))
}

// barely is the bare run beside a row.
func barely(p measure.Params) one {
	p.Bare = true
	return one{side: bare, params: p}
}

// floor is the figure of the bare run. It shows how much better than theirs ours could
// be.
func floor(f figure, name string) figure {
	f.name, f.side, f.goal = name, bare, goal{}
	return f
}

// pair is a row that both sides run alike.
func (s sizes) pair(name string, p measure.Params, figures ...figure) row {
	mine := p
	if s.profile != "" {
		mine.Profile = fmt.Sprintf("%s/%s.pprof", s.profile, fileName(name))
	}
	return row{
		name: name, size: p.N, workers: p.Workers, rounds: s.rounds,
		runs: []one{{side: ours, params: mine}, {side: theirs, params: p}}, figures: figures,
	}
}

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
		figure{work: "ingest", name: "the slowest single event", unit: "ms", metric: "worst ns", how: delay, scale: 1e-6, goal: atMost(1)}))
}

func ingestFigures(fresh, warm float64) []figure {
	out := []figure{
		ingest("fresh", "fresh ns", ours, times(fresh)),
		{work: "ingest", name: "allocations", unit: "1/event", metric: "fresh allocs", goal: atMost(0.05)},
		{work: "ingest", name: "allocated", unit: "B/event", metric: "fresh bytes"},
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
	return figure{work: "ingest", name: name, unit: "ns/event", metric: metric, how: delay, side: side, goal: g}
}

func updateFigures(by float64) []figure {
	f := func(name, metric, side string, g goal) figure {
		return figure{work: "update that changes nothing", name: name, unit: "ns/event", metric: metric, how: delay, side: side, goal: g}
	}
	return []figure{
		f("fresh", "update ns", ours, times(by)),
		f("churned", "churned update ns", ours, times(by)),
		{work: "update that changes nothing", name: "allocations", unit: "1/event", metric: "update allocs", goal: atMost(0.001)},
		f("fresh, and decided", "update settled ns", ours, goal{}),
		f("fresh, our graph alone", "update ns", alone, goal{}),
		f("churned, our graph alone", "churned update ns", alone, goal{}),
	}
}

func memoryFigures() []figure {
	f := func(name, metric, side string, g goal) figure {
		return figure{work: "memory", name: name, unit: "B/object", metric: metric, side: side, goal: g}
	}
	return []figure{
		f("the graph and what it pins", "held bytes", alone, goal{}),
		f("left of a former object", "left bytes", ours, atMost(5)),
		{work: "memory", name: "growth by churn", unit: "times", metric: "growth", goal: atMost(1.05)},
	}
}

func (s sizes) memory(n int) row {
	w := s.pair(fmt.Sprintf("memory %d", n), measure.Params{Row: "memory", N: n},
		figure{work: "memory", name: "all that is kept", unit: "B/object", metric: "whole bytes", goal: atMost(110)},
		figure{work: "memory", name: "all, with pages", unit: "B/object", metric: "whole in use"})
	w.rounds = 1 // bytes do not vary
	return w
}

func cascadeRows(s sizes) []row {
	var out []row
	for _, n := range []int{s.cascade / 10, s.cascade} {
		p := measure.Params{Row: "background", N: n, Workers: 20}
		speed := figure{work: "background", name: "rate", unit: "objects/s", metric: "rate", how: rate, goal: times(5)}
		w := s.pair(fmt.Sprintf("background %d", n), p, requests("background", 1.005), speed, floor(speed, "rate of a bare loop"),
			figure{work: "background", name: "allocations", unit: "1/object", metric: "object allocs", goal: atMost(5)})
		w.runs = append(w.runs, barely(p))
		out = append(out, w)
	}
	return out
}

func requests(work string, most float64) figure {
	return figure{work: work, name: "requests", unit: "1/object", metric: "requests", goal: atMost(most)}
}

func starRows(s sizes) []row {
	var out []row
	first := ""
	for _, n := range slices.Compact([]int{1000, min(10_000, s.wide), s.wide}) {
		name := fmt.Sprintf("foreground %d", n)
		perDependent := figure{work: "foreground", name: "time", unit: "us/dependent", metric: "object ns", how: delay, scale: 1e-3}
		w := s.pair(name, measure.Params{Row: "foreground", N: n, Workers: 20}, requests("foreground", 1.01), perDependent)
		if first == "" {
			first = name
		} else {
			linear := perDependent
			linear.name, linear.unit, linear.over, linear.scale = "time by that of 1000", "times", source{row: first}, 0
			if n == s.wide {
				linear.goal = atMost(1.3)
			}
			w.figures = append(w.figures, linear)
		}
		out = append(out, w)
	}
	out = append(out, s.pair("orphan", measure.Params{Row: "orphan", N: 10_000, Workers: 20}, requests("orphan", 1.005),
		figure{work: "orphan", name: "goroutines", unit: "", metric: "goroutines", goal: atMost(30)},
		figure{work: "orphan", name: "time", unit: "us/dependent", metric: "object ns", how: delay, scale: 1e-3},
	))
	p := measure.Params{Row: "fan", N: s.large}
	wait := figure{work: "end of an owner", name: "others wait", unit: "ms", metric: "wait ns", how: delay, scale: 1e-6, goal: atMost(0.25)}
	slow := figure{work: "end of an owner", name: "steps over 0.25 ms", unit: "", metric: "over 0.25 ms", how: delay}
	w := s.pair("fan", p, wait, floor(wait, "others wait for a loop that reads the clock"),
		figure{work: "end of an owner", name: "the event itself", unit: "ms", metric: "event ns", how: delay, scale: 1e-6},
		slow, floor(slow, "the same of that loop"))
	w.runs = append(w.runs, barely(p))
	w.rounds = min(w.rounds, 2)
	return append(out, w)
}

func chainRows(s sizes) []row {
	var out []row
	first := ""
	for _, n := range []int{s.deep / 10, s.deep} {
		name := fmt.Sprintf("chain %d", n)
		level := figure{work: "chain", name: "time", unit: "us/level", metric: "object ns", how: delay, scale: 1e-3, goal: times(3)}
		p := measure.Params{Row: "chain", N: n, Workers: 20}
		w := s.pair(name, p, requests("chain", 1.005), level, floor(level, "time of a bare watch and worker"))
		w.runs = append(w.runs, barely(p))
		if first == "" {
			first = name
		} else {
			level.name, level.unit, level.over, level.scale, level.goal = "time by that of a tenth", "times", source{row: first}, 0, atMost(1.3)
			w.figures = append(w.figures, level)
		}
		out = append(out, w)
	}
	return out
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

func latencyRows(s sizes) []row {
	var out []row
	for _, workers := range s.workers {
		p := measure.Params{Row: "background", N: min(max(400*workers, 2000), 20_000), Workers: workers, Latency: time.Millisecond}
		throughput := figure{work: "background, 1 ms", name: "rate", unit: "objects/s", metric: "rate", how: rate}
		share := figure{work: "background, 1 ms", name: "rate by the bare loop's", unit: "times", metric: "rate", how: rate, over: source{side: bare}}
		if workers == 20 || workers == 64 {
			throughput.goal, share.goal = times(2.8), atLeast(0.95)
		}
		w := s.pair(fmt.Sprintf("latency %d", workers), p, requests("background, 1 ms", 1.005), throughput, share)
		w.runs = append(w.runs, barely(p))
		if workers < 20 {
			w.rounds = min(w.rounds, 1)
		}
		out = append(out, w)
	}
	return out
}

func collectorRows(s sizes) []row {
	var out []row
	first := ""
	for _, c := range []struct {
		n     int
		split bool
	}{{1, true}, {2, true}, {4, true}, {2, false}, {4, false}} {
		work := fmt.Sprintf("%d collectors, 1 ms, each its scopes", c.n)
		if !c.split {
			work = fmt.Sprintf("%d collectors, 1 ms, each all scopes", c.n)
		}
		p := measure.Params{Row: "background", N: 20_000, Workers: 20, Collectors: c.n, Split: c.split, Latency: time.Millisecond}
		w := s.pair(work, p, requests(work, 0))
		w.figures[0].goal = goal{}
		w.runs = w.runs[:1]
		speed := figure{work: work, name: "rate", unit: "objects/s", metric: "rate", how: rate}
		w.figures = append(w.figures, speed)
		if first == "" {
			first = work
		} else {
			speed.name, speed.unit, speed.over = "rate by that of one", "times", source{row: first}
			w.figures = append(w.figures, speed)
		}
		out = append(out, w)
	}
	return out
}
