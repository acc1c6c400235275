package fault

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/splitmix"
)

// Plan lists the faults and their occasions. The zero Plan has no faults. It is a
// value, and its rules are read-only.
type Plan struct {
	// Seed decides the rules that happen by chance.
	Seed  uint64
	Rules []Rule
}

// Rule is one fault of a Plan: either at one occasion, or by chance. Each Store
// counts the occasions of each fault.
type Rule struct {
	Fault Fault
	// At is the occasion, from 1. With 0 the fault happens by chance.
	At int
	// In is the chance: one in this number of occasions.
	In int
	// Times is the number of consecutive occasions. 0 means 1.
	Times int
}

// maxNumber bounds the numbers of a rule.
const maxNumber = 1 << 20

// String returns the rule as a plan spells it: "drop@2", "conflict/4x3".
func (r Rule) String() string {
	var b strings.Builder
	b.WriteString(r.Fault.String())
	if r.At > 0 {
		fmt.Fprintf(&b, "@%d", r.At)
	} else {
		fmt.Fprintf(&b, "/%d", r.In)
	}
	if r.Times > 1 {
		fmt.Fprintf(&b, "x%d", r.Times)
	}
	return b.String()
}

// String returns the plan in one line, which ParsePlan reads. A plan without rules
// is "none".
//
//test:by TestPlanRoundTrip
func (p Plan) String() string {
	if len(p.Rules) == 0 {
		return "none"
	}
	words := []string{"seed=" + strconv.FormatUint(p.Seed, 10)}
	for _, r := range p.Rules {
		words = append(words, r.String())
	}
	return strings.Join(words, " ")
}

// ParsePlan reads the text that Plan.String writes. The seed may be missing. An
// error wraps graph.ErrInvalid and names the word.
func ParsePlan(s string) (Plan, error) {
	var p Plan
	if strings.TrimSpace(s) == "none" {
		return p, nil
	}
	for _, word := range strings.Fields(s) {
		var err error
		if seed, ok := strings.CutPrefix(word, "seed="); ok {
			p.Seed, err = strconv.ParseUint(seed, 10, 64)
		} else {
			var r Rule
			r, err = parseRule(word)
			p.Rules = append(p.Rules, r)
		}
		if err != nil {
			return Plan{}, fmt.Errorf("parse plan: %q: %v: %w", word, err, graph.ErrInvalid)
		}
	}
	return p, nil
}

func parseRule(word string) (r Rule, err error) {
	i := strings.IndexAny(word, "@/")
	if i < 0 {
		return r, fmt.Errorf(`want FAULT@N or FAULT/N, and xM for M in a row`)
	}
	if r.Fault, err = Parse(word[:i]); err != nil {
		return r, err
	}
	number, times, repeated := strings.Cut(word[i+1:], "x")
	n, err := parseNumber(number)
	if err != nil {
		return r, err
	}
	if word[i] == '@' {
		r.At = n
	} else {
		r.In = n
	}
	if repeated {
		r.Times, err = parseNumber(times)
	}
	return r, err
}

func parseNumber(s string) (int, error) {
	n, err := strconv.Atoi(s)
	if err != nil || n < 1 || n > maxNumber {
		return 0, fmt.Errorf("%q is no number from 1 to %d", s, maxNumber)
	}
	return n, nil
}

// check returns the first error of a plan that was not parsed.
func (p Plan) check() error {
	for i, r := range p.Rules {
		cause := ""
		switch {
		case r.Fault == Unset || r.Fault >= faults:
			cause = "Fault: " + r.Fault.String()
		case (r.At > 0) == (r.In > 0) || r.At < 0 || r.In < 0:
			cause = "At, In: want one of them"
		case r.Times < 0 || max(r.At, r.In, r.Times) > maxNumber:
			cause = "Times, At, In: out of range"
		default:
			continue
		}
		return fmt.Errorf("%s: %s: %w", fmt.Sprintf("Rules[%d]", i), cause, graph.ErrInvalid) // the error begins with the name of the field
	}
	return nil
}

// Keeps reports whether all faults of the plan keep the contract.
func (p Plan) Keeps() bool {
	return !slices.ContainsFunc(p.Rules, func(r Rule) bool { return !r.Fault.Keeps() })
}

// Has reports whether the plan has a rule for the fault.
func (p Plan) Has(f Fault) bool {
	return slices.ContainsFunc(p.Rules, func(r Rule) bool { return r.Fault == f })
}

// Draw returns the plan of a seed: about half of the faults, each by a chance of
// its own. A plan without some faults finds bugs that these faults would hide.
// Without the argument among, Draw takes the faults of Keeping.
//
//test:by TestDraw
func Draw(seed uint64, among ...Fault) Plan {
	if len(among) == 0 {
		among = Keeping()
	}
	rng := rand.New(rand.NewPCG(seed, drawSalt))
	p := Plan{Seed: seed}
	for _, f := range among {
		on, r := rng.IntN(2) == 0, Rule{Fault: f, In: 2 + rng.IntN(15), Times: 1 + rng.IntN(3)}
		switch f {
		// The work begins again, and has to make progress too.
		case Break, Drop, Compact, CrashBefore, CrashAmid, CrashAfter:
			r.In, r.Times = 4*r.In, 1
		}
		if on {
			p.Rules = append(p.Rules, r)
		}
	}
	return p
}

// drawSalt separates the random numbers of Draw from others of the same seed.
const drawSalt = 0x6f67

// hits reports whether the rule hits the n-th occasion of its fault.
func (r Rule) hits(seed uint64, n int) bool {
	times := max(r.Times, 1)
	if r.At > 0 {
		return n >= r.At && n-r.At < times
	}
	for k := range min(times, n) {
		if mix(seed, uint64(r.Fault), uint64(n-k))%uint64(r.In) == 0 {
			return true
		}
	}
	return false
}

// mix spreads numbers over all of 64 bits (the finisher of splitmix64).
func mix(numbers ...uint64) uint64 {
	var h uint64
	for _, n := range numbers {
		h = splitmix.Mix(h + n + splitmix.Step)
	}
	return h
}
