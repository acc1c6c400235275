package memory

import (
	"context"
	"fmt"

	"github.com/ownergraph/ownergraph/graph"
)

// fence is a fence that a watch has not passed yet.
type fence struct {
	token uint64
	pos   uint64 // the log position that the watch has to reach
}

// Fence begins a fence at the present. Each running watch reports FencePassed when it
// has reported all earlier changes. It reports the fence for each kind in service, and
// then for the set of kinds. For a sick kind it reports the fence after the recovery
// and the new listing.
//
// Fence returns a new token at once: a random number of the store, and a counter. A watch
// that is slower than its fences reports the newest 64.
//
//test:by TestFence TestFenceOfSickKind TestFencesAreBounded TestTokens TestFenceIsNeverEarly
func (s *Store) Fence(ctx context.Context) (token uint64, err error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.token++
	for w := range s.watches {
		w.fences = keepNewest(append(w.fences, fence{s.token, s.log.next()}))
	}
	s.announce()
	return s.token, nil
}

// List makes every running watch list kind anew. A watch lists a sick kind when the
// kind recovers. List returns at once. It returns ErrKindUnknown for a kind that is not
// served.
//
//test:by TestList
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
		if w.relist == nil {
			w.relist = map[graph.Kind]bool{}
		}
		w.relist[kind] = true
	}
	s.announce()
	return nil
}

// reportFences reports the fences whose position the watch has reached.
func (r *round) reportFences() {
	n := 0
	for n < len(r.fences) && r.fences[n].pos <= r.pos {
		r.pass(r.fences[n].token)
		n++
	}
	r.fences = r.fences[n:]
}

func (r *round) pass(token uint64) {
	for _, info := range r.infos {
		if t := r.kinds[info.Kind]; t.sick {
			t.fences = keepNewest(append(t.fences, token))
		} else {
			r.reportPassed(info.Kind, []uint64{token})
		}
	}
	r.reportPassed("", []uint64{token})
}

func (r *round) reportPassed(kind graph.Kind, tokens []uint64) {
	for _, token := range tokens {
		r.report(graph.Event{Type: graph.FencePassed, Kind: kind, Fence: token})
	}
}

func keepNewest[T any](list []T) []T { return list[max(0, len(list)-maxFences):] }
