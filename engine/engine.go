package engine

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/audit"
	"github.com/ownergraph/ownergraph/internal/core/brake"
	"github.com/ownergraph/ownergraph/internal/core/cycle"
	"github.com/ownergraph/ownergraph/internal/core/effect"
	"github.com/ownergraph/ownergraph/internal/core/fanout"
	"github.com/ownergraph/ownergraph/internal/core/fence"
	"github.com/ownergraph/ownergraph/internal/core/follow"
	"github.com/ownergraph/ownergraph/internal/core/guards"
	"github.com/ownergraph/ownergraph/internal/core/handlers"
	"github.com/ownergraph/ownergraph/internal/core/held"
	"github.com/ownergraph/ownergraph/internal/core/history"
	"github.com/ownergraph/ownergraph/internal/core/inflight"
	"github.com/ownergraph/ownergraph/internal/core/kinds"
	"github.com/ownergraph/ownergraph/internal/core/moments"
	"github.com/ownergraph/ownergraph/internal/core/order"
	"github.com/ownergraph/ownergraph/internal/core/orphaned"
	"github.com/ownergraph/ownergraph/internal/core/own"
	"github.com/ownergraph/ownergraph/internal/core/pause"
	"github.com/ownergraph/ownergraph/internal/core/reads"
	"github.com/ownergraph/ownergraph/internal/core/record"
	"github.com/ownergraph/ownergraph/internal/core/seed"
	"github.com/ownergraph/ownergraph/internal/core/seq"
	"github.com/ownergraph/ownergraph/internal/core/sweep"
	"github.com/ownergraph/ownergraph/internal/core/tombstone"
	"github.com/ownergraph/ownergraph/internal/inside"
	"github.com/ownergraph/ownergraph/internal/run"
	"github.com/ownergraph/ownergraph/policy"
	"github.com/ownergraph/ownergraph/queue"
	"github.com/ownergraph/ownergraph/share"
)

// Engine is a single-threaded state machine. Observe takes an event of the watch, Next returns the
// next call as data, and Done takes the result of a call. The engine makes no call itself. It
// starts no goroutine, has no lock and reads no clock, because the time is a parameter. So the
// caller chooses every interleaving, crash and fault: a test, a model checker or a Collector.
//
// The engine saves no state. After a crash a new engine observes the store from the start
// and goes on. Any number of engines may work on one store at once.
//
// An Engine is not safe for concurrent use. One Observe, Next or Done looks at about a thousand
// nodes or references at most, and at the content of its event. Three steps may look at every kind:
// a new set of kinds, the beginning of a fence, and a sweep that waits for listings or labels. A
// fence that passes copies the list of its waiters at once. Only a rewind walks the whole graph.
//
// Its invariants, which the proofs verify:
//
//	N1  the graph's own invariants are true
//	N2  the graph changes in apply alone, and never during a decision
//	N3  an object has at most one write or reread in flight, and its key is in flight in the queue. Calls from
//	    before a rewind, or from before the object went and came back, do not count
//	N4  each key has at most one read in flight
//	N5  each entry of a table beside the graph names a node of the graph
//	N6  every write in flight carries UID and version
//	N7  the number of reads that a node waits for is that of the reads that list it, each due or under way
//	N8  the members of each sweep are counted as the graph shows them
//	N9  the fast path keeps only objects that a decision would keep, or leave to a listing
//	N10 the counts of kinds are the numbers of kinds
//	N11 every effect of a machine is carried out before the engine returns
//
//test:by TestDecisionsAmongManyKinds TestKindsKnownIsLinear TestSweepOfLongNames
type Engine struct {
	cfg   settings
	level Level
	set   policy.Settings

	now    time.Time
	seq    seq.Counter
	times  moments.Log // of the stamps, for explanations
	broken error

	graph *graph.Graph
	nodes record.Table
	kinds kinds.Table
	work  *queue.Queue[graph.NodeID] // the objects to decide
	reads reads.Machine

	expected inflight.Expectations
	undone   inflight.Undone
	history  history.Machine
	pauses   pause.Pauses
	share    own.Share
	held     held.Table
	calls    inflight.Calls[Call]

	absent    tombstone.Set   // owners that are gone and have no dependent left
	orphaned  orphaned.Memory // owners whose orphaning this engine ended
	misplaced reads.Misplaced // the dependents of owners in another scope or under another name

	fence    fence.Machine
	cycles   cycle.Detector
	handlers handlers.Runs
	sweeps   sweep.Sweeps
	order    order.Machine
	guards   guards.Guards
	audit    audit.Auditor
	brake    brake.Machine

	effects  effect.List // of machines, not carried out yet
	revision run.Revision
	scratch  scratch // of the decision at hand
	fanout   fanout.Machine
	copies   seed.Open        // for plans, under way
	follows  follow.Followers // of deletions

	counts tally
}

