package exhaustive

import (
	"sync"
	"time"

	"github.com/ownergraph/ownergraph/graph"
)

// Stage is one scope on many graphs.
type Stage struct {
	// Objects is the number of objects of each graph. Kinds is the number of their
	// kinds, 0 for one each.
	Objects, Kinds int
	// Every takes one of so many graphs, and all if it is 0. From and To are the
	// numbers of the first and the last one, from 1, and 0 for all.
	Every, From, To int
	// Selves are the graphs in which each object may refer to itself. Foreign are those
	// in which each may have a foreign finalizer. Doubts are those in which a reference
	// may be unresolved.
	Selves, Foreign, Doubts bool
	// Guarded are the graphs whose first object is a guarded root.
	Guarded bool
	Scope   Scope
	// Whole: the stage runs to its end, as far as there is time. Any other stage shares
	// the time that is left with the stages after it.
	Whole bool
}

// Row is the outcome of a stage.
type Row struct {
	Stage
	Graphs              int
	Cut                 []int // the graphs that were cut off, by their numbers
	States, Transitions int64
	Engines             int64 // different states of an engine
	Took                time.Duration
	// Broken is the first graph with a broken rule, nil if there is none. Number is the
	// number of that graph.
	Broken *Result
	Number int
}

// graphs returns the stage's graphs.
func (s Stage) graphs() [][]graph.Object {
	var all [][]graph.Object
	if s.Guarded {
		all = guardedGraphs(s.Objects)
	} else {
		all = graphs(s.Objects, s.Kinds, shape{selves: s.Selves, foreign: s.Foreign, doubts: s.Doubts, policies: s.Scope.policies()})
	}
	if s.Scope.Shares > 0 {
		for _, g := range all {
			spreadUIDs(g)
		}
	}
	last := len(all)
	if s.To > 0 {
		last = min(last, s.To)
	}
	var some [][]graph.Object
	for i := max(s.From, 1) - 1; i < last; i += max(s.Every, 1) {
		some = append(some, all[i])
	}
	return some
}

// Has reports whether the stage has a graph of the number.
func (s Stage) Has(number int) bool {
	n := (number - max(s.From, 1)) / max(s.Every, 1)
	return number >= 1 && n >= 0 && n < len(s.graphs()) && s.number(n) == number
}

// number returns the number of the i-th graph of the stage.
func (s Stage) number(i int) int { return max(s.From, 1) + i*max(s.Every, 1) }

// Run searches the graphs of each stage in order until a time. The zero time stands for
// no bound. It reports each row as soon as it is complete, and ends after the first
// stage with a broken rule. If only states are bounded, all rows are the same in every
// run, except for their times.
func Run(stages []Stage, workers int, until time.Time, tell func(Row)) {
	for i, s := range stages {
		end := until
		if !until.IsZero() && !s.Whole {
			sharing := 0
			for _, t := range stages[i:] {
				if !t.Whole {
					sharing++
				}
			}
			end = time.Now().Add(time.Until(until) / time.Duration(sharing))
		}
		row := s.run(workers, end)
		tell(row)
		if row.Broken != nil {
			return
		}
	}
}

// wholeShare is the number of even shares of the time that a graph may take in a stage
// that runs to its end, since graphs differ that much.
const wholeShare = 8

// run searches the graphs of one stage. Each graph may take a share of the time that is
// left at its turn. The others get the rest of that share.
func (s Stage) run(workers int, until time.Time) Row {
	row := Row{Stage: s}
	graphs := s.graphs()
	results := make([]Result, len(graphs))
	begun, next := time.Now(), 0
	var mu sync.Mutex
	take := func() (int, Scope, bool) {
		mu.Lock()
		defer mu.Unlock()
		i, scope := next, s.Scope
		next++
		if !until.IsZero() && i < len(graphs) {
			share := time.Until(until) * time.Duration(workers) / time.Duration(len(graphs)-i)
			if s.Whole {
				share *= wholeShare
			}
			scope.Deadline = time.Now().Add(min(share, time.Until(until)))
		}
		return i, scope, i < len(graphs) && row.Broken == nil
	}
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for i, scope, ok := take(); ok; i, scope, ok = take() {
				results[i] = Result{Graph: graph.Format(graphs[i]), Cut: true}
				if scope.Deadline.IsZero() || time.Now().Before(scope.Deadline) {
					results[i] = Search(graphs[i], scope)
				}
				mu.Lock()
				row.Graphs = max(row.Graphs, i+1)
				if r := &results[i]; r.Broken != nil && row.Broken == nil {
					row.Broken = r
				}
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	row.Took = time.Since(begun)
	row.sum(results)
	return row
}

func (r *Row) sum(results []Result) {
	for i, x := range results[:r.Graphs] {
		r.States += x.States
		r.Transitions += x.Transitions
		r.Engines += x.Engines
		if x.Cut {
			r.Cut = append(r.Cut, r.number(i))
		}
	}
	for i := range results {
		if results[i].Broken != nil {
			r.Broken, r.Number = &results[i], r.number(i)
			return
		}
	}
}
