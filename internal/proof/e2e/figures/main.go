package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// options are the command's flags.
type options struct {
	size     int
	start    []int
	rounds   int
	workers  int
	only     string
	tsv      bool
	profile  string
	patience time.Duration

	url, token string
	pid        int
}

func main() {
	if role := os.Getenv(roleVariable); role != "" {
		if err := serve(role, os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	o, err := parse(os.Args[1:])
	if err != nil {
		if !errors.Is(err, flag.ErrHelp) {
			fmt.Fprintln(os.Stderr, err)
		}
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := measure(ctx, o); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func parse(args []string) (options, error) {
	var o options
	f := flag.NewFlagSet("figures", flag.ContinueOnError)
	f.IntVar(&o.size, "size", 5000, "`dependents` of a cascade")
	f.IntVar(&o.rounds, "rounds", 1, "how `often` each side runs each cascade")
	f.IntVar(&o.workers, "workers", 20, "`writes` in flight of each side")
	f.StringVar(&o.only, "only", "", "run only what has this `text` in its name")
	f.BoolVar(&o.tsv, "tsv", false, "print tab-separated values, a line for each run")
	f.StringVar(&o.profile, "profile", "", "write a CPU profile of each run into this `folder`")
	f.DurationVar(&o.patience, "patience", 3*time.Minute, "how `long` a run may take")
	f.StringVar(&o.url, "url", "", "use the server at this `address`, without verifying its certificate")
	f.StringVar(&o.token, "token", "", "its administrator's `token`")
	f.IntVar(&o.pid, "pid", 0, "the `process` of that server")
	start := f.String("start", "20000", "`objects` to start on, several sizes with commas; empty for none")
	if err := f.Parse(args); err != nil {
		return o, err
	}
	for _, s := range strings.FieldsFunc(*start, func(r rune) bool { return r == ',' }) {
		n, err := strconv.Atoi(s)
		if err != nil || n < 1 {
			return o, fmt.Errorf("figures: -start: %q is no number of objects", s)
		}
		o.start = append(o.start, n)
	}
	if o.size < 100 || o.rounds < 1 || o.workers < 1 || f.NArg() > 0 {
		return o, errors.New("figures: -size has to be 100 at least, -rounds and -workers 1, and there are no arguments")
	}
	return o, nil
}
