package draft

import "slices"

// maxAfter bounds the steps that one step of a plan names as those before it.
const maxAfter = 8

// Steps knows the waves of the steps. An object with a thousand owners has a step for each one,
// and a thousand steps before it. So the steps before a step are counted, and not sorted.
type Steps struct {
	waves []int   // by step
	named []int32 // the last step before which a step comes, by step
}

// Add adds a step with the steps before it, in any order. It returns the wave, the first of the
// steps before it, and the number of the others.
//
//test:by TestSteps
func (x *Steps) Add(after []int32) (wave int, first []int, more int) {
	now := int32(len(x.waves) + 1)
	wave = 1
	for _, n := range after {
		if x.named[n-1] == now {
			continue
		}
		x.named[n-1] = now
		wave = max(wave, x.waves[n-1]+1)
		switch at, _ := slices.BinarySearch(first, int(n)); {
		case len(first) < maxAfter:
			first = slices.Insert(first, at, int(n))
		case at < maxAfter:
			first = slices.Insert(first[:maxAfter-1], at, int(n))
			more++
		default:
			more++
		}
	}
	x.waves, x.named = append(x.waves, wave), append(x.named, 0)
	return wave, first, more
}
