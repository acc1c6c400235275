package storetest

import (
	"iter"
	"slices"
	"testing"
	"time"
)

// TestShrink checks that a failing case shrinks to the parts that it needs, with
// one run at a time or several.
func TestShrink(t *testing.T) {
	long := make([]int, 100)
	for i := range long {
		long[i] = i
	}
	smaller := func(list []int) iter.Seq[[]int] {
		return func(yield func([]int) bool) {
			for c := range without(list) {
				if !yield(c) {
					return
				}
			}
			for c := range withOther(list, func(n int) []int {
				if n > 200 {
					return []int{n - 100}
				}
				return nil
			}) {
				if !yield(c) {
					return
				}
			}
		}
	}
	for _, c := range []struct {
		list, want []int
		fails      func([]int) bool
		most       int
		reason     string
	}{
		{long, nil, func([]int) bool { return true }, 2, "nothing is needed"},
		{long, []int{3, 50, 97}, func(l []int) bool {
			return slices.Contains(l, 3) && slices.Contains(l, 50) && slices.Contains(l, 97)
		}, 200, "three are needed, far apart"},
		{[]int{900}, []int{200}, func(l []int) bool { return len(l) == 1 && l[0]%100 == 0 }, 40, "and what remains gets simpler"},
		{long[:4], long[:4], func(l []int) bool { return len(l) == 4 }, 20, "all are needed"},
	} {
		for _, width := range []int{1, 4} {
			var tries guarded[int]
			s := &shrinking[[]int]{smaller: smaller, width: width, until: time.Now().Add(time.Hour)}
			s.runCase = func(l []int) (caseFailure, bool) {
				tries.with(func(n *int) { *n++ })
				return caseFailure{}, c.fails(l)
			}
			got := s.shrink(c.list)
			if !slices.Equal(got, c.want) || tries.v > c.most*width {
				t.Errorf("%d at once: %v in %d tries, want %v in %d: %s", width, got, tries.v, c.want, c.most*width, c.reason)
			}
		}
		s := &shrinking[[]int]{smaller: smaller, width: 1, until: time.Now().Add(-time.Second)}
		s.runCase = func([]int) (caseFailure, bool) {
			t.Errorf("a case runs after the time is over")
			return caseFailure{}, true
		}
		s.shrink(c.list)
	}
}

// TestShrinkByChance checks that a case that fails at its third run only still
// shrinks to the one part that it needs.
func TestShrinkByChance(t *testing.T) {
	for _, c := range []struct {
		rounds, want int
		reason       string
	}{
		{0, 2, "one round takes a case that passed by chance for the smallest"},
		{3, 1, "the third round sees it fail"},
	} {
		runs := map[int]int{}
		s := &shrinking[[]int]{smaller: without[int], width: 1, rounds: c.rounds, until: time.Now().Add(time.Hour)}
		s.runCase = func(l []int) (caseFailure, bool) {
			if !slices.Contains(l, 3) {
				return caseFailure{}, false
			}
			runs[len(l)]++
			return caseFailure{}, runs[len(l)]%3 == 0
		}
		if got := s.shrink([]int{0, 1, 2, 3}); len(got) != c.want || !slices.Contains(got, 3) {
			t.Errorf("%d rounds: %v, want %d parts with the 3: %s", c.rounds, got, c.want, c.reason)
		}
	}
}
