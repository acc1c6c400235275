package storetest

import (
	"testing"

	"pgregory.net/rapid"
)

// Fuzz lets go test -fuzz look for a history in which the store, or its watch,
// does something else than a map that follows the rules: the same histories as
// Test's, but led by coverage, and for as long as you like. A failure prints the
// steps; go test keeps the input under testdata/fuzz, and runs it from then on.
//
//	func FuzzStore(f *testing.F) { storetest.Fuzz(f, config) }
//
// Call it with -fuzzminimizetime=1x: what a watch covers differs from run to run,
// so go test would try for long to make inputs smaller that are not. Held by
// FuzzMemory and TestSeeds.
func Fuzz(f *testing.F, c Config) {
	f.Helper()
	if c.New == nil {
		f.Fatal("storetest: Config.New is nil")
	}
	for _, seed := range seeds() {
		f.Add(seed)
	}
	f.Fuzz(rapid.MakeFuzz(newModelHunt(c, mostFuzzed).property))
}

// mostFuzzed bounds a history here: a fuzzer's inputs grow without end, and what
// it finds it finds by many short ones.
const mostFuzzed = 60

// seeds returns inputs to begin with: rapid reads choices of 8 bytes each.
func seeds() [][]byte {
	const choices = 512
	var list [][]byte
	state := uint64(7)
	for range 8 {
		seed := make([]byte, 0, 8*choices)
		for range 8 * choices {
			state = state*6364136223846793005 + 1442695040888963407
			seed = append(seed, byte(state>>56))
		}
		list = append(list, seed)
	}
	return list
}
