package ownergraph

import (
	"testing"
	"unsafe"
)

// TestUndoneCostsNothing: that a write may be undone makes neither what a key awaits
// nor a call in flight larger.
func TestUndoneCostsNothing(t *testing.T) {
	if n := unsafe.Sizeof(await{}); n > 64 {
		t.Errorf("an await takes %d bytes, want 64 at most", n)
	}
	if n := unsafe.Sizeof(flight{}); n > 128 {
		t.Errorf("a flight takes %d bytes, want 128 at most: a map holds no more in itself", n)
	}
}
