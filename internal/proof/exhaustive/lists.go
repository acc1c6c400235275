package exhaustive

// lists numbers short sequences of numbers, each once. Number 0 is the empty one.
type lists struct {
	items  [][]uint32
	known  dict
	longer dict // by list and added item
	rest   []uint32
}

func newLists() lists { return lists{items: [][]uint32{nil}, rest: []uint32{0}} }

// number returns the number of a sequence, which it may keep.
func (l *lists) number(items []uint32) uint32 {
	if len(items) == 0 {
		return 0
	}
	p := printer{hash: seed}
	for _, x := range items {
		p.word(uint64(x))
	}
	if n := l.known.get(p.hash); n != 0 {
		return n
	}
	n := uint32(len(l.items))
	l.items, l.rest = append(l.items, items), append(l.rest, unknown)
	l.known.put(p.hash, n)
	return n
}

const unknown = ^uint32(0)

func (l *lists) first(n uint32) uint32 { return l.items[n][0] }

// tail returns the list without its first item.
func (l *lists) tail(n uint32) uint32 {
	if l.rest[n] == unknown {
		r := l.number(l.items[n][1:])
		l.rest[n] = r
	}
	return l.rest[n]
}

// push returns the list with one more item.
func (l *lists) push(n, item uint32) uint32 {
	h := hash(uint64(n)<<32 | uint64(item))
	if m := l.longer.get(h); m != 0 {
		return m
	}
	old := l.items[n]
	m := l.number(append(old[:len(old):len(old)], item))
	l.longer.put(h, m)
	return m
}

// without returns the list without every item that drop names.
func (l *lists) without(n uint32, drop func(uint32) bool) uint32 {
	var left []uint32
	for _, x := range l.items[n] {
		if !drop(x) {
			left = append(left, x)
		}
	}
	if len(left) == len(l.items[n]) {
		return n
	}
	return l.number(left)
}
