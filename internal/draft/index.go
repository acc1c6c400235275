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
}

// NewIndex returns the index of the parts.
func NewIndex(parts []excerpt.Part) Index {
	x := Index{parts: parts, first: make(map[graph.UID]int32, len(parts))}
	for i := range parts {
		u := parts[i].Object.UID
		before, twice := x.first[u]
		x.first[u] = int32(i)
		if !twice {
			continue
		}
		if x.next == nil {
			x.next = make([]int32, len(parts))
			for n := range x.next {
				x.next[n] = -1
			}
		}
		x.next[i] = before
	}
	return x
}

// Of returns the part with the key.
func (x *Index) Of(k graph.Key) (int32, bool) {
	i, ok := x.first[k.UID]
	for ok && x.parts[i].Object.Key != k {
		if i = x.after(i); i < 0 {
			return 0, false
		}
	}
	return i, ok
}

// OfUID returns the first part with the UID that exists.
func (x *Index) OfUID(u graph.UID) (int32, bool) {
	i, ok := x.first[u]
	for ok && x.parts[i].State != excerpt.Exists {
		if i = x.after(i); i < 0 {
			return 0, false
		}
	}
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
