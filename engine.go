package ownergraph

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/audit"
	"github.com/ownergraph/ownergraph/internal/core/cycle"
	"github.com/ownergraph/ownergraph/internal/core/effect"
	"github.com/ownergraph/ownergraph/internal/core/fence"
	"github.com/ownergraph/ownergraph/internal/core/fifo"
	"github.com/ownergraph/ownergraph/internal/core/handlers"
	"github.com/ownergraph/ownergraph/internal/core/held"
	"github.com/ownergraph/ownergraph/internal/core/inflight"
	"github.com/ownergraph/ownergraph/internal/core/kinds"
	"github.com/ownergraph/ownergraph/internal/core/observed"
	"github.com/ownergraph/ownergraph/internal/core/queue"
	"github.com/ownergraph/ownergraph/internal/core/reads"
	"github.com/ownergraph/ownergraph/internal/core/record"
	"github.com/ownergraph/ownergraph/internal/core/rules"
	"github.com/ownergraph/ownergraph/internal/core/seq"
	"github.com/ownergraph/ownergraph/internal/core/sweep"
	"github.com/ownergraph/ownergraph/internal/core/tombstone"
	"github.com/ownergraph/ownergraph/internal/run"
)

// Engine is the heart: a single-threaded state machine that takes what a watch
// says, and gives back what should be done, as data. Observe takes an event,
// Next returns the next call to make, Done takes what came of it. It makes no
// call itself, starts no goroutine, holds no lock and reads no clock: the time
// is a parameter. So whoever drives it chooses every interleaving, crash and
// fault: a test, a model checker, or a Collector.
//
// Nothing that an engine knows has to be saved. After a crash, a new one that
// observes the store from the start goes on where the old one ended, and any
// number of engines may work on one store at once.
//
// An Engine is not safe for concurrent use. No Observe, Next or Done does more
// than about a thousand units of work, besides what an event itself carries.
// Lists of ids are handed over whole where many keys wait for one thing, a few
// nanoseconds for each; only a rewind walks the whole graph. A set of kinds, the
// beginning of a fence, and a sweep that waits for listings or labels look at every
// kind. Held by TestDecisionsAmongManyKinds, TestKindsKnownIsLinear and
// TestSweepOfLongNames.
//
// Its invariants, which Check verifies:
//
//	E1  the graph's own invariants hold
//	E2  the graph changes in Observe alone (and by the sweep that a listing's end orders)
//	E3  one object has at most one write or reread in flight, and its key is in flight in the queue; what was
//	    handed out before a rewind, or before the object went and came back, does not count
//	E4  one full coordinates have at most one read in flight
//	E5  what is kept beside the graph is kept of nodes that are in it
//	E6  every write in flight carries UID and version
//	E7  who waits for reads is noted with as many, and each of these is due or under way
//	E8  the members of each sweep are counted as the graph shows them
//	E9  what is kept at a glance, or was and has not been asked for since, is what would be decided to be kept
//	E10 what is counted of kinds is what they are
//	E11 every effect of a machine is carried out before the engine returns
type Engine struct {
	cfg   Config
	level Level
	set   rules.Settings

	now      time.Time
	seq      seq.Counter
	lastCall CallID
	broken   error

	graph *observed.Graph
	nodes record.Table
	kinds kinds.Table
	work  *queue.Queue[observed.NodeID] // whom to decide
	reads reads.Machine

	expected inflight.Expectations
	undone   inflight.Undone
	held     held.Table
	retries  map[observed.NodeID]Object
	flights  map[CallID]flight

	misplaced map[UID][]observed.NodeID // who is held by an owner's life in another scope or under another name

	absent   tombstone.Set // owners that are gone and have no dependent left
	orphaned tombstone.Set // owners whose orphaning this engine ended

	fence    fence.Machine
	cycles   cycle.Detector
	handlers handlers.Runs
	sweeps   sweep.Sweeps
	audit    audit.Auditor

	prepared fifo.List[Call]   // store calls that wait for their lane
	effects  effect.List       // of machines, not carried out yet
	carrying bool              // carryOut runs
	revision run.Revision      // raised when calls are revoked: see ground
	scratch  scratch           // of the decision at hand
	fans     []observed.NodeID // owners whose dependents have to be looked at
	wakes    []observed.NodeID // whoever waited for a fence that has passed

	counts Stats
}

