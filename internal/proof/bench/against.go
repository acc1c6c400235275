package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/ownergraph/ownergraph/internal/proof/bench/measure"
	"github.com/ownergraph/ownergraph/internal/proof/figures"
)

// The two versions of our side. Each runs in its own program, which takes
// measure.Params and prints measure.Metrics as JSON. The two share only this format, so
// the other commit may have another API.
const (
	former  = "A" // the commit of -against
	present = "B" // the working tree
)

// homes are the folders that have had the benchmark, relative to the repository.
func homes(prefix string) []string {
	return []string{prefix, "internal/proof/bench", "internal/bench"}
}

// compare builds both versions, measures them in turns, and prints a table.
func (o options) compare(ctx context.Context) error {
	dir, err := os.MkdirTemp("", "bench-against-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	a, b := filepath.Join(dir, "a"), filepath.Join(dir, "b")
	if err := buildCommit(ctx, o.against, filepath.Join(dir, "tree"), a); err != nil {
		return err
	}
	if err := buildIn(ctx, ".", b); err != nil {
		return err
	}
	of := func(path string) programs { return programs{ours: {path, ours}, alone: {path, alone}} }
	return o.pairs(ctx, map[string]programs{former: of(a), present: of(b)})
}

// buildCommit builds the benchmark of a commit in a worktree of its own, and removes
// the worktree again.
func buildCommit(ctx context.Context, commit, tree, into string) error {
	module, remove, err := checkout(ctx, ".", commit, tree)
	if err != nil {
		return err
	}
	defer remove()
	return buildIn(ctx, module, into)
}

// checkout puts a commit of the repository around dir into a worktree. It returns the
// folder of the benchmark there, and a function that removes the worktree. After an error
// there is none.
func checkout(ctx context.Context, dir, commit, tree string) (module string, remove func(), err error) {
	prefix, err := command(ctx, dir, "git", "rev-parse", "--show-prefix")
	if err != nil {
		return "", nil, err
	}
	if _, err := command(ctx, dir, "git", "worktree", "add", "--detach", tree, commit); err != nil {
		return "", nil, err
	}
	remove = func() { // also after an interrupt
		_, _ = command(context.WithoutCancel(ctx), dir, "git", "worktree", "remove", "--force", tree)
	}
	for _, home := range homes(strings.TrimSpace(prefix)) {
		module := filepath.Join(tree, filepath.FromSlash(home))
		if _, err := os.Stat(filepath.Join(module, "go.mod")); err == nil {
			return module, remove, nil
		}
	}
	remove()
	return "", nil, fmt.Errorf("build %s: no benchmark there", commit)
}

func buildIn(ctx context.Context, module, into string) error {
	_, err := command(ctx, module, "go", "build", "-o", into, ".")
	return err
}

// command runs a program outside of a workspace, and returns its output.
func command(ctx context.Context, dir, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOWORK=off")
	out, err := cmd.Output()
	if err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			err = fmt.Errorf("%w: %s", err, exit.Stderr)
		}
		return "", fmt.Errorf("%s %s: %w", name, strings.Join(args, " "), err)
	}
	return string(out), nil
}

// pairs measures each run of ours in both versions, once in each round, and prints the
// differences.
func (o options) pairs(ctx context.Context, versions map[string]programs) error {
	begun := time.Now()
	var failed []error
	out := o.printer(os.Stdout)
	if err := out.Print(pairColumns()); err != nil {
		return err
	}
	for _, w := range plan(o.sizes) {
		if !o.only.MatchString(w.name) {
			continue
		}
		for _, run := range w.runs {
			if run.side != ours && run.side != alone {
				continue
			}
			fmt.Fprintf(os.Stderr, "%4.0f s  %s, %s\n", time.Since(begun).Seconds(), w.name, run.side)
			both, err := o.alternate(ctx, run, versions)
			if err != nil {
				failed = append(failed, fmt.Errorf("%s: %w", w.name, err))
				continue
			}
			for _, f := range pairFigures(w, run.side, both) {
				if err := out.Print(comparePair(f, both).cells(w, f)); err != nil {
					return err
				}
			}
		}
	}
	return errors.Join(append(failed, out.Flush())...)
}

// alternate returns the metrics of a run by version. The i-th processes of both
// versions ran next to each other. The first version changes with each round, so that a
// drift of the machine favours neither version.
func (o options) alternate(ctx context.Context, run one, versions map[string]programs) (map[string][]measure.Metrics, error) {
	both := map[string][]measure.Metrics{}
	order := []string{former, present}
	for round := range o.rounds {
		for i := range order {
			version := order[figures.Turn(i, round, len(order))]
			m, err := versions[version].start(ctx, run)
			if err != nil {
				return nil, fmt.Errorf("%s, %s: %w", version, run.side, err)
			}
			both[version] = append(both[version], m)
		}
	}
	return both, nil
}
