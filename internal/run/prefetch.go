package run

import (
	"context"
	"sync"
	"time"

	"github.com/ownergraph/ownergraph/internal/core/fifo"
)

// Prefetch has calls that a driver has taken from its engine before a worker is
// free, and the results of calls that the engine has not been told yet.
//
// A worker that comes back exchanges its result for a call, under a lock of the
// prefetch's own that no goroutine has for longer. Calls that end in the same moment
// therefore do not queue up for the engine, one decision after another, while the
// store has nothing to do.
//
// A worker may take several calls at once: a batch. The calls of a batch go together, and
// they are the oldest ones.
//
// Every call is of a revision of the engine. No call leaves the prefetch by Exchange or
// Pick after the engine has raised its revision. The driver reclaims such calls and
// gives them back to the engine.
//
// Its methods are safe for concurrent use. Use NewPrefetch.
//
//test:by TestPrefetchRevoked TestPrefetchRevokedInExchange
type Prefetch[C, R any] struct {
	engine   func() uint64 // its revision
	together func(*C) bool // whether a call can be part of a batch

	mu       sync.Mutex
	revision uint64 // of the calls
	calls    fifo.List[C]
	results  []R
	surplus  int       // exchanges to refuse
	end      time.Time // no call leaves from then on, zero for no end
}

// NewPrefetch returns an empty prefetch of calls of an engine. Revision returns the
// engine's revision. Together reports whether a call can go with others. Both are safe for
// concurrent use.
func NewPrefetch[C, R any](revision func() uint64, together func(*C) bool) *Prefetch[C, R] {
	return &Prefetch[C, R]{engine: revision, together: together, revision: revision()}
}

// Exchange leaves the results of a worker. It makes calls the oldest call, or up to most
// calls that go together. It returns how many calls are left. If there is no call, if the
// calls are revoked, after the end, if the worker is one too many, or if ctx has ended, it
// leaves all as it is and returns false.
//
// The lock covers the look at ctx. A result that is left after the driver has taken the
// last results would be lost.
//
//test:by TestExchangeAtTheEnd
func (p *Prefetch[C, R]) Exchange(ctx context.Context, calls *[]C, results []R, most int) (left int, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.surplus > 0 {
		p.surplus--
		return 0, false
	}
	if ctx.Err() != nil || !p.pop(calls, most) {
		return 0, false
	}
	p.results = append(p.results, results...)
	return p.calls.Len(), true
}

// SetSurplus says how many workers are too many. So many exchanges are refused. A number
// below 0 is 0.
//
//test:by TestPrefetchSurplus
func (p *Prefetch[C, R]) SetSurplus(n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.surplus = max(n, 0)
}

// SetEnd sets the time from which on no call leaves by Exchange or Pick, also while the engine
// cannot revoke them. The zero time is no end.
//
//test:by TestPrefetchEnd
func (p *Prefetch[C, R]) SetEnd(at time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.end = at
}

// Pick makes calls the oldest call, or up to most calls that go together. It returns false
// if there is no call, if the calls are revoked, or after the end.
func (p *Prefetch[C, R]) Pick(calls *[]C, most int) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.pop(calls, most)
}

// pop reads the revision last, so that nothing happens between that and the calls.
func (p *Prefetch[C, R]) pop(calls *[]C, most int) bool {
	if p.calls.Len() == 0 || p.engine() != p.revision || !p.end.IsZero() && !time.Now().Before(p.end) {
		return false
	}
	all := p.calls.All()
	n := 1
	if p.together(&all[0]) {
		for n < min(most, len(all)) && p.together(&all[n]) {
			n++
		}
	}
	*calls = p.calls.PopAll((*calls)[:0], n)
	return true
}

// Fill adds a call, which is of the revision of the other calls.
func (p *Prefetch[C, R]) Fill(call *C) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.calls.Push(call)
}

// Len returns the number of calls.
func (p *Prefetch[C, R]) Len() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.calls.Len()
}

// Revoked reports whether the engine has raised its revision since the calls were
// taken from it.
func (p *Prefetch[C, R]) Revoked() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.engine() != p.revision
}

// Reclaim returns all calls, and leaves the prefetch empty and at the engine's present
// revision. The engine must not be at work.
func (p *Prefetch[C, R]) Reclaim() []C {
	p.mu.Lock()
	defer p.mu.Unlock()
	calls := p.calls.All()
	p.calls = fifo.List[C]{}
	p.revision = p.engine()
	return calls
}

// Results returns the results that were left since the last time, in the order in
// which they were left. The caller gives the slice of the last time back for reuse.
func (p *Prefetch[C, R]) Results(last []R) []R {
	p.mu.Lock()
	defer p.mu.Unlock()
	results := p.results
	clear(last)
	p.results = last[:0]
	return results
}

// State returns copies of the calls that no worker has begun, and the number of
// results that wait.
func (p *Prefetch[C, R]) State() (calls []C, results int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append(calls, p.calls.All()...), len(p.results)
}
