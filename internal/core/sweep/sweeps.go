// Package sweep follows the sweeps of a configuration: the deletion of all members of a
// marked holder, before the holder goes (S23 to S25 in the index of RULES.md).
//
// A run is one sweep for one marked holder. A run follows from the graph, except for its
// progress, so a crash loses nothing. Events count the members of a run, and a walk over
// all nodes serves every run at once.
//
// A member is deleted when its key is decided, like any other object. So the preconditions,
// conflicts and blocks of its write are the same. A proof comes first: at an instant after
// the member came under its claim, the holder still existed. Without the proof the member
// may belong to a new holder of the same name that the engine has not observed yet.
package sweep

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/effect"
	"github.com/ownergraph/ownergraph/internal/core/fence"
	"github.com/ownergraph/ownergraph/internal/core/held"
	"github.com/ownergraph/ownergraph/internal/core/kinds"
	"github.com/ownergraph/ownergraph/internal/core/record"
	"github.com/ownergraph/ownergraph/internal/core/seq"
	"github.com/ownergraph/ownergraph/internal/core/sweep/plan"
)

// View has the lower machines that the sweeps use. The caller makes one for each call, and
// the sweeps keep none.
type View struct {
	record.Nodes
	Kinds   *kinds.Table
	Fence   *fence.Machine
	Held    *held.Table
	Stamps  *seq.Counter
	Retries map[graph.NodeID]graph.Object // the answers of conflicts' reads, by node
	Out     *effect.List
	Now     time.Time
	Shown   Shown // of a fork or a copy, or nil
	// Foreign reports whether a node is of another share, nil without shares.
	Foreign func(graph.NodeID) bool
	// Standby says that every node is of another share. Then no selection serves an own object.
	Standby bool
}

// isForeign reports whether a node is of another share.
func (v View) isForeign(id graph.NodeID) bool { return v.Foreign != nil && v.Foreign(id) }

// Shown has labels that others have selected. They count for every version of an object. The
// rules are those of LabelRules.
type Shown interface {
	// Selected reports whether the members of a kind are known by a rule.
	Selected(rule int, kind graph.Kind) bool
	// Value returns the label of an object, if the rule takes it.
	Value(rule int, k graph.Key) (value string, is, known bool)
}

// shown is Shown.Value, also without a Shown.
func (v *View) shown(rule int, k graph.Key) (value string, is, known bool) {
	if v.Shown == nil {
		return "", false, false
	}
	return v.Shown.Value(rule, k)
}

// Retried reports whether a conflict's read has answered for the node.
func (v *View) Retried(id graph.NodeID) bool {
	_, ok := v.Retries[id]
	return ok
}

// judged returns the object that a decision judges: the answer of a conflict's read or,
// without one, the graph's object (R1).
func (v *View) judged(id graph.NodeID) graph.Object {
	if o, ok := v.Retries[id]; ok {
		return o
	}
	return v.Graph.Node(id).Object()
}

// Counts counts what the sweeps of one engine have done.
type Counts struct{ Ended, Members, MembersGone, Unguarded uint64 }

// Sweeps has all runs, and the holders and members that they follow. Make one with New.
// It is not safe for concurrent use.
//
// Its invariant, which Check verifies:
//
//	N8  the members of each run are counted as the graph shows them
type Sweeps struct {
	plans    []*plan.Plan
	override bool // the phase's propagation goes before the object's own
	page     int  // the objects in a page of a selection

	holders  map[holderName][]graph.NodeID // the observed ones, sorted
	known    map[graph.NodeID]graph.Object // the same, as they were last observed
	dying    map[graph.NodeID]seq.Stamp    // the marked ones of them, and when that became known
	latest   seq.Stamp                     // the last of releases, or later
	releases map[holderName]seq.Stamp      // during a run: when a holder of that name last had a claim
	staleAt  seq.Stamp                     // the same for holders that releases does not name
	runs     map[RunID]*run
	of       map[runKey]RunID
	members  map[graph.NodeID][]membership // the lists are never changed in place
	detached map[holderName]RunID          // the runs of holders that are gone and were never guarded
	labels   labels
	last     RunID

	walk   graph.NodeID // the next node of the walk, 0 without one
	again  bool         // another walk is wanted
	began  seq.Stamp    // of the walk under way
	walked seq.Stamp    // the last complete walk began
	dirty  bool         // a detached run has to advance
	due    time.Time    // a detached run has to advance then, zero for never
	proofs time.Time    // no fence is requested for a proof before this
	ends   time.Time    // nor for a release before this

	counts Counts
	looked uint64 // the claims and kinds that were considered so far: the cost of a step, which queries count too
}

// RunID names a run of one engine.
type RunID uint32

// runKey names the run of a holder.
type runKey struct {
	node graph.NodeID
	plan int
}

