package clientgo

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/ownergraph/ownergraph/graph"
)

// history records the newest observed version of each kind, over all watches of a
// Store. A version below it is a rewind (RULES, R5). history is safe
// for concurrent use.
type history struct {
	id       string // random and unique to the Store
	mu       sync.Mutex
	count    uint64 // the number of rewinds
	reason   string // of the latest rewind
	versions map[graph.Kind]string
	falls    map[graph.Kind]time.Time
}

var (
	// errRewound says that the history went backwards. It may have done so after the
	// caller began, so the caller's result is of the former history.
	errRewound = errors.New("the server's history went backwards")
	// errErratic says that the versions of one kind fall repeatedly, as no sound
	// server's do.
	errErratic = errors.New("its versions go backwards again and again")
)

// erraticWithin separates a fault from a restore. A second fall of a kind within this
// time is a fault of the kind.
const erraticWithin = 10 * time.Minute

func newHistory() *history {
	return &history{id: rand.Text(), versions: map[graph.Kind]string{}, falls: map[graph.Kind]time.Time{}}
}

// epoch returns the number of rewinds and the reason of the latest.
func (h *history) epoch() (uint64, string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.count, h.reason
}

// epochName returns the identity of a rewind by its number. It is the same in every
// watch.
func (h *history) epochName(epoch uint64) string { return fmt.Sprintf("%s-%d", h.id, epoch) }

// observed returns the newest observed version of a kind. A consistent read that begins
// later must not be below it.
func (h *history) observed(kind graph.Kind) string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.versions[kind]
}

// observe records the version of a kind. The caller began in the epoch and expected at
// least the version least. Errors: errRewound, errErratic.
//
//test:by TestHistory TestWatchRewound TestWatchAfterRewind
func (h *history) observe(kind graph.Kind, version, least string, epoch uint64) error {
	if !ordered(version) {
		return nil
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if epoch != h.count {
		return errRewound
	}
	if least == "" || compare(version, least) >= 0 {
		if high := h.versions[kind]; high == "" || compare(version, high) > 0 {
			h.versions[kind] = version
		}
		return nil
	}
	now := time.Now()
	if last, ok := h.falls[kind]; ok && now.Sub(last) < erraticWithin {
		return fmt.Errorf("%w: %s after %s", errErratic, version, least)
	}
	h.falls[kind] = now
	h.count++
	h.reason = fmt.Sprintf("kind %s is at version %s after %s", kind, version, least)
	clear(h.versions)
	h.versions[kind] = version
	return errRewound
}

// byVersion returns the kinds, those with the highest versions first. The order only
// selects kinds to probe. The versions of two kinds prove nothing about each other.
func (h *history) byVersion() []graph.Kind {
	h.mu.Lock()
	defer h.mu.Unlock()
	kinds := slices.Sorted(maps.Keys(h.versions))
	slices.SortStableFunc(kinds, func(a, b graph.Kind) int { return compare(h.versions[b], h.versions[a]) })
	return kinds
}

// slots bounds the parallel listings. Kinds whose listing failed have slots of their
// own, so that they delay no other kind. Fences have slots of their own too, for one
// page each.
type slots struct{ healthy, failed, fence chan struct{} }

func newSlots(n int) *slots {
	return &slots{make(chan struct{}, n), make(chan struct{}, n), make(chan struct{}, 2*n)}
}

// acquire waits for a slot. The caller gives it back.
func acquire(ctx context.Context, at chan struct{}) (leave func(), err error) {
	select {
	case at <- struct{}{}:
		return func() { <-at }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
