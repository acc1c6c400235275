package policy

// beside trims dangling and waiting references beside a solid owner, in one write as far
// as the evidence goes. It also asks for a read of each unobserved owner, since that owner
// may be absent. The needs
// of a waiting owner come first, because they delay the end of that owner. A dangling
// reference delays nothing.
func (in *Facts) beside(c *classes, s *Scratch) Decision {
	v := s.verdict()
	for at := range c.waiting {
		e, about := in.trimmable(c, at, s)
		v.add(e, about...)
	}
	switch {
	case len(v.proven) > 0:
		v.add(proven, c.dangling...)
		return Decision{Action: Trim, Reason: WaitingBesideSolid, Owners: distinct(v.proven)}
	case len(c.dangling) > 0:
		return Decision{Action: Trim, Reason: DanglingBesideSolid, Owners: c.dangling}
	case len(v.fence) > 0:
		return in.fence(v.fence)
	case len(v.read) > 0:
		v.add(readable, c.read...)
		return verify(v.read)
	case len(v.watch) > 0:
		return watch(v.watch)
	case len(c.read) > 0:
		return verify(c.read)
	case len(c.unconfirmed) > 0:
		return in.fence(c.unconfirmed)
	}
	return Decision{Action: Keep, Reason: OwnerSolid}
}

// trimmable reports whether the evidence allows to drop a waiting reference because of a
// solid owner. If not, it returns the references that need more evidence. The solid
// owner must be seen after the waiting mark was known, and the waiting owner must wait by
// R2. Otherwise a solid owner that is gone, without the engine's knowledge, would let the
// waiting owner end. The object would then have no owner. The mark of an owner that only a
// read has shown has no stamp, so the watch must bring that owner.
func (in *Facts) trimmable(c *classes, at int, s *Scratch) (e evidence, about []int) {
	self := c.waiting[at : at+1]
	o := &in.Owners[self[0]]
	if o.Mark == 0 {
		return contradicted, self
	}
	if e := in.proof(o, ReadWaiting); e != proven {
		return e, self
	}
	v := s.verdictOfSolid()
	for _, j := range c.solid {
		e := in.keeps(&in.Owners[j], o)
		if e == proven { // one of them suffices
			return proven, self
		}
		v.add(e, j)
	}
	switch {
	case len(v.fence) > 0: // of the waiting owner
		return fenceable, self
	case len(v.read) > 0: // one of them suffices, and some may not be readable
		return readable, v.read
	}
	return contradicted, v.watch
}
