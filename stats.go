package ownergraph

import (
	"cmp"
	"slices"
	"time"

	"github.com/ownergraph/ownergraph/internal/core/held"
	"github.com/ownergraph/ownergraph/internal/core/inflight"
)

// Stats has the counts of an engine: of its objects now, and of its work since New. It is a
// value that shares nothing with the engine.
//
// Held by TestHeldDuringDeletion.
type Stats struct {
	// Objects are in the graph, and Nodes counts unobserved owners too. Queued counts the
	// objects that wait for a decision, now or later, or for a handler. A held object that
	// waits for its next try is one of them. Calls are under way. Held objects wait for
	// something outside: they are Waiting or Stuck.
	Objects, Nodes, Queued, Calls, Held int
	// Working counts the reads, writes and handlers among the calls. Blocked counts the
	// objects that wait for their dependents or members. See Status.
	Working, Blocked, Waiting, Stuck int
	// Events counts the observed events, and Refused the events that the engine refused.
	// Decisions counts the decisions.
	Events, Refused, Decisions uint64
	// These fields count the calls of the store: reads, patches, deletes, fences,
	// listings, and pages of selections.
	Reads, Patches, Deletes, FenceCalls, ListCalls, Selects uint64
	// Handled counts the runs of handlers, and FailedHandlers the failed ones.
	Handled, FailedHandlers uint64
	// These fields count conflicts, refused writes, writes of unknown outcome, and failed
	// reads.
	Conflicts, RefusedWrites, UnknownOutcomes, FailedReads uint64
	// UndoneWrites counts the writes that succeeded, and that the next version asked for
	// again.
	UndoneWrites uint64
	// Gone counts the objects that the watch showed to go, and Fences the passed fences.
	// Listings counts the listings that the engine wanted, Rings the detected cycles, and
	// Rewinds the detected rewinds.
	Gone, Fences, Listings, Rings, Rewinds uint64
	// Contradictions counts the disagreements of watch and reads: the watch shows an
	// object, and a read does not find it.
	Contradictions uint64
	// Losses counts writes without an answer and broken watches. Each may be the first
	// sign of a rewind.
	Losses uint64
	// LostFences counts the fences that the engine gave up, because a healthy kind did not
	// report that it has passed them. Fence is the fence under way.
	LostFences uint64
	Fence      FenceStatus
	// Twins counts live objects that share a UID. BestEffort counts the writes that were
	// not exact.
	Twins, BestEffort uint64
	// Audits counts the finished audits, and AuditRepairs the writes that only an audit
	// caused.
	Audits, AuditRepairs uint64
	// Sweeping counts the sweeps under way, and Swept the finished ones. Members counts
	// the observed members of these holders, and MembersGone of them are gone. Unguarded
	// counts the holders that were deleted before the engine observed the finalizer of
	// their sweep on them.
	Sweeping                               int
	Swept, Members, MembersGone, Unguarded uint64
}

// count counts a call. n is 1 for a call that is handed out, and -1 for one that is
// revoked.
func (s *Stats) count(t CallType, n int) {
	by := uint64(n)
	switch t {
	case CallRead:
		s.Reads += by
	case CallPatch:
		s.Patches += by
	case CallDelete:
		s.Deletes += by
	case CallFence:
		s.FenceCalls += by
	case CallList:
		s.ListCalls += by
	case CallHandle:
		s.Handled += by
	case CallSelect:
		s.Selects += by
	}
}

// Requests returns the number of store calls: reads, writes, fences and pages of
// selections.
func (s Stats) Requests() uint64 {
	return s.Reads + s.Patches + s.Deletes + s.FenceCalls + s.Selects
}

// Stats returns the engine's figures. It does not walk the graph.
func (e *Engine) Stats() Stats {
	s := e.counts
	fences := e.fence.Counts()
	s.Fences, s.LostFences = fences.Passed, fences.Lost
	s.Nodes, s.Objects = e.graph.Len(), e.graph.Observed()
	s.Rings, s.FailedHandlers, s.UndoneWrites = e.cycles.Found(), e.handlers.Failed(), e.undone.Count()
	s.Audits, s.AuditRepairs = e.audit.Counts().Audits, e.audit.Counts().Repairs
	s.Sweeping, s.Fence = e.sweeps.Runs(), fenceStatus(e.fence.Status(&e.kinds))
	sweeps := e.sweeps.Counts()
	s.Swept, s.Members, s.MembersGone, s.Unguarded = sweeps.Ended, sweeps.Members, sweeps.MembersGone, sweeps.Unguarded
	s.Queued, s.Calls = e.work.Len()-e.work.InFlight()+e.handlers.Queued(), e.calls.Len()-len(e.calls.Prepared())
	s.Working = s.Calls
	for _, x := range e.calls.All() {
		if typeFor(x.Purpose).lane() == LaneControl {
			s.Working--
		}
	}
	s.Blocked, s.Waiting, s.Stuck = e.held.Count(held.Blocked), e.held.Count(held.Waiting), e.held.Count(held.Stuck)
	s.Held = s.Waiting + s.Stuck
	return s
}

// KindStatus is the health of one kind. It is a value.
type KindStatus struct {
	Kind   Kind
	Listed bool
	// Sick is the reason why the kind cannot be watched, or empty.
	Sick string
}

// Kinds returns the health of every kind that takes part, by name.
func (e *Engine) Kinds() []KindStatus {
	var out []KindStatus
	for name, k := range e.kinds.All() {
		if k.Part {
			out = append(out, KindStatus{name, k.Listed, k.Sick})
		}
	}
	return out
}

// HandlerRun is a run of a handler that is under way.
type HandlerRun struct {
	Key       Key
	Finalizer string
	Since     time.Time
	// Tries is the number of failed runs before this one.
	Tries int
}

// Running returns the runs of handlers under way, by key and finalizer. A high age shows a
// run that hangs.
func (e *Engine) Running() []HandlerRun {
	var out []HandlerRun
	for _, s := range e.handlers.Running() {
		out = append(out, HandlerRun{e.graph.Node(s.Run.Node).Key(), s.Run.Name, s.Since, s.Tries})
	}
	slices.SortFunc(out, func(a, b HandlerRun) int {
		return cmp.Or(a.Key.Compare(b.Key), cmp.Compare(a.Finalizer, b.Finalizer))
	})
	return out
}

// The Collector asks its engine these questions, and those of held.go and idle.go. They
// change nothing, but for wantIdleIn.

// needLabels names the field of the Config that needs a LabelSelector, "" for none.
func (e *Engine) needLabels() string { return e.sweeps.NeedLabels() }

// synced reports whether every kind is listed and well.
func (e *Engine) synced() bool { return e.kinds.Synced() }

// unsynced gives the reason for which not every kind is listed and well, "" for none.
func (e *Engine) unsynced() string { return e.kinds.Unsynced() }

// stuck returns the number of objects that are stuck, for the log.
func (e *Engine) stuck() int { return e.held.Stuck() }

// underWay names the calls under way, sorted.
func (e *Engine) underWay() []string {
	var names []string
	for x := range e.calls.UnderWay() {
		names = append(names, underWayName(&x))
	}
	slices.Sort(names)
	return names
}

// underWayName describes a call under way, as Call.name does.
func underWayName(x *inflight.Call) string {
	c := Call{Type: typeFor(x.Purpose), Key: x.Key, Kind: x.Key.Kind, Finalizer: x.Handler}
	if c.Type == CallSelect {
		return c.Type.String() + " " + string(c.Kind)
	}
	return c.name()
}
