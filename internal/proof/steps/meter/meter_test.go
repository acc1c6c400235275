package meter

import "testing"

// TestUncounted: in a build without an overlay no loop counts, and every function is harmless.
func TestUncounted(t *testing.T) {
	World("w")
	Label("l")
	end := Step("s")
	At(3)
	if got := Scan(0, []int{1}); len(got) != 1 {
		t.Error("a list changes")
	}
	if got := Copy(0, "ab"); got != "ab" {
		t.Error("a text changes")
	}
	var m Mutex
	m.Lock()
	end()
	m.Unlock()
	if n := len(Worst(0)); n > 0 || Sites() > 0 {
		t.Errorf("%d findings of %d loops, want none", n, Sites())
	}
}
