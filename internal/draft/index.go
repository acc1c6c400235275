package draft

import (
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/excerpt"
)

// Index finds the parts of a plan by their keys. A map of keys would hash four texts for
// each lookup, so this one goes by the UID, which nearly always names one part. It is
// immutable, and safe for concurrent use.
type Index struct {
	parts []excerpt.Part
	first map[graph.UID]int32
	next  []int32 // the part with the same UID, -1 at the end; nil if each UID names one part
	// One object may refer to one UID under a thousand names. These find a part without a walk over
	// the others with its UID, and are nil if each UID names one part.
	keys map[graph.Key]int32
	live map[graph.UID]int32 // a part that exists
}

// NewIndex returns the index of the parts.
func NewIndex(parts []excerpt.Part) Index {
	x := Index{parts: parts, first: make(map[graph.UID]int32, len(parts))}
	for i := range parts {
		u := parts[i].Object.UID
		before, twice := x.first[u]
		x.first[u] = int32(i)
		if twice {
			x.share(before, int32(i))
		}
	}
	return x
}

// share notes two parts with one UID.
func (x *Index) share(before, i int32) {
	if x.next == nil {
		x.next, x.keys, x.live = make([]int32, len(x.parts)), map[graph.Key]int32{}, map[graph.UID]int32{}
		for n := range x.next {
			x.next[n] = -1
		}
	}
	x.next[i] = before
	for _, n := range [...]int32{before, i} {
		p := &x.parts[n]
		if x.keys[p.Object.Key] = n; p.State == excerpt.Exists {
			x.live[p.Object.UID] = n
		}
	}
}

// Of returns the part with the key.
//
//test:by TestIndex
func (x *Index) Of(k graph.Key) (int32, bool) {
	i, ok := x.first[k.UID]
	if !ok || x.parts[i].Object.Key == k {
		return i, ok
	}
	i, ok = x.keys[k]
	return i, ok
}

// OfUID returns a part with the UID that exists.
func (x *Index) OfUID(u graph.UID) (int32, bool) {
	i, ok := x.first[u]
	if !ok || x.parts[i].State == excerpt.Exists {
		return i, ok
	}
	i, ok = x.live[u]
	return i, ok
}

// AllOf returns the parts with the UID. The caller owns the result.
func (x *Index) AllOf(u graph.UID) (out []int32) {
	for i, ok := x.first[u]; ok && i >= 0; i = x.after(i) {
		out = append(out, i)
	}
	return out
}

func (x *Index) after(i int32) int32 {
	if x.next == nil {
		return -1
	}
	return x.next[i]
}
