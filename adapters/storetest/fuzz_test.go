package storetest

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"
)

// FuzzMemory compares the memory store with the map.
func FuzzMemory(f *testing.F) { Fuzz(f, Config{New: memorySubject}) }

// TestSeeds checks that the first inputs are histories with some steps.
func TestSeeds(t *testing.T) {
	steps := 0
	for i, seed := range seeds() {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			rapid.MakeFuzz(func(t *rapid.T) {
				h := newModelSearch(Config{New: memorySubject}, maxFuzzed)
				h.runCase = func(tb TB, list []operation) {
					m := newModel(tb, h.conf, h.waits)
					m.run(list)
					steps += len(m.steps)
				}
				h.property(t)
			})(t, seed)
		})
	}
	if steps < 50 {
		t.Errorf("%d steps in all, want some more", steps)
	}
}