// holderName is the name by which members claim their holder.
type holderName struct {
	plan        int
	scope, name string
}

// run is one sweep for one holder.
type run struct {
	plan          int
	node          graph.NodeID // of the holder, 0 if it is gone
	holder        graph.Object // as it was last observed
	since         seq.Stamp    // the run began, or the claims on the holder last changed
	labelsChanged seq.Stamp    // an event last showed a possible member whose labels are unknown
	seen          seq.Stamp    // a member last came or went
	need          seq.Stamp    // of the latest member that waits for a proof, 0 without one
	proofAfter    seq.Stamp    // a proof is requested from after this, 0 without a request
	proved        seq.Stamp    // without fences: the last read of the holder began
	listsWanted   seq.Stamp    // without fences: listings of every kind were requested
	unlisted      graph.Kind   // a kind that was not listed since
	fenced        seq.Stamp    // the fence began that showed no member
	read          bool         // a read of the holder is under way
	halted        bool         // no member may be deleted now
	over          bool         // the holder no longer needs the run
	unguarded     bool         // the holder does not carry the finalizer
	done          bool         // no member is left, and the finalizer may go
	fenceDelayed  bool         // it waits for the time to request a fence
	waves         int          // the number of proofs
	next          time.Time    // no proof is requested before this
	failed        string       // the error of the last read of the holder

	members     int   // the ones that are left
	left        []int // the same by phase
	open        int   // the number of phases that may delete, by the counts
	first       int   // the number of phases that may delete at once
	total, gone int
	kinds       map[graph.Kind]int // members left by kind
	held        int                // members that are held
	blocked     int                // members that wait for their dependents or members
	sample      []graph.NodeID     // some of these, sorted
}

// membership makes a node a member of a run.
type membership struct {
	run   RunID
	kind  graph.Kind
	phase int
	since seq.Stamp    // the claim became known
	fixed bool         // the claim applies to every later version of the object, and by has all other claims
	by    []plan.Claim // the claims that may end; never changed in place
	owned bool         // owner references alone make the claim
}

// Clone returns sweeps that share nothing with sw but the plans.
func (sw *Sweeps) Clone() Sweeps {
	d := *sw
	d.holders, d.known, d.dying, d.releases = cloneMap(sw.holders), cloneMap(sw.known), cloneMap(sw.dying), cloneMap(sw.releases)
	for name, ids := range d.holders {
		d.holders[name] = slices.Clone(ids)
	}
	d.runs, d.of = cloneMap(sw.runs), cloneMap(sw.of)
	for id, r := range d.runs {
		r := *r
		r.left, r.kinds, r.sample = slices.Clone(r.left), maps.Clone(r.kinds), slices.Clone(r.sample)
		d.runs[id] = &r
	}
	d.members, d.detached = cloneMap(sw.members), cloneMap(sw.detached)
	d.labels = sw.labels.clone()
	return d
}

// cloneMap is maps.Clone, and copies an empty map as a new one: the old one keeps the
// memory of its former entries.
func cloneMap[K comparable, V any](m map[K]V) map[K]V {
	if len(m) == 0 {
		return map[K]V{}
	}
	return maps.Clone(m)
}

// Any reports whether the configuration has a sweep.
func (sw *Sweeps) Any() bool { return len(sw.plans) > 0 }

// Runs returns the number of runs.
func (sw *Sweeps) Runs() int { return len(sw.runs) }

// IsHolder reports whether the node is of a kind of holders.
func (sw *Sweeps) IsHolder(id graph.NodeID) bool {
	_, ok := sw.known[id]
	return ok
}

// Counts returns the counters.
func (sw *Sweeps) Counts() Counts { return sw.counts }

// Looked returns the number of claims and kinds that were considered so far.
func (sw *Sweeps) Looked() uint64 { return sw.looked }

// sorted returns the runs in order of their holders' keys and plans.
func (sw *Sweeps) sorted() []RunID {
	return slices.SortedFunc(maps.Keys(sw.runs), func(a, b RunID) int {
		x, y := sw.runs[a], sw.runs[b]
		return cmp.Or(x.holder.Key.Compare(y.holder.Key), cmp.Compare(x.plan, y.plan))
	})
}

// Rewind forgets all runs: their marks may belong to a history that the store has lost.
func (sw *Sweeps) Rewind() {
	clear(sw.runs)
	clear(sw.of)
	clear(sw.members)
	clear(sw.detached)
	clear(sw.releases)
	sw.labels.forget()
	sw.walk, sw.again, sw.dirty, sw.due = 0, false, false, time.Time{}
}

// Lose makes each run that waits for a proof request one that begins after the moment.
func (sw *Sweeps) Lose(at seq.Stamp) {
	for _, r := range sw.runs {
		r.proofAfter = 0
		if r.need != 0 {
			r.need = at
		}
	}
}
