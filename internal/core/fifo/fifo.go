// Package fifo has a first-in, first-out list that uses its memory again.
package fifo

import "slices"

// List is a first-in, first-out list. The zero value is empty. A List is not safe for
// concurrent use.
type List[T any] struct {
	items []T
	first int
}

// Len returns the number of elements.
func (l *List[T]) Len() int { return len(l.items) - l.first }

// All returns the elements, the oldest first. The list owns the slice.
func (l *List[T]) All() []T { return l.items[l.first:] }

// Push appends a copy of *v.
func (l *List[T]) Push(v *T) {
	if l.first > len(l.items)/2 && len(l.items) == cap(l.items) {
		n := copy(l.items, l.items[l.first:])
		clear(l.items[n:])
		l.items, l.first = l.items[:n], 0
	}
	l.items = append(l.items, *v)
}

// Pop moves the oldest element to *v. It reports false for an empty list.
func (l *List[T]) Pop(v *T) bool {
	if l.Len() == 0 {
		return false
	}
	var zero T
	*v, l.items[l.first] = l.items[l.first], zero
	if l.first++; l.first == len(l.items) {
		l.items, l.first = l.items[:0], 0
	}
	return true
}

// PopAll moves the n oldest elements to the end of to. The list has n elements or more.
func (l *List[T]) PopAll(to []T, n int) []T {
	taken := l.items[l.first : l.first+n]
	to = append(to, taken...)
	clear(taken)
	if l.first += n; l.first == len(l.items) {
		l.items, l.first = l.items[:0], 0
	}
	return to
}

// Clone returns a list with the same elements.
func (l *List[T]) Clone() List[T] { return List[T]{items: slices.Clone(l.All())} }

// Rest returns s without its first element. The last element gives the memory back.
func Rest[T any](s []T) []T {
	if len(s) == 1 {
		return nil
	}
	return s[1:]
}
