package figures

import (
	"math"
	"slices"
)

// Turn returns which of n sides runs as the i-th of a round. Each round begins with
// another side, so that a drift of the machine favours no side.
func Turn(i, round, n int) int { return (i + round) % n }

// Median returns the middle value. Of an even number it returns the mean of the two
// values in the middle, and of none NaN.
func Median(values []float64) float64 {
	n := len(values)
	if n == 0 {
		return math.NaN()
	}
	values = slices.Sorted(slices.Values(values))
	return (values[(n-1)/2] + values[n/2]) / 2
}
