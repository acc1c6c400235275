package main

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/ownergraph/ownergraph/internal/proof/bench/measure"
	"github.com/ownergraph/ownergraph/internal/proof/figures"
)

// noise is the largest distance of two medians without a verdict.
const noise = 0.03

// pair is one figure of two versions.
type pair struct {
	a, b        float64 // the medians
	ratio       float64 // of the medians; above 1 the working tree is worse
	best        float64 // the same of the least time or the highest rate
	least, most float64 // ratios of single pairs
	rounds      int
}

// pairFigures returns the figures that are compared: those of the row that a run has,
// and the allocations beside each time and rate.
func pairFigures(w row, side string, both map[string][]measure.Metrics) []figure {
	var out []figure
	add := func(f figure) {
		has := len(both[present]) > 0
		if has {
			_, has = both[present][0][f.metric]
		}
		if has && !slices.ContainsFunc(out, func(x figure) bool { return x.metric == f.metric }) {
			out = append(out, f)
		}
	}
	for _, f := range w.figures {
		if f.over != (source{}) || (f.side == "" || f.side == ours) != (side == ours) || f.side == bare {
			continue
		}
		add(f)
		if f.how == cost {
			continue
		}
		metric := strings.TrimSuffix(f.metric, " ns")
		if f.how == rate {
			metric = "object"
		}
		add(figure{work: f.work, name: f.name + ": allocations", metric: metric + " allocs"})
		add(figure{work: f.work, name: f.name + ": allocated", unit: "B", metric: metric + " bytes"})
	}
	return out
}

// comparePair compares a figure of two versions.
func comparePair(f figure, both map[string][]measure.Metrics) pair {
	a, b := f.rounds(both[former]), f.rounds(both[present])
	p := pair{a: math.NaN(), b: math.NaN(), ratio: math.NaN(), best: math.NaN(), least: math.NaN(), most: math.NaN()}
	if p.rounds = min(len(a), len(b)); p.rounds == 0 {
		return p
	}
	p.a, p.b = figures.Median(a), figures.Median(b)
	p.ratio, p.best = f.how.worse(p.a, p.b), f.how.worse(f.how.pick(a), f.how.pick(b))
	ratios := make([]float64, p.rounds)
	for i := range ratios {
		ratios[i] = f.how.worse(a[i], b[i])
	}
	p.least, p.most = slices.Min(ratios), slices.Max(ratios)
	return p
}

// worse says how many times worse the working tree is: B/A of a cost, A/B of a rate.
func (h how) worse(a, b float64) float64 { return 1 / h.ratio(b, a) }

// rounds returns the figure of each process.
func (f figure) rounds(all []measure.Metrics) (out []float64) {
	for _, m := range all {
		if v, ok := m[f.metric]; ok {
			if f.scale != 0 {
				v *= f.scale
			}
			out = append(out, v)
		}
	}
	return out
}

// verdict names the worse or better version, if the medians and the best rounds agree.
func (p pair) verdict() string {
	switch {
	case p.ratio > 1+noise && p.best > 1+noise:
		return "worse"
	case p.ratio < 1-noise && p.best < 1-noise:
		return "better"
	}
	return ""
}

func (p pair) cells(w row, f figure) []string {
	workers := ""
	if w.workers > 0 {
		workers = strconv.Itoa(w.workers)
	}
	return []string{
		f.work, strconv.Itoa(w.size), workers, f.name, f.unit, figures.Number(p.a), figures.Number(p.b), fraction(p.ratio),
		fraction(p.best), fraction(p.least), fraction(p.most), p.verdict(), strconv.Itoa(p.rounds),
	}
}

// fraction prints a ratio to a thousandth.
func fraction(v float64) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return figures.Number(v)
	}
	return fmt.Sprintf("%.3f", v)
}

// pairColumns are the names of a pair's cells.
func pairColumns() []string {
	return []string{"work", "size", "workers", "figure", "unit", "A", "B", "B/A", "best", "least", "most", "verdict", "pairs"}
}
