package engine

import (
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/held"
	"github.com/ownergraph/ownergraph/internal/core/inflight"
	"github.com/ownergraph/ownergraph/share"
)

// Stats has the counts of an engine: of its objects now, and of its work since New. It is a
// value that shares nothing with the engine.
//
//test:by ownergraph.TestHeldDuringDeletion
type Stats struct {
	// Objects are in the graph, and Nodes counts unobserved owners too. ByStatus counts
	// the objects by their Status. An object is queued while it waits for a decision, now
	// or later, or for a handler. A held object that waits for its next try is queued too.
	Objects, Nodes int
	ByStatus       Counts[Status, int]
	// Calls counts the calls of the store and the runs of handlers, and InFlight those
	// under way. A selection is a call for each page.
	Calls    Counts[CallType, uint64]
	InFlight int
	// Events counts the observed events, and Refused the events that the engine refused.
	// Decisions counts the decisions, without the ones that the graph alone replaces.
	Events, Refused, Decisions uint64
	// FailedReads, FailedHandlers and FailedListings count the calls of these types that
	// failed.
	FailedReads, FailedHandlers, FailedListings uint64
	// PutOff counts the calls that the store has put off. Their errors have RetryAfter.
	PutOff uint64
	// Gone counts the objects that the watch showed to go. Listings counts the listings
	// that the engine wanted, Rings the detected cycles, and Rewinds the detected rewinds.
	Gone, Listings, Rings, Rewinds uint64
	// Contradictions counts the disagreements of watch and reads: the watch shows an
	// object, and a read does not find it.
	Contradictions uint64
	// Losses counts writes without an answer and broken watches. Each may be the first
	// sign of a rewind.
	Losses uint64
	// DuplicateUIDs counts live objects that share a UID.
	DuplicateUIDs uint64
	// Audits counts the finished audits, and AuditRepairs the writes that only an audit
	// caused.
	Audits, AuditRepairs uint64

	// Unfinished shows a stall of any cause.
	Unfinished UnfinishedStats

	Writes  WriteStats
	Batches BatchStats // zero for an Engine alone, and for a store without batches
	Fences  FenceStats
	Sweeps  SweepStats
	Guards  GuardStats
	Brake   BrakeStats
	// Pauses is the number of pauses in force. That of an unknown record counts.
	Pauses int
	// Share is the set of UIDs that the engine writes to now.
	Share share.Set
}

// Counts are numbers by a key: a Status or a CallType. It is a value that one can compare with ==.
//
//test:by TestCounts
type Counts[K Status | CallType, N int | uint64] struct{ of [maxKeys]N }

// maxKeys bounds the keys of Counts. A further status or type changes no type of the API.
const maxKeys = 16

// Of returns the number of a key, 0 for a key that has none.
func (c Counts[K, N]) Of(key K) N {
	if key >= maxKeys {
		return 0
	}
	return c.of[key]
}

// Add adds n to the number of a key. It subtracts with a negative n, such as calls that were taken ahead
// and have not begun. A key that does not exist changes nothing.
func (c *Counts[K, N]) Add(key K, n int) {
	if key < maxKeys {
		c.of[key] += N(n)
	}
}

// UnfinishedStats describes the objects with which the engine has begun, and which it has
// not finished: queued again, in a call, awaited from the watch, put off, or marked.
type UnfinishedStats struct {
	// Objects counts them. Held objects do not count, nor do those that wait for their first
	// decision, or for their turn at a handler, a sweep or the brake.
	Objects int
	// Oldest has been unfinished longest: since Since, through every repeated try. If no
	// object was taken for a longer time of those that wait for a decision, it is the next
	// one of these. Both are zero without one.
	Oldest graph.Key
	Since  time.Time
}

// WriteStats counts the writes with a special outcome.
type WriteStats struct {
	// Unknown counts the writes without a known outcome.
	Conflicts, Refused, Unknown uint64
	// Undone counts the writes that succeeded, and that the next version asked for again.
	Undone uint64
	// BestEffort counts the writes that were not exact.
	BestEffort uint64
}

// BatchStats describes the batches of a Batcher.
type BatchStats struct {
	// Limit is the number of writes that a batch may have now, and Max the largest one.
	Limit, Max int
	// Before is Limit before a batch took too long, until Limit is there again. Otherwise it is 0.
	Before int
	// Late counts the batches that exceeded a limit of time: Config.CallTimeout, or a limit of
	// the store.
	Late uint64
}

// FenceStats counts the fences.
type FenceStats struct {
	// Open is the number of kinds that have still to pass the fence under way. The set of
	// kinds counts as one.
	Open   int
	Passed uint64
	// Lost counts the fences that the engine gave up, because a healthy kind did not
	// report that it has passed them.
	Lost uint64
	// Failed counts the calls for a fence that failed.
	Failed uint64
	// Time is the sum of the times of the passed fences: from the call of the store until the
	// last kind has passed.
	//
	//test:by ownergraph.TestFenceTime
	Time time.Duration
}

