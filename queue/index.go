package queue

import "github.com/ownergraph/ownergraph/internal/core/dense"

// index finds slots by the hash of their key. It is open addressing with linear probing,
// at most three quarters full. It has no keys, so a copy and a change of size hash no
// key. Unlike a map it leaves no tombstones, so a steady state allocates nothing.
type index struct {
	cells []cell // a power of two, or nil
	used  int
}

// cell is the number of a slot, or zero.
type cell struct {
	hash uint32
	ref  int32 // slot + 1
}

const (
	firstCells = 32
	// keepCells is the least size of an index after growth.
	keepCells = 2 * warmSize
)

func (x *index) mask() uint32 { return uint32(len(x.cells) - 1) }

// insert adds a slot that is not in the index.
func (x *index) insert(hash uint32, slot int32) {
	if 4*(x.used+1) > 3*len(x.cells) {
		x.resize(max(firstCells, 2*len(x.cells)))
	}
	x.put(cell{hash: hash, ref: slot + 1})
	x.used++
}

// move changes the number of a slot in the index.
func (x *index) move(hash uint32, from, to int32) {
	x.cells[x.seek(hash, from)].ref = to + 1
}

// remove removes a slot from the index, closes the gap, and gives memory back.
func (x *index) remove(hash uint32, slot int32) {
	gap := x.seek(hash, slot)
	for c := (gap + 1) & x.mask(); x.cells[c].ref != 0; c = (c + 1) & x.mask() {
		// A cell may move to the gap unless its probe begins behind the gap.
		home := x.cells[c].hash & x.mask()
		if (c-home)&x.mask() >= (c-gap)&x.mask() {
			x.cells[gap] = x.cells[c]
			gap = c
		}
	}
	x.cells[gap] = cell{}
	x.used--
	if size := len(x.cells); size > keepCells && x.used < size/(2*dense.Share) {
		x.resize(size / 4)
	}
}

// seek returns the position of a slot that is in the index.
func (x *index) seek(hash uint32, slot int32) uint32 {
	c := hash & x.mask()
	for x.cells[c].ref != slot+1 {
		c = (c + 1) & x.mask()
	}
	return c
}

// put writes a cell into the first free place of its probe.
func (x *index) put(e cell) {
	c := e.hash & x.mask()
	for x.cells[c].ref != 0 {
		c = (c + 1) & x.mask()
	}
	x.cells[c] = e
}

// resize changes the size of the index to a power of two.
func (x *index) resize(size int) {
	old := x.cells
	x.cells = make([]cell, size)
	for _, e := range old {
		if e.ref != 0 {
			x.put(e)
		}
	}
}
