package main

import (
	"fmt"
	"slices"

	"github.com/ownergraph/ownergraph/internal/proof/bench/measure"
)

// sizes are those of the flags.
type sizes struct {
	rounds  int
	large   int // objects of the largest graph and of the largest owner
	deep    int // levels of the longest chain
	wide    int // dependents of the largest foreground deletion
	cascade int // objects of a cascade without latency
	workers []int
	profile string
}

// plan returns every row of the table.
func plan(s sizes) []row {
	return slices.Concat(graphRows(s), productRows(s), cascadeRows(s), starRows(s), fanRows(s), chainRows(s), otherRows(s), latencyRows(s), collectorRows(s), guardRows(s))
}

// barely is the bare run beside a row.
func barely(p measure.Params) one {
	p.Bare = true
	return one{side: bare, params: p}
}

// floor is the figure of the bare run. It shows how much better than theirs ours could
// be.
func floor(f figure, name string) figure {
	f.name, f.side, f.goal = name, bare, goal{}
	return f
}

// pair is a row that both sides run alike.
func (s sizes) pair(name string, p measure.Params, figures ...figure) row {
	mine := p
	if s.profile != "" {
		mine.Profile = fmt.Sprintf("%s/%s.pprof", s.profile, fileName(name))
	}
	return row{
		name: name, size: p.N, workers: p.Workers, rounds: s.rounds,
		runs: []one{{side: ours, params: mine}, {side: theirs, params: p}}, figures: figures,
	}
}

// beside adds the run of theirs with the plain REST mapper, and each figure of both
// sides beside it. The figure with the name main gets the goal. An absolute goal is
// ours alone, and is not repeated.
func (w row) beside(main string, g goal) row {
	p := w.runs[1].params
	p.Mapper = plainMapper
	w.runs = append(w.runs, one{side: plain, params: p})
	var all []figure
	for _, f := range w.figures {
		if all = append(all, f); f.side != "" {
			continue
		}
		if f.goal = (goal{}); f.name == main {
			f.goal = g
		}
		f.name, f.theirs = f.name+", plain mapper", plain
		all = append(all, f)
	}
	w.figures = all
	return w
}
