package ownergraph

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/ownergraph/ownergraph/archive"
	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/internal/core/effect"
	"github.com/ownergraph/ownergraph/internal/inside"
	"github.com/ownergraph/ownergraph/internal/run"
)

// Collector runs an Engine against a Store. It runs the watch, makes the calls that the
// engine asks for, and reports their results. Use New. It is safe for concurrent use.
//
// The Collector is a caller of Observe, Next and Done, like any other. One mutex guards the engine.
// Every call of the store, of a handler and of the logger happens outside of the mutex. The work
// inside is a few microseconds of computation, in slices. The goroutine that brings an event or a
// result takes the next calls while it has the mutex, so no worker waits for a dispatcher. While
// all workers are busy, the Collector prefetches calls: as many as there are workers, or some more
// for a store that answers at once. A worker that comes back exchanges its result for a prefetched
// call without the mutex. Held and HeldIn look at a slice of the objects at a time.
//
// Calls run in lanes that do not wait for each other. Config.Workers bounds the reads and
// writes, and below the bound their number follows the capacity of the store: see
// Config.Workers. Config.HandlerWorkers bounds the handlers of each finalizer. Fences,
// listings and selections have a small bound of their own. Between events and results a Collector
// sleeps until the time that the engine names, so an idle one makes no request.
//
// A watch that ends is begun again, after a pause that doubles from 250 ms to 30 s.
// Until the new watch has listed a kind, the kind counts as sick. The engine asks for no
// fence then, and Config.FenceWait releases nothing. Where the engine wants a new listing of a kind
// and the store is no Lister, the watch is begun again at once.
//
// Any number of collectors may work on one store at once. Their double work costs
// conflicts, never objects.
//
// A panic of a store's method, or of a handler, is an error of that call. The Collector
// logs it. A panic of the engine, of the hooks OnDecision and CompareVersions, or of the
// logger, breaks the engine: see Run. A slow logger may delay the watch, and the callers
// of the Collector's own methods. It never delays the engine, a call or the end of Run.
// Other lines wait meanwhile. Beyond a bound the Collector drops and counts them.
//
//test:by TestCollectorIdleIsQuiet TestCollectorSlowStore TestCollectorHandlerHangs
//test:by TestCollectorWatchBreaks TestCollectorWatchBackoff TestCollectorFencesWaitForWatch
//test:by TestCollectorRelists TestCollectorsTogether TestCollectorForeignFences TestCollectorPanics
//test:by TestCollectorBreaks TestCollectorAdapts TestSlowLog TestSlowLogDelaysNoEnd
type Collector struct {
	store    Store
	fencer   Fencer        // set at level 2
	lister   Lister        // nil if the watch has to be restarted for a listing
	selector LabelSelector // set if a sweep depends on labels
	batcher  Batcher       // set if batches are taken
	record   recorder
	batches  *run.Batches
	handlers *run.Registry
	handling run.Handling
	cfg      Config // with defaults
	log      *run.Outbox[effect.Record]

	idleWorkers chan []engine.Call // to workers that wait for calls
	prefetch    *run.Prefetch[engine.Call, completion]

	wakeups chan struct{}       // the dispatch loop has to look at the engine
	work    sync.WaitGroup      // the watch and the workers
	follows *semaphore.Weighted // calls of Follow and Await
	graphs  *semaphore.Weighted // calls of Graph
	ended   chan struct{}

	mu        sync.Mutex // guards the fields below
	engine    engine.Driver
	begun     bool
	left      bool // Run has ended and left something behind
	watch     run.Watch
	stopWatch context.CancelCauseFunc // ends the run of the watch under way
	health    run.Health
	stuck     run.StuckLog
	epoch     time.Time                   // see now
	nextWake  time.Time                   // of the dispatch loop, zero if it waits for a wakeup
	lanes     [engine.LaneControl + 1]int // calls under way
	pace      run.Pace                    // of the store
	waits     bool                        // calls of the store have waited since the last turn
	ahead     int                         // calls that were prefetched, some of which workers have taken
	resting   int                         // idle workers
	results   []completion                // of the last takeResults
	call      engine.Call                 // that the engine hands out
	calls     []engine.Call               // that the turn hands out
	spare     [][]engine.Call             // of idle workers
	idle      run.Waiters
	synced    run.Waiters
	observed  run.Waiters
	selected  run.Waiters // for labels
	pausing   run.Waiters
	following []*following
}

