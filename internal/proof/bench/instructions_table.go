package main

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/ownergraph/ownergraph/internal/proof/figures"
)

// exact is the least distance of two counts with a verdict. Two builds of one commit have
// differed by 0.24 % on a busy machine.
const exact = 0.003

// comparison is the result of a row in both versions. The keys are versions.
type comparison struct {
	each   map[string][]float64 // instructions of an object, by round
	failed map[string]error
}

// err joins the errors of both versions.
func (c comparison) err() error {
	var out []error
	for _, version := range []string{former, present} {
		if err := c.failed[version]; err != nil {
			out = append(out, fmt.Errorf("%s: %w", version, err))
		}
	}
	return errors.Join(out...)
}

// value is the median of a version's rounds, NaN if it failed.
func (c comparison) value(version string) float64 {
	if c.failed[version] != nil {
		return math.NaN()
	}
	return figures.Median(c.each[version])
}

// ratios are those of the rounds. Both versions of a round have one seed.
func (c comparison) ratios() (out []float64) {
	if c.err() != nil {
		return nil
	}
	for i := range min(len(c.each[former]), len(c.each[present])) {
		out = append(out, c.each[present][i]/c.each[former][i])
	}
	return out
}

// noise is the distance of the least and the highest ratio. It is NaN for a single round.
func (c comparison) noise() float64 {
	ratios := c.ratios()
	if len(ratios) < 2 {
		return math.NaN()
	}
	return slices.Max(ratios) - slices.Min(ratios)
}

// verdict names the versions that failed or lack the row, or says whether the working tree
// needs more instructions than noise explains.
func (c comparison) verdict() string {
	a, b := c.failed[former], c.failed[present]
	switch {
	case errors.Is(a, errAbsent) && errors.Is(b, errAbsent):
		return "absent in both"
	case errors.Is(a, errAbsent):
		return "absent in " + former
	case errors.Is(b, errAbsent):
		return "absent in " + present
	case a != nil || b != nil:
		return "failed"
	}
	ratio, noise := figures.Median(c.ratios()), c.noise()
	switch limit := max(exact, noise); {
	case math.IsNaN(noise):
		return "one round"
	case ratio > 1+limit:
		return "more"
	case ratio < 1-limit:
		return "fewer"
	}
	return ""
}

func (c comparison) cells(r count) []string {
	number := func(format string, v float64) string {
		if math.IsNaN(v) {
			return "-"
		}
		return fmt.Sprintf(format, v)
	}
	a, b := c.value(former), c.value(present)
	return []string{
		r.name, strconv.Itoa(r.objects()), number("%.1f", a), number("%.1f", b), number("%.4f", figures.Median(c.ratios())),
		number("%.2f %%", 100*c.noise()), c.verdict(), strconv.Itoa(len(c.ratios())),
	}
}

// countColumns are the names of a row's cells.
func countColumns() []string {
	return []string{"row", "objects", "A", "B", "B/A", "noise", "verdict", "rounds"}
}
