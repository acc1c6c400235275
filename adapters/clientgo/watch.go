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

// Watch reports the server's objects and every later change to sink. It calls sink from
// the caller's goroutine. It ends when ctx ends or sink returns an error. It returns
// the context's error as it is, and wraps the sink's error. It fails at once if
// discovery fails. Any number of watches may run at once. Each has its own connections,
// one for each kind.
//
// After a broken connection a kind goes on at the same version. Before that, a read
// compares the server's version, to detect a rewind. The kind lists anew only if the
// server has forgotten the version. Each listing is a consistent read, so it is never
// older than earlier events.
//
// A batch is a page of a listing, or at most 64 events that are pending at once. At most
// 16 batches wait for a slow sink. Behind them the connections wait.
//
//test:by TestWatch TestWatchResumes TestWatchExpired TestWatchSick TestWatchRewound
func (s *Store) Watch(ctx context.Context, sink func(batch []graph.Event) error) error {
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

// run is one running Watch. Its loop runs on the caller's goroutine. The loop owns all
// fields without a guard.
type run struct {
	store *Store
	ctx   context.Context
	sink  func(batch []graph.Event) error
	out   chan delivery
	spare chan []graph.Event // used batches, for reuse
	batch []graph.Event      // for the sink; at most maxBatch
	work  sync.WaitGroup

	wanted chan struct{} // a discovery is wanted
	fenced chan struct{} // a fence waits for the set of kinds

	rewind       chan struct{} // the history went backwards
	recheckPause time.Duration // until the next discovery of an incomplete set; owned by discoverLoop

	mu            sync.Mutex
	workers       map[graph.Kind]*worker
	queued        []uint64  // fences without a discovery
	unpassed      []uint64  // fences that the set of kinds has not passed, with those in queued
	reportedEpoch uint64    // the epoch that the sink knows
	reportedAt    time.Time // the time of that report

	catalog     *catalog
	infos       []graph.KindInfo
	unknown     map[graph.Kind]string // the unknown groups that were reported as sick, with the reason
	epoch       uint64                // the epoch of the latest reported rewind
	retiring    map[graph.Kind]*retirement
	retirements int64            // counts all retirements
	overdue     <-chan time.Time // the timeout of the oldest retirement; nil without any
	setFences   []setFence       // in order
}

// delivery is a message from a worker or from discoverLoop to the loop.
type delivery struct {
	from    *worker // nil for discoverLoop
	epoch   uint64
	events  []graph.Event // of the loop; at most a page
	drained int64         // the number of the ended retirement of from's kind

	catalog *catalog
	fences  []uint64 // that the catalog's discovery has passed
}

const (
	maxDeliveries = 16 // in the channel to the loop
	maxBatch      = 64 // events that the loop or a stream collects; a page is a batch of its own
	maxFences     = 64 // pending for one kind of a watch; the newest stay
)

func newRun(s *Store, ctx context.Context, sink func(batch []graph.Event) error) *run {
	return &run{
		store: s, ctx: ctx, sink: sink, out: make(chan delivery, maxDeliveries), spare: make(chan []graph.Event, maxDeliveries),
		wanted: make(chan struct{}, 1), fenced: make(chan struct{}, 1), rewind: make(chan struct{}, 1),
		workers: map[graph.Kind]*worker{}, unknown: map[graph.Kind]string{}, retiring: map[graph.Kind]*retirement{},
	}
}

func (r *run) watch() error {
	c, err := r.store.discover(r.ctx, time.Now())
	if err != nil {
		return fmt.Errorf("watch: %w", err)
	}
	if err := r.reportRewinds(); err != nil {
		return err
	}
	if err := r.applyCatalog(c); err != nil {
		return err
	}
	r.work.Go(r.discoverLoop)
	for {
		select {
		case <-r.ctx.Done():
			return r.ctx.Err()
		case d := <-r.out:
			if err := r.deliverPending(d); err != nil {
				return err
			}
		case <-r.rewind:
			if err := r.reportRewinds(); err != nil {
				return err
			}
		case <-r.overdue:
			if err := r.applyCatalog(r.catalog); err != nil {
				return err
			}
		}
	}
}

// report hands an event to the sink, behind the collected ones.
func (r *run) report(e graph.Event) error {
	if err := r.collect([]graph.Event{e}); err != nil {
		return err
	}
	return r.flush()
}

// collect takes events for the sink. It copies a few, and hands many over as they are.
func (r *run) collect(events []graph.Event) error {
	if len(r.batch)+len(events) > maxBatch {
		if err := r.flush(); err != nil {
			return err
		}
	}
	if len(events) >= maxBatch {
		return r.give(events)
	}
	r.batch = append(r.batch, events...)
	return nil
}

// flush hands the collected events to the sink, and clears them. Otherwise the array of
// an idle watch would keep objects alive.
func (r *run) flush() error {
	err := r.give(r.batch)
	clear(r.batch)
	r.batch = r.batch[:0]
	return err
}

// give hands a batch to the sink. A change of a definition starts a discovery after its
// report.
func (r *run) give(batch []graph.Event) error {
	if len(batch) == 0 {
		return nil
	}
	if err := r.ctx.Err(); err != nil {
		return err
	}
	if err := r.sink(batch); err != nil {
		return fmt.Errorf("watch: sink: %w", err)
	}
	for i := range batch {
		r.noteDefinition(&batch[i])
	}
	return nil
}

// reportRewinds reports a rewind and makes each worker list its kind anew. It does so
// before any event of the new history.
func (r *run) reportRewinds() error {
	epoch, why := r.store.history.epoch()
	if epoch == r.epoch {
		return nil
	}
	r.epoch = epoch
	if err := r.report(graph.Event{Type: graph.Rewound, Reason: why, Epoch: r.store.history.epochName(epoch)}); err != nil {
		return err
	}
	r.mu.Lock()
	r.reportedEpoch, r.reportedAt = epoch, time.Now()
	r.mu.Unlock()
	r.eachWorker(func(w *worker) { w.mailbox.send(commands{epoch: epoch}) })
	return nil
}

// rewindReported reports whether the sink has known the epoch for rewindPause.
func (r *run) rewindReported(epoch uint64) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.reportedEpoch == epoch && (epoch == 0 || time.Since(r.reportedAt) >= rewindPause)
}

