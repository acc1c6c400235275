package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"regexp"
	"runtime"
	"time"
)

// options are the flags.
type options struct {
	only          *regexp.Regexp
	rounds        int
	tsv, markdown bool
	profile       string
	sizes
}

// sizes are the numbers of objects of the rows.
type sizes struct {
	n      int // of a cascade and of the creation
	single int // of a cascade with one object a transaction
	start  int
	watch  time.Duration // of the measurement of latencies
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "storespeed:", err)
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
	b := newBed(o.sizes)
	rows, all, err := o.measure(ctx, b)
	progress("%s, %s/%s, %d CPUs, %s", runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), time.Now().Format(time.DateOnly))
	return errors.Join(err, b.close(), o.print(os.Stdout, rows, all))
}

func parseFlags(args []string) (o options, err error) {
	f := flag.NewFlagSet("storespeed", flag.ContinueOnError)
	only := f.String("only", "", "measure the rows whose names match this regular expression")
	f.IntVar(&o.rounds, "rounds", 3, "rounds of each row")
	f.BoolVar(&o.tsv, "tsv", false, "print tab-separated values")
	f.BoolVar(&o.markdown, "markdown", false, "print a table for a Markdown file")
	f.StringVar(&o.profile, "profile", "", "write CPU profiles of our side into this folder")
	f.IntVar(&o.n, "n", 100_000, "objects of a cascade and of the creation")
	f.IntVar(&o.single, "single", 20_000, "objects of a cascade with one object a transaction")
	f.IntVar(&o.start, "start", 300_000, "objects of the start")
	f.DurationVar(&o.watch, "watch", 5*time.Second, "time for which latencies are measured")
	if err := f.Parse(args); err != nil {
		return o, err
	}
	if f.NArg() > 0 {
		return o, fmt.Errorf("arguments: %q: want none", f.Args())
	}
	o.only, err = regexp.Compile(*only)
	return o, err
}
