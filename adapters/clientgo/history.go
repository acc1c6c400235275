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

// history knows how far each kind was seen, over all watches of a Store, so
// that a server whose history went backwards gives itself away (rule R5 of package policy): by a
// version below one that was seen. It is safe for concurrent use.
type history struct {
	name   string // random: no other Store has it
	mu     sync.Mutex
	count  uint64 // of rewinds
	reason string // of the latest
	high   map[graph.Kind]string
	fell   map[graph.Kind]time.Time
}

var (
	// errRewound says that the history went backwards, or had done so since the
	// asker began: what it holds is of the former one.
	errRewound = errors.New("the server's history went backwards")
	// errErratic says that one kind's versions fall again and again, as those of
	// no sound server do.
	errErratic = errors.New("its versions go backwards again and again")
)

// erraticWithin is how soon after one fall of a kind another one is taken for a
// fault of that kind, and not for a restore.
const erraticWithin = 10 * time.Minute

func newHistory() *history {
	return &history{name: rand.Text(), high: map[graph.Kind]string{}, fell: map[graph.Kind]time.Time{}}
}

// epoch returns how often the history went backwards, and why the last time.
func (h *history) epoch() (uint64, string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.count, h.reason
}

// nameOf returns the identity of a rewind, by its number: the same in every watch.
func (h *history) nameOf(epoch uint64) string { return fmt.Sprintf("%s-%d", h.name, epoch) }

// mark returns how far a kind was seen by now: no consistent read that begins
// later may show less.
func (h *history) mark(kind graph.Kind) string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.high[kind]
}

// see notes that a kind is at a version, which somebody found who began in the
// epoch and expected no less than another version. Errors: errRewound,
// errErratic. Held by TestHistory.
func (h *history) see(kind graph.Kind, version, least string, epoch uint64) error {
	if !ordered(version) {
		return nil
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if epoch != h.count {
		return errRewound
	}
	if least == "" || compare(version, least) >= 0 {
		if high := h.high[kind]; high == "" || compare(version, high) > 0 {
			h.high[kind] = version
		}
		return nil
	}
	now := time.Now()
	if last, ok := h.fell[kind]; ok && now.Sub(last) < erraticWithin {
		return fmt.Errorf("%w: %s after %s", errErratic, version, least)
	}
	h.fell[kind] = now
	h.count++
	h.reason = fmt.Sprintf("kind %s is at version %s after %s", kind, version, least)
	clear(h.high)
	h.high[kind] = version
	return errRewound
}

// newest returns the kinds, those with the highest versions first. It is a choice of
// whom to ask: the versions of two kinds prove nothing about each other.
func (h *history) newest() []graph.Kind {
	h.mu.Lock()
	defer h.mu.Unlock()
	kinds := slices.Sorted(maps.Keys(h.high))
	slices.SortStableFunc(kinds, func(a, b graph.Kind) int { return compare(h.high[b], h.high[a]) })
	return kinds
}

// places bounds how many listings run at once. Kinds whose listing failed have
// places of their own, so that they hold up nobody else; so have fences, which
// take a page each.
type places struct{ well, ill, fence chan struct{} }

func newPlaces(n int) *places {
	return &places{make(chan struct{}, n), make(chan struct{}, n), make(chan struct{}, 2*n)}
}

// take waits for a place. The caller gives it back.
func take(ctx context.Context, at chan struct{}) (leave func(), err error) {
	select {
	case at <- struct{}{}:
		return func() { <-at }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
