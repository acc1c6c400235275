package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"runtime/debug"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph/adapters/storetest"
)

// settings are the command's flags.
type settings struct {
	runs, correct, beside int
	limit                 time.Duration
	only                  string
	args                  []string // for the kit
}

// childEnv names the bug to a process that is one run.
const childEnv = "STOREBUGS_BUG"

func main() {
	if name, child := os.LookupEnv(childEnv); child {
		runKit(name)
		return
	}
	s := settings{}
	flags := flag.NewFlagSet("storebugs", flag.ExitOnError)
	flags.IntVar(&s.runs, "runs", 0, "how many runs for each bug")
	flags.IntVar(&s.correct, "correct", 0, "how many runs of the correct store")
	flags.IntVar(&s.beside, "beside", 1, "how many runs at a time")
	flags.DurationVar(&s.limit, "limit", time.Minute, "how long a run may take")
	flags.StringVar(&s.only, "only", "", "a regular expression of the bugs' names")
	_ = flags.Parse(os.Args[1:]) // an error ends the process
	s.args = flags.Args()
	if s.runs <= 0 && s.correct <= 0 {
		flags.Usage()
		os.Exit(2)
	}
	if err := s.measure(context.Background(), os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "storebugs:", err)
		os.Exit(1)
	}
}

// runKit is one run of the kit, as go test makes it. It ends the process.
func runKit(name string) {
	debug.SetTraceback("single")
	at := slices.IndexFunc(bugs(), func(a bugInfo) bool { return a.name == name })
	bug := None
	if at >= 0 {
		bug = bugs()[at].bug
	}
	kit := func(t *testing.T) { storetest.Test(t, config(bug)) }
	testing.Main(regexp.MatchString, []testing.InternalTest{{Name: "TestKit", F: kit}}, nil, nil)
}

// result is the result of one run.
type result struct {
	found bool
	late  bool // the limit ended it
	took  time.Duration
	law   string // the first red law
	text  string
}

// firstRed returns the first subtest that failed.
func firstRed(text string) string {
	m := regexp.MustCompile(`(?m)^\s+--- FAIL: TestKit/(\S+)`).FindStringSubmatch(text)
	if m == nil {
		return ""
	}
	return m[1]
}

// run runs one process.
func (s settings) run(ctx context.Context, bug string) (result, error) {
	ctx, cancel := context.WithTimeout(ctx, s.limit)
	defer cancel()
	self, err := os.Executable()
	if err != nil {
		return result{}, err
	}
	dir, err := os.MkdirTemp("", "storebugs-run")
	if err != nil {
		return result{}, err
	}
	defer os.RemoveAll(dir)
	cmd := exec.CommandContext(ctx, self, append([]string{"-test.failfast", "-test.v"}, s.args...)...)
	cmd.Env = append(os.Environ(), childEnv+"="+bug, "TMPDIR="+dir)
	cmd.Dir = dir
	begun := time.Now()
	out, err := cmd.CombinedOutput()
	r := result{took: time.Since(begun), late: ctx.Err() != nil, text: string(out)}
	r.law = firstRed(r.text)
	r.found = err != nil && !r.late
	if r.found && r.law == "" {
		r.law = "(the process ended)"
	}
	return r, nil
}

// runMany makes runs of one bug, several at a time.
func (s settings) runMany(ctx context.Context, bug string, count int, each func(result)) error {
	var mu sync.Mutex
	var first error
	var wg sync.WaitGroup
	turn := make(chan struct{}, max(1, s.beside))
	for range count {
		turn <- struct{}{}
		wg.Go(func() {
			defer func() { <-turn }()
			r, err := s.run(ctx, bug)
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				first = err
				return
			}
			each(r)
		})
	}
	wg.Wait()
	return first
}
