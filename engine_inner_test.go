package ownergraph

import (
	"testing"
	"unsafe"
)

// TestFlightSize: a call in flight takes at most 128 bytes. A map holds no larger value in
// itself.
func TestFlightSize(t *testing.T) {
	if n := unsafe.Sizeof(flight{}); n > 128 {
		t.Errorf("a flight takes %d bytes, want 128 at most", n)
	}
}