// flight is a call that was handed out: no more than 128 bytes, up to which a map
// holds values in itself.
type flight struct {
	call    CallType
	reread  bool
	shown   bool              // the watch has shown its object since
	ending  graph.Propagation // a write that ends this propagation
	node    observed.NodeID
	key     Key
	version Version   // that a write is conditioned on
	began   seq.Stamp // when it was handed out
	handler string
	fence   uint64
	run     sweep.RunID // a read of its holder
	wrote   uint32      // the digest of a write
}

// NewEngine returns an engine for stores of the level. It knows nothing yet.
// An error wraps ErrInvalid and names the field of cfg.
func NewEngine(level Level, cfg Config) (*Engine, error) {
	if err := cfg.validate(); err != nil {
		return nil, err
	}
	if level == LevelUnset || level > Level2 {
		return nil, fmt.Errorf("configure engine: level %s: %w", level, ErrInvalid)
	}
	if cfg.Level != LevelUnset {
		level = min(level, cfg.Level)
	}
	cfg = cfg.filled()
	e := &Engine{
		cfg: cfg, level: level, set: rules.Settings{Override: cfg.Override},
		graph:   observed.New(observed.Config{Scope: cfg.Scope, OwnerName: cfg.OwnerName, Limits: cfg.Limits, Ignore: cfg.Ignore}),
		kinds:   kinds.New(cfg.Ignore),
		fence:   fence.New(level >= Level2, cfg.FenceWait),
		work:    queue.New(queue.Config[observed.NodeID]{Hash: mix, Number: number}),
		reads:   reads.New(queue.Config[observed.NodeID]{Hash: mix, Number: number}),
		undone:  inflight.NewUndone(),
		held:    held.New(),
		retries: map[observed.NodeID]Object{},
		flights: map[CallID]flight{},

		misplaced: map[UID][]observed.NodeID{},
		absent:    tombstone.New(cfg.AbsentOwners),
		orphaned:  tombstone.New(cfg.OrphanedOwners),
		revision:  run.NewRevision(0),
	}
	e.handlers = handlers.New(slices.Sorted(maps.Keys(cfg.Handlers)), cfg.HandlerWorkers)
	e.sweeps, _ = sweep.New(sweep.Settings{Sweeps: cfg.Sweeps, Override: cfg.Override, Page: cfg.SelectPage}) // validate has made them before
	return e, nil
}

// mix spreads node ids over the jitter of retries.
func mix(id observed.NodeID) uint64 { return uint64(id) * 0x9e3779b97f4a7c15 }

// number is a node id as the number that it is: ids are dense.
func number(id observed.NodeID) uint32 { return uint32(id) }

// Level returns the level that the engine works at.
func (e *Engine) Level() Level { return e.level }

// Err returns the broken invariant that stopped the engine, or nil. The error
// wraps ErrBroken.
func (e *Engine) Err() error { return e.broken }

// state returns a copy of the state of a node, the zero State for one that is not in use.
func (e *Engine) state(id observed.NodeID) record.State { return e.nodes.Get(e.graph, id) }

// edit returns the state of a node, which the engine may change until the next call.
func (e *Engine) edit(id observed.NodeID) *record.State { return e.nodes.Edit(e.graph, id) }

// view returns the graph with the node states, for a machine.
func (e *Engine) view() record.Nodes { return record.Nodes{Graph: e.graph, Table: &e.nodes} }

// tick takes the caller's time. It never goes back: a clock that jumps back
// costs a delay, no more.
func (e *Engine) tick(now time.Time) {
	e.nodes.Compact(e.graph)
	if err := e.seq.Check(); err != nil {
		e.fail("%w", err)
	}
	if now.After(e.now) {
		e.now = now
	}
}

// Revision returns the number of times that the engine has revoked calls. It is the only
// method that is safe for concurrent use.
//
// A caller may take calls by Next before it can begin them. The engine revokes the calls
// that no caller has begun when their evidence no longer holds: its history went
// backwards, a kind joined, or the engine broke. A rewind raises the revision before it
// walks the graph. The caller compares the revision before it begins a call. If it has
// changed since Next, the caller reports the call with ErrNotBegun.
//
// Held by TestRevokedAtOnce.
func (e *Engine) Revision() uint64 { return e.revision.Number() }

// fail stops the engine for good. A call that is being decided in this moment is not
// handed out.
func (e *Engine) fail(format string, args ...any) {
	if e.broken == nil {
		e.revision.Raise()
		e.broken = fmt.Errorf("%w: "+format, append([]any{ErrBroken}, args...)...)
		e.cfg.Logger.Error("engine stopped", "err", e.broken)
	}
	delete(e.flights, e.scratch.call.ID)
}
