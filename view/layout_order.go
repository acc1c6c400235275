package view

import (
	"cmp"
	"slices"
)

// untangle orders the places of each row for few crossings: it moves each place to the
// middle of its neighbours, in a fixed number of sweeps down and up. It keeps the best
// order.
func (l *layout) untangle() {
	l.begin()
	best, crossings := l.orders(), l.crossings()
	for n := range sweeps {
		for i := range l.rows {
			if n%2 == 0 {
				l.sortRow(l.rows[i], func(p *place) []int { return p.up })
			} else {
				l.sortRow(l.rows[len(l.rows)-1-i], func(p *place) []int { return p.down })
			}
		}
		if c := l.crossings(); c < crossings {
			best, crossings = l.orders(), c
		}
	}
	for i, row := range best {
		l.setRow(i, row)
	}
}

// begin orders the places by a walk from the top, depth first, so that a tree begins
// without crossings.
func (l *layout) begin() {
	rank := make([]int, len(l.places))
	next := 0
	var stack []int
	for _, row := range l.rows {
		for _, top := range row {
			stack = append(stack, top)
			for len(stack) > 0 {
				at := stack[len(stack)-1]
				stack = stack[:len(stack)-1]
				if rank[at] > 0 {
					continue
				}
				next++
				rank[at] = next
				for i := range l.places[at].down {
					stack = append(stack, l.places[at].down[len(l.places[at].down)-1-i])
				}
			}
		}
	}
	for i, row := range l.rows {
		slices.SortStableFunc(row, func(a, b int) int {
			return cmp.Compare(rank[a], rank[b])
		})
		l.setRow(i, row)
	}
}

func (l *layout) setRow(i int, row []int) {
	l.rows[i] = row
	for order, at := range row {
		l.places[at].order = order
	}
}

func (l *layout) orders() [][]int {
	out := make([][]int, len(l.rows))
	for i, row := range l.rows {
		out[i] = slices.Clone(row)
	}
	return out
}

// sortRow moves each place of a row to the mean of its neighbours in another row. A place
// without neighbours keeps its order. The means are compared as fractions, so that every
// machine computes the same order.
func (l *layout) sortRow(row []int, neighbours func(*place) []int) {
	type mean struct{ sum, n int }
	means := make(map[int]mean, len(row))
	for _, at := range row {
		m := mean{l.places[at].order, 1}
		if list := neighbours(&l.places[at]); len(list) > 0 {
			m = mean{0, len(list)}
			for _, other := range list {
				m.sum += l.places[other].order
			}
		}
		means[at] = m
	}
	slices.SortStableFunc(row, func(a, b int) int {
		return cmp.Compare(means[a].sum*means[b].n, means[b].sum*means[a].n)
	})
	for order, at := range row {
		l.places[at].order = order
	}
}

// crossings counts the crossings between all rows, with a tree of counts for each row.
func (l *layout) crossings() (n int) {
	for i := 1; i < len(l.rows); i++ {
		size := len(l.rows[i])
		counts := make([]int, size+1)
		seen := 0
		var ends []int
		for _, at := range l.rows[i-1] {
			ends = ends[:0]
			for _, to := range l.places[at].down {
				ends = append(ends, l.places[to].order)
			}
			for _, end := range ends { // the earlier lines that end further right cross it
				left := 0
				for k := end + 1; k > 0; k -= k & -k {
					left += counts[k]
				}
				n += seen - left
			}
			for _, end := range ends {
				seen++
				for k := end + 1; k <= size; k += k & -k {
					counts[k]++
				}
			}
		}
	}
	return n
}
