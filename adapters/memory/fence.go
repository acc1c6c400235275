package memory

import (
	"context"
	"fmt"

	"github.com/ownergraph/ownergraph/graph"
)

// fence is one that a watch has not passed yet.
type fence struct {
	id  uint64
	pos uint64 // changes before it are covered
}

// Fence notes the present and reports through every watch that runs now when
// the watch has passed it: for each kind that is well, and then for the set of
// kinds. A sick kind's report waits until it has recovered and is listed. It
// returns at once. A watch that is slower than its fences reports the newest 64.
// Held by TestFence, TestFenceOfSickKind, TestFencesAreBounded and
// TestFenceIsNeverEarly.
func (s *Store) Fence(ctx context.Context, id uint64) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for w := range s.watches {
		w.fences = keepNewest(append(w.fences, fence{id, s.log.next()}))
	}
	s.announce()
	return nil
}

// List makes every watch that runs now list kind anew, a sick one when it
// recovers. It returns at once. ErrKindUnknown where the kind is not served.
// Held by TestList.
func (s *Store) List(ctx context.Context, kind graph.Kind) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.state.Serves(kind) {
		return fmt.Errorf("list kind %s: %w", kind, graph.ErrKindUnknown)
	}
	for w := range s.watches {
		if w.asked == nil {
			w.asked = map[graph.Kind]bool{}
		}
		w.asked[kind] = true
	}
	s.announce()
	return nil
}

// tellFences reports the fences that everything reported so far has passed.
func (r *round) tellFences() {
	n := 0
	for n < len(r.fences) && r.fences[n].pos <= r.pos {
		r.pass(r.fences[n].id)
		n++
	}
	r.fences = r.fences[n:]
}

func (r *round) pass(id uint64) {
	for _, info := range r.infos {
		if t := r.kinds[info.Kind]; t.sick {
			t.owed = keepNewest(append(t.owed, id))
		} else {
			r.tellPassed(info.Kind, []uint64{id})
		}
	}
	r.tellPassed("", []uint64{id})
}

func (r *round) tellPassed(kind graph.Kind, ids []uint64) {
	for _, id := range ids {
		r.tell(graph.Event{Type: graph.FencePassed, Kind: kind, Fence: id})
	}
}

func keepNewest[T any](list []T) []T { return list[max(0, len(list)-maxFences):] }
