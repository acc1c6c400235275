package main

import (
	"cmp"
	"strconv"

	"github.com/ownergraph/ownergraph/internal/proof/figures"
)

// line is a figure in its printed form.
type line struct {
	work, size, workers, name, unit string
	rounds                          int
	ours, theirs, ratio             float64
	goal, verdict                   string
}

// lines returns the lines of a row.
func (r results) lines(w row) []line {
	var out []line
	for _, f := range w.figures {
		side := cmp.Or(f.side, ours)
		l := line{work: f.work, size: strconv.Itoa(w.size), name: f.name, unit: f.unit, goal: f.goal.String()}
		if w.workers > 0 {
			l.workers = strconv.Itoa(w.workers)
		}
		l.ours, l.theirs = r.value(f, source{w.name, side}), r.value(f, source{w.name, cmp.Or(f.theirs, theirs)})
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
		l.work, l.size, l.workers, l.name, l.unit,
		figures.Number(l.ours), figures.Number(l.theirs), figures.Number(l.ratio), l.goal, l.verdict,
		strconv.Itoa(l.rounds),
	}
}

// columns are the names of a line's cells.
func columns() []string {
	return []string{"work", "size", "workers", "figure", "unit", "ours", "kubernetes", "ratio", "target", "verdict", "rounds"}
}
