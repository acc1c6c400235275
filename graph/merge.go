package graph

import "slices"

const (
	// run is the length of the parts of a list that are sorted at once.
	run = 64
	// moved is how many elements one step of a merging moves. They are cheaper than nodes.
	moved = 16
)

// merging sorts a list in bounded steps: first in runs, then it merges neighbours. The zero
// value is empty.
type merging[T any] struct {
	list, next []T
	width      int // of the sorted parts, 0 before seal
	left, a    int // the first part under way begins at left, and is merged up to a
	b          int // the second one is merged up to b
}

// add appends an element.
func (m *merging[T]) add(x T, compare func(a, b T) int) {
	if m.list = append(m.list, x); len(m.list)%run == 0 {
		slices.SortFunc(m.list[len(m.list)-run:], compare)
	}
}

// seal ends the list.
func (m *merging[T]) seal(compare func(a, b T) int) {
	slices.SortFunc(m.list[len(m.list)/run*run:], compare)
	m.width = run
	m.begin(0)
}

// begin begins to merge two parts.
func (m *merging[T]) begin(left int) {
	m.left, m.a, m.b = left, left, min(left+m.width, len(m.list))
}

// sorted reports whether the list is sorted.
func (m *merging[T]) sorted() bool { return m.width > 0 && m.width >= len(m.list) }

// step moves some elements to their places.
func (m *merging[T]) step(compare func(a, b T) int) {
	for n := 0; n < moved && !m.sorted(); n++ {
		m.move(compare)
	}
}

// move moves one element.
func (m *merging[T]) move(compare func(a, b T) int) {
	n := len(m.list)
	mid, end := min(m.left+m.width, n), min(m.left+2*m.width, n)
	if m.a < mid && (m.b == end || compare(m.list[m.a], m.list[m.b]) <= 0) {
		m.next = append(m.next, m.list[m.a])
		m.a++
	} else {
		m.next = append(m.next, m.list[m.b])
		m.b++
	}
	if m.a < mid || m.b < end {
		return
	}
	if end < n {
		m.begin(end)
		return
	}
	m.list, m.next = m.next, m.list[:0]
	m.width *= 2
	m.begin(0)
}
