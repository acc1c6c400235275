package storetest

import (
	"flag"
	"fmt"
	"os"
	"runtime/debug"
	"testing"
)

// TestMemory checks that the reference store keeps every law, with every hook and
// no excuse.
func TestMemory(t *testing.T) {
	t.Parallel()
	Test(t, Config{New: memorySubject})
}

// TestStrictMemory checks the same of the reference store at level 3.
func TestStrictMemory(t *testing.T) {
	t.Parallel()
	Test(t, Config{New: strictSubject})
}

// TestMain makes laws search for a short time, except with -storetest.search. The
// stores here are sound, or their bugs show at once. A case lives short and its heap is small,
// so the garbage collector would otherwise take a fifth of the time.
func TestMain(m *testing.M) {
	debug.SetGCPercent(400)
	if err := flag.Set(searchFlag, "100ms"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}
