package draft

import "iter"

// EndLater adds the parts to ends that go after their owners, of those that may. Keepers yields the
// owners that keep a part, and whether each does so for good. Another owner keeps the part until it
// ends. EndLater asks once about each part, so its cost follows the references.
func EndLater(parts []int32, ends []bool, may func(part int32) bool, keepers func(part int32) iter.Seq2[int32, bool]) {
	keep, kept := make([]int, len(ends)), make([][]int32, len(ends)) // by part, and by owner
	var todo []int32
	for _, i := range parts {
		if ends[i] || !may(i) {
			continue
		}
		for owner, good := range keepers(i) {
			if keep[i]++; !good {
				kept[owner] = append(kept[owner], i)
			}
		}
		if keep[i] == 0 {
			todo = append(todo, i)
		}
	}
	for len(todo) > 0 {
		i := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		ends[i] = true
		for _, d := range kept[i] {
			if keep[d]--; keep[d] == 0 {
				todo = append(todo, d)
			}
		}
	}
}
