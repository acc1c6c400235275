package draft

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestSteps: each step has the wave after the last one before it, the first steps before it, sorted,
// and the number of the others. A step that is named twice counts once.
func TestSteps(t *testing.T) {
	for seed := range uint64(100) {
		random := rand.New(rand.NewPCG(seed, 1))
		var steps Steps
		var waves []int
		for range 40 {
			var after []int32
			wave := 1
			for range random.IntN(1 + int(seed)) {
				if len(waves) > 0 {
					n := 1 + random.IntN(len(waves))
					after, wave = append(after, int32(n)), max(wave, waves[n-1]+1)
				}
			}
			gotWave, first, more := steps.Add(slices.Clone(after))
			slices.Sort(after)
			after = slices.Compact(after)
			var want []int
			for _, n := range after[:min(len(after), maxAfter)] {
				want = append(want, int(n))
			}
			if gotWave != wave || !slices.Equal(first, want) || more != len(after)-len(want) {
				t.Errorf("seed %d: wave %d, %v and %d more, want %d, %v and %d", seed, gotWave, first, more, wave, want, len(after)-len(want))
			}
			waves = append(waves, wave)
		}
	}
}
