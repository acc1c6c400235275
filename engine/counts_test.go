package engine_test

import (
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph/engine"
)

// TestCounts: each status and each type of a call has a number of its own. A key that does not exist has
// none, and changes nothing.
func TestCounts(t *testing.T) {
	var calls engine.Counts[engine.CallType, uint64]
	var objects engine.Counts[engine.Status, int]
	last := engine.CallUnset
	for k := engine.CallUnset; !strings.Contains(k.String(), "("); k++ {
		calls.Add(k, int(k)+3)
		calls.Add(k, -2)
		last = k
	}
	for k := engine.CallUnset; k <= last; k++ {
		if n := calls.Of(k); n != uint64(k)+1 {
			t.Errorf("%s: %d, want %d", k, n, k+1)
		}
	}
	if last != engine.CallJudge {
		t.Errorf("the last type is %s, and the metrics end at judge", last)
	}
	for k := engine.StatusUnset; k <= engine.StatusStuck; k++ {
		if objects.Add(k, 2); objects.Of(k) != 2 {
			t.Errorf("%s: %d, want 2", k, objects.Of(k))
		}
	}
	before := calls
	for _, k := range []engine.CallType{16, 17, 255} {
		if calls.Add(k, 1); calls.Of(k) != 0 || calls != before {
			t.Errorf("%s has a number", k)
		}
	}
}
