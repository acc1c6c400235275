package draft

import "iter"

// Later has the questions of EndLater about a part.
type Later struct {
	// May reports whether the part may go after its owners.
	May func(part int32) bool
	// Keepers yields the owners that keep a part, and whether each does so for good. Another owner
	// keeps the part until it ends.
	Keepers func(part int32) iter.Seq2[int32, bool]
	// Alone yields the owners whose end alone ends the part, also beside others that keep it. Nil stands for none.
	Alone func(part int32) iter.Seq[int32]
}

// EndLater adds the parts to ends that go after their owners. It asks once about each part, so its
// cost follows the references.
func EndLater(parts []int32, ends []bool, ask Later) {
	keep, kept := make([]int, len(ends)), make([][]int32, len(ends)) // by part, and by owner
	var alone [][]int32                                              // by owner
	var todo []int32
	for _, i := range parts {
		if ends[i] || !ask.May(i) {
			continue
		}
		for owner, good := range ask.Keepers(i) {
			if keep[i]++; !good {
				kept[owner] = append(kept[owner], i)
			}
		}
		goes := keep[i] == 0
		if ask.Alone != nil {
			for owner := range ask.Alone(i) {
				if alone == nil {
					alone = make([][]int32, len(ends))
				}
				alone[owner] = append(alone[owner], i)
				goes = goes || ends[owner]
			}
		}
		if goes {
			todo = append(todo, i)
		}
	}
	for len(todo) > 0 {
		i := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if ends[i] {
			continue
		}
		ends[i] = true
		for _, d := range kept[i] {
			if keep[d]--; keep[d] == 0 {
				todo = append(todo, d)
			}
		}
		if alone != nil {
			todo = append(todo, alone[i]...)
		}
	}
}
