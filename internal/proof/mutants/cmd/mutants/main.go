// Command mutants puts faults into the engine's source and runs the suites on it, as
// package mutants describes.
//
//	go run ./internal/proof/mutants/cmd/mutants -seeded
//	go run ./internal/proof/mutants/cmd/mutants -seeded -method exhaustive
//	go run ./internal/proof/mutants/cmd/mutants -seeded -only 'm00[1-9]' -all -v
//	go run ./internal/proof/mutants/cmd/mutants -generic -n 400 -seed 1
//	go run ./internal/proof/mutants/cmd/mutants -generic -only 3fa9c1d2
//	go run ./internal/proof/mutants/cmd/mutants -relocate -names renames.txt
//
// Run it in the root of the module, or with -root. The exit status is 1 if a mutant
// survives without an argument, or if -relocate leaves a bug to a person. It is 2 after
// any other error.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"time"

	"github.com/ownergraph/ownergraph/internal/proof/mutants"
	"github.com/ownergraph/ownergraph/internal/proof/mutants/relocate"
)

// errSurvived is the error of a run in which a mutant survived without an argument.
var errSurvived = errors.New("a mutant survived")

type options struct {
	seeded, generic, all, first, verbose bool
	only, method                         string
	bench                                mutants.Bench
	workers, n                           int
	seed                                 uint64
	least                                float64
	relocate                             bool
	names                                string
	follow                               relocate.Options
}

func main() {
	var o options
	flag.BoolVar(&o.seeded, "seeded", false, "run the seeded bugs and print the kill table")
	flag.BoolVar(&o.generic, "generic", false, "run generic mutants and print the score")
	flag.IntVar(&o.n, "n", 400, "generic mutants: the `number` that compile")
	flag.Uint64Var(&o.seed, "seed", 1, "generic mutants: the `seed` of the draw")
	flag.Float64Var(&o.least, "least", 95, "generic mutants: the least score, in percent")
	flag.BoolVar(&o.all, "all", false, "seeded bugs: run the methods that a bug does not name, too")
	flag.BoolVar(&o.first, "first", false, "seeded bugs: stop at the first kill of a bug")
	flag.StringVar(&o.only, "only", "", "only mutants with a name that matches this `regexp`")
	flag.StringVar(&o.method, "method", "", "seeded bugs: only these `methods`, with commas between them")
	flag.StringVar(&o.bench.Root, "root", ".", "the module's `directory`")
	flag.DurationVar(&o.bench.Timeout, "timeout", 4*time.Minute, "the limit of one run of one suite; a suite that hangs kills the mutant")
	flag.IntVar(&o.bench.Procs, "procs", 1, "GOMAXPROCS of each suite; 0 for all")
	flag.IntVar(&o.workers, "workers", 1, "mutants at once")
	flag.BoolVar(&o.verbose, "v", false, "print the failure of each suite")
	flag.BoolVar(&o.relocate, "relocate", false, "rewrite the seeded bugs whose place in the source has moved")
	flag.StringVar(&o.follow.Since, "since", "", "-relocate: the `commit` with the old declarations; the newest that fits if it is empty")
	flag.StringVar(&o.names, "names", "", "-relocate: a `file` of lines with an old and a new name")
	flag.BoolVar(&o.follow.Dry, "dry", false, "-relocate: print the result and write nothing")
	flag.Parse()

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	err := o.run(ctx, os.Stdout)
	switch {
	case errors.Is(err, errSurvived), errors.Is(err, relocate.ErrLeft):
		os.Exit(1)
	case err != nil:
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(2)
	}
}

func (o options) run(ctx context.Context, out io.Writer) error {
	if flag.NArg() > 0 || !o.seeded && !o.generic && !o.relocate {
		return errors.New("want -seeded, -generic or -relocate, and no arguments")
	}
	only, err := regexp.Compile(o.only)
	if err != nil {
		return fmt.Errorf("-only: %w", err)
	}
	root, err := filepath.Abs(o.bench.Root)
	if err != nil {
		return fmt.Errorf("-root: %w", err)
	}
	scratch, err := os.MkdirTemp("", "mutants")
	if err != nil {
		return fmt.Errorf("make a scratch directory: %w", err)
	}
	defer os.RemoveAll(scratch)
	o.bench.Root, o.bench.Scratch, o.follow.Root = root, scratch, root
	if o.relocate {
		if err := o.runRelocate(ctx, out); err != nil {
			return err
		}
	}
	if o.seeded {
		err = o.timed(out, func() error { return o.runSeeded(ctx, out, only) })
	}
	if o.generic && (err == nil || errors.Is(err, errSurvived)) {
		err = errors.Join(err, o.timed(out, func() error { return o.runGeneric(ctx, out, only) }))
	}
	return err
}

// timed prints the duration of a call.
func (o options) timed(out io.Writer, do func() error) error {
	begun := time.Now()
	defer func() {
		fmt.Fprintf(out, "%.0f s with %d workers\n", time.Since(begun).Seconds(), o.workers)
	}()
	return do()
}

// runRelocate rewrites the seeded bugs that have moved.
func (o options) runRelocate(ctx context.Context, out io.Writer) error {
	if o.names != "" {
		text, err := os.ReadFile(o.names)
		if err != nil {
			return fmt.Errorf("-names: %w", err)
		}
		if o.follow.Names, err = relocate.ParseNames(string(text)); err != nil {
			return err
		}
	}
	return relocate.Run(ctx, out, o.follow)
}

func (o options) runGeneric(ctx context.Context, out io.Writer, only *regexp.Regexp) error {
	argued, err := mutants.LoadSurvivors(o.bench.Root)
	if err != nil {
		return err
	}
	g := mutants.Generic{Bench: &o.bench, Seed: o.seed, N: o.n, Workers: o.workers, Verbose: o.verbose}
	if o.only != "" {
		g.Match = only.MatchString
	}
	score, err := g.Run(ctx, out, argued)
	fmt.Fprint(out, score)
	if ratio, _, _ := mutants.Ratio(score.Killed, score.Built); err == nil && (len(score.Open) > 0 || 100*ratio < o.least) {
		err = errSurvived
	}
	return err
}

func (o options) runSeeded(ctx context.Context, out io.Writer, only *regexp.Regexp) error {
	s := mutants.Seeded{Bench: &o.bench, All: o.all, First: o.first, Workers: o.workers, Verbose: o.verbose}
	if o.method != "" {
		var err error
		if s.Methods, err = mutants.ParseMethods(o.method); err != nil {
			return err
		}
	}
	bugs, err := mutants.Load(o.bench.Root)
	if err != nil {
		return err
	}
	bugs = slices.DeleteFunc(bugs, func(b mutants.Bug) bool { return !only.MatchString(b.Name) || !s.Asks(b) })
	if len(bugs) == 0 {
		return errors.New("no bug is like that")
	}
	ok, err := s.Run(ctx, out, bugs)
	if err == nil && !ok {
		err = errSurvived
	}
	return err
}
