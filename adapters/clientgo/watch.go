package clientgo

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/ownergraph/ownergraph/graph"
)

// Watch reports what the server holds and every change of it to sink, until ctx
// ends or sink returns an error, which it returns: the context's error as it is,
// the sink's wrapped. It fails at once if the server does not say what it
// serves. It calls sink from the caller's goroutine. Any number of watches may
// run at once, each with connections of its own: one for each kind.
//
// A kind whose connection breaks goes on from where it was, after a read that
// shows whether the server's history still reaches that far; it lists anew only
// if the server has forgotten that version. No listing is older than what was
// reported before: every one is a consistent read. Held by TestWatch,
// TestWatchResumes, TestWatchExpired and TestWatchRewound.
func (s *Store) Watch(ctx context.Context, sink func(graph.Event) error) error {
	if sink == nil {
		return fmt.Errorf("watch: sink: nil: %w", graph.ErrRefused)
	}
	outer := ctx
	ctx, cancel := context.WithCancel(ctx)
	r := newRun(s, ctx, sink)
	defer r.work.Wait()
	defer cancel()
	s.enter(r)
	defer s.leave(r)
	err := r.watch()
	if cause := outer.Err(); cause != nil {
		return cause
	}
	return err
}

// run is one running Watch. Its loop runs on the caller's goroutine, and owns
// what is not guarded.
type run struct {
	store *Store
	ctx   context.Context
	sink  func(graph.Event) error
	out   chan delivery
	spare chan []graph.Event // batches that were told, to be filled again
	work  sync.WaitGroup

	look   chan struct{} // somebody has a reason to look what is served
	fenced chan struct{} // a fence waits for the set of kinds

	rewind   chan struct{} // the history went backwards
	gapPause time.Duration // until the next look for what discovery lacks; the surveyor's own

	mu      sync.Mutex
	workers map[graph.Kind]*worker
	asked   []uint64  // fences for which no look has begun
	open    []uint64  // fences whose set of kinds has not passed, those asked too
	told    uint64    // rewinds of which the sink knows
	toldAt  time.Time // since when it knows of the last

	catalog *catalog
	infos   []graph.KindInfo
	unknown map[graph.Kind]string // told sick: what stands for groups that could not be discovered
	epoch   uint64                // rewinds told
	leaving map[graph.Kind]*leaving
	left    int64            // how many there were
	overdue <-chan time.Time // one of them has taken too long; nil without any
	passing []setFence       // in order
}

// delivery is what a worker or the surveyor hands to the loop.
type delivery struct {
	from     *worker // nil: the surveyor
	epoch    uint64
	events   []graph.Event
	finished int64 // the number by which from's kind is left, whose watch has ended

	catalog *catalog
	fences  []uint64 // that the catalog's look has passed
}

const (
	waiting   = 16 // deliveries between the workers and the loop
	mostBatch = 64 // events of one
	maxFences = 64 // that one watch has pending for a kind; the newest stay
)

func newRun(s *Store, ctx context.Context, sink func(graph.Event) error) *run {
	return &run{
		store: s, ctx: ctx, sink: sink, out: make(chan delivery, waiting), spare: make(chan []graph.Event, waiting),
		look: make(chan struct{}, 1), fenced: make(chan struct{}, 1), rewind: make(chan struct{}, 1),
		workers: map[graph.Kind]*worker{}, unknown: map[graph.Kind]string{}, leaving: map[graph.Kind]*leaving{},
	}
}

func (r *run) watch() error {
	c, err := r.store.discover(r.ctx, time.Now())
	if err != nil {
		return fmt.Errorf("watch: %w", err)
	}
	if err := r.tellRewinds(); err != nil {
		return err
	}
	if err := r.adopt(c); err != nil {
		return err
	}
	r.work.Go(r.keepLooking)
	for {
		select {
		case <-r.ctx.Done():
			return r.ctx.Err()
		case d := <-r.out:
			if err := r.deliver(d); err != nil {
				return err
			}
		case <-r.rewind:
			if err := r.tellRewinds(); err != nil {
				return err
			}
		case <-r.overdue:
			if err := r.adopt(r.catalog); err != nil {
				return err
			}
		}
	}
}

