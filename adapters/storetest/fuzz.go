package storetest

import (
	"testing"

	"pgregory.net/rapid"
)

// Fuzz searches for a history in which the store, or its watch, differs from a map
// that follows the rules. Its histories are those of Test. Coverage leads the
// search, and it runs for as long as you like. A failure prints the steps. The go
// command keeps the input under testdata/fuzz, and runs it from then on.
//
//	func FuzzStore(f *testing.F) { storetest.Fuzz(f, config) }
//
// Call it with -fuzzminimizetime=1x. The coverage of a watch differs from run to
// run, so the go command would otherwise try for long to make inputs smaller.
//
//test:by FuzzMemory TestSeeds
func Fuzz(f *testing.F, c Config) {
	f.Helper()
	if c.New == nil {
		f.Fatal("storetest: Config.New is nil")
	}
	for _, seed := range seeds() {
		f.Add(seed)
	}
	f.Fuzz(rapid.MakeFuzz(newModelSearch(c, maxFuzzed).property))
}

// maxFuzzed bounds a history. A fuzzer's inputs grow without end, and many short
// histories find more.
const maxFuzzed = 60

// seeds returns the first inputs. Rapid reads choices of 8 bytes each.
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
