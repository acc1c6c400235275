package exhaustive

import (
	"os"
	"runtime/debug"
	"testing"
)

// TestMain lets the heap grow more than usual. The searches make much garbage and keep little,
// and the collection of garbage was a quarter of their time.
func TestMain(m *testing.M) {
	debug.SetGCPercent(400)
	os.Exit(m.Run())
}
