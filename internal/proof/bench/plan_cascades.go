package main

import (
	"fmt"
	"slices"
	"time"

	"github.com/ownergraph/ownergraph/internal/proof/bench/measure"
)

func cascadeRows(s sizes) []row {
	var out []row
	for _, n := range []int{s.cascade / 10, s.cascade} {
		p := measure.Params{Row: "background", N: n, Workers: 20}
		speed := figure{work: "background", name: "rate", unit: "objects/s", metric: "rate", how: rate}
		w := s.pair(fmt.Sprintf("background %d", n), p, requests("background", 1.005), speed, floor(speed, "rate of a bare loop"),
			figure{work: "background", name: "allocations", unit: "1/object", metric: "object allocs", goal: atMost(5)})
		w.runs = append(w.runs, barely(p))
		out = append(out, w.beside("rate", times(4)))
	}
	for _, n := range []int{s.cascade / 10, s.cascade} {
		work := "background, ours in batches"
		p := measure.Params{Row: "background", N: n}
		w := s.pair(fmt.Sprintf("background %d batches", n), p,
			figure{work: work, name: "rate", unit: "objects/s", metric: "rate", how: rate},
			figure{work: work, name: "requests", unit: "1/object", metric: "requests"})
		w.runs[0].params.Batch = true
		out = append(out, w.beside("rate", times(4)))
	}
	for _, n := range []int{s.cascade / 10, s.cascade} {
		work := "background, the defaults of both"
		out = append(out, s.pair(fmt.Sprintf("background %d default", n), measure.Params{Row: "background", N: n}, requests(work, 1.005),
			figure{work: work, name: "rate", unit: "objects/s", metric: "rate", how: rate}).beside("rate", times(4)))
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
		least := goal{}
		if n == 1000 {
			least = times(3)
		}
		out = append(out, w.beside("time", least))
	}
	return append(out, orphanRows(s)...)
}

func orphanRows(s sizes) []row {
	slow := "orphan, 1 ms, the defaults of both"
	return []row{
		s.pair("orphan", measure.Params{Row: "orphan", N: 10_000, Workers: 20}, requests("orphan", 1.005),
			figure{work: "orphan", name: "goroutines", unit: "", metric: "goroutines", goal: atMost(30)},
			figure{work: "orphan", name: "time", unit: "us/dependent", metric: "object ns", how: delay, scale: 1e-3},
		).beside("", goal{}),
		s.pair("orphan latency", measure.Params{Row: "orphan", N: 10_000, Latency: time.Millisecond}, requests(slow, 1.005),
			figure{work: slow, name: "rate", unit: "objects/s", metric: "rate", how: rate, goal: times(1)},
			figure{work: slow, name: "goroutines", unit: "", metric: "goroutines"},
			figure{work: slow, name: "requests at once", unit: "", metric: "waiting"},
		).beside("rate", times(1)),
	}
}

// fanRows end a large owner in the engine alone.
func fanRows(s sizes) []row {
	const work = "end of an owner, the engine alone"
	p := measure.Params{Row: "fan", N: s.large}
	wait := figure{work: work, name: "others wait", unit: "ms", metric: "wait ns", how: delay, scale: 1e-6}
	slow := figure{work: work, name: "steps over 0.25 ms", unit: "", metric: "over 0.25 ms", how: delay}
	own := figure{work: work, name: "longest step, time of the thread", unit: "ms", metric: "wait thread ns", how: delay, scale: 1e-6, goal: atMost(0.25)}
	w := s.pair("fan", p, wait, floor(wait, "others wait for a loop that reads the clock"),
		own, floor(own, "longest step of that loop, time of the thread"),
		figure{work: work, name: "the event itself", unit: "ms", metric: "event ns", how: delay, scale: 1e-6},
		slow, floor(slow, "the same of that loop"))
	w.runs = append(w.runs, barely(p))
	w.rounds = min(w.rounds, 2)
	return []row{w}
}

func chainRows(s sizes) []row {
	var out []row
	first := ""
	for _, n := range []int{s.deep / 10, s.deep} {
		name := fmt.Sprintf("chain %d", n)
		level := figure{work: "chain", name: "time", unit: "us/level", metric: "object ns", how: delay, scale: 1e-3}
		p := measure.Params{Row: "chain", N: n, Workers: 20}
		w := s.pair(name, p, requests("chain", 1.005), level, floor(level, "time of a bare watch and worker"))
		w.runs = append(w.runs, barely(p))
		if first == "" {
			first = name
		} else {
			level.name, level.unit, level.over, level.scale, level.goal = "time by that of a tenth", "times", source{row: first}, 0, atMost(1.3)
			w.figures = append(w.figures, level)
		}
		out = append(out, w.beside("time", times(2)))
	}
	return out
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
		out = append(out, w.beside("", goal{}))
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
