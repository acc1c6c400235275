package mutants

import (
	"fmt"
	"testing"
)

// TestKillersOf checks which suites have to pass on the source, so that their kills prove
// something.
func TestKillersOf(t *testing.T) {
	a, b := testsOf("./a"), testsOf("./b")
	for _, c := range []struct {
		outcomes []Outcome
		want     []suite
		reason   string
	}{
		{[]Outcome{{Verdict: Killed}}, []suite{a}, "the second suite did not run after the first kill"},
		{[]Outcome{{Verdict: Survived}, {Verdict: Hung}}, []suite{b}, "a suite that hangs on the source would kill each bug, too"},
		{[]Outcome{{Verdict: Unbuilt}}, nil, "a bug that does not compile is no kill"},
		{nil, nil, "no suite ran"},
	} {
		if got := killersOf([]suite{a, b}, c.outcomes); fmt.Sprint(got) != fmt.Sprint(c.want) {
			t.Errorf("%v: got %v, want %v: %s", c.outcomes, got, c.want, c.reason)
		}
	}
}