func (r *run) tell(e graph.Event) error {
	if err := r.ctx.Err(); err != nil {
		return err
	}
	if err := r.sink(e); err != nil {
		return fmt.Errorf("watch: sink: %w", err)
	}
	return nil
}

// tellRewinds reports that the history went backwards, and has every kind listed
// anew: before anything that somebody has seen of the new one.
func (r *run) tellRewinds() error {
	epoch, why := r.store.history.epoch()
	if epoch == r.epoch {
		return nil
	}
	r.epoch = epoch
	if err := r.tell(graph.Event{Type: graph.Rewound, Reason: why, Epoch: r.store.history.nameOf(epoch)}); err != nil {
		return err
	}
	r.mu.Lock()
	r.told, r.toldAt = epoch, time.Now()
	r.mu.Unlock()
	r.eachWorker(func(w *worker) { w.mail.order(orders{epoch: epoch}) })
	return nil
}

// rewindTold reports whether the sink has known of so many rewinds for a while.
func (r *run) rewindTold(epoch uint64) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.told == epoch && (epoch == 0 || time.Since(r.toldAt) >= rewindPause)
}

// batch returns an empty batch to be filled and handed to the loop, which
// recycles it: a start would leave more of them behind than of all else.
func (r *run) batch() []graph.Event {
	select {
	case b := <-r.spare:
		return b
	default:
		return make([]graph.Event, 0, mostBatch)
	}
}

func (r *run) recycle(b []graph.Event) {
	if cap(b) < mostBatch {
		return
	}
	clear(b)
	select {
	case r.spare <- b[:0]:
	default:
	}
}

func (r *run) deliver(d delivery) error {
	if err := r.tellRewinds(); err != nil {
		return err
	}
	if d.from == nil {
		return r.deliverLook(d)
	}
	if r.workers[d.from.kind] != d.from {
		return nil
	}
	for _, e := range d.events {
		if d.epoch != r.epoch && !health(e) {
			continue // of the former history
		}
		if err := r.tell(e); err != nil {
			return err
		}
		r.heed(e)
	}
	r.recycle(d.events)
	if d.finished != 0 {
		return r.finish(d.from.kind, d.finished)
	}
	return nil
}

// health reports whether an event is about a kind's state and not its objects.
func health(e graph.Event) bool { return e.Type == graph.KindSick || e.Type == graph.KindRecovered }

func (r *run) deliverLook(d delivery) error {
	if d.catalog.number > r.catalog.number && !d.catalog.same(r.catalog) {
		if err := r.adopt(d.catalog); err != nil {
			return err
		}
	}
	for _, id := range d.fences {
		r.passing = append(r.passing, setFence{id, r.left})
	}
	r.passing = keepNewest(r.passing)
	return r.passSet()
}

// setFence is a fence that the set of kinds passes when the kinds that were being
// left then, up to a number, are not in it any more.
type setFence struct {
	id   uint64
	left int64
}

// passSet reports the fences that the set of kinds has passed.
func (r *run) passSet() error {
	oldest := int64(math.MaxInt64)
	for _, l := range r.leaving {
		oldest = min(oldest, l.number)
	}
	for len(r.passing) > 0 && r.passing[0].left < oldest {
		id := r.passing[0].id
		r.passing = r.passing[1:]
		r.mu.Lock()
		r.open = slices.DeleteFunc(r.open, func(o uint64) bool { return o == id })
		r.mu.Unlock()
		if err := r.tell(graph.Event{Type: graph.FencePassed, Fence: id}); err != nil {
			return err
		}
	}
	return nil
}

func (r *run) eachWorker(do func(*worker)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, w := range r.workers {
		do(w)
	}
}
