package view

// spread gives each place its middle: near the middle of its neighbours, in its order, and
// without an overlap. Each wave has a column of its own.
func (l *layout) spread() {
	l.columns()
	for _, row := range l.rows {
		for cell := range l.cells(row) {
			x := l.left[l.places[cell[0]].band]
			for i, at := range cell {
				if i > 0 {
					x += l.apart(cell[i-1], at)
				} else {
					x += l.half(at)
				}
				l.places[at].x = x
			}
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
	l.crop()
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

// cells yields the places of a row that are in one band.
func (l *layout) cells(row []int) func(yield func([]int) bool) {
	return func(yield func([]int) bool) {
		for start, at := 0, 1; at <= len(row); at++ {
			if at == len(row) || l.places[row[at]].band != l.places[row[start]].band {
				if !yield(row[start:at]) {
					return
				}
				start = at
			}
		}
	}
}

// extent is the width of places side by side.
func (l *layout) extent(cell []int) int {
	w := l.half(cell[0]) + l.half(cell[len(cell)-1])
	for i := 1; i < len(cell); i++ {
		w += l.apart(cell[i-1], cell[i])
	}
	return w
}

// columns sets the borders of the bands. Without waves nothing keeps to them.
func (l *layout) columns() {
	widths := make([]int, len(l.bands))
	for _, row := range l.rows {
		for cell := range l.cells(row) {
			b := l.places[cell[0]].band
			widths[b] = max(widths[b], l.extent(cell))
		}
	}
	x := 0
	for _, w := range widths {
		l.left, l.right = append(l.left, x), append(l.right, x+w)
		x += w + bandGap
	}
}

// block is a run of places that touch each other, with the sum of their wishes.
type block struct{ sum, n, count int }

// shift moves the places of a row as near to their neighbours in another row as their
// order and their distances allow. The blocks of pooled places give the least squares.
func (l *layout) shift(row []int, neighbours func(*place) []int) {
	for cell := range l.cells(row) {
		offset := make([]int, len(cell))
		var blocks []block
		for i, at := range cell {
			if i > 0 {
				offset[i] = offset[i-1] + l.apart(cell[i-1], at)
			}
			blocks = append(blocks, l.wish(at, offset[i], neighbours))
			for k := len(blocks) - 1; k > 0 && blocks[k-1].sum*blocks[k].n > blocks[k].sum*blocks[k-1].n; k-- {
				blocks[k-1] = block{blocks[k-1].sum + blocks[k].sum, blocks[k-1].n + blocks[k].n, blocks[k-1].count + blocks[k].count}
				blocks = blocks[:k]
			}
		}
		low, high := -1<<40, 1<<40
		if l.p.waves > 0 {
			b := l.places[cell[0]].band
			low = l.left[b] + l.half(cell[0])
			high = l.right[b] - l.half(cell[len(cell)-1]) - offset[len(cell)-1]
		}
		i := 0
		for _, b := range blocks {
			x := min(max(floor(b.sum, b.n), low), high)
			for range b.count {
				l.places[cell[i]].x = x + offset[i]
				i++
			}
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

// crop moves the drawing to the left border.
func (l *layout) crop() {
	if l.p.waves > 0 {
		for _, right := range l.right {
			l.width = right
		}
		return
	}
	low, high := 1<<40, -1<<40
	for at := range l.places {
		low, high = min(low, l.places[at].x-l.half(at)), max(high, l.places[at].x+l.half(at))
	}
	for at := range l.places {
		l.places[at].x -= low
	}
	l.width = max(high-low, 0)
}
