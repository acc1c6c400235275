package queue

// dense finds slots by small numbers that stand for keys: pages of slots by
// number. It hashes nothing, and grows and shrinks page by page. Pages are small,
// and enough of them are kept for a batch of keys from anywhere: a few hundred
// objects of a million, say, that have each a page of their own.
type dense struct {
	pages []*densePage
	live  int          // pages that there are
	spare []*densePage // empty ones to be used again
}

const (
	densePageSize = 62 // with its count a quarter of a kilobyte
	denseBlock    = 4  // how many are made at once
	spareDense    = 256
)

type densePage struct {
	used int
	refs [densePageSize]int32 // slot + 1
}

func (d *dense) place(n uint32) (page, at int) {
	return int(n / densePageSize), int(n % densePageSize)
}

// get returns the slot of a number, or none.
func (d *dense) get(n uint32) int32 {
	page, at := d.place(n)
	if page >= len(d.pages) || d.pages[page] == nil {
		return none
	}
	return d.pages[page].refs[at] - 1
}

// set notes the slot of a number, none for one that has none any more.
func (d *dense) set(n uint32, slot int32) {
	page, at := d.place(n)
	for page >= len(d.pages) {
		d.pages = append(d.pages, nil)
	}
	p := d.pages[page]
	if p == nil {
		if last := len(d.spare) - 1; last >= 0 {
			p, d.spare = d.spare[last], d.spare[:last]
		} else {
			block := make([]densePage, denseBlock)
			p = &block[0]
			for i := range block[1:] {
				d.spare = append(d.spare, &block[1+i])
			}
		}
		d.pages[page] = p
		d.live++
	}
	switch was := p.refs[at]; {
	case was == 0 && slot != none:
		p.used++
	case was != 0 && slot == none:
		p.used--
	}
	p.refs[at] = slot + 1
	if p.used == 0 {
		d.pages[page] = nil
		d.live--
		if len(d.spare) < spareDense {
			d.spare = append(d.spare, p)
		}
	}
}

func (d *dense) clone() (c dense) {
	c.live = d.live
	c.pages = make([]*densePage, len(d.pages))
	for i, p := range d.pages {
		if p != nil {
			own := *p
			c.pages[i] = &own
		}
	}
	return c
}