// SweepStats counts the sweeps.
type SweepStats struct {
	Running int
	Ended   uint64
	// Members counts the observed members of the holders, and MembersGone of them are gone.
	Members, MembersGone uint64
	// Unguarded counts the holders that were deleted before the engine observed the
	// finalizer of their sweep on them.
	Unguarded uint64
}

// GuardStats counts the verdicts of this engine on guarded roots.
type GuardStats struct {
	Passed, Refused uint64
	// Unguarded counts the roots that were deleted before they carried the hold of their
	// guard. HoldRemoved counts the roots from which another writer took it, and Approved
	// those from which Collector.Approve of this engine took it.
	Unguarded, HoldRemoved, Approved uint64
}

// Held returns the number of held objects: they wait for something outside of the engine, and are
// pending or stuck. Each number with the name Held counts such objects.
func (s Stats) Held() int { return s.ByStatus.Of(StatusPending) + s.ByStatus.Of(StatusStuck) }

// tally has the counts that the engine keeps itself. See Stats.
type tally struct {
	Calls                                        Counts[CallType, uint64]
	Events, Refused, Decisions, Gone, Listings   uint64
	Conflicts, RefusedWrites, UnknownOutcomes    uint64
	FailedReads, Contradictions, Losses, Rewinds uint64
	FailedListings, PutOff                       uint64
	DuplicateUIDs, BestEffort                    uint64
	FenceTime                                    time.Duration
}

// Stats returns the engine's figures. It does not walk the graph.
func (e *Engine) Stats() Stats {
	t, fences, sweeps, audits := e.counts, e.fence.Counts(), e.sweeps.Counts(), e.audit.Counts()
	s := Stats{
		Objects: e.graph.Observed(), Nodes: e.graph.Len(),
		Calls: t.Calls, InFlight: e.calls.Len() - len(e.calls.Prepared()),
		Events: t.Events, Refused: t.Refused, Decisions: t.Decisions,
		FailedReads: t.FailedReads, FailedHandlers: e.handlers.Failed(), FailedListings: t.FailedListings, PutOff: t.PutOff,
		Gone: t.Gone, Listings: t.Listings, Rings: e.cycles.Found(), Rewinds: t.Rewinds,
		Contradictions: t.Contradictions, Losses: t.Losses, DuplicateUIDs: t.DuplicateUIDs,
		Audits: audits.Audits, AuditRepairs: audits.Repairs,
		Writes: WriteStats{t.Conflicts, t.RefusedWrites, t.UnknownOutcomes, e.undone.Count(), t.BestEffort},
		Fences: FenceStats{len(e.fence.Status(&e.kinds).Open), fences.Passed, fences.Lost, fences.Failed, t.FenceTime},
		Sweeps: SweepStats{e.sweeps.Runs(), sweeps.Ended, sweeps.Members, sweeps.MembersGone, sweeps.Unguarded},
		Guards: GuardStats(e.guards.Roots.Counts()),
	}
	for _, k := range [...]held.Status{held.Blocked, held.Pending, held.Stuck} {
		s.ByStatus.Add(Status(k), e.held.Count(k))
	}
	s.Brake, s.Pauses, s.Share, s.Unfinished = reports{e}.brakeStats(), e.pauses.Len(), e.share.Set(), UnfinishedStats{Objects: e.held.Open.Len()}
	if id, since, ok := e.held.Open.Stalled(e.graph, e.work, &e.fanout); ok {
		s.Unfinished.Oldest, s.Unfinished.Since = e.graph.Node(id).Key(), since
	}
	s.ByStatus.Add(StatusQueued, e.work.Len()-e.work.InFlight()+e.handlers.Queued()+e.brake.Waiting())
	s.ByStatus.Add(StatusMoving, s.InFlight)
	for _, x := range e.calls.All() {
		if typeFor(x.Purpose).Lane() == LaneControl {
			s.ByStatus.Add(StatusMoving, -1)
		}
	}
	return s
}

// KindStatus is the health of one kind. It is a value.
type KindStatus struct {
	Kind   graph.Kind
	Listed bool
	// Sick is the reason why the kind cannot be watched, or empty.
	Sick string
	// Objects is the number of observed objects of the kind.
	Objects int
}

// Kinds returns the health of every kind that takes part, by name.
func (e *Engine) Kinds() []KindStatus {
	var out []KindStatus
	for name, k := range e.kinds.All() {
		if k.Part {
			at, _ := e.graph.Kind(name)
			out = append(out, KindStatus{name, k.Listed, k.Sick, at.Objects})
		}
	}
	return out
}

// HandlerRun is a run of a handler that is under way.
type HandlerRun struct {
	Key       graph.Key
	Finalizer string
	Since     time.Time
	// Tries is the number of failed runs before this one.
	Tries int
}

// underWayName describes a call under way, as Call.String does.
func underWayName(x *inflight.Call) string {
	c := Call{Type: typeFor(x.Purpose), Key: x.Key, Kind: x.Key.Kind, Finalizer: x.Handler}
	if c.Type == CallSelect {
		return c.Type.String() + " " + string(c.Kind)
	}
	return c.String()
}
