package exhaustive

// dict maps the hash of a question to the number of its answer, from 1 on. It is a
// table with open addressing, at most three quarters full.
type dict struct {
	cells []entry
	used  int
}

type entry struct {
	hash  uint64
	value uint32 // 0: the cell is empty
}

// get returns the number of a hash, 0 for none.
func (d *dict) get(h uint64) uint32 {
	if d.used == 0 {
		return 0
	}
	return d.cells[d.find(h)].value
}

// put adds the number of a hash that has none.
func (d *dict) put(h uint64, value uint32) {
	if 4*(d.used+1) > 3*len(d.cells) {
		old := d.cells
		d.cells = make([]entry, max(256, 2*len(old)))
		for _, e := range old {
			if e.value != 0 {
				d.cells[d.find(e.hash)] = e
			}
		}
	}
	d.cells[d.find(h)] = entry{h, value}
	d.used++
}

// find returns the cell of a hash, or the empty cell at its place.
func (d *dict) find(h uint64) uint64 {
	mask := uint64(len(d.cells) - 1)
	c := h & mask
	for d.cells[c].value != 0 && d.cells[c].hash != h {
		c = (c + 1) & mask
	}
	return c
}

// hash mixes words.
func hash(words ...uint64) uint64 {
	p := printer{hash: seed}
	for _, w := range words {
		p.word(w)
	}
	return p.hash
}
