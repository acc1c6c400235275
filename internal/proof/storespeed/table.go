package main

import (
	"fmt"
	"io"
	"os"
	"strconv"

	"github.com/ownergraph/ownergraph/internal/proof/figures"
)

// columns are the names of the cells of a line.
func columns() []string {
	return []string{
		"work", "n", "side", "time s", "rate 1/s", "cpu us", "allocs", "bytes", "p50 ms", "p99 ms",
		"beside", "ratio", "goal", "verdict", "rounds",
	}
}

// lines returns a line for each side, or one for each of its goals.
func (r row) lines(all results) [][]string {
	var out [][]string
	for _, s := range r.sides {
		cells := r.figures(s.name, all)
		given := false
		for _, g := range r.goals {
			if g.side == s.name {
				given = true
				out = append(out, append(cells[:len(cells):len(cells)], append(verdict(g, all), rounds(s.name, all))...))
			}
		}
		if !given {
			out = append(out, append(cells, "", "", "", "", rounds(s.name, all)))
		}
	}
	return out
}

func rounds(side string, all results) string { return strconv.Itoa(len(all[side])) }

func (r row) figures(side string, all results) []string {
	cells := []string{r.name, strconv.Itoa(r.n), side}
	for _, figure := range []func(sample) float64{
		func(s sample) float64 { return s.seconds }, sample.rate, func(s sample) float64 { return s.cpu },
		func(s sample) float64 { return s.allocs }, func(s sample) float64 { return s.bytes },
		func(s sample) float64 { return s.p50 }, func(s sample) float64 { return s.p99 },
	} {
		cells = append(cells, figures.Number(all.median(side, figure)))
	}
	return cells
}

func verdict(g goal, all results) []string {
	ratio, met := all.judge(g)
	word := "MISS"
	switch {
	case g.atLeast == 0 && g.atMost == 0:
		word = ""
	case met:
		word = "ok"
	}
	return []string{g.beside, figures.Number(ratio), g.String(), word}
}

// print writes the table.
func (o options) print(w io.Writer, rows []row, all map[string]results) error {
	out := figures.Aligned(w)
	switch {
	case o.tsv:
		out = figures.TSV(w)
	case o.markdown:
		out = figures.Markdown(w)
	}
	if err := out.Print(columns()); err != nil {
		return err
	}
	for _, r := range rows {
		for _, cells := range r.lines(all[r.name]) {
			if err := out.Print(cells); err != nil {
				return err
			}
		}
	}
	return out.Flush()
}

func progress(format string, args ...any) { fmt.Fprintf(os.Stderr, format+"\n", args...) }
