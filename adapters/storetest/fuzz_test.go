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
				h := newModelHunt(Config{New: memorySubject}, mostFuzzed)
				h.play = func(tb TB, list []deed) {
					m := newModel(tb, h.conf, h.pace)
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
