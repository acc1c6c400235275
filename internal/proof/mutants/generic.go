package mutants

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// targets are the sources of generic mutants: the pure packages, the machines of the
// engine, and the engine's use of evidence.
const targets = "graph/*.go policy/*.go finalizer/*.go guard/*.go internal/core/*/*.go internal/core/sweep/*/*.go " +
	"engine/evidence.go engine/fence.go engine/kinds.go engine/decide.go engine/write.go engine/read.go"

// Generic is a run of generic mutants.
type Generic struct {
	Bench   *Bench
	Seed    uint64
	N       int // the number of mutants that compile
	Workers int
	Verbose bool // print the killed mutants, too
	// Match selects ids. With nil, N mutants run.
	Match func(id string) bool
}

// Score is the result of a run. It is a value.
type Score struct {
	Built, Unbuilt, Killed, Argued int
	// By is the number of kills by suite.
	By map[string]int
	// Open are the survivors without an argument.
	Open []Mutant
}

// Draw returns all mutants of the module at root in the order of a seed, and the
// sources by name. A mutant's place depends on itself and the seed alone. So a change of
// the source changes few of the first mutants.
func Draw(root string, seed uint64) ([]Mutant, map[string][]byte, error) {
	sources := map[string][]byte{}
	var all []Mutant
	for glob := range strings.FieldsSeq(targets) {
		names, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(glob)))
		if err != nil || len(names) == 0 {
			return nil, nil, fmt.Errorf("draw mutants: no file is like %s: %w", glob, errors.Join(err, os.ErrNotExist))
		}
		for _, name := range names {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			src, err := os.ReadFile(name)
			if err != nil {
				return nil, nil, fmt.Errorf("draw mutants: %w", err)
			}
			rel, err := filepath.Rel(root, name)
			if err != nil {
				return nil, nil, fmt.Errorf("draw mutants: %w", err)
			}
			file := filepath.ToSlash(rel)
			found, err := Mutate(file, src)
			if err != nil {
				return nil, nil, err
			}
			sources[file] = src
			all = append(all, found...)
		}
	}
	rank := func(m Mutant) []byte {
		sum := sha256.Sum256([]byte(fmt.Sprintf("%d %s", seed, m.ID)))
		return sum[:]
	}
	slices.SortFunc(all, func(a, b Mutant) int { return cmp.Or(bytes.Compare(rank(a), rank(b)), cmp.Compare(a.ID, b.ID)) })
	return all, sources, nil
}

// Run draws mutants until enough of them compile. It runs the suites on each mutant, and
// prints each that survives. The argued survivors are equivalent to the source.
func (g Generic) Run(ctx context.Context, out io.Writer, survivors []Survivor) (Score, error) {
	argued := arguments(survivors)
	score := Score{By: map[string]int{}}
	all, sources, err := Draw(g.Bench.Root, g.Seed)
	if err != nil {
		return score, err
	}
	if g.Match != nil {
		all = slices.DeleteFunc(all, func(m Mutant) bool { return !g.Match(m.ID) })
		g.N = len(all)
	}
	fmt.Fprintf(out, "%d mutants could be made; %d are drawn with seed %d\n", len(all), g.N, g.Seed)
	var healthy []suite
	for _, file := range [...]string{"graph/graph.go", "policy/decide.go", "finalizer/delete.go", "read.go"} {
		healthy = append(healthy, suitesFor(file)...)
	}
	if err := g.Bench.Healthy(ctx, out, g.Workers, healthy); err != nil {
		return score, err
	}
	var mu sync.Mutex
	for len(all) > 0 && score.Built < g.N && ctx.Err() == nil {
		batch := all[:min(len(all), g.N-score.Built)]
		all = all[len(batch):]
		each(g.Workers, len(batch), func(i int) {
			m := batch[i]
			suites := suitesFor(m.File)
			outcomes := g.Bench.try(ctx, m.Edit(sources[m.File]), suites, true)
			mu.Lock()
			defer mu.Unlock()
			score.count(m, suites, outcomes, argued[m.ID])
			g.report(out, m, suites, outcomes, argued[m.ID])
		})
	}
	return score, ctx.Err()
}

// suitesFor returns the suites for a mutant of a file, the cheapest first.
func suitesFor(file string) []suite {
	b := Bug{Decl: Decl{Dir: path.Dir(file)}}
	own := Unit.suite(b)
	switch path.Dir(file) {
	case ".":
		return []suite{own, Scripts.suite(b), Simulator.suite(b), Properties.suite(b), Exhaustive.suite(b)}
	case "finalizer":
		return []suite{own, testsOf("./internal/replica"), testsOf("./adapters/memory"), Root.suite(b), Scripts.suite(b)}
	}
	return []suite{own, Root.suite(b), Scripts.suite(b), Simulator.suite(b), Properties.suite(b), Exhaustive.suite(b)}
}

// count enters the outcomes of one mutant.
func (s *Score) count(m Mutant, suites []suite, outcomes []Outcome, argument string) {
	last := outcomes[len(outcomes)-1]
	if last.Verdict == Unbuilt {
		s.Unbuilt++
		return
	}
	s.Built++
	switch {
	case last.Dead():
		s.Killed++
		s.By[suites[len(outcomes)-1].pkg]++
	case argument != "":
		s.Argued++
	default:
		s.Open = append(s.Open, m)
	}
}

// report prints the outcomes of one mutant if it survived, or in a verbose run.
func (g Generic) report(out io.Writer, m Mutant, suites []suite, outcomes []Outcome, argument string) {
	last := outcomes[len(outcomes)-1]
	if last.Verdict != Survived && !g.Verbose {
		return
	}
	fmt.Fprintf(out, "%s by %s: %s %s:%d: %s\n%s\n", last, suites[len(outcomes)-1].pkg, m.ID, m.File, m.Line, m.Operator, m.Diff())
	if argument != "" {
		fmt.Fprintf(out, "  argued: %s\n", argument)
	} else if last.Word != "" {
		fmt.Fprintf(out, "  %s\n", last.Word)
	}
}

// Ratio returns the killed part of n mutants, and Wilson's interval of 95 % for it
// (J. Am. Stat. Assoc. 22, 1927).
func Ratio(killed, n int) (ratio, low, high float64) {
	if n == 0 {
		return 0, 0, 1
	}
	const z = 1.959964
	p, m := float64(killed)/float64(n), float64(n)
	middle := (p + z*z/(2*m)) / (1 + z*z/m)
	half := z / (1 + z*z/m) * math.Sqrt(p*(1-p)/m+z*z/(4*m*m))
	return p, max(middle-half, 0), min(middle+half, 1)
}

// String returns the figures.
func (s Score) String() string {
	p, low, high := Ratio(s.Killed, s.Built)
	q, _, _ := Ratio(s.Killed, s.Built-s.Argued)
	var by []string
	for pkg, n := range s.By {
		by = append(by, fmt.Sprintf("%s %d", pkg, n))
	}
	slices.Sort(by)
	return fmt.Sprintf("%d mutants (%d more do not compile): killed %d, argued equivalent %d, open %d\n"+
		"score %.1f %%, 95 %% interval %.1f to %.1f; without the equivalent ones %.1f %%\nkilled by: %s\n",
		s.Built, s.Unbuilt, s.Killed, s.Argued, len(s.Open), 100*p, 100*low, 100*high, 100*q, strings.Join(by, ", "))
}