// newBatch returns an empty batch. The loop recycles it, because a start would otherwise
// leave more garbage in batches than in all else.
func (r *run) newBatch() []graph.Event {
	select {
	case b := <-r.spare:
		return b
	default:
		return make([]graph.Event, 0, maxBatch)
	}
}

// recycle leaves pages to the garbage collector, because an idle watch would keep them.
func (r *run) recycle(b []graph.Event) {
	if cap(b) != maxBatch {
		return
	}
	clear(b)
	select {
	case r.spare <- b[:0]:
	default:
	}
}

// deliverPending delivers d and the deliveries that wait behind it, up to a bound. The
// sink takes their events together.
func (r *run) deliverPending(d delivery) error {
	for n := 1; ; n++ {
		if err := r.deliver(d); err != nil {
			return err
		}
		if n == maxDeliveries || len(r.out) == 0 {
			return r.flush()
		}
		d = <-r.out
	}
}

func (r *run) deliver(d delivery) error {
	if err := r.reportRewinds(); err != nil {
		return err
	}
	if d.from == nil {
		return r.deliverCatalog(d)
	}
	if r.workers[d.from.kind] != d.from {
		return nil
	}
	events := d.events
	if d.epoch != r.epoch { // of the former history
		events = slices.DeleteFunc(events, func(e graph.Event) bool { return !health(e) })
	}
	if err := r.collect(events); err != nil {
		return err
	}
	r.recycle(d.events)
	if d.drained != 0 {
		return r.endRetirement(d.from.kind, d.drained)
	}
	return nil
}

// health reports whether an event is about the state of a kind.
func health(e graph.Event) bool { return e.Type == graph.KindSick || e.Type == graph.KindRecovered }

func (r *run) deliverCatalog(d delivery) error {
	if d.catalog.number > r.catalog.number && !d.catalog.equal(r.catalog) {
		if err := r.applyCatalog(d.catalog); err != nil {
			return err
		}
	}
	for _, id := range d.fences {
		r.setFences = append(r.setFences, setFence{id, r.retirements})
	}
	r.setFences = keepNewest(r.setFences)
	return r.passKindSet()
}

// setFence is a fence of the set of kinds. The set passes it after all retirements up
// to a number have ended.
type setFence struct {
	id          uint64
	retirements int64
}

// passKindSet reports the fences that the set of kinds has passed.
func (r *run) passKindSet() error {
	oldest := int64(math.MaxInt64)
	for _, l := range r.retiring {
		oldest = min(oldest, l.number)
	}
	for len(r.setFences) > 0 && r.setFences[0].retirements < oldest {
		id := r.setFences[0].id
		r.setFences = r.setFences[1:]
		r.mu.Lock()
		r.unpassed = slices.DeleteFunc(r.unpassed, func(o uint64) bool { return o == id })
		r.mu.Unlock()
		if err := r.report(graph.Event{Type: graph.FencePassed, Fence: id}); err != nil {
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
