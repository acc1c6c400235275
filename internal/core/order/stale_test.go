package order

import (
	"fmt"
	"testing"
)

// TestManyStale: a decision looks only at the stale orders that may have a place for its object.
// An object with more owners than it looks at gets a place in a bounded number of orders, and
// waits.
func TestManyStale(t *testing.T) {
	const n = 4 * maxJoined
	r := newRig(t, "r/R~[foreground]; x1/a -> r/R!; x2/b -> r/R!; x2/alone")
	for i := range n {
		r.put(fmt.Sprintf("r/%d~[foreground]", i))
	}
	for i := range maxAbove {
		r.put(fmt.Sprintf("x3/o%d", i))
	}
	long := "x2/long -> x3/o0"
	for i := range maxAbove {
		long += fmt.Sprintf(", x3/o%d", i)
	}
	r.put(long)
	if r.m.stales != n+1 {
		t.Fatalf("%d orders are stale, want all %d", r.m.stales, n+1)
	}
	for _, c := range []struct {
		key    string
		wait   bool
		places int
		reason string
	}{
		{"x2/b", true, 1, "its root is stale"},
		{"x2/alone", false, 0, "it has no root"},
		{"x2/long", true, maxJoined, "it may be below any of them"},
	} {
		before := r.m.Looked()
		wait := r.tryDelete(r.id(c.key), 0)
		if places := len(r.m.above[r.id(c.key)]); wait != c.wait || places != c.places {
			t.Errorf("%s waits %t with %d places, want %t and %d: %s", c.key, wait, places, c.wait, c.places, c.reason)
		}
		if looked := r.m.Looked() - before; looked > 2*maxAbove {
			t.Errorf("%s: %d looks: %s", c.key, looked, c.reason)
		}
	}
	if err := r.m.Check(r.view()); err != nil {
		t.Error(err)
	}
	if got := r.m.Statuses(r.view(), 2); len(got) != 2 || got[0].Root.Name != "0" || got[1].Root.Name != "1" {
		t.Errorf("%v, want the first two roots by key", got)
	}
}
