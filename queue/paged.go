package queue

const (
	pageSize = 256
	// sparePages is how many pages a queue keeps beyond those that it needs.
	sparePages = keepRoom / pageSize
)

// paged is a list that grows and shrinks at its end, page by page: no step copies
// more than one page, however long it is. The first page grows as a slice does.
type paged[E any] struct {
	first []E
	more  [][]E
	len   int
}

func (p *paged[E]) at(i int32) *E {
	if i < pageSize {
		return &p.first[i]
	}
	return &p.more[i/pageSize-1][i%pageSize]
}

func (p *paged[E]) push(e E) {
	n := p.len
	p.len++
	if n < pageSize {
		p.first = append(p.first, e)
		return
	}
	if n /= pageSize; n > len(p.more) {
		p.more = append(p.more, make([]E, 0, pageSize))
	}
	p.more[n-1] = append(p.more[n-1], e)
}

// pop drops the last element and gives back the pages beyond the spare ones.
func (p *paged[E]) pop() {
	var none E
	p.len--
	*p.at(int32(p.len)) = none
	if p.len < pageSize {
		p.first = p.first[:p.len]
	} else {
		p.more[p.len/pageSize-1] = p.more[p.len/pageSize-1][:p.len%pageSize]
	}
	if last := len(p.more) - 1; last >= p.len/pageSize+sparePages {
		p.more[last] = nil
		p.more = fit(p.more[:last])
	}
}

// room returns how many elements it has room for.
func (p *paged[E]) room() int { return cap(p.first) + len(p.more)*pageSize }

func (p *paged[E]) clone() (c paged[E]) {
	c.first, c.len = append([]E(nil), p.first...), p.len
	if p.len <= pageSize {
		return c
	}
	c.more = make([][]E, (p.len-1)/pageSize)
	for i := range c.more {
		c.more[i] = append(make([]E, 0, pageSize), p.more[i]...)
	}
	return c
}