// New returns an engine for stores of the level. It knows nothing yet.
// An error wraps ErrInvalid and names the field of cfg.
func New(level Level, cfg Config) (*Engine, error) {
	if err := cfg.validate(); err != nil {
		return nil, err
	}
	if level == LevelUnset || level > Level3 {
		return nil, fmt.Errorf("configure engine: level %s: %w", level, graph.ErrInvalid)
	}
	if cfg.Level != LevelUnset {
		level = min(level, cfg.Level)
	}
	cfg = cfg.named()
	set := cfg.settings()
	e := &Engine{
		cfg: set, level: level, set: policy.Settings{Override: cfg.Override},
		kinds:  kinds.New(cfg.Ignore),
		fence:  fence.New(level >= Level2, cfg.FenceWait),
		work:   queue.New(queue.Config[graph.NodeID]{Hash: mix, Number: number}),
		reads:  reads.New(queue.Config[graph.NodeID]{Hash: mix, Number: number}),
		undone: inflight.NewUndone(), history: history.New(set.History),
		held:  held.New(),
		calls: inflight.NewCalls[Call](),

		misplaced: reads.Misplaced{},
		absent:    tombstone.New(set.AbsentOwners),
		orphaned:  orphaned.New(set.OrphanedOwners),
		revision:  run.NewRevision(0), share: own.New(set.Share), fanout: fanout.New(set.Order),
		brake: brake.New(set.Brake.settings()),
	}
	e.sweeps, _ = sweep.New(cfg.sweepSettings()) // validate has made them before
	e.guards, _ = guards.New(guards.Settings{Protect: cfg.Protect, Guards: cfg.Guards, Grace: cfg.PropagateGrace, Members: e.sweeps.LabelRules(), Page: set.SelectPage})
	e.graph = graph.New(graph.Config{Scope: cfg.Scope, OwnerName: cfg.OwnerName, Limits: cfg.Limits, Ignore: cfg.Ignore, Policies: cfg.Policies, WithholdsMark: e.guards.Rules.MarkWithholder()})
	e.handlers = handlers.New(slices.Sorted(maps.Keys(set.Handlers)), set.HandlerWorkers)
	e.order = order.New(cfg.Guards)
	e.brake.SetPart(e.share.Slots(), share.Slots, e.now)
	return e, nil
}

// mix spreads node ids over the jitter of retries.
func mix(id graph.NodeID) uint64 { return uint64(id) * 0x9e3779b97f4a7c15 }

// number is a node id as the number that it is: ids are dense.
func number(id graph.NodeID) uint32 { return uint32(id) }

// Observe takes one event of the watch. The caller does not change the lists of the event
// afterwards.
//
// An event that breaks the contract of a store is refused. The error wraps ErrInvalid and
// names the object and the field. Then the event's kind counts as sick, and the engine
// asks for a new listing. Before that listing the engine releases no owner that may have
// dependents of the kind. After a refused set of kinds it releases none before another set.
//
//test:by internal/proof/script.TestScenarios/r7-a-refused
func (e *Engine) Observe(now time.Time, ev graph.Event) error {
	e.tick(now)
	err := e.applyEvent(&ev)
	e.endStep()
	return err
}

