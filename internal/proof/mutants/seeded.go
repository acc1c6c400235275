package mutants

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
)

// Seeded is a run of seeded bugs. The zero value runs each bug against the methods that
// it names.
type Seeded struct {
	Bench   *Bench
	Methods []Method // only these methods, all if empty
	All     bool     // the methods that a bug does not name, too
	First   bool     // stop at the first kill
	Workers int
	Verbose bool // print the failure of each suite
}

// Run runs the suites on the source, and then on each bug. If it stops at the first kill, it
// runs only the suites that killed on the source, after the bugs. It prints the kill table row
// by row. It reports whether each method that a bug names killed the bug.
func (s Seeded) Run(ctx context.Context, out io.Writer, bugs []Bug) (bool, error) {
	methods := slices.DeleteFunc(Methods(), func(m Method) bool {
		return len(s.Methods) > 0 && !slices.Contains(s.Methods, m)
	})
	edits, source := make([]Edit, len(bugs)), SourceAt(s.Bench.Root)
	for i, b := range bugs {
		var err error
		if edits[i], err = b.Edit(source); err != nil {
			return false, err
		}
	}
	if !s.First {
		var all []suite
		for _, b := range bugs {
			all = append(all, suitesOf(s.asked(methods, b), b)...)
		}
		if err := s.Bench.Healthy(ctx, out, s.Workers, all); err != nil {
			return false, err
		}
	}
	t, killers := newTable(out, methods, s.Verbose), make([][]suite, len(bugs))
	each(s.Workers, len(bugs), func(i int) {
		asked := s.asked(methods, bugs[i])
		suites := suitesOf(asked, bugs[i])
		outcomes := s.Bench.try(ctx, edits[i], suites, s.First)
		t.row(bugs[i], asked, outcomes)
		killers[i] = killersOf(suites, outcomes)
	})
	ok := t.close(len(bugs))
	if s.First && ctx.Err() == nil {
		return ok, s.Bench.Healthy(ctx, out, s.Workers, slices.Concat(killers...))
	}
	return ok, ctx.Err()
}

// asked returns the methods that are run on a bug.
func (s Seeded) asked(methods []Method, b Bug) (asked []Method) {
	for _, m := range methods {
		if s.All || slices.Contains(b.Killers, m) {
			asked = append(asked, m)
		}
	}
	return asked
}

// killersOf returns the suites that killed. There are at most as many outcomes as suites.
func killersOf(suites []suite, outcomes []Outcome) (out []suite) {
	for i, o := range outcomes {
		if o.Dead() {
			out = append(out, suites[i])
		}
	}
	return out
}

// Healthy runs each suite once on the source without a mutant. A kill by a suite that fails
// there would prove nothing. An error names the first suite that fails.
func (b *Bench) Healthy(ctx context.Context, out io.Writer, workers int, suites []suite) error {
	var once []suite
	for _, s := range suites {
		if !slices.ContainsFunc(once, func(o suite) bool { return o.String() == s.String() }) {
			once = append(once, s)
		}
	}
	parts := make([][]suite, min(max(workers, 1), len(once))) // one build for each
	for i, s := range once {
		parts[i%len(parts)] = append(parts[i%len(parts)], s)
	}
	errs := make([]error, len(parts))
	var mu sync.Mutex
	each(workers, len(parts), func(i int) {
		for j, o := range b.try(ctx, Edit{}, parts[i], false) {
			s := parts[i][j]
			switch {
			case o.Verdict != Survived:
				errs[i] = cmp.Or(errs[i], fmt.Errorf("without any mutant, %s: %s: %s", s, o, o.Word))
			case o.Took > b.Timeout/2: // then slowness would pass for a hang
				errs[i] = cmp.Or(errs[i], fmt.Errorf("without any mutant, %s takes %.0f s: want a longer timeout", s, o.Took.Seconds()))
			}
			mu.Lock()
			fmt.Fprintf(out, "without any mutant: %s: %.1f s\n", s, o.Took.Seconds())
			mu.Unlock()
		}
	})
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return ctx.Err()
}

func suitesOf(methods []Method, b Bug) []suite {
	var out []suite
	for _, m := range methods {
		out = append(out, m.suite(b))
	}
	return out
}

// String returns the suite as a command line.
func (s suite) String() string {
	verb := "run"
	if s.test {
		verb = "test"
	}
	text := verb + " " + s.pkg
	for _, a := range s.args {
		if strings.Contains(a, " ") {
			a = "'" + a + "'"
		}
		text += " " + a
	}
	return text
}

// each calls do for 0 to n-1, on several workers at once.
func each(workers, n int, do func(i int)) {
	next := make(chan int)
	var wg sync.WaitGroup
	for range max(workers, 1) {
		wg.Go(func() {
			for i := range next {
				do(i)
			}
		})
	}
	for i := range n {
		next <- i
	}
	close(next)
	wg.Wait()
}

// Asks reports whether a method runs on the bug.
func (s Seeded) Asks(b Bug) bool {
	return s.All || len(s.Methods) == 0 ||
		slices.ContainsFunc(s.Methods, func(m Method) bool { return slices.Contains(b.Killers, m) })
}
