package run

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/ownergraph/ownergraph/graph"
)

// maxLate bounds the late parts of one batch. One locked row takes 10 of them in a batch of 512
// writes.
const maxLate = 16

// Batch makes the writes of a worker in one call of the store, or in parts of it. It is also the
// scratch memory of the worker. The zero value is ready. It is not safe for concurrent use.
type Batch struct {
	all    []graph.Write
	order  []int         // the writes by key, one for each place
	again  []int         // the other writes
	writes []graph.Write // of order

	split   Split
	began   time.Time
	refused bool // the store has refused a part
	lost    bool // the outcome of a write is unknown
	late    int  // parts that exceeded a limit of time
	made    int  // writes with a result
}

// BatchCalls are the calls of a batch. At is the number of a write.
type BatchCalls struct {
	// Timeout bounds each call. It bounds the time in which parts of the batch begin, too.
	Timeout time.Duration
	// Revoked reports whether the reasons of the writes no longer apply.
	Revoked func() bool
	// Name names the calls.
	Name func() string
	// Together makes several writes in one call, and Alone makes one.
	Together func(ctx context.Context, writes []graph.Write) ([]error, error)
	Alone    func(ctx context.Context, at int) error
	// End takes the error of a write, and the context of its call.
	End func(ctx context.Context, at int, err error)
	// Late takes a call for n writes that exceeded a limit of time.
	Late func(n int, err error)
}

// Set sorts the writes by key. Of several writes with one place, the first is part of the
// batch. They are about different incarnations of an object.
//
//test:by TestBatchPlaces
func (b *Batch) Set(n int, write func(at int) graph.Write) {
	b.order, b.again, b.writes, b.all = b.order[:0], b.again[:0], b.writes[:0], b.all[:0]
	for i := range n {
		b.all, b.order = append(b.all, write(i)), append(b.order, i)
	}
	all := b.all
	slices.SortFunc(b.order, func(i, j int) int { return all[i].Key.Compare(all[j].Key) })
	left := 0
	for i, at := range b.order {
		if i > 0 && all[at].Key.Place() == all[b.order[left-1]].Key.Place() {
			b.again = append(b.again, at)
			continue
		}
		b.order[left] = at
		left++
	}
	b.order = b.order[:left]
	for _, at := range b.order {
		b.writes = append(b.writes, all[at])
	}
}

// Make makes the writes: see Split. The error says what the first part shows of the load of the
// store. The writes without a call have no result, and nothing of them is done. Make begins no
// further call in these cases:
//
//   - The context has ended, or the writes are revoked.
//   - The outcome of a write is unknown. The store may have lost its latest history, so an
//     observation has to come first (R5).
//   - The time is over, or many parts were late. Then the next batches are smaller, so that a
//     batch that stops again and again soon comes down to single writes.
//
//test:by TestBatchStops
func (b *Batch) Make(ctx context.Context, x *Batches, c *BatchCalls) (err error) {
	defer func() {
		clear(b.writes)
		clear(b.all)
	}()
	b.began, b.refused, b.lost, b.late, b.made = time.Now(), false, false, 0, 0
	b.split.Begin(len(b.order))
	for n := 0; ; n++ {
		from, to, ok := b.split.Next(x.Limit())
		if !ok || n > 0 && b.stops(ctx, x, c) {
			break
		}
		if said := b.part(ctx, x, c, from, to); n == 0 {
			err = said
		}
	}
	for _, at := range b.again {
		if b.stops(ctx, x, c) {
			break
		}
		_ = b.alone(ctx, x, c, at)
	}
	return err
}

// stops reports whether no further call begins though writes are left.
func (b *Batch) stops(ctx context.Context, x *Batches, c *BatchCalls) bool {
	if b.lost || ctx.Err() != nil || c.Revoked() {
		return true
	}
	long := b.late >= maxLate || time.Since(b.began) >= c.Timeout
	if long {
		x.Cut(len(b.order))
	}
	return long
}

// Made returns the number of writes of the last Make that have a result.
func (b *Batch) Made() int { return b.made }

// part makes a part of the batch. The writes that have to go again move to its beginning.
func (b *Batch) part(ctx context.Context, x *Batches, c *BatchCalls, from, to int) error {
	size := to - from
	if size == 1 {
		err := b.alone(ctx, x, c, b.order[from])
		b.split.Alone(err != nil)
		return err
	}
	limit := NewDeadline(ctx, c.Timeout)
	defer limit.End()
	began := time.Now()
	results, err := c.Together(limit, b.writes[from:to])
	took := time.Since(began)
	switch {
	case err == nil && len(results) != size:
		err = fmt.Errorf("%s: the store gave %d results for %d writes", c.Name(), len(results), size)
	case err != nil && err == limit.Err():
		err = fmt.Errorf("%s: %w", c.Name(), context.Cause(limit))
	}
	left, cause := b.ended(limit, c, from, to, results, err)
	late := IsLate(cause)
	switch {
	case late:
		b.late++
		x.End(size, took, cause)
		c.Late(size, cause)
	case left > from && !b.refused:
		b.refused = true
		x.Refused(size)
	case !b.refused: // the parts of a refused batch say nothing about the next one
		x.End(size, took, err)
	}
	b.split.Again(from, left, !late)
	return err
}

// ended ends the writes of a part that do not go again. The others are those before left, for
// the cause.
func (b *Batch) ended(ctx context.Context, c *BatchCalls, from, to int, results []error, err error) (left int, cause error) {
	left, cause = from, err
	each, again := OfBatch(err)
	for i, at := range b.order[from:to] {
		if err == nil {
			each, again = results[i], IsSplit(results[i])
		}
		if !again {
			b.end(ctx, c, at, each)
			continue
		}
		b.order[left], b.order[from+i] = at, b.order[left]
		b.writes[left], b.writes[from+i] = b.writes[from+i], b.writes[left]
		cause = each
		left++
	}
	return left, cause
}

// alone makes one write.
func (b *Batch) alone(ctx context.Context, x *Batches, c *BatchCalls, at int) error {
	limit, began := NewDeadline(ctx, c.Timeout), time.Now()
	defer limit.End()
	err := c.Alone(limit, at)
	if !errors.Is(err, graph.ErrRefused) {
		x.End(1, time.Since(began), err)
	}
	if IsLate(err) {
		b.late++
	}
	b.end(limit, c, at, err)
	return err
}

// end gives a write its result.
func (b *Batch) end(ctx context.Context, c *BatchCalls, at int, err error) {
	b.made++
	b.lost = b.lost || IsUnknown(err)
	c.End(ctx, at, err)
}