// applyEvent observes an event at the time of the last tick. It keeps nothing of the event.
func (e *Engine) applyEvent(ev *graph.Event) error {
	if e.nodes.Compact(e.graph); e.broken != nil {
		return e.broken
	}
	ignored := e.kinds.Ignores() && e.kinds.Ignored(ev.Of()) // it is no evidence (R5)
	if ev.Type == graph.Rewound && !e.takeAnnounced(ev) || ignored {
		e.counts.Events++
		return nil
	}
	e.kinds.Observe(ev.Type)
	newest, why := e.backwards(ev)
	if why != "" {
		e.rewind(why)
		e.carryOut()
		if ev.Type == graph.ListEnded { // an object that it did not bring is not gone
			return nil
		}
	}
	if ev.Type == graph.ListEnded && e.kinds.Of(ev.Kind).ListingInvalid { // the same
		e.kinds.WantList(ev.Kind)
		return nil
	}
	if len(e.follows) > 0 && ev.Type == graph.Gone {
		e.follows.Ending(e.followView(), ev.Key)
	}
	d, err := e.apply(ev, nil)
	if err != nil {
		e.counts.Refused++
		e.effects.Warn("event refused", "err", err)
		e.refuse(ev, err.Error())
		e.carryOut()
		return fmt.Errorf("observe: %w", err)
	}
	e.counts.Events++
	if ev.Type == graph.Put && e.calls.Len() > 0 {
		e.calls.Show(e.reads.Under(ev.Object.Key), e.state(d.Node).Call)
	}
	back := d.Resurrected || ev.Type == graph.Put && e.isGoneObserved(d.Node) // the Delta is the graph's own
	e.applyDelta(ev, d)
	e.observeKind(ev, newest)
	if back {
		e.rewind(ev.Object.Key.String() + returned)
	}
	e.carryOut()
	return nil
}

const (
	// steps bounds the keys that one Next decides before it says "ask again".
	steps = 128
	// bulkSteps is the number of keys that one slice of bulk work counts for.
	bulkSteps = steps / 4
	// maxPrepared bounds the store calls that wait for their lane.
	maxPrepared = 64
)

// Next returns the next call of the lane. If there is none, it returns the time to ask the
// lane again. The zero time means "after the next Observe or Done". A time that is not
// after now means "at once", since one Next does bounded work.
//
// The caller begins the call before its next step of the engine. A caller that begins it
// later compares Revision first. It gives a call that it does not begin back with
// ErrNotBegun. It reports every call with Done, in any order. The lanes are independent: the
// engine hands out calls of one lane while calls of another take long. Next of any lane
// makes decisions, and most of them bring calls of LaneStore. So ask LaneStore last.
func (e *Engine) Next(now time.Time, lane Lane) (c Call, at time.Time) {
	switch more, ok := e.nextInto(now, lane, &c); {
	case ok || more:
		return c, e.now
	case e.broken != nil:
		return Call{}, time.Time{}
	}
	return Call{}, e.wake(one(lane))
}

// nextInto is Next without a copy of the call, which is large. It makes c the call, or
// returns false and c is none. More says that it has not looked at all work.
func (e *Engine) nextInto(now time.Time, lane Lane, c *Call) (more, ok bool) {
	defer e.endStep()
	e.tick(now)
	if e.broken != nil {
		return false, false
	}
	e.share.Expire(e.now, &e.effects)
	e.carryOut()
	for budget := steps; budget > 0; {
		cost, made := 0, e.broken == nil && e.popCall(lane, c) // the step before may have broken it
		if !made {
			cost, made = e.step(lane, c)
		}
		switch {
		case made:
			e.counts.Calls.Add(c.Type, 1)
			c.Revision = e.revision.Number()
			return false, true
		case cost == 0:
			return false, false
		}
		budget -= cost
	}
	return true, false
}

