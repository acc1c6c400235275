package main

import (
	"math"
	"testing"

	"github.com/ownergraph/ownergraph/internal/proof/bench/measure"
)

func TestPick(t *testing.T) {
	for _, c := range []struct {
		how    how
		rounds []float64
		want   float64
		reason string
	}{
		{cost, []float64{3, 1, 2}, 2, "the median"},
		{cost, []float64{4, 1, 2, 3}, 2.5, "the mean of the two in the middle"},
		{delay, []float64{3, 1, 2}, 1, "the least disturbed"},
		{rate, []float64{3, 1, 2}, 3, "the least disturbed"},
		{rate, nil, math.NaN(), "not measured"},
	} {
		if got := c.how.pick(c.rounds); !same(got, c.want) {
			t.Errorf("pick %v: %v, want %v: %s", c.rounds, got, c.want, c.reason)
		}
	}
}

func TestRatio(t *testing.T) {
	for _, c := range []struct {
		how                how
		ours, theirs, want float64
		reason             string
	}{
		{cost, 2, 6, 3, "a third of the cost"},
		{delay, 6, 3, 0.5, "twice the time"},
		{rate, 6, 2, 3, "three times the rate"},
		{cost, 0, 2, math.Inf(1), "nothing against something"},
		{cost, 0, 0, math.NaN(), "nothing against nothing"},
		{cost, 1, math.NaN(), math.NaN(), "theirs was not measured"},
	} {
		if got := c.how.ratio(c.ours, c.theirs); !same(got, c.want) {
			t.Errorf("ratio of %v and %v: %v, want %v: %s", c.ours, c.theirs, got, c.want, c.reason)
		}
	}
}

func TestGoals(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		goal        goal
		ours, ratio float64
		ok, given   bool
		text        string
		reason      string
	}{
		{goal{}, 1, 1, true, false, "", "nothing is asked for"},
		{times(3), 1, 3, true, true, "ratio >= 3.00", "just reached"},
		{times(3), 1, 2.99, false, true, "ratio >= 3.00", "missed"},
		{times(3), 1, nan, false, true, "ratio >= 3.00", "theirs was not measured"},
		{times(3), 0, math.Inf(1), true, true, "ratio >= 3.00", "ours costs nothing"},
		{atMost(0), 0, nan, true, true, "<= 0.00", "nothing at all"},
		{atMost(0), 0.1, nan, false, true, "<= 0.00", "something"},
		{atMost(5), nan, nan, false, true, "<= 5.00", "ours was not measured"},
		{atLeast(0.95), 0.96, nan, true, true, ">= 0.95", "enough"},
		{atLeast(0.95), 0.94, nan, false, true, ">= 0.95", "too little"},
	} {
		ok, given := c.goal.met(c.ours, c.ratio)
		if ok != c.ok || given != c.given || c.goal.String() != c.text {
			t.Errorf("%q at %v, ratio %v: %t, %t; want %q, %t, %t: %s",
				c.goal, c.ours, c.ratio, ok, given, c.text, c.ok, c.given, c.reason)
		}
	}
}

func TestValue(t *testing.T) {
	r := results{
		{"a", ours}: {{"ns": 10}, {"ns": 8}}, {"a", bare}: {{"ns": 4}},
		{"b", ours}: {{"ns": 24}}, {"b", theirs}: {{"other": 1}},
	}
	for _, c := range []struct {
		figure figure
		of     source
		want   float64
		reason string
	}{
		{figure{metric: "ns", how: delay}, source{"a", ours}, 8, "the least of the rounds"},
		{figure{metric: "ns", how: delay, scale: 0.5}, source{"a", ours}, 4, "in another unit"},
		{figure{metric: "ns", how: delay, over: source{side: bare}}, source{"a", ours}, 2, "by another side"},
		{figure{metric: "ns", how: delay, over: source{row: "a"}}, source{"b", ours}, 3, "by another row"},
		{figure{metric: "ns", how: delay}, source{"b", theirs}, math.NaN(), "it has no such metric"},
		{figure{metric: "ns", how: delay}, source{"c", ours}, math.NaN(), "there is no such row"},
	} {
		if got := r.value(c.figure, c.of); !same(got, c.want) {
			t.Errorf("value of %v: %v, want %v: %s", c.of, got, c.want, c.reason)
		}
	}
}

func same(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) }

func TestParse(t *testing.T) {
	for _, c := range []struct {
		out    string
		want   float64
		fails  bool
		reason string
	}{
		{`{"x":3}`, 3, false, "the answer"},
		{"{\"x\":4}\nPASS\n", 4, false, "a bubble says more"},
		{"", 0, true, "no answer"},
		{"panic: x", 0, true, "no figures"},
	} {
		m, err := parse([]byte(c.out))
		if (err != nil) != c.fails || (measure.Metrics{"x": c.want})["x"] != m["x"] {
			t.Errorf("parse %q: %v, %v: %s", c.out, m, err, c.reason)
		}
	}
}
