package figures

import (
	"math"
	"slices"
	"strings"
	"testing"
)

func TestNumber(t *testing.T) {
	for _, c := range []struct {
		v      float64
		want   string
		reason string
	}{
		{123456.7, "123457", "no fraction"},
		{12.34, "12.3", "three digits"},
		{1.234, "1.23", "three digits"},
		{0, "0.00", "zero"},
		{0.00123, "0.0012", "two leading digits"},
		{math.NaN(), "-", "not measured"},
		{math.Inf(1), "inf", "divided by zero"},
	} {
		if got := Number(c.v); got != c.want {
			t.Errorf("number %v: %q, want %q: %s", c.v, got, c.want, c.reason)
		}
	}
}

func TestMedian(t *testing.T) {
	for _, c := range []struct {
		values []float64
		want   float64
	}{
		{[]float64{3, 1, 2}, 2}, {[]float64{4, 1, 2, 3}, 2.5}, {[]float64{7}, 7},
	} {
		if got := Median(c.values); got != c.want {
			t.Errorf("median of %v: %v, want %v", c.values, got, c.want)
		}
	}
	if got := Median(nil); !math.IsNaN(got) {
		t.Errorf("median of no values: %v, want NaN", got)
	}
}

func TestTurn(t *testing.T) {
	var got []int
	for round := range 3 {
		for i := range 2 {
			got = append(got, Turn(i, round, 2))
		}
	}
	if want := []int{0, 1, 1, 0, 0, 1}; !slices.Equal(got, want) {
		t.Errorf("the sides run in the order %v, want %v", got, want)
	}
}

func TestPrinters(t *testing.T) {
	lines := [][]string{{"work", "size"}, {"ingest", "1000"}}
	var tabs, marked, wide strings.Builder
	for _, p := range []Printer{TSV(&tabs), Markdown(&marked), Aligned(&wide)} {
		for _, cells := range lines {
			if err := p.Print(cells); err != nil {
				t.Fatal(err)
			}
		}
		if err := p.Flush(); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct{ name, got, want string }{
		{"TSV", tabs.String(), "work\tsize\ningest\t1000\n"},
		{"Markdown", marked.String(), "| work | size |\n|---|---|\n| ingest | 1000 |\n"},
		{"aligned", wide.String(), "work    size\ningest  1000\n"},
	} {
		if c.got != c.want {
			t.Errorf("%s: printed\n%q\nwant\n%q", c.name, c.got, c.want)
		}
	}
}
