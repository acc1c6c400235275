package main

import (
	"math"
	"testing"

	"github.com/ownergraph/ownergraph/internal/proof/bench/measure"
)

// TestComparePair: a ratio above 1 says that the working tree is worse, of a cost and
// of a rate.
func TestComparePair(t *testing.T) {
	runs := func(values ...float64) (out []measure.Metrics) {
		for _, v := range values {
			out = append(out, measure.Metrics{"x": v})
		}
		return out
	}
	for _, c := range []struct {
		how                how
		a, b               []measure.Metrics
		ratio, least, most float64
		verdict, reason    string
	}{
		{delay, runs(100, 100, 200), runs(110, 120, 200), 1.2, 1, 1.2, "worse", "the median and the least are longer"},
		{delay, runs(100, 100, 200), runs(100, 120, 200), 1.2, 1, 1.2, "", "the least is as it was"},
		{rate, runs(100, 100), runs(50, 90), 10.0 / 7, 10.0 / 9, 2, "worse", "the median and the highest are lower"},
		{cost, runs(100), runs(90), 0.9, 0.9, 0.9, "better", "less"},
		{cost, runs(100, 100), runs(101, 103), 1.02, 1.01, 1.03, "", "within the noise"},
		{cost, nil, runs(1), math.NaN(), math.NaN(), math.NaN(), "", "the other commit has no such figure"},
		{cost, runs(0), runs(0), math.NaN(), math.NaN(), math.NaN(), "", "nothing in both"},
	} {
		p := comparePair(figure{metric: "x", how: c.how}, map[string][]measure.Metrics{former: c.a, present: c.b})
		for _, x := range [][2]float64{{p.ratio, c.ratio}, {p.least, c.least}, {p.most, c.most}} {
			if !same(x[0], x[1]) && math.Abs(x[0]-x[1]) > 1e-9 {
				t.Errorf("%s: %v, want %v", c.reason, x[0], x[1])
			}
		}
		if p.verdict() != c.verdict {
			t.Errorf("%s: verdict %q, want %q", c.reason, p.verdict(), c.verdict)
		}
	}
}

// TestPairFigures: each run of ours has figures to compare, and times have their
// allocations beside them.
func TestPairFigures(t *testing.T) {
	metrics := map[string][]measure.Metrics{present: {{
		"fresh ns": 1, "fresh allocs": 1, "fresh bytes": 1, "update ns": 1, "whole bytes": 1, "held bytes": 1,
		"rate": 1, "object ns": 1, "object allocs": 1, "object bytes": 1, "cycle ns": 1, "worst ns": 1, "wait ns": 1, "requests": 1,
	}}}
	for _, w := range plan(standard(t).sizes) {
		for _, run := range w.runs {
			if run.side != ours && run.side != alone {
				continue
			}
			figures := pairFigures(w, run.side, metrics)
			if len(figures) == 0 {
				t.Errorf("%s: %s: no figure", w.name, run.side)
			}
			has := map[string]bool{}
			for _, f := range figures {
				has[f.metric] = true
			}
			if has["rate"] && !has["object allocs"] || has["fresh ns"] && !has["fresh bytes"] {
				t.Errorf("%s: %s: figures %v lack allocations", w.name, run.side, has)
			}
		}
	}
}
