package fault_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/fault"
	"pgregory.net/rapid"
)

// TestPlanRoundTrip checks that a plan is one line, and that ParsePlan reads it.
func TestPlanRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := fault.Draw(rapid.Uint64().Draw(t, "seed"), fault.Faults()...)
		for range rapid.IntRange(0, 3).Draw(t, "rules") {
			want.Rules = append(want.Rules, fault.Rule{
				Fault: rapid.SampledFrom(fault.Faults()).Draw(t, "fault"),
				At:    rapid.IntRange(1, 1000).Draw(t, "at"), Times: rapid.IntRange(2, 9).Draw(t, "times"),
			})
		}
		got, err := fault.ParsePlan(want.String())
		if err != nil {
			t.Fatal(err)
		}
		if got.String() != want.String() || len(want.Rules) > 0 && got.Seed != want.Seed || len(got.Rules) != len(want.Rules) {
			t.Fatalf("%q reads back as %q", want, got)
		}
		if strings.Contains(want.String(), "\n") {
			t.Fatalf("%q is not one line", want)
		}
	})
}

func TestParsePlan(t *testing.T) {
	for _, c := range []struct{ in, want, wrong, reason string }{
		{"", "none", "", "no faults"},
		{"none", "none", "", "no faults"},
		{"drop@2", "seed=0 drop@2", "", "the seed may be left out"},
		{" seed=7  conflict/4x3\tdrop@2x1 ", "seed=7 conflict/4x3 drop@2", "", "blanks do not matter, nor does once"},
		{"drop", "", `"drop"`, "the occasion is missing"},
		{"drop@", "", `"drop@"`, "the number is missing"},
		{"drop@0", "", `"drop@0"`, "occasions are counted from 1"},
		{"drop/-1", "", `"drop/-1"`, "a chance is positive"},
		{"drop@1x", "", `"drop@1x"`, "the number of times is missing"},
		{"drop@99999999999", "", `"drop@99999999999"`, "numbers are bounded"},
		{"unset@1", "", `"unset@1"`, "the zero fault is none"},
		{"drip@1", "", `"drip@1"`, "no such fault"},
		{"seed=x", "", `"seed=x"`, "a seed is a number"},
	} {
		p, err := fault.ParsePlan(c.in)
		switch {
		case c.wrong == "" && (err != nil || p.String() != c.want):
			t.Errorf("%q: %q, %v, want %q: %s", c.in, p, err, c.want, c.reason)
		case c.wrong != "" && (!errors.Is(err, graph.ErrInvalid) || !strings.Contains(err.Error(), c.wrong)):
			t.Errorf("%q: error %v, want one that names %s: %s", c.in, err, c.wrong, c.reason)
		}
	}
}

// TestDraw checks that the same seed draws the same plan. Different seeds leave out
// different faults, and no fault is always left out.
func TestDraw(t *testing.T) {
	drawn := map[fault.Fault]int{}
	for seed := range uint64(64) {
		p := fault.Draw(seed)
		if got := fault.Draw(seed).String(); got != p.String() {
			t.Errorf("seed %d draws %s and %s", seed, p, got)
		}
		if !p.Keeps() {
			t.Errorf("seed %d draws %s, which breaks the contract", seed, p)
		}
		for _, r := range p.Rules {
			drawn[r.Fault]++
		}
	}
	for _, f := range fault.Keeping() {
		if n := drawn[f]; n < 16 || n > 48 {
			t.Errorf("%s is in %d of 64 plans, want about half", f, n)
		}
	}
}

// TestKeeps checks the list of faults that break the contract.
func TestKeeps(t *testing.T) {
	var breaks []fault.Fault
	for _, f := range fault.Faults() {
		if !f.Keeps() {
			breaks = append(breaks, f)
		}
		if back, err := fault.Parse(f.String()); err != nil || back != f {
			t.Errorf("%s reads back as %s, %v", f, back, err)
		}
	}
	if want := []fault.Fault{fault.Stale, fault.Absent, fault.Lose}; !slices.Equal(breaks, want) {
		t.Errorf("%v break the contract, want %v", breaks, want)
	}
	if fault.Unset.Keeps() || fault.Fault(200).Keeps() {
		t.Error("a value that is no fault keeps the contract")
	}
}

// TestChance checks three facts about a rule by chance. It hits about as often as
// its number, a series lasts, and another seed hits other occasions.
func TestChance(t *testing.T) {
	in(t, func(t *testing.T) {
		count := func(plan string) (hits int, where string) {
			r := onto(t, plan, "x/x1", fault.Config{})
			for range 1000 {
				if err := r.call("patch", "x1"); err != nil {
					hits++
					where += "!"
				} else {
					where += "."
				}
			}
			return hits, where
		}
		once, one := count("seed=1 conflict/10")
		series, three := count("seed=1 conflict/10x3")
		if once < 60 || once > 140 || series < 2*once || series > 3*once {
			t.Errorf("1 in 10: %d of 1,000 calls, and %d in series of 3", once, series)
		}
		if !strings.Contains(three, "!!!") {
			t.Error("no series of three")
		}
		if _, again := count("seed=1 conflict/10"); again != one {
			t.Error("the same plan hits other calls")
		}
		if _, other := count("seed=2 conflict/10"); other == one {
			t.Error("another seed hits the same calls")
		}
	})
}

// TestNew checks that New refuses invalid settings, and names the field.
func TestNew(t *testing.T) {
	r := onto(t, "none", "", fault.Config{})
	for _, c := range []struct {
		conf         fault.Config
		want, reason string
	}{
		{fault.Config{Lag: -1}, "Lag", "a lag is not negative"},
		{fault.Config{Plan: fault.Plan{Rules: []fault.Rule{{At: 1}}}}, "Rules[0]", "no fault"},
		{fault.Config{Plan: fault.Plan{Rules: []fault.Rule{{Fault: fault.Drop}}}}, "Rules[0]", "never"},
		{fault.Config{Plan: fault.Plan{Rules: []fault.Rule{{Fault: fault.Drop, At: 1}, {Fault: fault.Drop, At: 1, In: 1}}}}, "Rules[1]", "both"},
		{fault.Config{Plan: fault.Plan{Rules: []fault.Rule{{Fault: fault.Drop, At: 1, Times: -1}}}}, "Rules[0]", "less than never"},
	} {
		if _, err := fault.New(r.memory, c.conf); !errors.Is(err, graph.ErrInvalid) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: error %v, want one that names %s: %s", c.conf, err, c.want, c.reason)
		}
	}
	if _, err := fault.New(nil, fault.Config{}); !errors.Is(err, graph.ErrInvalid) {
		t.Errorf("no store: %v", err)
	}
}
