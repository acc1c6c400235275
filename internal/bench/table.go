package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"
)

// line is a figure as it is printed.
type line struct {
	work, size, workers, name, unit string
	rounds                          int
	ours, theirs, ratio             float64
	goal, verdict                   string
}

// lines returns what a row has to say.
func (r results) lines(w row) []line {
	var out []line
	for _, f := range w.figures {
		side := f.side
		if side == "" {
			side = ours
		}
		l := line{work: f.work, size: strconv.Itoa(w.size), name: f.name, unit: f.unit, goal: f.goal.String()}
		if w.workers > 0 {
			l.workers = strconv.Itoa(w.workers)
		}
		l.ours, l.theirs = r.value(f, source{w.name, side}), r.value(f, source{w.name, theirs})
		l.rounds = len(r[source{w.name, side}])
		l.ratio = f.how.ratio(l.ours, l.theirs)
		switch ok, given := f.goal.met(l.ours, l.ratio); {
		case given && ok:
			l.verdict = "ok"
		case given:
			l.verdict = "MISS"
		}
		out = append(out, l)
	}
	return out
}

func (l line) cells() []string {
	return []string{
		l.work, l.size, l.workers, l.name, l.unit, number(l.ours), number(l.theirs), number(l.ratio), l.goal, l.verdict,
		strconv.Itoa(l.rounds),
	}
}

// columns are the names of a line's cells.
func columns() []string {
	return []string{"work", "size", "workers", "figure", "unit", "ours", "kubernetes", "ratio", "target", "verdict", "rounds"}
}

// printer writes lines as they come.
type printer interface {
	print(cells []string) error
	flush() error
}

// tsv separates cells by tabs.
type tsv struct{ out io.Writer }

func (t tsv) print(cells []string) error {
	_, err := fmt.Fprintln(t.out, strings.Join(cells, "\t"))
	return err
}

func (t tsv) flush() error { return nil }

// markdown is for README.md.
type markdown struct {
	out    io.Writer
	headed bool
}

func (m *markdown) print(cells []string) error {
	_, err := fmt.Fprintf(m.out, "| %s |\n", strings.Join(cells, " | "))
	if err == nil && !m.headed {
		m.headed = true
		_, err = fmt.Fprintf(m.out, "|%s\n", strings.Repeat("---|", len(cells)))
	}
	return err
}

func (m *markdown) flush() error { return nil }

// aligned is for people.
type aligned struct{ w *tabwriter.Writer }

func newAligned(out io.Writer) aligned { return aligned{tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)} }

func (t aligned) print(cells []string) error {
	_, err := fmt.Fprintln(t.w, strings.Join(cells, "\t"))
	return err
}

func (t aligned) flush() error { return t.w.Flush() }
