package storetest

import (
	"testing"
	"time"
)

// TestMemory: the reference store keeps every law, with every hook and nothing
// lacking.
func TestMemory(t *testing.T) {
	Test(t, Config{New: memorySubject, Patience: 2 * time.Second})
}
