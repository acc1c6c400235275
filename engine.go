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
	"github.com/ownergraph/ownergraph/internal/core/fanout"
	"github.com/ownergraph/ownergraph/internal/core/fence"
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

// Engine is a single-threaded state machine. Observe takes an event of the watch, Next
// returns the next call as data, and Done takes the result of a call. The engine makes no
// call itself. It starts no goroutine, holds no lock and reads no clock, because the time
// is a parameter. So the caller chooses every interleaving, crash and fault: a test, a
// model checker or a Collector.
//
// The engine saves no state. After a crash a new engine observes the store from the start
// and goes on. Any number of engines may work on one store at once.
//
// An Engine is not safe for concurrent use. One Observe, Next or Done does about a
// thousand units of work at most, besides the content of the event. Three steps may look
// at every kind: a new set of kinds, the beginning of a fence, and a sweep that waits for
// listings or labels. A list of waiting ids moves as a whole, at a few nanoseconds an id.
// Only a rewind walks the whole graph.
//
// Its invariants, which the proofs verify:
//
//	E1  the graph's own invariants hold
//	E2  the graph changes in apply alone, and never during a decision
//	E3  an object has at most one write or reread in flight, and its key is in flight in the queue. Calls from
//	    before a rewind, or from before the object went and came back, do not count
//	E4  one full coordinates have at most one read in flight
//	E5  the state beside the graph belongs to nodes of the graph
//	E6  every write in flight carries UID and version
//	E7  a node waits for as many reads as note it, and each of these is due or under way
//	E8  the members of each sweep are counted as the graph shows them
//	E9  the fast path keeps only objects that a decision would keep
//	E10 the counts of kinds are the numbers of kinds
//	E11 every effect of a machine is carried out before the engine returns
//
// Held by TestDecisionsAmongManyKinds, TestKindsKnownIsLinear and TestSweepOfLongNames.
type Engine struct {
	cfg   settings
	level Level
	set   rules.Settings

	now    time.Time
	seq    seq.Counter
	broken error

	graph *observed.Graph
	nodes record.Table
	kinds kinds.Table
	work  *queue.Queue[observed.NodeID] // the objects to decide
	reads reads.Machine

	expected inflight.Expectations
	undone   inflight.Undone
	held     held.Table
	calls    inflight.Calls[Call]

	misplaced map[graph.UID][]observed.NodeID // the dependents of owners in another scope or under another name

	absent   tombstone.Set // owners that are gone and have no dependent left
	orphaned tombstone.Set // owners whose orphaning this engine ended

	fence    fence.Machine
	cycles   cycle.Detector
	handlers handlers.Runs
	sweeps   sweep.Sweeps
	audit    audit.Auditor

	effects  effect.List // of machines, not carried out yet
	carrying bool        // carryOut runs
	// The number of times that the engine has revoked calls, safe for concurrent use. A
	// rewind raises it before it walks the graph. The Collector compares it before it
	// begins a call that it has taken by Next. If it has changed since, the Collector
	// reports the call with ErrNotBegun.
	revision run.Revision
	scratch  scratch // of the decision at hand
	fanout   fanout.Machine

	counts tally
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
	set := cfg.settings()
	e := &Engine{
		cfg: set, level: level, set: rules.Settings{Override: cfg.Override},
		graph:  observed.New(observed.Config{Scope: cfg.Scope, OwnerName: cfg.OwnerName, Limits: cfg.Limits, Ignore: cfg.Ignore}),
		kinds:  kinds.New(cfg.Ignore),
		fence:  fence.New(level >= Level2, cfg.FenceWait),
		work:   queue.New(queue.Config[observed.NodeID]{Hash: mix, Number: number}),
		reads:  reads.New(queue.Config[observed.NodeID]{Hash: mix, Number: number}),
		undone: inflight.NewUndone(),
		held:   held.New(),
		calls:  inflight.NewCalls[Call](),

		misplaced: map[graph.UID][]observed.NodeID{},
		absent:    tombstone.New(set.AbsentOwners),
		orphaned:  tombstone.New(set.OrphanedOwners),
		revision:  run.NewRevision(0),
	}
	e.handlers = handlers.New(slices.Sorted(maps.Keys(set.Handlers)), set.HandlerWorkers)
	e.sweeps, _ = sweep.New(cfg.sweepSettings()) // validate has made them before
	return e, nil
}

// mix spreads node ids over the jitter of retries.
func mix(id observed.NodeID) uint64 { return uint64(id) * 0x9e3779b97f4a7c15 }

// number is a node id as the number that it is: ids are dense.
func number(id observed.NodeID) uint32 { return uint32(id) }

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

// abandon stops the engine for good, on the word of its driver: a call into the engine
// has panicked, or the driver can tell the engine no more. The state is then not to be
// trusted. A plain caller drops the engine instead.
func (e *Engine) abandon(why error) { e.fail("%v", why) }

// fail stops the engine for good. A call that is being decided in this moment is not
// handed out.
func (e *Engine) fail(format string, args ...any) {
	if e.broken == nil {
		e.revision.Raise()
		e.broken = fmt.Errorf("%w: "+format, append([]any{ErrBroken}, args...)...)
		e.effects.Keep(effect.Record{Level: effect.Error, Text: "engine stopped", Args: []any{"err", e.broken}})
	}
	e.calls.Drop(uint64(e.scratch.call.ID))
}