// popCall makes c a call of the lane that needs no further decision. It returns false if
// there is none, and leaves c as it is.
func (e *Engine) popCall(lane Lane, c *Call) bool {
	switch lane {
	case LaneStore:
		return e.calls.PopPrepared(c) || e.nextRead(c)
	case LaneHandler:
		return e.nextHandler(c)
	case LaneControl:
		e.takeLate()
		e.fence.Release(e.now, &e.kinds, &e.effects) // deletions that have waited for too long
		e.carryOut()
		return e.nextFence(c) || e.nextList(c) || e.nextSelect(c) || e.nextJudge(c)
	}
	return false
}

// step does one piece of work and returns its cost, 0 if there was none. Keys go before bulk, and
// bulk goes on only while the queue is short. The pruning after a listing goes before the
// dependents of the pruned objects. Step returns true if the work made c a call of the lane.
func (e *Engine) step(lane Lane, c *Call) (cost int, made bool) {
	if len(e.calls.Prepared()) >= maxPrepared {
		return 0, false
	}
	if len(e.fanout.Woken()) > 0 {
		e.fanout.StepWoken(fanout.View{Nodes: e.view(), Work: e.work}, slice, lowWater)
	}
	counted := false
	if e.brake.Any() { // the counts of cascades go on beside the decisions
		counted = e.brake.Step(e.brakeView(), slice)
		e.carryOut()
	}
	if id, ok := e.work.Next(e.now); ok {
		e.held.Open.Progress.Move(e.now)
		cost, made = e.stepKey(id, lane, c)
	} else {
		cost = e.stepBulk()
	}
	e.carryOut()
	if counted {
		cost += bulkSteps
	}
	return cost, made
}

// stepKey decides a key. A call goes to c if c is of its lane, no older call waits, and the
// effects of the decision cannot take the call back. Otherwise it waits for its lane.
func (e *Engine) stepKey(id graph.NodeID, lane Lane, c *Call) (cost int, made bool) {
	cost = 1
	before := e.sweeps.Looked()
	if e.graph.Inside(inside.Key{}).InUse(id) { // a decision looks at every reference
		cost += e.graph.Node(id).Owners() / 8
	}
	to := &e.scratch.call
	if lane == LaneStore && len(e.calls.Prepared()) == 0 {
		to = c
	}
	e.scratch.deciding = true
	ok := e.decide(id, to)
	e.scratch.deciding = false
	if made = ok && to == c && e.effects.Empty() && e.broken == nil; ok && !made {
		e.calls.Prepare(uint64(to.ID), to)
		*to = Call{}
	}
	e.scratch.issued = 0 // see fail
	return cost + int(e.sweeps.Looked()-before)/8, made
}

// Done takes the result of a call. An id that is not under way is an error that wraps ErrInvalid,
// and changes nothing. ErrNotBegun gives the call back. A broken engine drops the result.
func (e *Engine) Done(now time.Time, id CallID, r Result) error {
	if e.broken == nil {
		e.tick(now)
	}
	x, ok := e.calls.Take(uint64(id))
	switch {
	case e.broken != nil:
		return e.broken
	case !ok:
		return fmt.Errorf("report call %d: not under way: %w", id, graph.ErrInvalid)
	case r.Err != nil && errors.Is(r.Err, ErrNotBegun):
		e.notBegun(id, &x)
	default:
		e.done(id, &x, r)
	}
	e.endStep()
	return nil
}

func (e *Engine) done(id CallID, x *inflight.Call, r Result) {
	if x.Purpose.IsRead() {
		r.Err = inflight.Sound(x.Key, &r.Object, r.Err)
	}
	switch x.Purpose {
	case inflight.Read:
		e.readDone(x, r)
	case inflight.Reread:
		e.rereadDone(id, x, r)
	case inflight.ReadHolder:
		wait, _ := e.retryIn(r.Err)
		e.sweeps.ReadDone(e.sweepView(), sweep.RunID(x.Run), x.Began, r.Object, r.Err, wait)
	case inflight.Patch, inflight.Delete:
		e.writeDone(id, x, r.Err)
	case inflight.Fence:
		e.fenceDone(x.Fence, r)
	case inflight.List:
		e.listDone(r.Err)
	case inflight.Handle:
		e.handlerDone(id, x, r.Err, false)
	case inflight.Select:
		wait, _ := e.retryIn(r.Err)
		e.selections().Done(uint64(id), r.Selected, r.Err, wait)
	case inflight.Judge:
		e.guards.Done(e.guardView(), uint64(id), x.Node, guards.Verdict{Refused: r.Verdict.Refused(), Causes: r.Verdict.Causes()}, r.Err)
	}
}

