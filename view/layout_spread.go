package view

// spread gives each place its middle: near the middle of its neighbours, in its order, and without an
// overlap. No row goes beyond the width of the widest one.
func (l *layout) spread() {
	for _, row := range l.rows {
		x := 0
		for i, at := range row {
			if i > 0 {
				x += l.apart(row[i-1], at)
			} else {
				x = l.half(at)
			}
			l.places[at].x = x
			l.width = max(l.width, x+l.half(at))
		}
	}
	for n := range shifts {
		for i := range l.rows {
			if n%2 == 0 {
				l.shift(l.rows[i], func(p *place) []int { return p.up })
			} else {
				l.shift(l.rows[len(l.rows)-1-i], func(p *place) []int { return p.down })
			}
		}
	}
}

// half is the half of the width of a place.
func (l *layout) half(at int) int {
	if l.places[at].line {
		return lane / 2
	}
	return l.boxW / 2
}

// apart is the least distance between the middles of two neighbours.
func (l *layout) apart(a, b int) int {
	gap := gapX
	if l.places[a].line || l.places[b].line {
		gap = lane
	}
	return l.half(a) + l.half(b) + gap
}

// block is a run of places that touch each other, with the sum of their wishes.
type block struct{ sum, n, count int }

// shift moves the places of a row as near to their neighbours in another row as their
// order and their distances allow. The blocks of pooled places give the least squares.
func (l *layout) shift(row []int, neighbours func(*place) []int) {
	offset := make([]int, len(row))
	var blocks []block
	for i, at := range row {
		if i > 0 {
			offset[i] = offset[i-1] + l.apart(row[i-1], at)
		}
		blocks = append(blocks, l.wish(at, offset[i], neighbours))
		for k := len(blocks) - 1; k > 0 && blocks[k-1].sum*blocks[k].n > blocks[k].sum*blocks[k-1].n; k-- {
			blocks[k-1] = block{blocks[k-1].sum + blocks[k].sum, blocks[k-1].n + blocks[k].n, blocks[k-1].count + blocks[k].count}
			blocks = blocks[:k]
		}
	}
	if len(row) == 0 {
		return
	}
	i, low, high := 0, l.half(row[0]), l.width-l.half(row[len(row)-1])-offset[len(row)-1]
	for _, b := range blocks {
		x := min(max(floor(b.sum, b.n), low), high)
		for range b.count {
			l.places[row[i]].x = x + offset[i]
			i++
		}
	}
}

// wish is the block of one place: the middle of its neighbours. A line between two others
// counts more, so that it becomes straight.
func (l *layout) wish(at, offset int, neighbours func(*place) []int) block {
	p := &l.places[at]
	list := neighbours(p)
	if len(list) == 0 {
		return block{p.x - offset, 1, 1}
	}
	low, high := l.places[list[0]].x, l.places[list[0]].x
	for _, other := range list {
		low, high = min(low, l.places[other].x), max(high, l.places[other].x)
	}
	weight := 2
	if p.line {
		weight = 8
	}
	return block{((low+high)/2 - offset) * weight, weight, 1}
}

func floor(sum, n int) int {
	if sum < 0 {
		return -((-sum + n - 1) / n)
	}
	return sum / n
}
