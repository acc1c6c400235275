package main

import (
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ownergraph/ownergraph/internal/proof/bench/measure"
	sides "github.com/ownergraph/ownergraph/internal/proof/bench/ours"
)

func standard(t *testing.T) options {
	t.Helper()
	o, err := parseFlags(nil)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// TestPlan: every row of the plan, small and with our side alone, has the metrics that
// its figures name.
func TestPlan(t *testing.T) {
	seen, done := map[string]bool{}, map[measure.Params]measure.Metrics{}
	for _, w := range plan(standard(t).sizes) {
		if seen[w.name] {
			t.Errorf("%s: there twice", w.name)
		}
		seen[w.name] = true
		if w.rounds < 1 || len(w.figures) == 0 || w.size == 0 {
			t.Errorf("%s: %d rounds, %d figures, size %d", w.name, w.rounds, len(w.figures), w.size)
		}
		has := map[string]measure.Metrics{}
		for _, r := range w.runs {
			p := small(r.params)
			if done[p] == nil {
				done[p] = measured(t, p)
			}
			has[r.side] = done[p]
		}
		for _, f := range w.figures {
			for _, side := range []string{ours, f.side, f.theirs, f.over.side} {
				if _, ok := has[side][f.metric]; !ok && side != "" {
					t.Errorf("%s: figure %q: side %s has no %q", w.name, f.name, side, f.metric)
				}
			}
			if f.over.row != "" && !seen[f.over.row] {
				t.Errorf("%s: figure %q: row %q does not come before", w.name, f.name, f.over.row)
			}
		}
	}
}

// small returns a row at a fraction of its size.
func small(p measure.Params) measure.Params {
	p.N, p.Workers, p.Latency = min(p.N, 340), min(p.Workers, 20), p.Latency/1000
	return p
}

func measured(t *testing.T, p measure.Params) measure.Metrics {
	t.Helper()
	var out strings.Builder
	run := func(w io.Writer) {
		if err := measure.Run(w, sides.Side{}, p); err != nil {
			t.Fatal(err)
		}
	}
	if measure.InBubble(p) {
		synctest.Test(t, func(*testing.T) { run(&out) })
	} else {
		run(&out)
	}
	m, err := parse([]byte(out.String()))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestAgain(t *testing.T) {
	for _, c := range []struct {
		round, most          int
		within, passed, took time.Duration
		want                 bool
		reason               string
	}{
		{0, 1, 10, 20, 0, true, "each row has one round, however late it is"},
		{1, 3, 10, 6, 4, true, "it fits"},
		{1, 3, 10, 7, 4, false, "it would last too long"},
		{1, 1, 10, 0, 1, false, "one round is enough"},
		{2, 3, 0, 100, 100, true, "there is no limit"},
	} {
		o := options{within: c.within}
		if got := o.again(row{rounds: c.most}, c.round, c.passed, c.took); got != c.want {
			t.Errorf("round %d of %d, %d of %d: %t: %s", c.round, c.most, c.passed, c.within, got, c.reason)
		}
	}
}

func TestFlags(t *testing.T) {
	for _, c := range []struct {
		args, fails, reason string
	}{
		{"", "", "the defaults"},
		{"-tsv -rounds 1 -large 1000 -workers 3,5 -only ^queue", "", "all well"},
		{"-rounds 0", "-rounds", "nothing would be measured"},
		{"-large 10", "-large", "too small to mean anything"},
		{"-workers 1,x", "-workers", "no number"},
		{"-workers 0", "-workers", "no worker"},
		{"-only (", "-only", "no expression"},
		{"queue", "queue", "no flag"},
		{"-instructions -against HEAD", "", "both flags"},
		{"-instructions", "-against", "there is nothing to compare with"},
	} {
		_, err := parseFlags(strings.Fields(c.args))
		if (err != nil) != (c.fails != "") || err != nil && !strings.Contains(err.Error(), c.fails) {
			t.Errorf("flags %q: %v: %s", c.args, err, c.reason)
		}
	}
}