// notBegun takes back a call that the caller has not begun. The engine no longer counts it,
// and asks for it again if it still wants it.
//
//test:by ownergraph.TestNotBegun ownergraph.TestListNotBegun internal/proof/sim.TestReturns
func (e *Engine) notBegun(id CallID, x *inflight.Call) {
	e.counts.Calls.Add(typeFor(x.Purpose), -1)
	switch x.Purpose {
	case inflight.Fence:
		if x.Fence == e.fence.ID() {
			e.fence.Void(&e.kinds)
		}
	case inflight.List:
		e.kinds.ReturnList(x.Key.Kind, e.now)
	case inflight.Select:
		e.selections().Return(uint64(id))
	case inflight.Judge:
		e.guards.Roots.Return(uint64(id))
	case inflight.Handle:
		e.handlers.Return(handlers.Run{Node: x.Node, Name: x.Handler}, uint64(id))
		e.held.Open.Return(x.Node, e.state(x.Node).Reason, e.handlers.IsRunning(x.Node))
	case inflight.Read:
		n, ok := e.graph.Lookup(x.Key)
		e.reads.End(x.Key, n.ID())
		if ok {
			e.reads.Again(n.ID())
		}
	default:
		e.history.SetOutcome(x.Key, uint64(id), inflight.Delayed) // the end of its object is not its work
		e.brake.Return(uint64(id))
		e.calls.Revoke(e.view(), uint64(id), x, e.work, &e.effects)
	}
}

// Err returns the broken invariant that stopped the engine, or nil. The error wraps ErrBroken.
func (e *Engine) Err() error { return e.broken }

// state returns a copy of the state of a node, the zero State for one that is not in use.
func (e *Engine) state(id graph.NodeID) record.State { return e.nodes.Get(e.graph, id) }

// edit returns the state of a node, which the engine may change until the next call.
func (e *Engine) edit(id graph.NodeID) *record.State { return e.nodes.Edit(e.graph, id) }

// view returns the graph with the node states, for a machine.
func (e *Engine) view() record.Nodes { return record.Nodes{Graph: e.graph, Table: &e.nodes} }

// tick takes the caller's time. It never goes back: a clock that jumps back costs a delay, no more.
func (e *Engine) tick(now time.Time) {
	e.nodes.Compact(e.graph)
	if err := e.seq.Check(); err != nil {
		e.fail("%w", err)
	}
	if now.After(e.now) {
		e.now = now
		e.times.Note(now, e.seq.Last())
	}
	e.kinds.Tick(e.now)
	e.held.Open.Progress.Tick(e.work, &e.fanout, e.now)
}

// Revision returns a number that rises when the engine revokes calls. It is the only method
// that is safe for concurrent use.
//
// A caller may take calls by Next before it can begin them. The engine revokes the calls
// that no caller has begun when their evidence no longer applies: its history went
// backwards, a kind joined, or the engine broke. A rewind raises the revision before it
// walks the graph. The caller compares the revision before it begins a call. If it has
// changed since Next, the caller reports the call with ErrNotBegun.
//
//test:by TestRevokedAtOnce
func (e *Engine) Revision() uint64 { return e.revision.Number() }

// fail stops the engine for good. A call that is being decided in this moment is not handed out.
func (e *Engine) fail(format string, args ...any) {
	if e.broken == nil {
		e.revision.Raise()
		e.broken = fmt.Errorf("%w: "+format, append([]any{ErrBroken}, args...)...)
		e.effects.Keep(effect.Record{Level: effect.Error, Text: "engine stopped", Args: []any{"err", e.broken}})
	}
	e.calls.Drop(uint64(e.scratch.issued))
}
