package order

import "testing"

// rule says when a mark may be set and when a phase is over, for TestOnePhaseIsStuck.
type rule func(c *chain) (phase []int)

// chain is a cascade in a foreground deletion: each object has one owner, 0 for the root, which
// waits for it.
type chain struct {
	owner, own   []int
	marked, gone []bool
}

// ends reports whether all objects go, if each goes by one phase.
func (c chain) ends(phase []int) bool {
	c.marked, c.gone = make([]bool, len(c.own)), make([]bool, len(c.own))
	c.marked[0] = true
	left := len(c.own) - 1
	for again := true; again; {
		again = false
		first := 9
		for x := 1; x < len(c.own); x++ {
			if !c.gone[x] {
				first = min(first, phase[x])
			}
		}
		for x := 1; x < len(c.own); x++ {
			if c.gone[x] {
				continue
			}
			if !c.marked[x] && c.marked[c.owner[x]] && phase[x] <= first {
				c.marked[x], again = true, true
			}
			if c.marked[x] && !c.blocked(x) {
				c.gone[x], again = true, true
				left--
			}
		}
	}
	return left == 0
}

func (c chain) blocked(x int) bool {
	for d := 1; d < len(c.own); d++ {
		if !c.gone[d] && c.owner[d] == x {
			return true
		}
	}
	return false
}

// TestOnePhaseIsStuck: one phase for each object is not enough, by any of three derivations.
// This is the reason for the three phases of a place.
func TestOnePhaseIsStuck(t *testing.T) {
	own := func(c *chain) []int { return c.own }
	byOwners := func(c *chain) []int {
		out := append([]int(nil), c.own...)
		for x := 1; x < len(out); x++ {
			if c.owner[x] != 0 {
				out[x] = min(out[x], out[c.owner[x]])
			}
		}
		return out
	}
	byDependents := func(c *chain) []int {
		out := append([]int(nil), c.own...)
		for x := len(out) - 1; x > 0; x-- {
			if c.owner[x] != 0 {
				out[c.owner[x]] = min(out[c.owner[x]], out[x])
			}
		}
		return out
	}
	below, above := chain{owner: []int{0, 0, 1}, own: []int{0, 2, 1}}, chain{owner: []int{0, 0, 1}, own: []int{0, 1, 2}}
	for _, c := range []struct {
		chain  chain
		phase  rule
		ends   bool
		reason string
	}{
		{below, own, false, "b(1) -> a(2): a may not be marked before b goes, and b waits for that mark"},
		{below, byOwners, false, "the same"},
		{below, byDependents, true, "a is moved forward"},
		{above, own, false, "b(2) -> a(1): a goes only after b, and b waits for the end of a"},
		{above, byDependents, false, "the same"},
		{above, byOwners, true, "b is moved forward"},
	} {
		if got := c.chain.ends(c.phase(&c.chain)); got != c.ends {
			t.Errorf("%s: it ends: %t", c.reason, got)
		}
	}
}