// New returns a collector for the store, which does nothing before Run. It works
// at the level of LevelOf(store), lowered by cfg. An error wraps ErrInvalid and
// names the field of cfg, or the missing power of a store at the level that it declares.
//
//test:by TestNew
func New(store Store, cfg Config) (c *Collector, err error) {
	defer func() {
		if v := recover(); v != nil { // of a method of the store, such as Unwrap
			c, err = nil, fmt.Errorf("configure collector: store: panic: %v: %w", v, ErrInvalid)
		}
	}()
	if v := reflect.ValueOf(store); store == nil || v.Kind() == reflect.Pointer && v.IsNil() {
		return nil, fmt.Errorf("configure collector: store: nil: %w", ErrInvalid)
	}
	handlers, err := run.NewRegistry(cfg.Handlers)
	if err != nil {
		return nil, fmt.Errorf("configure collector: Handlers: %w", err)
	}
	if v, ok := As[VersionComparer](store); ok && cfg.CompareVersions == nil {
		cfg.CompareVersions = v.CompareVersions
	}
	if l, ok := As[Limiter](store); ok && l.MaxCalls() > 0 {
		cfg.Workers = min(engine.Inside(inside.Key{}).Filled(cfg).Workers, l.MaxCalls())
	}
	if t := cfg.Inside(inside.Key{}); t.Order == 0 { // so that two collectors on one store begin at different ends
		t.Order = rand.Uint64() | 1
	}
	if a, ok := As[archive.Store](store); ok {
		cfg.Inside(inside.Key{}).Archives = a.HasArchive()
	}
	e, err := engine.New(LevelOf(store), cfg)
	if err != nil {
		return nil, err
	}
	c = drive(e)
	c.store, c.handlers = store, handlers
	c.fencer, _ = As[Fencer](store)
	c.lister, _ = As[Lister](store)
	if level := c.cfg.Level; level >= Level2 && c.fencer == nil {
		return nil, fmt.Errorf("configure collector: store: level %s without a Fencer: %w", level, ErrInvalid)
	}
	c.batcher, c.batches = batcherOf(store, c.cfg.CallTimeout)
	c.selector, _ = As[LabelSelector](store)
	if why := c.engine.NeedLabels(); why != "" && c.selector == nil {
		return nil, fmt.Errorf("configure collector: %s: the store is no LabelSelector: %w", why, ErrInvalid)
	}
	if g, ok := As[Gracer](store); len(cfg.PropagateGrace) > 0 && !(ok && g.KeepsGrace()) {
		return nil, fmt.Errorf("configure collector: PropagateGrace: the store keeps no grace periods: %w", ErrInvalid)
	}
	if c.record, err = newRecorder(store, &cfg, c.engine); err != nil {
		return nil, err
	}
	return c, nil
}

// drive returns a collector of the engine, without a store. The collector takes the lines
// of the log from the engine.
func drive(in *engine.Engine) *Collector {
	e := in.Inside(inside.Key{}).Driver()
	cfg := e.Settings()
	e.KeepLog()
	return &Collector{
		engine: e, cfg: cfg, log: run.NewOutbox(maxSaid, effect.Dropped),
		batches: run.NewBatches(1, 0), idleWorkers: make(chan []engine.Call), prefetch: run.NewPrefetch[engine.Call, completion](e.Revision, isWrite),
		wakeups: make(chan struct{}, 1), ended: make(chan struct{}), pace: run.NewPace(cfg.Workers), follows: semaphore.NewWeighted(maxFollows), graphs: semaphore.NewWeighted(maxGraphs),
	}
}

// Run collects until ctx ends, and then returns nil. It runs once: ErrRunning
// while it runs already, ErrClosed after it has ended.
//
// An error that wraps ErrBroken says that the engine has found one of its own invariants broken and
// has stopped. The store has lost nothing by that, and a new Collector begins anew.
//
// When ctx ends, Run makes no further call. It ends the contexts of the watch and of all calls
// under way, and waits for them, so that it leaves no goroutine. After Config.ShutdownTimeout it
// leaves the remaining calls behind and drops their results. Then the error wraps ErrStuck and
// names them. A handler, a fence or a listing that the shutdown ends is no warning in the log.
//
//test:by TestCollectorShutdown TestCollectorShutdownTimeout TestCollectorShutdownIsNoWarning
//test:by TestCollectorHangingStore TestCollectorStuck TestCollectorRunsOnce
func (c *Collector) Run(ctx context.Context) error {
	if ctx == nil {
		return fmt.Errorf("run collector: context: nil: %w", ErrInvalid)
	}
	if err := c.begin(); err != nil {
		return err
	}
	defer close(c.ended)
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	c.work.Go(func() { c.keepWatching(ctx) })
	if c.record.store != nil {
		c.work.Go(func() { c.keepRecord(ctx) })
	}
	err := c.dispatch(ctx)
	stop()
	return errors.Join(err, c.shutDown())
}

func (c *Collector) begin() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case !c.begun:
		c.begun, c.epoch = true, time.Now()
		return nil
	case c.over():
		return ErrClosed
	}
	return ErrRunning
}

func (c *Collector) over() bool {
	select {
	case <-c.ended:
		return true
	default:
		return false
	}
}

// shutDown gives the prefetched calls back and waits for everything under way, for
// Config.ShutdownTimeout at most.
func (c *Collector) shutDown() error {
	c.lockedSoon(func(_ engine.Driver, now time.Time) {
		close(c.idleWorkers) // from now on no turn hands out a call; first, since the engine may panic
		c.giveBack(now)
	})
	done := make(chan struct{})
	go func() {
		c.work.Wait()
		close(done)
	}()
	limit := time.NewTimer(c.cfg.ShutdownTimeout)
	defer limit.Stop()
	select {
	case <-done:
		return nil
	case <-limit.C:
		return c.leaveBehind()
	}
}

// leaveBehind drops the results of the calls that are still under way, and names these.
func (c *Collector) leaveBehind() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.left = true
	names := c.engine.UnderWay()
	if c.watch.Up() {
		names = append(names, "watch")
	}
	if c.record.busy {
		names = append(names, "record")
	}
	if c.log.Writing() {
		names = append(names, "log")
	}
	slices.Sort(names)
	return fmt.Errorf("stop collector: %s: %w", run.FirstNames(names, len(names)), ErrStuck)
}
