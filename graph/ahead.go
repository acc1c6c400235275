package graph

import "math/bits"

// aheadBatch is how many events are looked at together: as many as a processor
// has loads under way, and few enough that nothing is lost again before its turn.
const aheadBatch = 32

// Ahead reads what the puts among the events are about, and changes nothing:
// applying them afterwards finds it in the processor's cache. A graph of a
// million objects is far larger than that, so an event by itself waits for
// memory four times, one after another: for the index, the node, its text and
// its owner. Here each of the four is waited for once for 32 events: a million
// objects in random order take a third of the time (BenchmarkAgain).
func (g *Graph) Ahead(events []Event) {
	for len(events) > 0 {
		n := min(len(events), aheadBatch)
		g.touched += g.ahead(events[:n])
		events = events[n:]
	}
}

// ahead returns a sum of all that it read, so that the reads have a use.
func (g *Graph) ahead(events []Event) (sum uint64) {
	var buckets [aheadBatch]*bucket
	var tags [aheadBatch]uint8
	var ids [aheadBatch]NodeID
	for i := range events {
		if events[i].Type == Put {
			h := g.index.hash(g.packUID(events[i].Object.UID).uid)
			s := g.index.segment(h)
			buckets[i], tags[i] = &s.buckets[int(h)&(len(s.buckets)-1)], tag(h)
		}
	}
	for i, b := range buckets {
		if b != nil {
			low, high := b.matches(tags[i])
			at := bits.TrailingZeros64(low) / 8
			if low == 0 {
				at = 8 + bits.TrailingZeros64(high)/8
			}
			if at < bucketIDs {
				ids[i] = b.ids[at]
			}
		}
	}
	for _, id := range ids {
		sum += uint64(g.at(id).owner)
	}
	for i, id := range ids {
		sum += g.textAhead(id)
		ids[i] = g.at(id).owner
		sum += g.at(ids[i]).version
	}
	for _, id := range ids {
		sum += g.textAhead(id)
	}
	return sum
}

func (g *Graph) textAhead(id NodeID) uint64 {
	if x, p := g.at(id), g.page(id); x.text != 0 && !x.is(longText) {
		return uint64(p.text[int(x.text-1)*textUnit])
	}
	return 0
}
