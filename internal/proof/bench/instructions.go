package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/ownergraph/ownergraph/internal/proof/figures"
)

// counter counts the instructions of a process. It is safe for concurrent use.
type counter func(context.Context, process) (uint64, error)

// countBoth prints the instructions of each object in both versions.
func (o options) countBoth(ctx context.Context) error {
	folder, err := os.MkdirTemp("", "bench-instructions-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	tool, err := newCallgrind(folder)
	if err != nil {
		return err
	}
	both, remove, err := trees(ctx, o.against, folder)
	if err != nil {
		return err
	}
	defer remove()
	return o.countRows(ctx, both, tool.count, o.printer(os.Stdout))
}

// countRows counts and prints each row that is asked for. A row that fails, or that a
// version lacks, is in the table and in the error.
func (o options) countRows(ctx context.Context, both []*tree, tool counter, out figures.Printer) error {
	if err := out.Print(countColumns()); err != nil {
		return err
	}
	begun := time.Now()
	var failed []error
	for _, r := range counts() {
		if !o.only.MatchString(r.name) {
			continue
		}
		fmt.Fprintf(os.Stderr, "%4.0f s  %s\n", time.Since(begun).Seconds(), r.name)
		c, err := countRow(ctx, both, r, o.rounds, tool)
		if err != nil {
			failed = append(failed, fmt.Errorf("%s: %w", r.name, err))
		}
		if err := out.Print(c.cells(r)); err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			failed = append(failed, err)
			break
		}
	}
	return errors.Join(append(failed, out.Flush())...)
}

// countRow counts a row in both versions. The two run at once, since the clock is not part
// of a count. The versions that fail are in the result and in the error.
func countRow(ctx context.Context, both []*tree, r count, rounds int, tool counter) (comparison, error) {
	c := comparison{each: map[string][]float64{}, failed: map[string]error{}}
	pairs := map[string][2]process{}
	for _, t := range both {
		least, err := t.process(ctx, r, r.work)
		if err == nil {
			pair := [2]process{least}
			pair[1], err = t.process(ctx, r, 2*r.work)
			pairs[t.version] = pair
		}
		c.failed[t.version] = err
	}
	if err := c.err(); err != nil {
		return c, err
	}
	for round := range rounds {
		var all sync.WaitGroup
		var mu sync.Mutex
		for version, pair := range pairs {
			all.Go(func() {
				n, err := difference(ctx, pair, seed(round), tool)
				mu.Lock()
				defer mu.Unlock()
				c.each[version] = append(c.each[version], n/float64(r.objects()))
				c.failed[version] = err
			})
		}
		all.Wait()
		if err := c.err(); err != nil {
			return c, err
		}
	}
	return c, nil
}

// difference returns by how many instructions the second process has more than the first.
// Both get the seed.
func difference(ctx context.Context, pair [2]process, seed string, tool counter) (float64, error) {
	pair[0].seed, pair[1].seed = seed, seed
	least, err := tool(ctx, pair[0])
	if err != nil {
		return 0, err
	}
	most, err := tool(ctx, pair[1])
	if err == nil && most <= least {
		err = fmt.Errorf("twice the work has %d instructions, and the work alone %d", most, least)
	}
	return float64(most) - float64(least), err
}
