package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// maxCount ends a process that hangs. Callgrind makes a program some fifty times slower.
const maxCount = 5 * time.Minute

// process is a program with the arguments of one run.
type process struct {
	path, dir string
	args      []string
	seed      string                 // a setting of the environment
	check     func(out string) error // of its output; nil for any
}

// callgrind counts instructions with valgrind's tool of that name.
type callgrind struct {
	path   string // of valgrind
	folder string // for its files
}

// newCallgrind finds valgrind.
func newCallgrind(folder string) (callgrind, error) {
	path, err := exec.LookPath("valgrind")
	if err != nil {
		return callgrind{}, fmt.Errorf("find valgrind: install Debian's package valgrind: %w", err)
	}
	return callgrind{path, folder}, nil
}

// count runs a process to its end, and returns the number of its instructions. It is safe
// for concurrent use.
func (c callgrind) count(ctx context.Context, p process) (uint64, error) {
	ctx, cancel := context.WithTimeout(ctx, maxCount)
	defer cancel()
	folder, err := os.MkdirTemp(c.folder, "count-")
	if err != nil {
		return 0, err
	}
	file := filepath.Join(folder, "callgrind.out")
	cmd := exec.CommandContext(ctx, c.path, append([]string{"--tool=callgrind", "--separate-threads=yes", "--callgrind-out-file=" + file, p.path}, p.args...)...)
	cmd.Dir = p.dir
	// Go's collector, its profiles and its signals follow the time, and not the work.
	cmd.Env = append(os.Environ(), "GODEBUG=asyncpreemptoff=1,memprofilerate=0", "GOMAXPROCS=1", "GOGC=off", p.seed)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return 0, fmt.Errorf("%w: %s", err, ending(stdout.String()+stderr.String()))
	}
	if p.check != nil {
		if err := p.check(stdout.String()); err != nil {
			return 0, err
		}
	}
	return sum(file)
}

// monitor is the number of the first thread that Go's runtime makes. That thread looks after
// the others by the clock, so its instructions are not those of the work.
const monitor = "02"

// sum adds up the totals of a process's threads, whose files end with their numbers.
func sum(file string) (uint64, error) {
	threads, err := filepath.Glob(file + "-*")
	if err != nil {
		return 0, err
	}
	if len(threads) == 0 {
		return 0, fmt.Errorf("read %s: no file of a thread", filepath.Base(file))
	}
	var all uint64
	for _, name := range threads {
		if name == file+"-"+monitor {
			continue
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return 0, err
		}
		n, err := total(string(text))
		if err != nil {
			return 0, err
		}
		all += n
	}
	return all, nil
}

// ending is the last part of a long text.
func ending(text string) string { return strings.TrimSpace(text[max(0, len(text)-500):]) }

// total returns the instructions of a thread's whole file. Its line is "totals:" in
// some versions, "summary:" in others, and both in most.
func total(text string) (uint64, error) {
	found := map[string][]string{}
	for line := range strings.Lines(text) {
		name, rest, _ := strings.Cut(strings.TrimSpace(line), ":")
		switch name {
		case "events", "summary", "totals":
			found[name] = append(found[name], strings.Fields(rest)...)
		}
	}
	if events := found["events"]; len(events) != 1 || events[0] != "Ir" {
		return 0, fmt.Errorf("read callgrind.out: events: %q, want instructions alone (Ir)", events)
	}
	var sums []string
	for _, name := range []string{"summary", "totals"} {
		if len(found[name]) > 1 {
			return 0, fmt.Errorf("read callgrind.out: %s: %q, want one number", name, found[name])
		}
		sums = append(sums, found[name]...)
	}
	if len(sums) == 0 {
		return 0, errors.New("read callgrind.out: no summary and no totals: it is cut short")
	}
	if len(sums) == 2 && sums[0] != sums[1] {
		return 0, fmt.Errorf("read callgrind.out: summary: %s, but totals: %s", sums[0], sums[1])
	}
	n, err := strconv.ParseUint(sums[0], 10, 64)
	if err != nil {
		return 0, fmt.Errorf("read callgrind.out: total: %w", err)
	}
	return n, nil
}
