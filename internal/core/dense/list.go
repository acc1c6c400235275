package dense

import "fmt"

const (
	listPage = 256
	// Keep is how many elements a List has room for at least, once it had as many.
	Keep = 2048
	// Spare is how many more than it holds and keeps it has room for at most.
	Spare = 2 * listPage
	// Share is how many times its content a slice beyond Keep may have room for.
	Share = 8
)

// Fit returns s, in a smaller array if the one that it is in is mostly empty.
func Fit[E any](s []E) []E {
	if cap(s) <= Keep || len(s) >= cap(s)/Share {
		return s
	}
	return append(make([]E, 0, 2*len(s)), s...)
}

// List is a list that grows and shrinks at its end, page by page: no step copies more
// than one page, however long it is. The first page grows as a slice does. The zero
// List is empty. It is not safe for concurrent use.
type List[E any] struct {
	first []E
	more  [][]E
	len   int
}

// Len returns how many elements there are.
func (p *List[E]) Len() int { return p.len }

// At returns the element at i, which the list owns: until it is popped.
func (p *List[E]) At(i int32) *E {
	if i < listPage {
		return &p.first[i]
	}
	return &p.more[i/listPage-1][i%listPage]
}

// Push adds an element at the end.
func (p *List[E]) Push(e E) {
	n := p.len
	p.len++
	if n < listPage {
		p.first = append(p.first, e)
		return
	}
	if n /= listPage; n > len(p.more) {
		p.more = append(p.more, make([]E, 0, listPage))
	}
	p.more[n-1] = append(p.more[n-1], e)
}

// Pop drops the last element, of which nothing stays, and gives back the pages beyond
// those that are kept.
func (p *List[E]) Pop() {
	var none E
	p.len--
	*p.At(int32(p.len)) = none
	if p.len < listPage {
		p.first = p.first[:p.len]
	} else {
		p.more[p.len/listPage-1] = p.more[p.len/listPage-1][:p.len%listPage]
	}
	if last := len(p.more) - 1; last >= (p.len+Keep)/listPage {
		p.more[last] = nil
		p.more = Fit(p.more[:last])
	}
}

// Room returns how many elements it has room for.
func (p *List[E]) Room() int { return cap(p.first) + len(p.more)*listPage }

// Check returns what is wrong with the room of the list.
func (p *List[E]) Check() error {
	if room := p.Room(); room > p.len+Keep+Spare {
		return fmt.Errorf("a list has room for %d and holds %d", room, p.len)
	}
	return nil
}

// Clone returns a copy that shares nothing with p but what its elements refer to.
func (p *List[E]) Clone() (c List[E]) {
	c.first, c.len = append([]E(nil), p.first...), p.len
	if p.len <= listPage {
		return c
	}
	c.more = make([][]E, (p.len-1)/listPage)
	for i := range c.more {
		c.more[i] = append(make([]E, 0, listPage), p.more[i]...)
	}
	return c
}
