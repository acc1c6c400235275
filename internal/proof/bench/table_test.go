package main

import (
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph/internal/proof/figures"
)

func TestTable(t *testing.T) {
	w := row{name: "r", size: 1000, workers: 20, figures: []figure{
		{work: "w", name: "time", unit: "us", metric: "ns", how: delay, scale: 1e-3, goal: times(5)},
		{work: "w", name: "allocations", unit: "1", metric: "allocs", goal: atMost(2)},
		{work: "w", name: "alone", unit: "us", metric: "ns", how: delay, scale: 1e-3, side: alone},
	}}
	r := results{
		{"r", ours}:   {{"ns": 2000, "allocs": 3}, {"ns": 1000, "allocs": 3}},
		{"r", theirs}: {{"ns": 5000, "allocs": 9}, {"ns": 6000, "allocs": 9}},
	}
	want := strings.Join([]string{
		"work\tsize\tworkers\tfigure\tunit\tours\tkubernetes\tratio\ttarget\tverdict\trounds",
		"w\t1000\t20\ttime\tus\t1.00\t5.00\t5.00\tratio >= 5.00\tok\t2",
		"w\t1000\t20\tallocations\t1\t3.00\t9.00\t3.00\t<= 2.00\tMISS\t2",
		"w\t1000\t20\talone\tus\t-\t5.00\t-\t\t\t0",
		"",
	}, "\n")
	var tabs strings.Builder
	p := figures.TSV(&tabs)
	list := [][]string{columns()}
	for _, l := range r.lines(w) {
		list = append(list, l.cells())
	}
	for _, cells := range list {
		if err := p.Print(cells); err != nil {
			t.Fatal(err)
		}
	}
	if tabs.String() != want {
		t.Errorf("printed\n%s\nwant\n%s", tabs.String(), want)
	}
}
