package main

import (
	"bufio"
	"cmp"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/ownergraph/ownergraph/internal/proof/sim"
)

// maxDiffering is the number of differing seeds that are named.
const maxDiffering = 10

// digests are those of the seeds of one run.
type digests struct {
	steps   int
	without string
	of      map[uint64]uint64
}

func (d *digests) add(r sim.Result) { d.of[r.Seed] = r.Digest }

// heading names the histories of the digests. Files are compared only if their headings
// agree.
func (d *digests) heading() string {
	return fmt.Sprintf("digests: steps %d, without %q", d.steps, d.without)
}

// write writes a line for each seed.
func (d *digests) write(path string) error {
	f, err := os.Create(path)
	if err != nil {
		return fmt.Errorf("write digests: %w", err)
	}
	w := bufio.NewWriter(f)
	fmt.Fprintln(w, d.heading())
	for _, seed := range d.seeds() {
		fmt.Fprintf(w, "%d %016x\n", seed, d.of[seed])
	}
	if err := cmp.Or(w.Flush(), f.Close()); err != nil {
		return fmt.Errorf("write digests: %w", err)
	}
	return nil
}

func (d *digests) seeds() []uint64 {
	var out []uint64
	for seed := range d.of {
		out = append(out, seed)
	}
	slices.Sort(out)
	return out
}

// against compares the digests with those of a file, prints the seeds that differ, and
// reports whether all are the same.
func (d *digests) against(path string) (same bool, err error) {
	src, err := os.ReadFile(path)
	if err != nil {
		return false, fmt.Errorf("compare digests: %w", err)
	}
	heading, rest, _ := strings.Cut(string(src), "\n")
	if heading != d.heading() {
		return false, fmt.Errorf("compare digests: %s: has %q, want %q", path, heading, d.heading())
	}
	old := map[uint64]uint64{}
	for line := range strings.Lines(rest) {
		var seed, sum uint64
		if _, err := fmt.Sscanf(line, "%d %x", &seed, &sum); err != nil {
			return false, fmt.Errorf("compare digests: %s: line %q: %w", path, line, err)
		}
		old[seed] = sum
	}
	return d.differ(old, path), nil
}

func (d *digests) differ(old map[uint64]uint64, path string) (same bool) {
	var differ []uint64
	compared := 0
	for _, seed := range d.seeds() {
		sum, ok := old[seed]
		if !ok {
			continue
		}
		if compared++; sum != d.of[seed] {
			differ = append(differ, seed)
		}
	}
	fmt.Printf("digests: %d seeds differ of the %d that %s has too\n", len(differ), compared, path)
	for _, seed := range differ[:min(len(differ), maxDiffering)] {
		h := sim.History{Seed: seed, Steps: d.steps, Without: d.without}
		fmt.Printf("  %d: was %016x, is %016x: %s -trace FILE\n", seed, old[seed], d.of[seed], h)
	}
	return len(differ) == 0 && compared > 0
}

// trace writes the lines of one history to a file.
func trace(h sim.History, path string) error {
	f, err := os.Create(path)
	if err != nil {
		return fmt.Errorf("write trace: %w", err)
	}
	w := bufio.NewWriter(f)
	r := h.Record(nil, w)
	if err := cmp.Or(w.Flush(), f.Close()); err != nil {
		return fmt.Errorf("write trace: %w", err)
	}
	fmt.Printf("digest of seed %d: %016x\n", h.Seed, r.Digest)
	return r.Broken
}
