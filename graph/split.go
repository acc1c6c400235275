package graph

// growSegment grows the full segment of a hash to twice the buckets, or splits it in two.
func (g *Graph) growSegment(h uint64) {
	x := &g.index
	if len(x.few) > 0 {
		g.refill(2 * len(x.few))
		return
	}
	if int(x.head(h).depth) == x.depth() {
		x.double()
	}
	d := x.head(h)
	s, other := x.dir[x.at(h)], &segment{}
	depth := d.depth + 1
	n := len(x.heads) >> depth // entries for each of the two
	at := x.at(h) &^ (2*n - 1)
	for i := range n {
		x.dir[at+n+i] = other
		x.heads[at+i].depth, x.heads[at+n+i].depth = depth, depth
	}
	if n == 1 {
		x.deep += 2
	}
	moved := g.split(s, other, depth)
	x.heads[at].used -= moved
	x.heads[at+n].used = moved
}

// double doubles the directory.
func (x *index) double() {
	dir, heads := make([]*segment, 2*len(x.dir)), make([]head, 2*len(x.heads))
	for i, s := range x.dir {
		dir[2*i], dir[2*i+1] = s, s
		heads[2*i], heads[2*i+1] = x.heads[i], head{depth: x.heads[i].depth}
	}
	x.dir, x.heads, x.deep = dir, heads, 0
}

// split moves members of a segment to another one by their hashes, and returns their
// number. Both segments have the new depth. The hints decide for most members. For a
// member outside of its own bucket split reads the node. Every fourth depth it reads the
// nodes of all members. It asks for all of these nodes before it uses one, so that it
// waits for them together.
func (g *Graph) split(s, other *segment, depth uint8) (moved uint16) {
	var ids [segmentBuckets * bucketIDs]NodeID
	var hashes [segmentBuckets * bucketIDs]uint64
	n := 0
	for i := range s {
		if b := &s[i]; depth%4 == 0 {
			n += b.takeAll(ids[n:])
		} else {
			n += b.takeDisplaced(ids[n:])
			moved += b.split(&other[i], 4-int(depth-1)%4)
		}
	}
	for i, id := range ids[:n] {
		hashes[i] = g.index.hash(g.at(id).uid)
	}
	to := [2]*segment{s, other} // no branch, because no processor can predict it
	for i, id := range ids[:n] {
		which := hashes[i] >> (64 - depth) & 1
		insert(to[which][:], hashes[i], depth, id)
		moved += uint16(which)
	}
	return moved
}

// shrinkSegment gives back memory of a segment with few members. It halves the buckets,
// or joins the segment with its neighbour.
func (g *Graph) shrinkSegment(h uint64) {
	x := &g.index
	at := x.at(h)
	depth := x.heads[at].depth
	if depth == 0 {
		if n := len(x.buckets(h)); n > 1 {
			g.refill(n / 2)
		}
		return
	}
	n := len(x.heads) >> depth // entries for each of the two
	at &^= n - 1
	mine, other := x.heads[at], x.heads[at^n]
	if other.depth != depth || mine.used+other.used > 2*minSegment {
		return
	}
	both := &segment{}
	for _, s := range [2]*segment{x.dir[at], x.dir[at^n]} {
		for id, h := range g.members(s[:]) {
			insert(both[:], h, depth-1, id)
		}
	}
	at &^= n
	for i := range 2 * n {
		x.dir[at+i], x.heads[at+i] = both, head{depth: depth - 1}
	}
	x.heads[at].used = mine.used + other.used
	if n == 1 {
		x.deep -= 2
	}
	for x.deep == 0 && len(x.dir) > 1 {
		x.halve()
	}
}

// halve drops every second entry of a directory whose last bit decides nothing.
func (x *index) halve() {
	dir, heads := make([]*segment, len(x.dir)/2), make([]head, len(x.dir)/2)
	for i := range dir {
		dir[i], heads[i] = x.dir[2*i], x.heads[2*i]
	}
	x.dir, x.heads = dir, heads
	for _, d := range heads {
		if int(d.depth) == x.depth() {
			x.deep++
		}
	}
}

// refill moves the members of the only segment to another number of buckets.
func (g *Graph) refill(n int) {
	x, to := &g.index, make([]bucket, n)
	for id, h := range g.members(x.buckets(0)) {
		insert(to, h, 0, id)
	}
	if x.few, x.dir = to, nil; n == segmentBuckets {
		x.few, x.dir = nil, []*segment{(*segment)(to)}
	}
}

// members yields the nodes of a segment and their hashes.
func (g *Graph) members(s []bucket) func(func(NodeID, uint64) bool) {
	return func(yield func(NodeID, uint64) bool) {
		for i := range s {
			for _, id := range s[i].ids {
				if id != 0 && !yield(id, g.index.hash(g.at(id).uid)) {
					return
				}
			}
		}
	}
}
