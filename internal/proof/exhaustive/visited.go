package exhaustive

// visited has the fingerprints of visited nodes, with the crashes and listings that
// were left. It is a table with open addressing, at most three quarters full. The rest
// of the scope is a number below eight.
type visited struct {
	cells []uint64
	left  []uint8 // a bit for each number that was seen with the node
	onWay []uint8 // the same for nodes on the way to the present one
	used  int
}

// find returns the cell of a fingerprint, or the empty cell at its place.
func (v *visited) find(h uint64) uint64 {
	mask := uint64(len(v.cells) - 1)
	c := h & mask
	for v.cells[c] != 0 && v.cells[c] != h {
		c = (c + 1) & mask
	}
	return c
}

// enter adds a node. It reports whether the node is new, with as much left or with
// more. A new node is on the way from then on. Otherwise it reports whether the node is
// on the way already.
func (v *visited) enter(h uint64, left uint8, more uint8) (fresh, onWay bool) {
	if 4*(v.used+1) > 3*len(v.cells) {
		v.grow()
	}
	h = max(h, 1)
	c := v.find(h)
	if v.cells[c] == 0 {
		v.cells[c] = h
		v.used++
	}
	bit := uint8(1) << left
	if v.left[c]&more != 0 {
		return false, v.onWay[c]&bit != 0
	}
	v.left[c] |= bit
	v.onWay[c] |= bit
	return true, false
}

// leave takes a node off the way.
func (v *visited) leave(h uint64, left uint8) { v.onWay[v.find(max(h, 1))] &^= 1 << left }

func (v *visited) grow() {
	old := *v
	n := max(1024, 2*len(old.cells))
	v.cells, v.left, v.onWay = make([]uint64, n), make([]uint8, n), make([]uint8, n)
	for i, h := range old.cells {
		if h != 0 {
			c := v.find(h)
			v.cells[c], v.left[c], v.onWay[c] = h, old.left[i], old.onWay[i]
		}
	}
}
