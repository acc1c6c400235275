package seq

import "testing"

// TestCounter: stamps rise from 1, and Check fails before a note would be too small.
func TestCounter(t *testing.T) {
	var c Counter
	if a, b := c.Stamp(), c.Stamp(); a != 1 || b != 2 || c.Last() != 2 {
		t.Errorf("the stamps are %d and %d, the last one %d", a, b, c.Last())
	}
	if err := c.Check(); err != nil {
		t.Error(err)
	}
	c.last = Max - reserve + 1
	if c.Check() == nil {
		t.Error("the stamps are nearly used up")
	}
}
