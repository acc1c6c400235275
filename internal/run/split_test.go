package run_test

import (
	"math/bits"
	"testing"

	"github.com/ownergraph/ownergraph/internal/run"
)

// splitUp makes a batch of n writes, some of which are bad. A part with one of these fails. It
// returns the number of the parts, and how often each write was done or failed alone.
func splitUp(n, most int, bad map[int]bool, refused bool) (parts int, ends []int) {
	var s run.Split
	ends = make([]int, n)
	s.Begin(n)
	for {
		from, to, ok := s.Next(most)
		if !ok {
			return parts, ends
		}
		parts++
		fails := false
		for i := from; i < to; i++ {
			fails = fails || bad[i]
		}
		if to-from == 1 {
			s.Alone(fails)
		}
		if fails && to-from > 1 {
			s.Again(from, to, refused)
			continue
		}
		for i := from; i < to; i++ {
			ends[i]++
		}
	}
}

// TestSplit: each write ends once, for each set of bad writes. No part is larger than the limit.
func TestSplit(t *testing.T) {
	for n := range 9 {
		for set := range 1 << n {
			bad := map[int]bool{}
			for i := range n {
				bad[i] = set>>i&1 == 1
			}
			for _, most := range []int{0, 1, 3, 100} {
				for _, refused := range []bool{true, false} {
					if _, ends := splitUp(n, most, bad, refused); !allAre(ends, 1) {
						t.Errorf("%d writes, the bad ones %b, at most %d, refused %t: ends %v", n, set, most, refused, ends)
					}
				}
			}
		}
	}
}

func allAre(list []int, want int) bool {
	for _, x := range list {
		if x != want {
			return false
		}
	}
	return true
}

// TestSplitCost: k bad writes of n cost about 2*k*log2(n) parts. If all of them are bad, the cost
// is about one for each, as without halves.
func TestSplitCost(t *testing.T) {
	const n = 500
	for _, c := range []struct {
		k, most int
		reason  string
	}{
		{0, 1, "one call"},
		{1, 1 + bits.Len(n), "one refused row, the last one: each first half passes"},
		{5, 5 * 2 * bits.Len(n), "one in a hundred"},
		{n, n + 64, "the right is missing"},
	} {
		bad := map[int]bool{}
		for i := range c.k {
			bad[(i+1)*n/c.k-1] = true
		}
		if parts, ends := splitUp(n, n, bad, true); parts > c.most || !allAre(ends, 1) {
			t.Errorf("%d bad writes of %d take %d parts, want at most %d: %s", c.k, n, parts, c.most, c.reason)
		}
	}
}
