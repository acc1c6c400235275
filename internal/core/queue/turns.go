package queue

// passLimit bounds unfairness: a class that was passed over this many times in
// a row has its turn.
const passLimit = 64

// turns counts, for each class, how many takes in a row passed over its ready
// keys. It is zero for a class with none.
type turns [Low + 1]uint8

// next returns the class that is taken from now, or PriorityUnset where none
// has a ready key: the lowest class that is owed a turn, else the highest.
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

// took notes that a key of class p was taken, with ready as it was before.
func (t *turns) took(p Priority, ready [Low + 1]int32) {
	for o := High; o <= Low; o++ {
		if o != p && ready[o] > 0 {
			t[o]++
		}
	}
	t[p] = 0
}
