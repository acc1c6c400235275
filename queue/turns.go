package queue

// passLimit bounds unfairness: a class that was passed over that many times in a row has
// its turn.
const passLimit = 64

// turns counts, for each class, the takes in a row that passed over its ready keys. It is
// zero for a class without ready keys.
type turns [Low + 1]uint8

// next returns the class of the next take, or PriorityUnset without a ready key. That is
// the lowest class with a turn, or else the highest class.
func (t *turns) next(ready [Low + 1]int32) Priority {
	pick := PriorityUnset
	for p := Low; p >= High; p-- {
		if ready[p] == 0 {
			continue
		}
		if t[p] >= passLimit {
			return p
		}
		pick = p
	}
	return pick
}

// took counts a take from class p. The numbers of ready keys are those from before the
// take.
func (t *turns) took(p Priority, ready [Low + 1]int32) {
	for o := High; o <= Low; o++ {
		if o != p && ready[o] > 0 {
			t[o]++
		}
	}
	t[p] = 0
}
