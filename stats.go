package ownergraph

import (
	"cmp"
	"slices"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/queue"
	"github.com/ownergraph/ownergraph/policy"
)

// Stats counts what an engine holds and has done since it was made. It is a
// value that shares nothing with the engine.
type Stats struct {
	// Objects are in the graph; Nodes counts owners that were never observed
	// too. Queued keys wait to be decided, now or later, and objects for a handler; a
	// held object that is tried again later is one of them. Calls are under way. Held
	// objects wait for something outside: they are Waiting or Stuck. Held by
	// TestHeldDuringDeletion.
	Objects, Nodes, Queued, Calls, Held int
	// Working is how many of the calls are reads, writes and handlers, Blocked how many
	// objects wait for their dependents or members. See Status.
	Working, Blocked, Waiting, Stuck int
	// Events were observed, Refused ones were not. Decisions were made.
	Events, Refused, Decisions uint64
	// What was asked of the store: reads, patches, deletes, fences, listings, pages
	// of selections.
	Reads, Patches, Deletes, FenceCalls, ListCalls, Selects uint64
	// Handled is how many runs of handlers were begun.
	Handled, FailedHandlers uint64
	// Conflicts, refused writes, writes of unknown outcome, failed reads.
	Conflicts, RefusedWrites, UnknownOutcomes, FailedReads uint64
	// UndoneWrites succeeded, and the next version asked for them again.
	UndoneWrites uint64
	// Gone objects were observed to go. Fences have passed, Listings were asked
	// for, Rings were found, Rewinds were seen.
	Gone, Fences, Listings, Rings, Rewinds uint64
	// Contradictions: the watch showed an object that a read had not found, or found
	// absent while it showed it.
	Contradictions uint64
	// Losses: writes without an answer and watches that broke, each of which may be
	// the first sign of a rewind.
	Losses uint64
	// LostFences were given up, since a kind that is well did not report that it has
	// passed. Fence is the one that is under way.
	LostFences uint64
	Fence      FenceStatus
	// Twins: live objects that share a UID. BestEffort writes were not exact.
	Twins, BestEffort uint64
	// Audits are over; AuditRepairs are writes that only an audit led to.
	Audits, AuditRepairs uint64
	// Sweeping holders are being swept, and Swept ones were. Members were seen of
	// them so far, and MembersGone of these are gone. Unguarded holders were
	// deleted before they carried the finalizer of their sweep, as far as was seen.
	Sweeping                               int
	Swept, Members, MembersGone, Unguarded uint64
}

// count counts a call that is handed out, or takes back that it was: n is 1 or -1.
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

// Requests returns how many store calls were made: reads, writes, fences and pages
// of selections.
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
	s.Sweeping, s.Fence = e.sweeps.Runs(), e.fenceStatus()
	sweeps := e.sweeps.Counts()
	s.Swept, s.Members, s.MembersGone, s.Unguarded = sweeps.Ended, sweeps.Members, sweeps.MembersGone, sweeps.Unguarded
	s.Queued, s.Calls = e.work.Len()-e.work.InFlight()+e.handlers.Queued(), len(e.flights)-e.prepared.Len()
	s.Working = s.Calls - e.controlCalls()
	held := e.heldCounts()
	s.Blocked, s.Waiting, s.Stuck = held[StatusBlocked], held[StatusWaiting], held[StatusStuck]
	s.Held = s.Waiting + s.Stuck
	return s
}

// controlCalls counts the fences, listings and selections under way.
func (e *Engine) controlCalls() (n int) {
	for _, f := range e.flights {
		if f.call.lane() == LaneControl {
			n++
		}
	}
	return n
}

// Idle reports whether nothing more can happen without the outside: no call is
// under way or due, and nobody waits for an event that has to come. Writes that
// were refused and objects that are held do not count as work.
func (e *Engine) Idle() bool {
	if e.Busy() || len(e.flights) > 0 || e.expected.WatchLen() > 0 || len(e.cycles.Suspects()) > 0 {
		return false
	}
	if e.kinds.ListsWanted() || e.fence.Busy(&e.kinds) || e.kinds.Listing() {
		return false
	}
	return e.kinds.SetKnown() && !e.expected.HasUnblocked() && !e.sweeps.Proving(e.sweepView()) && !e.sweeps.Selecting(e.sweepView()) && e.onlyLater()
}

// onlyLater reports whether all that the queues still hold waits for somebody
// outside. An acknowledgement that is given time is work, and so is another try
// of a read that failed by itself.
func (e *Engine) onlyLater() bool {
	for x := range e.work.Entries() {
		m := e.state(x.Key)
		if x.State == queue.Delayed && (m.Reread && !e.expected.IsBlocked(x.Key) || m.Reason == policy.NeedAcknowledgement) {
			return false
		}
	}
	for x := range e.reads.Entries() {
		if x.State == queue.Delayed && e.state(x.Key).Blocked == graph.DoubtUnset {
			return false
		}
	}
	return true
}

// KindStatus is the health of one kind. It is a value.
type KindStatus struct {
	Kind   Kind
	Listed bool
	// Sick says why the kind cannot be watched, or is empty.
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

// Running is a run of a handler that is under way.
type HandlerRun struct {
	Key       Key
	Finalizer string
	Since     time.Time
	// Tries is how often it failed before.
	Tries int
}

// Running returns the runs of handlers under way, by key and finalizer: one
// that is stuck shows by its age.
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
