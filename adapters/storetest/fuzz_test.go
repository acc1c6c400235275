package storetest

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"
)

// FuzzMemory: the memory store against the map.
func FuzzMemory(f *testing.F) { Fuzz(f, Config{New: memorySubject}) }

// TestSeeds: the inputs to begin with are histories, not of no length.
func TestSeeds(t *testing.T) {
	steps := 0
	for i, seed := range seeds() {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			rapid.MakeFuzz(func(t *rapid.T) {
				m := newModel(t, Config{New: memorySubject}, newPace(defaultPatience))
				m.walk(t, mostFuzzed)
				steps += len(m.steps)
			})(t, seed)
		})
	}
	if steps < 50 {
		t.Errorf("%d steps in all, want some more", steps)
	}
}
