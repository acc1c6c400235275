package sqlstore

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/ownergraph/ownergraph/graph"
)

// fence is a fence that a watch has not passed yet.
type fence struct {
	token  uint64
	moment position // the watch has to report every change below it
	start  int64    // of the server at the moment
}

// Fence notes the present moment of the database, and returns a random token. Each running
// watch of this store reports FencePassed with it, for every kind and for the set of kinds.
// It does so when it has reported every change that was committed before the call, by any
// process. A watch that is slower than its fences reports the newest 64.
//
//test:by TestKit
func (s *Store) Fence(ctx context.Context) (token uint64, err error) {
	var moment position
	var start int64
	if err := ctx.Err(); err != nil {
		return 0, fmt.Errorf("fence: %w", err)
	}
	err = s.retry(ctx, func() error {
		ses, err := s.reading(ctx)
		if err == nil {
			moment, start, err = s.tables.moment(ctx, &ses.c)
		}
		return err
	})
	if err != nil {
		return 0, readFailed("fence", "the database", err)
	}
	token = newToken()
	s.mu.Lock()
	for w := range s.watches {
		list := append(w.fences, fence{token, moment, start})
		w.fences = list[max(0, len(list)-maxFences):]
	}
	s.mu.Unlock()
	s.announce()
	return token, nil
}

func newToken() uint64 {
	for {
		if token := rand.Uint64(); token != 0 {
			return token
		}
	}
}

// List makes every running watch of this store list kind anew. It returns at once. Errors:
// ErrKindUnknown.
//
//test:by TestKit
func (s *Store) List(ctx context.Context, kind graph.Kind) error {
	var kinds *kindSet
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("list kind %s: %w", kind, err)
	}
	err := s.retry(ctx, func() error {
		ses, err := s.reading(ctx)
		if err == nil {
			kinds, err = s.readKinds(ctx, &ses.c)
		}
		return err
	})
	switch {
	case err != nil:
		return readFailed("list kind", string(kind), err)
	case !kinds.serves(kind):
		return fmt.Errorf("list kind %s: %w", kind, graph.ErrKindUnknown)
	}
	s.mu.Lock()
	for w := range s.watches {
		if w.relist == nil {
			w.relist = map[graph.Kind]bool{}
		}
		w.relist[kind] = true
	}
	s.mu.Unlock()
	s.announce()
	return nil
}

// wishes takes the requested listings, and returns the fences that have begun before the
// next look.
func (w *watch) wishes() ([]fence, map[graph.Kind]bool) {
	w.s.mu.Lock()
	defer w.s.mu.Unlock()
	relist := w.relist
	w.relist = nil
	return append([]fence(nil), w.fences...), relist
}

// renew gives a fence the present of a look, if the server was started anew since its call, or is another
// one. The former moment says nothing then. Every change from before the call is below the present too.
//
//test:by TestFenceIsRenewed
func (w *watch) renew(l *look, fences []fence) {
	w.s.mu.Lock()
	defer w.s.mu.Unlock()
	for _, list := range [][]fence{fences, w.fences} {
		for i := range list {
			if f := &list[i]; f.start != l.start && slices.ContainsFunc(fences, func(x fence) bool { return x.token == f.token }) {
				f.moment, f.start = l.present, l.start
			}
		}
	}
}

// pass reports the fences whose moment the watch has reached, and drops them. It reports
// whether there was one.
func (w *watch) pass(fences []fence) bool {
	passed := map[uint64]bool{}
	for _, f := range fences {
		if f.moment.compare(w.next) > 0 {
			continue
		}
		passed[f.token] = true
		for _, kind := range sortedKinds(w.kinds) {
			w.out.add(graph.Event{Type: graph.FencePassed, Kind: kind, Fence: f.token})
		}
		w.out.add(graph.Event{Type: graph.FencePassed, Fence: f.token})
	}
	if len(passed) == 0 {
		return false
	}
	w.s.mu.Lock()
	defer w.s.mu.Unlock()
	kept := w.fences[:0:0]
	for _, f := range w.fences {
		if !passed[f.token] {
			kept = append(kept, f)
		}
	}
	w.fences = kept
	return true
}
