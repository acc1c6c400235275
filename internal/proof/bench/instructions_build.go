package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// errAbsent says that a version lacks a row.
var errAbsent = errors.New("absent")

// tree is one version's source, with the programs that were built from it. It is not safe
// for concurrent use.
type tree struct {
	version      string // former or present
	root, module string // the folders of the repository and of the benchmark
	programs     string // the folder for the built programs
	overlay      string // of Go's runtime; see steady
	built        map[string]build
}

// build is the result of one build.
type build struct {
	path string
	err  error
}

// process returns the run of a row with an amount of work. The error wraps errAbsent if
// the version lacks the row.
func (t *tree) process(ctx context.Context, r count, work int) (process, error) {
	if r.places == nil {
		path, err := t.build(ctx, t.module, "build", "./counted")
		return process{path: path, dir: t.module, args: []string{r.name, fmt.Sprint(r.size), fmt.Sprint(work)}}, err
	}
	dir, err := findBenchmark(t.root, r.places, r.benchmark)
	if err != nil {
		return process{}, err
	}
	path, err := t.build(ctx, dir, "test", "-c", ".")
	return process{path: path, dir: dir, args: benchArgs(r.benchmark, work), check: func(out string) error { return ran(out, r.benchmark, work) }}, err
}

// build builds a program once.
func (t *tree) build(ctx context.Context, dir, verb string, args ...string) (string, error) {
	key := strings.Join(append([]string{dir, verb}, args...), " ")
	if b, ok := t.built[key]; ok {
		return b.path, b.err
	}
	path := filepath.Join(t.programs, fmt.Sprintf("%s-%d", t.version, len(t.built)))
	args = append([]string{verb, "-trimpath", "-buildvcs=false", "-overlay", t.overlay, "-o", path}, args...)
	_, err := command(ctx, dir, "go", args...)
	if err != nil {
		err = fmt.Errorf("%s does not build: %w", t.version, err)
	}
	t.built[key] = build{path, err}
	return path, err
}

// findBenchmark returns the first of the places whose tests have a benchmark. The error
// wraps errAbsent.
func findBenchmark(root string, places []string, benchmark string) (string, error) {
	name, _, _ := strings.Cut(benchmark, "/")
	declared := regexp.MustCompile(`(?m)^func ` + regexp.QuoteMeta(name) + `\(`)
	for _, place := range places {
		dir := filepath.Join(root, filepath.FromSlash(place))
		files, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
		if err != nil {
			return "", err
		}
		for _, f := range files {
			text, err := os.ReadFile(f)
			if err != nil {
				return "", err
			}
			if declared.Match(text) {
				return dir, nil
			}
		}
	}
	return "", fmt.Errorf("%s: %w from %s", benchmark, errAbsent, strings.Join(places, " and "))
}

// benchArgs are the arguments of a test program for n turns of one benchmark.
func benchArgs(benchmark string, n int) []string {
	parts := strings.Split(benchmark, "/")
	for i := range parts {
		parts[i] = "^" + regexp.QuoteMeta(parts[i]) + "$"
	}
	return []string{"-test.run=^$", "-test.bench=" + strings.Join(parts, "/"), fmt.Sprintf("-test.benchtime=%dx", n), "-test.cpu=1"}
}

// ran checks that a test program ran n turns of a benchmark. It succeeds without one, too.
func ran(out, benchmark string, n int) error {
	for line := range strings.Lines(out) {
		if f := strings.Fields(line); len(f) > 1 && f[0] == benchmark {
			if f[1] != fmt.Sprint(n) {
				return fmt.Errorf("%s: %s turns, want %d", benchmark, f[1], n)
			}
			return nil
		}
	}
	return fmt.Errorf("%s: %w from the output", benchmark, errAbsent)
}

// trees returns both versions, and a function that removes the worktree of the former one.
func trees(ctx context.Context, commit, folder string) (both []*tree, remove func(), err error) {
	module, err := filepath.Abs(".")
	if err != nil {
		return nil, nil, err
	}
	root, err := command(ctx, module, "git", "rev-parse", "--show-toplevel")
	if err != nil {
		return nil, nil, err
	}
	overlay, err := steady(ctx, folder)
	if err != nil {
		return nil, nil, err
	}
	old := filepath.Join(folder, "tree")
	home, remove, err := checkout(ctx, module, commit, old)
	if err != nil {
		return nil, nil, err
	}
	// Both versions do the same work, which is that of the present sources.
	target := filepath.Join(home, "counted")
	if err = os.RemoveAll(target); err == nil {
		err = os.CopyFS(target, os.DirFS(filepath.Join(module, "counted")))
	}
	if err != nil {
		remove()
		return nil, nil, err
	}
	of := func(version, root, module string) *tree {
		return &tree{version: version, root: root, module: module, programs: folder, overlay: overlay, built: map[string]build{}}
	}
	return []*tree{of(former, old, home), of(present, strings.TrimSpace(root), module)}, remove, nil
}
