package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"os/signal"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ownergraph/ownergraph/internal/proof/bench/measure"
	sides "github.com/ownergraph/ownergraph/internal/proof/bench/ours"
	"github.com/ownergraph/ownergraph/internal/proof/bench/upstream"
	"github.com/ownergraph/ownergraph/internal/proof/figures"
)

// options are the flags.
type options struct {
	sizes
	tsv, markdown bool
	only          *regexp.Regexp
	within        time.Duration
	against       string
	instructions  bool
}

func main() {
	var err error
	if len(os.Args) == 3 && (os.Args[1] == ours || os.Args[1] == alone) {
		err = measure.One(os.Args[2], func(measure.Params) measure.Side { return sides.Side{Alone: os.Args[1] == alone} })
	} else {
		err = run()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run() error {
	o, err := parseFlags(os.Args[1:])
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if o.instructions {
		return o.countBoth(ctx)
	}
	if o.against != "" {
		return o.compare(ctx)
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	built, err := upstream.Build(ctx)
	if err != nil {
		return err
	}
	mine := []string{self, ours}
	p := programs{ours: mine, bare: mine, alone: {self, alone}, theirs: {built.Path}, plain: {built.Path}, product: {built.Product}}
	return o.table(ctx, p, built.Version)
}

// table measures every row once, and then again as long as there is time. It prints the
// rows. A failed row is left out, and is in the error.
func (o options) table(ctx context.Context, p programs, version string) error {
	begun, all := time.Now(), results{}
	rows := slices.DeleteFunc(plan(o.sizes), func(w row) bool { return !o.only.MatchString(w.name) })
	failed, took := map[string]error{}, map[string]time.Duration{}
	for round := range o.rounds {
		for _, w := range rows {
			if !o.again(w, round, time.Since(begun), took[w.name]) || failed[w.name] != nil {
				continue
			}
			fmt.Fprintf(os.Stderr, "%4.0f s  round %d, %s\n", time.Since(begun).Seconds(), round+1, w.name)
			start := time.Now()
			if err := p.measure(ctx, w, round, all); err != nil {
				failed[w.name] = err
			}
			took[w.name] = time.Since(start)
		}
	}
	fmt.Fprintf(os.Stderr, "%4.0f s  Kubernetes %s, %s, %s/%s, %d CPUs, %s\n", time.Since(begun).Seconds(), version,
		runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), time.Now().Format(time.DateOnly))
	rows = slices.DeleteFunc(rows, func(w row) bool { return failed[w.name] != nil })
	return errors.Join(append(slices.Collect(maps.Values(failed)), o.print(rows, all))...)
}

// again reports whether there is time for a round of a row. The first round always has
// time.
func (o options) again(w row, round int, passed, took time.Duration) bool {
	return round == 0 || round < w.rounds && (o.within == 0 || passed+took <= o.within)
}

func (o options) print(rows []row, all results) error {
	out := o.printer(os.Stdout)
	if err := out.Print(columns()); err != nil {
		return err
	}
	for _, w := range rows {
		for _, l := range all.lines(w) {
			if err := out.Print(l.cells()); err != nil {
				return err
			}
		}
	}
	return out.Flush()
}

func (o options) printer(w io.Writer) figures.Printer {
	switch {
	case o.tsv:
		return figures.TSV(w)
	case o.markdown:
		return figures.Markdown(w)
	}
	return figures.Aligned(w)
}

func parseFlags(args []string) (o options, err error) {
	f := flag.NewFlagSet("bench", flag.ContinueOnError)
	f.BoolVar(&o.tsv, "tsv", false, "print tab-separated values")
	f.BoolVar(&o.markdown, "markdown", false, "print a table for README.md")
	f.IntVar(&o.rounds, "rounds", 3, "how many `rounds` of each row at most; the largest have fewer")
	f.DurationVar(&o.within, "within", 4*time.Minute+30*time.Second, "begin no second round that would last beyond this `time`; 0 for any")
	f.StringVar(&o.against, "against", "", "compare our side with that of another `commit`, and leave Kubernetes out; every row has all rounds")
	f.BoolVar(&o.instructions, "instructions", false, "with -against: compare instructions instead of times; needs valgrind")
	f.IntVar(&o.large, "large", 1_000_000, "`objects` of the largest graph, and dependents of the largest owner")
	f.IntVar(&o.deep, "deep", 100_000, "`levels` of the longest chain")
	f.IntVar(&o.wide, "wide", 100_000, "`dependents` of the largest foreground deletion")
	f.IntVar(&o.cascade, "cascade", 100_000, "`objects` of the largest cascade without latency")
	f.StringVar(&o.profile, "profile", "", "write CPU profiles of our side to this `folder`")
	workers := f.String("workers", "1,2,4,8,16,20,32,64", "worker `counts` of the cascades with latency")
	only := f.String("only", "", "measure only rows whose name matches this `expression`")
	if err := f.Parse(args); err != nil {
		return o, err
	}
	if f.NArg() > 0 {
		return o, fmt.Errorf("argument %q: there are only flags", f.Arg(0))
	}
	if o.instructions && o.against == "" {
		return o, errors.New("flag -instructions: give the other commit with -against")
	}
	if o.only, err = regexp.Compile(*only); err != nil {
		return o, fmt.Errorf("flag -only: %w", err)
	}
	if o.workers, err = parseCounts(*workers); err != nil {
		return o, fmt.Errorf("flag -workers: %w", err)
	}
	return o, o.sizes.validate()
}

// validate names the first size that cannot be measured.
func (s sizes) validate() error {
	for _, f := range []struct {
		name  string
		value int
		least int
	}{
		{"rounds", s.rounds, 1}, {"large", s.large, 1000}, {"deep", s.deep, 100}, {"wide", s.wide, 1000}, {"cascade", s.cascade, 10_000},
	} {
		if f.value < f.least {
			return fmt.Errorf("flag -%s: %d: at least %d", f.name, f.value, f.least)
		}
	}
	return nil
}

// parseCounts reads numbers from 1 on, separated by commas.
func parseCounts(text string) ([]int, error) {
	var out []int
	for s := range strings.SplitSeq(text, ",") {
		n, err := strconv.Atoi(s)
		if err != nil || n < 1 {
			return nil, fmt.Errorf("%q is no number from 1 on", s)
		}
		out = append(out, n)
	}
	return out, nil
}

// fileName returns a row's name as part of a file's.
func fileName(name string) string {
	return strings.NewReplacer(" ", "-", ",", "", "/", "-").Replace(name)
}
