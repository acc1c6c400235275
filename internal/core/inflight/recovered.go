package inflight

import (
	"slices"
	"time"

	"github.com/ownergraph/ownergraph/graph"
)

// A kind may recover while many writes wait for it. A walk over the expectations lets the engine
// try these writes again, in steps. One walk serves all kinds that have recovered before its
// beginning. A walk goes from the last entry to the first, because Drop moves an entry to the front
// alone.

// walk is a walk over the expectations for kinds that have recovered.
type walk struct {
	kinds []graph.Kind // of the walk under way, sorted
	left  int32        // its entries before this place
	next  []graph.Kind // of the next walk, sorted
}

// Retry begins new tries of the writes that wait for a kind: it has recovered. StepRetry follows.
func (t *Expectations) Retry(kind graph.Kind) {
	if i, ok := slices.BinarySearch(t.walk.next, kind); !ok && t.Len() > 0 {
		t.walk.next = slices.Insert(t.walk.next, i, kind)
	}
}

// Retries reports whether StepRetry has work to do.
func (t *Expectations) Retries() bool { return t.walk.left > 0 || len(t.walk.next) > 0 }

// StepRetry looks at no more than limit expectations. It moves the deadline of a node to now, if its
// expectation is Blocked and its kind has recovered. It returns these nodes, by id.
//
//test:by TestRetry TestRetrySteps
func (t *Expectations) StepRetry(g *graph.Graph, now time.Time, limit int) (ids []graph.NodeID) {
	w := &t.walk
	if w.left == 0 {
		w.kinds, w.next, w.left = w.next, nil, int32(t.list.Len())
	}
	w.left = min(w.left, int32(t.list.Len()))
	for ; w.left > 0 && limit > 0; limit-- {
		w.left--
		x := t.list.At(w.left)
		if !x.Blocked {
			continue
		}
		if _, is := slices.BinarySearch(w.kinds, g.Node(x.node).Kind()); is {
			x.Deadline, x.Blocked = now, false
			ids = append(ids, x.node)
		}
	}
	if w.left == 0 {
		w.kinds = nil
	}
	slices.Sort(ids)
	return ids
}

// retries reports whether a walk has still to come to an entry of a kind that has recovered.
func (t *Expectations) retries(place int32, kind graph.Kind) bool {
	_, now := slices.BinarySearch(t.walk.kinds, kind)
	_, next := slices.BinarySearch(t.walk.next, kind)
	return now && place < t.walk.left || next
}

func (w *walk) clone() walk {
	return walk{kinds: slices.Clone(w.kinds), left: w.left, next: slices.Clone(w.next)}
}
