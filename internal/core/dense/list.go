package dense

import "fmt"

const (
	listPage = 256
	// Keep is the number of elements whose memory a List keeps after it had as many.
	Keep = 2048
	// Spare bounds the elements that a List has space for beyond its content and Keep.
	Spare = 2 * listPage
	// Share bounds the capacity of a slice beyond Keep, as a multiple of its content.
	Share = 8
)

// Fit returns s, in a smaller array if its array is mostly empty.
func Fit[E any](s []E) []E {
	if cap(s) <= Keep || len(s) >= cap(s)/Share {
		return s
	}
	return append(make([]E, 0, 2*len(s)), s...)
}

// List is a list that grows and shrinks at its end, page by page. No step copies more
// than one page, at any length. The first page grows as a slice does. The zero List is
// empty. It is not safe for concurrent use.
type List[E any] struct {
	first []E
	more  [][]E
	len   int
}

// Len returns the number of elements.
func (p *List[E]) Len() int { return p.len }

// At returns the element at i. The list owns it until it is popped.
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

// Pop drops the last element and clears it. It gives back the pages beyond the kept ones.
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

// Cap returns the number of elements that the list has space for.
func (p *List[E]) Cap() int { return cap(p.first) + len(p.more)*listPage }

// Check returns an error if the list keeps too much memory.
func (p *List[E]) Check() error {
	if size := p.Cap(); size > p.len+Keep+Spare {
		return fmt.Errorf("a list has space for %d and has %d", size, p.len)
	}
	return nil
}

// Clone returns a copy of the list. It shares only the referents of its elements with p.
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
