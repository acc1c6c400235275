package main

import (
	"cmp"
	"math"
	"slices"

	"github.com/ownergraph/ownergraph/internal/proof/bench/measure"
	"github.com/ownergraph/ownergraph/internal/proof/figures"
)

// how says how a figure is read, and how one of several rounds is chosen.
type how uint8

const (
	cost  how = iota // less is better; the median of the rounds
	delay            // a cost in time: the least of the rounds, which was disturbed least
	rate             // more is better; the highest of the rounds
)

// pick returns the value that stands for the rounds.
func (h how) pick(rounds []float64) float64 {
	if len(rounds) == 0 {
		return math.NaN()
	}
	switch h {
	case delay:
		return slices.Min(rounds)
	case rate:
		return slices.Max(rounds)
	}
	return figures.Median(rounds)
}

// ratio says how many times better ours is, NaN if the ratio has no meaning.
func (h how) ratio(ours, theirs float64) float64 {
	if h == rate {
		ours, theirs = theirs, ours
	}
	if ours == 0 && theirs == 0 {
		return math.NaN()
	}
	return theirs / ours
}

// goal is the target of ours. A zero field is no target.
type goal struct {
	ratio float64 // at least so many times better
	most  float64 // at most, if limited is set
	least float64 // at least

	limited bool
}

func times(ratio float64) goal { return goal{ratio: ratio} }

func atMost(limit float64) goal { return goal{most: limit, limited: true} }

func atLeast(limit float64) goal { return goal{least: limit} }

// met reports whether ours reaches the goal, and given whether there is a goal.
func (g goal) met(ours, ratio float64) (ok, given bool) {
	given = g != goal{}
	ok = !math.IsNaN(ours) && !(g.ratio > 0 && !(ratio >= g.ratio)) && !(g.limited && ours > g.most) && !(g.least > 0 && ours < g.least)
	return ok, given
}

func (g goal) String() string {
	switch {
	case g.ratio > 0:
		return "ratio >= " + figures.Number(g.ratio)
	case g.limited:
		return "<= " + figures.Number(g.most)
	case g.least > 0:
		return ">= " + figures.Number(g.least)
	}
	return ""
}

// figure is one line of the table: a metric of the runs of one row.
type figure struct {
	work   string // the kind of work
	name   string
	unit   string
	metric string
	how    how
	scale  float64 // 0 for 1
	side   string  // the side whose metric stands for ours; "" for ours
	theirs string  // the side whose metric stands for theirs; "" for theirs
	over   source  // the metric that divides both sides
	goal   goal
}

// source names a side's runs of a row. An empty string stands for the same row or side.
type source struct{ row, side string }

// results are the metrics of all rounds.
type results map[source][]measure.Metrics

// value returns the figure of one side in one row, NaN if it was not measured.
func (r results) value(f figure, of source) float64 {
	v := r.raw(f, of)
	if f.over != (source{}) {
		v /= r.raw(f, source{cmp.Or(f.over.row, of.row), cmp.Or(f.over.side, of.side)})
	}
	if f.scale != 0 {
		v *= f.scale
	}
	return v
}

func (r results) raw(f figure, of source) float64 {
	var rounds []float64
	for _, m := range r[of] {
		if v, ok := m[f.metric]; ok {
			rounds = append(rounds, v)
		}
	}
	return f.how.pick(rounds)
}
