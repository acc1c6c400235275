package graph

import (
	"math/bits"

	"github.com/ownergraph/ownergraph/internal/core/swar"
)

// prefetchBatch is the number of events that are fetched together. A processor has about
// as many loads under way. The batch is small enough that no cache line is lost before
// its turn.
const prefetchBatch = 32

// Prefetch reads the memory that the puts and the ends of objects need, and changes
// nothing. An Apply afterwards finds that memory in the processor's cache.
//
// A graph of a million objects is far larger than the cache. A single event waits for
// memory four times, one after another: for the index, the node, its text and its owner.
// Prefetch waits for each of the four once for 32 events. A million objects in random
// order then take a third of the time. A lone event gains nothing, so Prefetch leaves it out.
//
// The result of an Apply does not depend on an earlier Prefetch, even for other events or
// another order.
//
//test:by TestPrefetchChangesNothing
func (g inner) Prefetch(events []Event) {
	for len(events) > 1 {
		n := min(len(events), prefetchBatch)
		g.touched += g.prefetch(events[:n])
		events = events[n:]
	}
}

// prefetched has the results of Prefetch for the last 32 events, in their order. A caller
// with more events prefetches 32 at a time. Otherwise the earlier ones are only in the
// cache.
type prefetched struct {
	seen    [prefetchBatch]prefetchedKey
	n, next int // the number of results, and the next one
}

// prefetchedKey is the result for one put or end. It keeps no string of a caller.
type prefetchedKey struct {
	text [5]uint64 // the UID as words, of which the last two overlap
	uid  uid
	hash uint64
	id   NodeID // the node that the index may have for the UID
	ok   bool   // the UID is a UUID
}

// isOf reports whether the result is for an object with the UID. Its turn may come with
// another event. The comparison of words shows that in less time than a new read of the
// UID.
func (l *prefetchedKey) isOf(u string) bool {
	return len(u) == uuidLen && l.ok && l.text[0] == swar.Word(u) && l.text[1] == swar.Word(u[8:]) &&
		l.text[2] == swar.Word(u[16:]) && l.text[3] == swar.Word(u[24:]) && l.text[4] == swar.Word(u[28:])
}

// prefetch returns a sum of all that it reads, so that the compiler keeps the reads. Each
// loop asks for the cache lines of all events. It does so little that the processor asks
// for the next line before it has the first.
func (g *Graph) prefetch(events []Event) (sum uint64) {
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

// prefetchIndex finds nodes in the index, as far as the first bucket of each one tells,
// and returns their number.
func (g *Graph) prefetchIndex(seen []prefetchedKey, ids *[prefetchBatch]NodeID) (n int) {
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

// readUIDs begins a new prefetched, and reads the UIDs of the objects.
func (g *Graph) readUIDs(events []Event) []prefetchedKey {
	if g.prefetched == nil {
		g.prefetched = &prefetched{}
	}
	v := g.prefetched
	v.n, v.next = 0, 0
	for i := range events {
		ev := &events[i]
		u := string(ev.Object.UID)
		if ev.Type == Gone {
			u = string(ev.Key.UID)
		} else if ev.Type != Put {
			continue
		}
		l := &v.seen[v.n]
		v.n++
		p := g.packUID(UID(u))
		l.uid, l.hash, l.ok = p.uid, g.index.hash(p.uid), !p.text
		if l.ok { // word by word, since an array would be copied once more
			l.text[0], l.text[1], l.text[2], l.text[3], l.text[4] = swar.Word(u), swar.Word(u[8:]), swar.Word(u[16:]), swar.Word(u[24:]), swar.Word(u[28:])
		}
	}
	return v.seen[:v.n]
}

// prefetchText reads the begin of a node's text, and the end of a long name. For half of
// the nodes the end is in the next cache line.
func (p *page) prefetchText(x *node) uint64 {
	if x.text == 0 || x.is(longText) {
		return 0
	}
	at := x.textAt()
	return uint64(p.text[at]) + uint64(p.text[min(at+maxPrefetchedName, len(p.text)-1)])
}

// maxPrefetchedName is the length of most names at most, in bytes.
const maxPrefetchedName = 40

// locateNext is locate for the next object, which Prefetch may have read. The packed form of a
// UID never changes. The node may have another UID by now, so that is compared.
func (g *Graph) locateNext(k *Key, s *location) {
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

// isIndexed reports whether a node is in use, and is the index's node for the UUID.
func (g *Graph) isIndexed(id NodeID, p packed) bool {
	nodes, slot := g.page(id).nodes, int(slotOf(id))
	return slot < len(nodes) && nodes[slot].uid == p.uid && !p.text && nodes[slot].state() != StateUnset && !nodes[slot].is(textUID|groupMemberMark)
}
