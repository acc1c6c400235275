package main

import (
	"context"
	"math"
	"runtime"
	"syscall"
	"time"

	"github.com/ownergraph/ownergraph/internal/proof/figures"
)

// sample is the measurement of one side in one round. A figure that was not measured is
// NaN.
type sample struct {
	seconds, ops  float64
	allocs, bytes float64 // of this process, for each operation
	cpu           float64 // microseconds of this process, for each operation
	p50, p99      float64 // latencies in milliseconds
}

func (s sample) rate() float64 { return s.ops / s.seconds }

// side is one side of a row. A run makes its database first, and measures only the work
// after that. It fails if the end state is wrong.
type side struct {
	name string
	run  func(ctx context.Context) (sample, error)
}

// goal compares a side with another one of its row.
type goal struct {
	side, beside string
	atLeast      float64 // of the rate of the other one
	atMost       float64 // times the time of the other one
}

// row is work that several sides do.
type row struct {
	name  string
	n     int
	sides []side
	goals []goal
}

// timed measures a function. Garbage of the preparation is collected before.
func timed(ops int, work func() error) (sample, error) {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	used, begun := processorTime(), time.Now()
	err := work()
	took := time.Since(begun)
	used = processorTime() - used
	runtime.ReadMemStats(&after)
	n := float64(ops)
	return sample{
		seconds: took.Seconds(), ops: n,
		allocs: float64(after.Mallocs-before.Mallocs) / n, bytes: float64(after.TotalAlloc-before.TotalAlloc) / n,
		cpu: used.Seconds() * 1e6 / n,
		p50: math.NaN(), p99: math.NaN(),
	}, err
}

// processorTime returns the time of all threads of this process.
func processorTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// results are the samples of each side of a row, in the order of the rounds.
type results map[string][]sample

// median returns the middle of a figure of a side.
func (r results) median(side string, figure func(sample) float64) float64 {
	var list []float64
	for _, s := range r[side] {
		if v := figure(s); !math.IsNaN(v) {
			list = append(list, v)
		}
	}
	return figures.Median(list)
}

// ratio returns the median of the ratios in each round. The sides of a round run side by
// side, so a disturbance of the machine moves both.
func (r results) ratio(side, beside string, figure func(sample) float64) float64 {
	var list []float64
	for i := range min(len(r[side]), len(r[beside])) {
		list = append(list, figure(r[side][i])/figure(r[beside][i]))
	}
	return figures.Median(list)
}

// judge returns the ratio of a goal, and whether it is met.
func (r results) judge(g goal) (ratio float64, met bool) {
	if g.atMost > 0 {
		ratio = r.ratio(g.side, g.beside, func(s sample) float64 { return s.seconds })
		return ratio, ratio <= g.atMost
	}
	ratio = r.ratio(g.side, g.beside, sample.rate)
	return ratio, ratio >= g.atLeast
}

func (g goal) String() string {
	switch {
	case g.atMost > 0:
		return "time <= " + figures.Number(g.atMost)
	case g.atLeast > 0:
		return "rate >= " + figures.Number(g.atLeast)
	}
	return ""
}
