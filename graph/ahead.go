package graph

// aheadBatch is how many events are looked at together: as many as a processor
// has loads under way, and few enough that nothing is lost again before its turn.
const aheadBatch = 32

// Ahead reads what the puts among the events are about, and changes nothing:
// applying them afterwards finds it in the processor's cache. A graph of a
// million objects is far larger than that, so an event by itself waits for
// memory four times, one after another: for the index, the node, its text and
// its owner. Here each of the four is waited for once for 32 events: a million
// objects in random order take a third of the time (BenchmarkAgain).
//
// Whatever is applied afterwards is taken as if Ahead had not been called, be it
// other events, or these in another order. Held by TestAheadIsNothing.
func (g *Graph) Ahead(events []Event) {
	for len(events) > 0 {
		n := min(len(events), aheadBatch)
		g.touched += g.ahead(events[:n])
		events = events[n:]
	}
}

// outlook is what Ahead has seen of the last 32 events, in their order: whoever has
// more of them asks for as many at a time, or finds them in the cache alone.
type outlook struct {
	seen    [aheadBatch]glance
	n, next int // how many there are, and which comes next
}

// glance is what was seen of one put. Its text is a copy, so that no string of a
// caller is kept, and an event that is another one when its turn comes is known.
type glance struct {
	text [uuidLen]byte // the UID
	id   NodeID        // a node that may be the one that the index has for it
	uid  uid
	hash uint64
	ok   bool // it is a canonical UUID
}

// ahead returns a sum of all that it read, so that the reads have a use. Each loop
// asks for one line of memory for all of the events, and does so little that the
// processor asks for the next before it has the first.
func (g *Graph) ahead(events []Event) (sum uint64) {
	seen := g.glances(events)
	sum = g.indexAhead(seen)
	var ids, owners [aheadBatch]NodeID
	n := 0 // how many there are already
	for i := range seen {
		if id := seen[i].id; id != 0 {
			ids[n] = id
			n++
		}
	}
	for _, id := range ids[:n] {
		sum += g.at(id).version
	}
	for i, id := range ids[:n] {
		owners[i] = g.at(id).owner
		sum += g.at(owners[i]).version
	}
	for i, id := range ids[:n] {
		sum += g.textAhead(id) + g.textAhead(owners[i])
	}
	return sum
}

// indexAhead finds the nodes in the index, as far as each one's first bucket tells.
func (g *Graph) indexAhead(seen []glance) (sum uint64) {
	var segments [aheadBatch]*segment
	var buckets [aheadBatch]*bucket
	for i := range seen {
		segments[i] = g.index.segment(seen[i].hash)
	}
	for i := range seen {
		s := segments[i]
		buckets[i] = &s.buckets[int(seen[i].hash)&(len(s.buckets)-1)]
	}
	for i := range seen {
		sum += buckets[i].low
	}
	for i := range seen {
		seen[i].id = buckets[i].first(tag(seen[i].hash))
	}
	return sum
}

// glances begins a new outlook, in which the UIDs of the puts are read.
func (g *Graph) glances(events []Event) []glance {
	if g.outlook == nil {
		g.outlook = &outlook{}
	}
	v := g.outlook
	v.n, v.next = 0, 0
	for i := range events {
		if events[i].Type != Put {
			continue
		}
		l, u := &v.seen[v.n], events[i].Object.UID
		v.n++
		p := g.packUID(u)
		l.uid, l.hash, l.ok = p.uid, g.index.hash(p.uid), !p.text
		if l.ok {
			copy(l.text[:], u)
		}
	}
	return v.seen[:v.n]
}

// textAhead reads where the text of a node begins, and where most end, which is the
// next line of memory for half of them.
func (g *Graph) textAhead(id NodeID) uint64 {
	x, p := g.at(id), g.page(id)
	if x.text == 0 || x.is(longText) {
		return 0
	}
	at := int(x.text-1) * textUnit
	return uint64(p.text[at]) + uint64(p.text[min(at+mostNames, len(p.text)-1)])
}

// mostNames is how long most names are at most, in bytes.
const mostNames = 40

// sight is seek for the next put, of which Ahead may have seen something. What a
// UID is packed as is the same at any time; of the node it has to be seen whether
// it still has the UID.
func (g *Graph) sight(k *Key) sought {
	v := g.outlook
	if v == nil || v.next == v.n {
		return g.seek(k)
	}
	l := &v.seen[v.next]
	v.next++
	if !l.ok || string(l.text[:]) != string(k.UID) {
		return g.seek(k)
	}
	p := packed{l.uid, false}
	first := l.id
	if !g.isIndexed(first, p) {
		first = g.withHash(l.hash, p, k.UID)
	}
	return sought{g.placed(first, k), first, p, l.hash}
}

// isIndexed reports whether a node is in use, and the one that the index has for a
// UUID.
func (g *Graph) isIndexed(id NodeID, p packed) bool {
	return id != 0 && g.InUse(id) && g.at(id).uid == p.uid && !g.at(id).is(textUID|kinMark)
}
