package policy_test

import (
	"fmt"
	"testing"

	"github.com/ownergraph/ownergraph/policy"
)

// TestReadStateNames: each state has a name, and an unknown state prints its number.
func TestReadStateNames(t *testing.T) {
	var got []string
	for s := policy.ReadUnset; s <= policy.ReadOrphaning+1; s++ {
		got = append(got, s.String())
	}
	if want := "[unset solid waiting orphaning read state(4)]"; fmt.Sprint(got) != want {
		t.Errorf("%s, want %s", got, want)
	}
}
