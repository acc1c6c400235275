package sim

import (
	"math"
	"strings"
	"testing"
)

// TestCount: the estimate is within three standard errors of the truth, for any number
// and for a count that is merged from several.
func TestCount(t *testing.T) {
	for _, n := range []int{0, 1, 100, 20_000, 150_000, 300_000, 2_000_000} {
		var one, other Count
		for i := range n {
			one.Add(uint64(i) * 0x9e3779b97f4a7c15)
			one.Add(uint64(i/2) * 0x9e3779b97f4a7c15) // counted once
			if i%3 == 0 {
				other.Add(uint64(i) * 0x9e3779b97f4a7c15)
			}
		}
		one.Merge(&other)
		if got := one.Distinct(); math.Abs(float64(got-n)) > 0.012*float64(n)+0.5 {
			t.Errorf("%d distinct ones are taken for %d", n, got)
		}
	}
}

// TestFleet: the total of a fleet adds up and does not depend on the number of workers.
// A failure comes with the command line that runs it again.
func TestFleet(t *testing.T) {
	f := Fleet{History: History{Seed: 7, Steps: 50}, Seeds: 40}
	one := f.Run()
	f.Workers = 3
	many := f.Run()
	if one.Steps != 2000 || one.Seeds != 40 || one.Failed != 0 || one.Workers != 1 {
		t.Errorf("one worker: %s", one)
	}
	if many.Steps != one.Steps || many.Distinct != one.Distinct || many.Workers != 3 {
		t.Errorf("one worker: %s; three: %s", one, many)
	}
	line := one.String()
	for _, want := range []string{"2000 steps, about ", " distinct states (±0.4%), 40 seeds, 0 failed, ", " steps/s on 1 workers, "} {
		if !strings.Contains(line, want) {
			t.Errorf("%q says nothing like %q", line, want)
		}
	}
}

// TestPanicIsAFailure: a panic fails its own seed, and no other.
func TestPanicIsAFailure(t *testing.T) {
	h := History{Seed: 3, Steps: 50}
	r := h.run(nil, func(s *sim, _ step) {
		if s.at == 20 {
			panic("boom")
		}
	}, true)
	if r.Broken == nil || rule(r.Broken) != "S18" || !strings.Contains(r.Broken.Error(), "boom") || len(r.steps) != 20 {
		t.Errorf("after %d steps: %v", len(r.steps), r.Broken)
	}
}

// TestTrace: a trace begins with the broken rule. Then it has the world, its objects,
// and one line for each step. It has no superfluous step.
func TestTrace(t *testing.T) {
	h := History{Seed: 1, Steps: 200, Without: "rewinds,duplicate-uids"}
	text := h.explain(func(s *sim, st step) {
		if st.op == opUser && s.at > 20 {
			s.fail(errTest)
		}
	})
	lines := strings.Split(strings.TrimSpace(text), "\n")
	if len(lines) < 5 || lines[0] != errTest.Error() || !strings.HasPrefix(lines[1], "seed 1: kinds ") || lines[len(lines)-1] != "  "+errTest.Error() {
		t.Fatalf("the trace is\n%s", text)
	}
	if !strings.HasPrefix(lines[3], "21 steps, of ") || len(lines) != 4+21+1 {
		t.Errorf("the 21st step is the first to fail, the trace is\n%s", text)
	}
}

type testError string

func (e testError) Error() string { return string(e) }

const errTest = testError("S99: a user does something")
