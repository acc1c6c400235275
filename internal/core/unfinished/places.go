package unfinished

import (
	"fmt"
	"time"

	"github.com/ownergraph/ownergraph/internal/core/dense"
)

// inList is the bit of a place in the list. The other bits are the number of the slot, in the
// list or in the heap.
const inList = 1

// at returns the entry of a place.
func (t *Table) at(place int32) *entry {
	if place&inList != 0 {
		return &t.list.slots.At(place >> 1).entry
	}
	return t.heap.At(place >> 1)
}

// remove takes the entry of a place out. The last one of the list, or of the heap, takes its slot.
func (t *Table) remove(place int32) {
	t.places.Set(uint32(t.at(place).node), dense.None)
	i := place >> 1
	if place&inList != 0 {
		if t.list.remove(i) {
			t.placeInList(i)
		}
		return
	}
	last := int32(t.heap.Len() - 1)
	moved := *t.heap.At(last)
	t.heap.Pop()
	if i == last {
		return
	}
	*t.heap.At(i) = moved
	if t.rise(i) == i {
		t.sink(i)
	}
}

func (t *Table) placeInList(i int32) {
	t.places.Set(uint32(t.list.slots.At(i).node), i<<1|inList)
}

// rise moves an entry of the heap up to its place, and returns it.
func (t *Table) rise(i int32) int32 {
	x := *t.heap.At(i)
	for i > 0 {
		up := (i - 1) / 2
		if !x.before(t.heap.At(up)) {
			break
		}
		t.put(i, *t.heap.At(up))
		i = up
	}
	t.put(i, x)
	return i
}

// sink moves an entry of the heap down to its place.
func (t *Table) sink(i int32) {
	x, n := *t.heap.At(i), int32(t.heap.Len())
	for down := 2*i + 1; down < n; down = 2*i + 1 {
		if right := down + 1; right < n && t.heap.At(right).before(t.heap.At(down)) {
			down = right
		}
		if !t.heap.At(down).before(&x) {
			break
		}
		t.put(i, *t.heap.At(down))
		i = down
	}
	t.put(i, x)
}

func (t *Table) put(i int32, x entry) {
	*t.heap.At(i) = x
	t.places.Set(uint32(x.node), i<<1)
}

// Check verifies the invariants of Table.
func (t *Table) Check() error {
	if err := t.heap.Check(); err != nil {
		return fmt.Errorf("unfinished: %w", err)
	}
	if used, err := t.places.Check(); err != nil || used != t.Len() {
		return fmt.Errorf("unfinished: %d nodes have a place, of %d (%v)", used, t.Len(), err)
	}
	for i := range int32(t.heap.Len()) {
		x := t.heap.At(i)
		if t.places.At(uint32(x.node)) != i<<1 {
			return fmt.Errorf("unfinished: node %d is not found", x.node)
		}
		if i > 0 && x.before(t.heap.At((i-1)/2)) {
			return fmt.Errorf("unfinished: node %d is older than the one above it", x.node)
		}
	}
	for i := range int32(t.list.slots.Len()) {
		if x := t.list.slots.At(i); t.places.At(uint32(x.node)) != i<<1|inList {
			return fmt.Errorf("unfinished: node %d is not found", x.node)
		}
	}
	return t.list.check()
}

// list has entries in the order of their times.
type list struct {
	slots      dense.List[slot]
	head, tail int32
}

type slot struct {
	entry
	prev, next int32
}

// takes reports whether an entry of this time may come last.
func (l *list) takes(since time.Time) bool {
	return l.tail == dense.None || !since.Before(l.slots.At(l.tail).since)
}

// push adds an entry at the end, and returns its slot.
func (l *list) push(x entry) int32 {
	i, last := int32(l.slots.Len()), l.tail
	l.slots.Push(slot{entry: x})
	l.link(last, i)
	l.link(i, dense.None)
	return i
}

// remove takes a slot out, and reports whether the last slot has got its number.
func (l *list) remove(i int32) (moved bool) {
	x, last := *l.slots.At(i), int32(l.slots.Len()-1)
	l.link(x.prev, x.next)
	if moved = i != last; moved {
		x = *l.slots.At(last)
		*l.slots.At(i) = x
		l.link(x.prev, i)
		l.link(i, x.next)
	}
	l.slots.Pop()
	return moved
}

// link makes two slots neighbours. None stands for the end of the list.
func (l *list) link(a, b int32) {
	if a == dense.None {
		l.head = b
	} else {
		l.slots.At(a).next = b
	}
	if b == dense.None {
		l.tail = a
	} else {
		l.slots.At(b).prev = a
	}
}

// check verifies the order of the list.
func (l *list) check() error {
	n, prev := 0, dense.None
	for i := l.head; i != dense.None; prev, i = i, l.slots.At(i).next {
		x := l.slots.At(i)
		if n++; x.prev != prev || n > l.slots.Len() {
			return fmt.Errorf("unfinished: the list is broken at node %d", x.node)
		}
		if prev != dense.None && x.since.Before(l.slots.At(prev).since) {
			return fmt.Errorf("unfinished: node %d is older than the one before it", x.node)
		}
	}
	if n != l.slots.Len() || prev != l.tail {
		return fmt.Errorf("unfinished: the list has %d of %d nodes", n, l.slots.Len())
	}
	return l.slots.Check()
}
