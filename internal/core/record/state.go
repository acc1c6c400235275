package record

import (
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/seq"
	"github.com/ownergraph/ownergraph/policy"
)

// State is the knowledge of one node beyond the graph. Stamps are moments in the
// engine's own order. A State is a value.
type State struct {
	Known   seq.Stamp // its judged version became known
	Changed seq.Stamp // its version, or its absence, became known
	Role    seq.Stamp // its role as an owner changed
	Mark    seq.Stamp // since then its propagation mark is observed without a gap; 0 without a mark
	Freed   seq.Stamp // another object ceased to restrict it, 0 for never
	Absent  seq.Stamp // it is known absent beyond the graph since then, 0 if it is not; of a read its beginning

	Marked time.Time // the mark was first observed
	Call   uint64    // the id of the write or reread in flight, 0 for none

	Conflicts    uint32 // of its writes, in a row
	Cycle        int32  // the number of its confirmed or suspected cycle, from 1
	PendingReads uint32 // the number of reads that it waits for

	Reason  policy.Reason // of the last decision
	Doubt   graph.Doubt   // of the last decision
	Blocked graph.Doubt   // the last read failed with it, and only the outside can help

	GoneObserved   bool // Absent goes back to the watch, not to a read
	Reread         bool // the object itself has to be read before anything else
	OutcomeUnknown bool // that reread follows a write of unknown outcome
	Probing        bool // that reread is for any answer of the store
	ReadFailing    bool // the last read failed, so no dependent waits for the next one alone
	HasResult      bool // a read result is kept for it
	IsolatedCycle  bool // the last audit found it in a cycle without an outside owner
	Suspect        bool // it is listed among the suspects of a cycle
	FanningOut     bool // it is listed among the owners that fan out
	AwaitsFence    bool // it is listed among the waiters of the fence
	Audited        bool // the audit put it into the queue
	Overdue        bool // its removal was awaited, and only the store keeps it
	Withheld       bool // it is marked, and its labels protect it, or they are not known: its mark counts for no dependent

	// Root and Ended are for reports and for the brake, and no note has them: see package
	// history.
	Root  uint64 // the root of a marked or absent object
	Ended int64  // when its absence became known, in Unix nanoseconds; 0 if that is not known
}

// IsDefault reports whether eight bytes could store the state. Role is of use only
// beside a read result. FanningOut is no evidence, nor are Root and Ended.
func (s *State) IsDefault() bool {
	if s.Call|uint64(s.Mark|s.Absent) != 0 { // most other states
		return false
	}
	return *s == State{
		Known: s.Known, Changed: s.Known, Role: s.Role, Reason: s.Reason, Doubt: s.Doubt,
		Audited: s.Audited, HasResult: s.HasResult, FanningOut: s.FanningOut, Root: s.Root, Ended: s.Ended,
	}
}
