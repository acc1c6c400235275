package observed

import (
	"math/bits"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/swar"
)

// prefetchBatch is how many events are looked at together: as many as a processor
// has loads under way, and few enough that nothing is lost again before its turn.
const prefetchBatch = 32

// Prefetch reads what the puts among the events are about, and changes nothing:
// applying them afterwards finds it in the processor's cache. A graph of a
// million objects is far larger than that, so an event by itself waits for
// memory four times, one after another: for the index, the node, its text and
// its owner. Here each of the four is waited for once for 32 events: a million
// objects in random order take a third of the time (BenchmarkAgain).
//
// Whatever is applied afterwards is taken as if Prefetch had not been called, be it
// other events, or these in another order. Held by TestPrefetchChangesNothing.
func (g *Graph) Prefetch(events []graph.Event) {
	for len(events) > 0 {
		n := min(len(events), prefetchBatch)
		g.touched += g.prefetch(events[:n])
		events = events[n:]
	}
}

// prefetched is what Prefetch has seen of the last 32 events, in their order: whoever has
// more of them asks for as many at a time, or finds them in the cache alone.
type prefetched struct {
	seen    [prefetchBatch]prefetchedPut
	n, next int // how many there are, and which comes next
}

// prefetchedPut is what was seen of one put. It keeps no string of a caller.
type prefetchedPut struct {
	text [5]uint64 // the UID as words, the last two of which overlap
	uid  uid
	hash uint64
	id   NodeID // a node that may be the one that the index has for it
	ok   bool   // it is a UUID
}

// isOf reports whether it is one at an object with the UID, a UUID: an event that is
// another one when its turn comes is known by that, in less time than to read it again.
func (l *prefetchedPut) isOf(u string) bool {
	return len(u) == uuidLen && l.ok && l.text[0] == swar.Word(u) && l.text[1] == swar.Word(u[8:]) &&
		l.text[2] == swar.Word(u[16:]) && l.text[3] == swar.Word(u[24:]) && l.text[4] == swar.Word(u[28:])
}

// prefetch returns a sum of all that it read, so that the reads have a use. Each loop
// asks for lines of memory for all of the events, and does so little that the
// processor asks for the next before it has the first.
func (g *Graph) prefetch(events []graph.Event) (sum uint64) {
	var ids [prefetchBatch]NodeID
	var nodes [prefetchBatch]*node
	n := g.prefetchIndex(g.readUIDs(events), &ids)
	for i, id := range ids[:n] {
		nodes[i] = g.at(id)
		sum += nodes[i].version
	}
	for i, x := range nodes[:n] {
		sum += g.at(x.owner).version + g.page(ids[i]).prefetchText(x)
	}
	for _, x := range nodes[:n] {
		sum += g.page(x.owner).prefetchText(g.at(x.owner))
	}
	return sum
}

// prefetchIndex finds nodes in the index, as far as each one's first bucket tells, and
// returns how many.
func (g *Graph) prefetchIndex(seen []prefetchedPut, ids *[prefetchBatch]NodeID) (n int) {
	var buckets [prefetchBatch]*bucket
	for i := range seen {
		s := g.index.buckets(seen[i].hash)
		buckets[i] = &s[int(seen[i].hash)&(len(s)-1)]
	}
	for i := range seen {
		l, b := &seen[i], buckets[i]
		l.id = 0
		if m := b.matches(tag(l.hash)); m != 0 {
			l.id = b.ids[bits.TrailingZeros64(m)%bucketIDs]
			ids[n] = l.id
			n++
		}
	}
	return n
}

// readUIDs begins a new prefetched, in which the UIDs of the puts are read.
func (g *Graph) readUIDs(events []graph.Event) []prefetchedPut {
	if g.prefetched == nil {
		g.prefetched = &prefetched{}
	}
	v := g.prefetched
	v.n, v.next = 0, 0
	for i := range events {
		if events[i].Type != graph.Put {
			continue
		}
		l, u := &v.seen[v.n], string(events[i].Object.UID)
		v.n++
		p := g.packUID(graph.UID(u))
		l.uid, l.hash, l.ok = p.uid, g.index.hash(p.uid), !p.text
		if l.ok { // word by word: an array would be copied once more
			l.text[0], l.text[1], l.text[2], l.text[3], l.text[4] = swar.Word(u), swar.Word(u[8:]), swar.Word(u[16:]), swar.Word(u[24:]), swar.Word(u[28:])
		}
	}
	return v.seen[:v.n]
}

// prefetchText reads where the text of a node begins, and where most end, which is the
// next line of memory for half of them.
func (p *page) prefetchText(x *node) uint64 {
	if x.text == 0 || x.is(longText) {
		return 0
	}
	at := x.textAt()
	return uint64(p.text[at]) + uint64(p.text[min(at+maxPrefetchedName, len(p.text)-1)])
}

// maxNames is how long most names are at most, in bytes.
const maxPrefetchedName = 40

// seekNext is seek for the next put, of which Prefetch may have seen something. What a
// UID is packed as is the same at any time; of the node it has to be seen whether
// it still has the UID.
func (g *Graph) seekNext(k *graph.Key, s *location) {
	v := g.prefetched
	if v == nil || v.next == v.n {
		g.locate(k, s)
		return
	}
	l := &v.seen[v.next]
	v.next++
	if !l.isOf(string(k.UID)) {
		g.locate(k, s)
		return
	}
	s.uid, s.hash = packed{l.uid, false}, l.hash
	if s.first = l.id; !g.isIndexed(l.id, s.uid) {
		s.first = g.withHash(l.hash, s.uid, k.UID)
	}
	g.choosePlaced(k, s)
}

// isIndexed reports whether a node is in use, and the one that the index has for a
// UUID.
func (g *Graph) isIndexed(id NodeID, p packed) bool {
	nodes, slot := g.page(id).nodes, int(slotOf(id))
	return slot < len(nodes) && nodes[slot].uid == p.uid && !p.text && nodes[slot].state() != StateUnset && !nodes[slot].is(textUID|groupMemberMark)
}
