package ownergraph

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"reflect"
	"runtime/debug"
	"sync"
	"time"

	"github.com/ownergraph/ownergraph/finalizer"
)

// ErrStuck says that the store, or a handler, has not returned within
// Config.ShutdownTimeout: its goroutine is left behind.
var ErrStuck = errors.New("does not return")

// Collector runs an Engine against a Store: it watches, makes the calls that the
// engine asks for, and tells it what came of them. Use New. It is safe for
// concurrent use.
//
// One mutex guards the engine, and every call of the store and of a handler
// happens outside of it. That is enough because the work inside is a few
// microseconds of computation, in slices, and because whoever brings something
// takes away what follows from it while it has the lock: the watch with an event,
// a worker with a result. A worker leaves with its next call, so as many workers
// as there are keep the store busy, and none waits for another thread to be told
// what to do. Calls that end in one moment do not wait for each other either: while
// all workers are busy, as many calls as there are workers are laid on a shelf, and
// who finds one there leaves its result in exchange, without the mutex. Readers look
// at a slice at a time. Where a call takes no time at
// all, the three places in which a cascade spends its own are the decision
// ([policy.Decide] and the text of the object that it judges), the event that ends
// it (the node is looked up by its UID, and unlinked from its owner), and what is
// remembered of an object that is gone (BenchmarkCascade, BenchmarkCollector).
//
// Calls run in lanes that do not wait for each other:
// Config.Workers reads and writes at once; Config.HandlerWorkers handlers of
// each finalizer; fences, listings and selections, a few at once. Between events and results
// a Collector sleeps until the time that the engine itself names: an idle one
// makes no request. Held by TestCollectorIdleIsQuiet, TestCollectorSlowStore and
// TestCollectorHandlerHangs.
//
// A watch that ends is begun again, after a pause that doubles from 250 ms to
// 30 s. Until the new one has listed a kind, the kind counts as sick, no fence is
// asked for, and Config.FenceWait releases nothing. Where the engine wants a
// kind listed anew and the store is no Lister, the watch is begun again at once.
// Held by TestCollectorWatchBreaks, TestCollectorWatchBackoff,
// TestCollectorFencesWaitForWatch and TestCollectorRelists.
//
// Any number of collectors may work on one store at once; what they do twice
// costs a conflict, never an object. Held by TestCollectorsTogether and
// TestCollectorFenceIDs.
//
// A panic of a store's method, or of a handler, is an error of that call, and
// is logged. A panic of the engine, or of the hooks OnDecision and
// CompareVersions, breaks the engine: see Run. Held by TestCollectorPanics and
// TestCollectorBreaks.
type Collector struct {
	store    Store
	fencer   Fencer   // not nil at level 2
	lister   Lister   // nil if the watch has to be restarted for a listing
	selector Selector // not nil if a sweep depends on labels
	handlers *finalizer.Registry
	log      *slog.Logger

	// fences is added to the engine's ids of fences. A store reports each fence
	// to every watch, and another collector's must not be taken for ours.
	fences uint64

	resting chan Call // to workers that have nothing to do
	shelf   shelf     // for workers that come back

	kick  chan struct{}  // something has changed that the pump should look at
	work  sync.WaitGroup // the watch and the calls under way
	ended chan struct{}

	mu      sync.Mutex // guards what follows
	engine  *Engine
	begun   bool
	watch   *watching // nil while the watch is down
	sick    map[Kind]bool
	left    bool  // Run has ended and left something behind
	broke   error // what the last watch ended with
	health  health
	stuckAt stuckness
	epoch   time.Time            // see now
	alarm   time.Time            // when the pump takes its next turn, zero if it waits to be woken
	lanes   [LaneControl + 1]int // calls under way
	landed  []landing            // room of takeIn
	waiters map[*waiter]struct{}
	syncing map[*syncWaiter]struct{}
	behind  Kind // that the last look for syncing found to be unlisted
}

// levelOf is LevelOf for a store that may panic.
func levelOf(store Store) (level Level, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("configure collector: store: level: panic: %v: %w", v, ErrInvalid)
		}
	}()
	return LevelOf(store), nil
}

