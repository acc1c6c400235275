// Package fence follows the one fence that is under way, and its waiters.
//
// A fence begins at one moment of the store. It passes when the watch has shown, of every
// kind, all commits before that moment. If it begins after a deletion mark was observed, the
// engine has then observed every dependent from before the mark (R7). All marks that were
// observed before it began share it. The Machine begins one only for a waiter.
//
// The store names each fence with a token, and the watch reports it by that token. The
// reports may come before the call for the fence has returned the token. The Machine keeps
// such early reports until then. Reports of other tokens belong to fences of others, which
// share the watch, or to fences that were given up. They count for nothing.
//
// The kinds that have still to pass the fence are in package kinds.
package fence

import (
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/effect"
	"github.com/ownergraph/ownergraph/internal/core/kinds"
	"github.com/ownergraph/ownergraph/internal/core/record"
	"github.com/ownergraph/ownergraph/internal/core/seq"
)

// timeout is the time in which the well kinds have to pass a fence. Otherwise the fence is
// lost, and the machine begins another one, because a broken watch may have lost the reports.
// The time doubles with each lost fence, at most seven times, so that a lagging watch passes
// one at last.
const timeout = 30 * time.Second

// Machine follows the fence of one engine. The zero value has none. A Machine is not safe
// for concurrent use.
type Machine struct {
	exact   bool          // the store has fences
	release time.Duration // a blocked fence releases its waiters after this, 0 for never

	wanted  seq.Stamp // a fence that begins after this is wanted, 0 for none
	since   time.Time // the first waiter waits since then, or a little longer
	id      uint64    // of the fence under way, 0 for none
	last    uint64    // the last id given
	token   uint64    // the store's token of the fence under way, 0 before its call has returned
	spent   uint64    // the last token that a call returned
	early   []reports // of other tokens while the call is under way, in order
	began   seq.Stamp
	started time.Time
	lost    int          // the number of lost fences in a row
	late    []graph.Kind // the first kinds that had not passed the last of these, sorted
	yielded int          // the number of blocked fences in a row that gave way to a newer one
	passed  seq.Stamp    // the newest fence that has passed began
	set     seq.Stamp    // the newest fence that the set of kinds has passed began
	freed   seq.Stamp    // marks up to here may end without a fence: it took too long
	retry   time.Time    // no other fence begins before this
	failing Failure
	waiting []graph.NodeID
	byKind  map[graph.Kind]map[graph.NodeID]struct{} // the nodes that wait for one kind to pass

	counts Counts
}

// Counts counts the fences of one engine since its beginning.
// Failed counts the calls for a fence that failed.
type Counts struct{ Passed, Lost, Failed uint64 }

// New returns a machine. Exact says that the store has fences. A blocked fence releases its
// waiters after the release time, which is 0 for never.
func New(exact bool, release time.Duration) Machine {
	return Machine{exact: exact, release: release}
}

// Counts returns the counters.
func (f *Machine) Counts() Counts { return f.counts }

// Started returns the time at which the last fence began.
func (f *Machine) Started() time.Time { return f.started }

// Exact reports whether the store has fences.
func (f *Machine) Exact() bool { return f.exact }

// Passed returns the beginning of the newest fence that has passed, 0 without one.
func (f *Machine) Passed() seq.Stamp { return f.passed }

// SetPassed returns the beginning of the newest fence that the set of kinds has passed.
func (f *Machine) SetPassed() seq.Stamp { return f.set }

// Freed returns the moment up to which Release has let marks end without a fence.
func (f *Machine) Freed() seq.Stamp { return f.freed }

// Lost returns the number of lost fences in a row, and the first kinds that had not passed
// the last of these.
func (f *Machine) Lost() (n int, late []graph.Kind) { return f.lost, f.late }

// IsLost reports whether the last fence was lost.
func (f *Machine) IsLost() bool { return f.lost > 0 }

// Under reports whether a fence is under way.
func (f *Machine) Under() bool { return f.id != 0 }

// ID returns the id of the fence under way, 0 for none. Ids are the machine's own, and tokens
// are the store's.
func (f *Machine) ID() uint64 { return f.id }

// Wanted reports whether a waiter wants another fence.
func (f *Machine) Wanted() bool { return f.wanted != 0 }

// BeganAfter reports whether a fence is under way that began after the moment.
func (f *Machine) BeganAfter(at seq.Stamp) bool { return f.id != 0 && f.began > at }

// Blocked reports whether only sick kinds have still to pass the fence. For a store without
// fences it reports whether a sick kind hides the end of a deletion.
func (f *Machine) Blocked(k *kinds.Table) bool {
	if !f.exact {
		return k.AnySick()
	}
	if f.id == 0 {
		return false
	}
	open, well := k.OpenCount()
	return open > 0 && well == 0
}

// Waiting returns the nodes that wait for the fence. Some may be out of use.
func (f *Machine) Waiting() []graph.NodeID { return f.waiting }

// Want asks for a fence that begins after the moment.
func (f *Machine) Want(after seq.Stamp, now time.Time) {
	if f.passed > after || f.BeganAfter(after) {
		return
	}
	if f.wanted == 0 && f.id == 0 {
		f.since = now
	}
	f.wanted = max(f.wanted, after)
}

// Await asks for a decision of a node when the fence passes, is lost, or is no longer needed. State
// is the node's.
func (f *Machine) Await(id graph.NodeID, state *record.State) {
	if !state.AwaitsFence {
		state.AwaitsFence = true
		f.waiting = append(f.waiting, id)
	}
}

// AwaitKind asks for a decision of a node when the kind passes the fence.
func (f *Machine) AwaitKind(name graph.Kind, id graph.NodeID) {
	w := f.byKind[name]
	if w == nil {
		if f.byKind == nil {
			f.byKind = map[graph.Kind]map[graph.NodeID]struct{}{}
		}
		w = map[graph.NodeID]struct{}{}
		f.byKind[name] = w
	}
	w[id] = struct{}{}
}

// Wake asks for decisions of the nodes that wait for a fence. An id of a node that is gone may name
// another node, which does not wait.
func (f *Machine) Wake(g *graph.Graph, nodes *record.Table, out *effect.List) {
	for _, id := range f.waiting {
		if nodes.Get(g, id).AwaitsFence {
			nodes.Edit(g, id).AwaitsFence = false
			out.Wake(id)
		}
	}
	f.waiting = nil
}

// WakeKind asks for decisions of the nodes that wait for the kind, which may have left.
func (f *Machine) WakeKind(name graph.Kind, out *effect.List) {
	out.Wake(f.AwaitingKind(name)...)
	delete(f.byKind, name)
}
