package dense

import "fmt"

// None is the place of a number without one.
const None int32 = -1

const (
	indexPage  = 62 // a quarter of a kilobyte with its count
	indexBlock = 4  // the number of pages that are made at once
	spareIndex = 256
)

// Index finds places by small numbers. It hashes nothing, and grows and shrinks page by
// page. The pages are small, and enough of them are kept for a batch of scattered
// numbers. In such a batch a few hundred objects of a million have a page each. The zero
// Index is empty. It is not safe for concurrent use.
type Index struct {
	pages []*page
	live  int     // the number of pages
	spare []*page // empty pages for later use
}

type page struct {
	used int
	refs [indexPage]int32 // place + 1
}

// Used reports whether a number ever had a place.
func (d *Index) Used() bool { return d.pages != nil }

// Pages returns the number of pages with a place.
func (d *Index) Pages() int { return d.live }

// At returns the place of a number, or None.
func (d *Index) At(n uint32) int32 {
	p := int(n / indexPage)
	if p >= len(d.pages) || d.pages[p] == nil {
		return None
	}
	return d.pages[p].refs[n%indexPage] - 1
}

// Set sets the place of a number. None removes it.
func (d *Index) Set(n uint32, place int32) {
	i := int(n / indexPage)
	for i >= len(d.pages) {
		d.pages = append(d.pages, nil)
	}
	p := d.pages[i]
	if p == nil {
		p = d.page()
		d.pages[i] = p
		d.live++
	}
	ref := &p.refs[n%indexPage]
	switch {
	case *ref == 0 && place != None:
		p.used++
	case *ref != 0 && place == None:
		p.used--
	}
	*ref = place + 1
	if p.used == 0 {
		d.pages[i] = nil
		d.live--
		if len(d.spare) < spareIndex {
			d.spare = append(d.spare, p)
		}
	}
}

// page returns an empty page.
func (d *Index) page() *page {
	if last := len(d.spare) - 1; last >= 0 {
		p := d.spare[last]
		d.spare = d.spare[:last]
		return p
	}
	block := make([]page, indexBlock)
	for i := range block[1:] {
		d.spare = append(d.spare, &block[1+i])
	}
	return &block[0]
}

// Clone returns a copy that shares nothing with d.
func (d *Index) Clone() (c Index) {
	c.live = d.live
	c.pages = make([]*page, len(d.pages))
	for i, p := range d.pages {
		if p != nil {
			own := *p
			c.pages[i] = &own
		}
	}
	return c
}

// Check returns the number of numbers with a place, and the first wrong count.
func (d *Index) Check() (used int, err error) {
	live := 0
	for _, p := range d.pages {
		if p == nil {
			continue
		}
		live++
		found := 0
		for _, ref := range p.refs {
			if ref != 0 {
				found++
			}
		}
		if found != p.used {
			return used, fmt.Errorf("a page has %d numbers, and says %d", found, p.used)
		}
		used += found
	}
	if live != d.live {
		return used, fmt.Errorf("%d pages, by count %d", live, d.live)
	}
	return used, nil
}