// New returns a collector for the store, which does nothing before Run. It works
// at the level of LevelOf(store), lowered by cfg. An error wraps ErrInvalid and
// names the field of cfg, or what the store lacks for the level that it
// declares. Held by TestNew.
func New(store Store, cfg Config) (*Collector, error) {
	if v := reflect.ValueOf(store); store == nil || v.Kind() == reflect.Pointer && v.IsNil() {
		return nil, fmt.Errorf("configure collector: store: nil: %w", ErrInvalid)
	}
	handlers, err := finalizer.NewRegistry(cfg.Handlers)
	if err != nil {
		return nil, fmt.Errorf("configure collector: Handlers: %w", err)
	}
	if v, ok := As[VersionComparer](store); ok && cfg.CompareVersions == nil {
		cfg.CompareVersions = v.CompareVersions
	}
	level, err := levelOf(store)
	if err != nil {
		return nil, err
	}
	engine, err := NewEngine(level, cfg)
	if err != nil {
		return nil, err
	}
	c := &Collector{
		store: store, handlers: handlers, log: engine.cfg.Logger, engine: engine,
		fences:  1<<62 + rand.Uint64N(1<<62),
		resting: make(chan Call), kick: make(chan struct{}, 1), ended: make(chan struct{}),
		sick: map[Kind]bool{}, waiters: map[*waiter]struct{}{},
	}
	engine.revoked = c.shelf.close
	c.fencer, _ = As[Fencer](store)
	c.lister, _ = As[Lister](store)
	if engine.level >= Level2 && c.fencer == nil {
		return nil, fmt.Errorf("configure collector: store: level %s without a Fencer: %w", engine.level, ErrInvalid)
	}
	c.selector, _ = As[Selector](store)
	if why := engine.clear.needLabels(); why != "" && c.selector == nil {
		return nil, fmt.Errorf("configure collector: %s: the store is no Selector: %w", why, ErrInvalid)
	}
	return c, nil
}

// Run collects until ctx ends, and then returns nil. It runs once: ErrRunning
// while it runs already, ErrClosed after it has ended.
//
// An error that wraps ErrBroken says that the engine has found one of its own
// invariants broken and has stopped. Nothing is lost by that: a new Collector
// begins anew.
//
// When it ends, Run makes no further call, ends the contexts of the watch and of
// all calls under way, and waits for them, so that it leaves no goroutine. What does
// not return within Config.ShutdownTimeout is left behind, and its result is dropped;
// then the error wraps ErrStuck and names it. A handler, a fence or a listing that the
// shutdown ends is no warning in the log. Held by TestCollectorShutdown,
// TestCollectorShutdownTimeout, TestCollectorShutdownIsNoWarning,
// TestCollectorHangingStore, TestCollectorStuck and TestCollectorRunsOnce.
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
	err := c.pump(ctx)
	stop()
	return errors.Join(err, c.drain())
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

// wake has the pump look at the engine.
func (c *Collector) wake() {
	select {
	case c.kick <- struct{}{}:
	default:
	}
}

// locked runs one step of the engine under the lock, after it was told what has
// landed. What a panic leaves behind is not to be trusted: it breaks the engine.
func (c *Collector) locked(step func(e *Engine, now time.Time)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.now()
	c.guard(func() { c.takeIn(now) })
	c.guard(func() { // whatever became of the others' results
		step(c.engine, now)
		c.recall()
	})
}

// guard runs what may panic, which breaks the engine. What was decided at that moment
// is not handed out.
func (c *Collector) guard(do func()) {
	defer func() {
		if v := recover(); v != nil {
			c.log.Error("engine panicked", "panic", v, "stack", string(debug.Stack()))
			c.engine.fail("panic: %v", v)
			for _, l := range c.landed { // told or not
				delete(c.engine.flights, l.id)
			}
			delete(c.engine.flights, c.engine.room.call.ID)
			c.wake()
		}
	}()
	do()
}

// now returns the time that the engine is given, under the lock. It is reckoned from
// the start of Run on by the monotonic clock, which takes half as long to read as
// that and the time of day: every event and every result asks for it.
func (c *Collector) now() time.Time {
	if c.epoch.IsZero() {
		return time.Now()
	}
	return c.epoch.Add(time.Since(c.epoch))
}

// Stats returns the engine's figures. It does not walk the graph.
func (c *Collector) Stats() (s Stats) {
	c.locked(func(*Engine, time.Time) { s = c.stats() })
	return s
}

// stats are the engine's figures, without what nobody is under way with.
func (c *Collector) stats() Stats {
	s := c.engine.Stats()
	idle := c.shelf.idle()
	s.Calls, s.Working = s.Calls-idle, s.Working-idle
	return s
}

// Kinds returns the health of every kind that takes part, by name. While the
// watch is down, and until it has listed the kind anew, a kind is sick, with the
// watch's error as the reason. Held by TestCollectorRecoveredUnlisted.
func (c *Collector) Kinds() []KindStatus {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.engine.Kinds()
}

// Running returns the runs of handlers under way, by key and finalizer.
func (c *Collector) Running() []Running {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.engine.Running()
}
