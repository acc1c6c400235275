package engine

import (
	"slices"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/follow"
)

// Progress is the state of one deletion or sweep. It is a value, and the receiver owns it.
//
// The members of a deletion are its root and all objects that hang below the root:
// dependents at all depths, and members of a sweep. An object in a scope has members in
// that scope alone. An object that loses its last reference into the deletion and stays is
// no longer a member. It is not left then.
//
//test:by ownergraph.TestFollow ownergraph.TestFollowScopes internal/core/follow.TestRecount
type Progress struct {
	Root graph.Key
	// Begun: the root is marked for deletion, or gone. Follow waits for that.
	Begun bool
	// Known is the sum of Gone and Left. Gone counts the members that the watch has shown
	// to go since Since, and the root. Left counts the members that exist. A root in an orphan
	// deletion is the only member, as its dependents stay. A holder or a container has members
	// all the same.
	Known, Gone, Left int
	// Held counts the members that wait for something outside of the engine, as Stats.Held does.
	// A member that only waits for the write of another collector (policy.ObserveOnly) is not
	// held. Blocked counts the members that wait for other members, as is normal.
	Held, Blocked int
	// References counts the references to a root in an orphan deletion, and Dropped those of them
	// that have gone since Since. Both are 0 for other deletions.
	//
	//test:by ownergraph.TestFollowOrphan internal/core/follow.TestReferences
	References, Dropped int
	// By has at most 8 of the held and the blocked members, by key, with the reason. Blocked ones
	// come in only where there are not enough held ones.
	By []Held
	// Growing says that Known may grow without a new object in the store. The walk over the
	// members is under way, a kind is not listed, or the deletion has not begun. Otherwise
	// Known grows only if a client creates an object below a member.
	Growing bool
	// Reads, Writes and Fences count the engine's calls of the store since Since, also for
	// other deletions.
	Reads, Writes, Fences uint64
	// Rate is the number of members that went per second since Since.
	Rate float64
	// Since is the time of the call of Follow. For a sweep it is zero.
	Since time.Time
	// Done: the root is gone, and no member is left. The watch is up, and every kind is
	// listed. A kind that is sick by the store's own word does not delay Done.
	Done bool
}

// Deletion is a deletion under way: see Collector.Deletions.
type Deletion struct {
	Root graph.Key
	// Since is the time at which the engine observed the mark of the root, its end, or the first
	// mark of the objects. It is zero if none is known.
	Since time.Time
	// Open counts the observed objects that are marked, or whose owners are all gone or waiting.
	Open int
	// Gone counts the ends that the watch has shown since New, also that of the root. It is a least
	// number for objects with several roots, and for more than 16,384 sets of roots.
	Gone int
}

// Progress returns the progress of the sweep as that of the deletion of its holder. The
// holder and the members of the sweep count, and not the dependents of a member. Follow
// with the holder's key counts these, too.
//
//test:by ownergraph.TestSweepProgress
func (s SweepStatus) Progress() Progress {
	p := Progress{
		Root: s.Holder, Begun: true, Gone: s.MembersGone, Left: s.MembersLeft,
		Held: s.Held, Blocked: s.Blocked, By: slices.Clone(s.By), Growing: s.Open > 0,
	}
	if s.Gone {
		p.Gone++
	} else {
		p.Left++
	}
	p.Known = p.Gone + p.Left
	return p
}

// followView returns the machines that a follower reads.
func (e *Engine) followView() follow.View {
	return follow.View{View: e.sweepView(), Sweeps: &e.sweeps, Ends: &e.history, Absent: &e.absent, Rewound: e.kinds.Rewound()}
}
