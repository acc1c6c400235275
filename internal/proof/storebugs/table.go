package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"
)

// measure prints the figures that the flags ask for. A correct store that fails a
// run is an error.
func (s settings) measure(ctx context.Context, out io.Writer) error {
	if s.correct > 0 {
		if err := s.measureCorrect(ctx, out); err != nil {
			return err
		}
	}
	if s.runs <= 0 {
		return nil
	}
	only, err := regexp.Compile(s.only)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "| bug | found | median | first red law | the bug, and its usual cause |\n|---|---|---|---|---|\n")
	found, named := 0, 0
	for _, a := range bugs() {
		if !only.MatchString(a.name) {
			continue
		}
		row := row{info: a, laws: map[string]int{}}
		if err := s.runMany(ctx, a.name, s.runs, row.add); err != nil {
			return err
		}
		fmt.Fprintln(out, row)
		found, named = found+len(row.times), named+row.laws[a.law]
	}
	fmt.Fprintf(out, "\nThe first red law was the one of the bug in %d of %d runs.\n", named, found)
	return nil
}

func (s settings) measureCorrect(ctx context.Context, out io.Writer) error {
	var failed []result
	var times []time.Duration
	err := s.runMany(ctx, "", s.correct, func(r result) {
		times = append(times, r.took)
		if r.found || r.late {
			failed = append(failed, r)
		}
	})
	if err != nil {
		return err
	}
	slices.Sort(times)
	fmt.Fprintf(out, "The correct store passed %d of %d runs. A run took %s in the median, %s at most.\n",
		s.correct-len(failed), s.correct, round(times[len(times)/2]), round(times[len(times)-1]))
	if len(failed) > 0 {
		return fmt.Errorf("the correct store failed at %s:\n%s", failed[0].law, failed[0].text)
	}
	return nil
}

// row collects the runs of one bug.
type row struct {
	info  bugInfo
	runs  int
	times []time.Duration // of the runs that found it
	laws  map[string]int
}

func (r *row) add(x result) {
	r.runs++
	if x.found {
		r.times = append(r.times, x.took)
		r.laws[x.law]++
	}
}

// String returns the row in Markdown. If several laws were first, each has its
// number of runs.
func (r row) String() string {
	median := "-"
	if slices.Sort(r.times); len(r.times) > 0 {
		median = round(r.times[len(r.times)/2]).String()
	}
	var laws []string
	for _, name := range slices.Sorted(maps.Keys(r.laws)) {
		text := "`" + name + "`"
		if len(r.laws) > 1 {
			text += fmt.Sprintf(" %d", r.laws[name])
		}
		laws = append(laws, text)
	}
	name := r.info.name
	if r.info.first {
		name += " *"
	}
	return fmt.Sprintf("| %s | %d of %d | %s | %s | %s: %s |", name, len(r.times), r.runs, median, strings.Join(laws, ", "), r.info.what, r.info.reason)
}

func round(d time.Duration) time.Duration { return d.Round(100 * time.Millisecond) }
