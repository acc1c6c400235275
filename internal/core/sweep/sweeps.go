// Package sweep follows the sweeps of a configuration: the deletion of all members of a
// marked holder, before the holder goes (RULES, sweeps).
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
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/ownergraph/ownergraph/finalizer"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/effect"
	"github.com/ownergraph/ownergraph/internal/core/fence"
	"github.com/ownergraph/ownergraph/internal/core/held"
	"github.com/ownergraph/ownergraph/internal/core/kinds"
	"github.com/ownergraph/ownergraph/internal/core/observed"
	"github.com/ownergraph/ownergraph/internal/core/record"
	"github.com/ownergraph/ownergraph/internal/core/seq"
	"github.com/ownergraph/ownergraph/internal/core/sweep/plan"
	"github.com/ownergraph/ownergraph/policy"
)

// View has the lower machines that the sweeps use. The caller makes one for each call, and
// the sweeps keep none.
type View struct {
	record.Nodes
	Kinds   *kinds.Table
	Fence   *fence.Machine
	Held    *held.Table
	Stamps  *seq.Counter
	Retries map[observed.NodeID]graph.Object // the answers of conflicts' reads, by node
	Out     *effect.List
	Now     time.Time
}

// Retried reports whether a conflict's read has answered for the node.
func (v *View) Retried(id observed.NodeID) bool {
	_, ok := v.Retries[id]
	return ok
}

// Counts counts what the sweeps of one engine have done.
type Counts struct{ Ended, Members, MembersGone, Unguarded uint64 }

// Sweeps holds all runs, and the holders and members that they follow. Make one with New.
// It is not safe for concurrent use.
//
// Its invariant, which Check verifies:
//
//	E8  the members of each run are counted as the graph shows them
type Sweeps struct {
	plans    []*plan.Plan
	override bool // the phase's propagation goes before the object's own
	page     int  // the objects in a page of a selection

	holders  map[holderName][]observed.NodeID // the observed ones, sorted
	known    map[observed.NodeID]graph.Object // the same, as they were last observed
	dying    map[observed.NodeID]seq.Stamp    // the marked ones of them, and when that became known
	latest   seq.Stamp                        // the last of releases, or later
	releases map[holderName]seq.Stamp         // during a run: when a holder of that name last had a claim
	staleAt  seq.Stamp                        // the same for holders that releases does not name
	runs     map[RunID]*run
	of       map[runKey]RunID
	members  map[observed.NodeID][]membership // the lists are never changed in place
	detached map[holderName]RunID             // the runs of holders that are gone and were never guarded
	labels   labels
	last     RunID

	walk   observed.NodeID // the next node of the walk, 0 without one
	again  bool            // another walk is wanted
	began  seq.Stamp       // of the walk under way
	walked seq.Stamp       // the last complete walk began
	dirty  bool            // a detached run has to advance
	due    time.Time       // a detached run has to advance then, zero for never
	proofs time.Time       // no fence is requested for a proof before this
	ends   time.Time       // nor for a release before this

	counts Counts
	looked uint64 // the claims and kinds that were considered so far: the cost of a step, which queries count too
}

// RunID names a run of one engine.
type RunID uint32

// runKey names the run of a holder.
type runKey struct {
	node observed.NodeID
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
	node          observed.NodeID // of the holder, 0 if it is gone
	holder        graph.Object    // as it was last observed
	since         seq.Stamp       // the run began, or the claims on the holder last changed
	labelsChanged seq.Stamp       // an event last showed a possible member whose labels are unknown
	seen          seq.Stamp       // a member last came or went
	need          seq.Stamp       // of the latest member that waits for a proof, 0 without one
	proofAfter    seq.Stamp       // a proof is requested from after this, 0 without a request
	proved        seq.Stamp       // without fences: the last read of the holder began
	listsWanted   seq.Stamp       // without fences: listings of every kind were requested
	unlisted      graph.Kind      // a kind that was not listed since
	fenced        seq.Stamp       // the fence began that showed no member
	read          bool            // a read of the holder is under way
	halted        bool            // no member may be deleted now
	over          bool            // the holder does not need the run any more
	unguarded     bool            // the holder does not carry the finalizer
	done          bool            // no member is left, and the finalizer may go
	fenceDelayed  bool            // it waits for the time to request a fence
	waves         int             // the number of proofs
	next          time.Time       // no proof is requested before this

	members     int   // the ones that are left
	left        []int // the same by phase
	open        int   // the number of phases that may delete, by the counts
	first       int   // the number of phases that may delete at once
	total, gone int
	kinds       map[graph.Kind]int // members left by kind
	blocked     int                // members that are held
	sample      []observed.NodeID  // some of these, sorted
}

// membership makes a node a member of a run.
type membership struct {
	run   RunID
	kind  graph.Kind
	phase int
	since seq.Stamp    // the claim became known
	fixed bool         // the claim holds for every later version of the object, and by has all other claims
	by    []plan.Claim // the claims that may end; never changed in place
	owned bool         // owner references alone make the claim
}

// Settings are the parts of the engine's configuration that sweeps use.
type Settings struct {
	Sweeps   []finalizer.Sweep
	Override bool
	Page     int
}

// New returns the sweeps of a configuration. An error names the sweep's field.
func New(set Settings) (Sweeps, error) {
	sw := Sweeps{
		override: set.Override, page: set.Page,
		holders: map[holderName][]observed.NodeID{}, known: map[observed.NodeID]graph.Object{},
		dying: map[observed.NodeID]seq.Stamp{}, releases: map[holderName]seq.Stamp{},
		runs: map[RunID]*run{}, of: map[runKey]RunID{}, members: map[observed.NodeID][]membership{},
		detached: map[holderName]RunID{},
	}
	for _, s := range set.Sweeps {
		p, err := plan.New(s)
		if err != nil {
			return sw, fmt.Errorf("plan a sweep: %w", err)
		}
		sw.plans = append(sw.plans, p)
	}
	sw.labels = newLabels(sw.plans)
	return sw, nil
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
func (sw *Sweeps) IsHolder(id observed.NodeID) bool {
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

// noteHolder keeps the table of holders as the graph shows them. After a change of a holder,
// the members that only this holder contested are decided again. If the plan's members depend
// on the holder itself, all members are.
func (sw *Sweeps) noteHolder(v View, id observed.NodeID) {
	n := v.Graph.Node(id)
	o, noted := n.Object(), false
	was, had := sw.known[id]
	changed := had && !was.EqualContent(o)
	for i, p := range sw.plans {
		if o.Kind != p.Sweep().Holder {
			continue
		}
		noted = true
		sw.indexHolder(i, o, id, p.IsHolder(o))
		if r, ok := sw.of[runKey{id, i}]; ok {
			sw.runs[r].holder = o
			sw.runs[r].halted = sw.runs[r].halted || !p.IsHolder(o) || sw.halt(v, id, i, o) != policy.ReasonUnset
			if changed && p.DependsOnHolder() {
				sw.runs[r].since = v.Stamps.Stamp()
				sw.WalkAgain()
			}
		}
	}
	if noted {
		if changed {
			sw.retryContested(v)
		}
		if changed || !had {
			sw.noteRelease(v, id, was, o, had)
		}
		if had && was.Version != o.Version {
			sw.holderVersionChanged(v, id, o)
		}
		if !had {
			sw.MarkDetached()
		}
		sw.known[id] = o
		switch _, dying := sw.dying[id]; {
		case !o.Deleting:
			delete(sw.dying, id)
		case !dying:
			sw.dying[id] = v.Stamps.Stamp()
		}
	}
}

// Leave takes a node that is gone out of the tables. Unseen says that the node may have had
// states that the watch did not report.
func (sw *Sweeps) Leave(v View, id observed.NodeID, unseen bool) {
	sw.setMemberships(v, id, nil, true)
	sw.dropMatches(v, id)
	was, had := sw.known[id]
	if !had {
		return
	}
	if last, dying := sw.dying[id]; dying || slices.ContainsFunc(sw.plans, func(p *plan.Plan) bool { return p.IsHolder(was) }) {
		if !dying { // it has lived until now
			last = v.Stamps.Stamp()
		}
		sw.released(v, was, last)
	}
	delete(sw.known, id)
	delete(sw.dying, id)
	for i, p := range sw.plans {
		if was.Kind == p.Sweep().Holder {
			sw.indexHolder(i, was, id, false)
			sw.holderGone(v, i, id, was, unseen || v.Kinds.Of(was.Kind).NeedsRelist)
		}
	}
	sw.retryContested(v)
}

// indexHolder puts a holder into the table by its names, or takes it out.
func (sw *Sweeps) indexHolder(plan int, o graph.Object, id observed.NodeID, in bool) {
	for _, name := range sw.names(plan, o) {
		sw.indexName(name, id, in)
	}
}

// names returns the keys of a holder in the table: its name, and the empty name if a claim
// with Rest alone may name it.
func (sw *Sweeps) names(plan int, o graph.Object) []holderName {
	names := []holderName{{plan, o.Scope, o.Name}}
	if sw.plans[plan].NamedByRest(o) {
		names = append(names, holderName{plan: plan, scope: o.Scope})
	}
	return names
}

// indexName puts a holder into the table by one name, or takes it out.
func (sw *Sweeps) indexName(name holderName, id observed.NodeID, in bool) {
	ids := sw.holders[name]
	switch i, ok := slices.BinarySearch(ids, id); {
	case in && !ok:
		sw.holders[name] = slices.Insert(ids, i, id)
	case !in && ok && len(ids) == 1:
		delete(sw.holders, name)
	case !in && ok:
		sw.holders[name] = slices.Delete(ids, i, i+1)
	}
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

// begin begins the run of a holder. The node is 0 for a holder that is gone.
func (sw *Sweeps) begin(v View, plan int, node observed.NodeID, holder graph.Object) *run {
	sw.last++
	r := &run{
		plan: plan, node: node, holder: holder, since: v.Stamps.Stamp(),
		left: make([]int, sw.plans[plan].Phases()), kinds: map[graph.Kind]int{},
	}
	r.open, r.first = sw.plans[plan].Phases(), sw.plans[plan].Open(slices.Repeat([]int{1}, len(r.left)))
	r.unguarded = !holder.HasFinalizer(sw.plans[plan].Sweep().Finalizer)
	sw.runs[sw.last] = r
	if node == 0 {
		sw.detach(v, r, sw.last)
	} else {
		sw.of[runKey{node, plan}] = sw.last
	}
	missing, _ := sw.missingSelects(v, r, r.since)
	sw.wantSelects(v, missing)
	sw.WalkAgain()
	return r
}

// detach makes a run one of a holder that is gone. A run of an earlier holder of the same name
// gives way to it, since both have the same members left.
func (sw *Sweeps) detach(v View, r *run, id RunID) {
	name := holderName{r.plan, r.holder.Scope, r.holder.Name}
	if former, ok := sw.detached[name]; ok {
		delete(sw.runs, former)
	}
	sw.detached[name] = id
	sw.WalkAgain()
}

// maxDetached bounds the number of detached runs.
const maxDetached = 64

// holderGone ends the run of a holder that is gone. A holder that was never guarded is
// reported, and a setting has its members swept all the same. If the watch may have missed
// states of the holder, it is only reported. It may have been guarded and released, or belong
// to a lost history, and unknown deletes nothing.
//
// Held by TestUnguardedHolder.
func (sw *Sweeps) holderGone(v View, plan int, id observed.NodeID, was graph.Object, unseen bool) {
	p := sw.plans[plan]
	k := runKey{id, plan}
	at, under := sw.of[k]
	r := sw.runs[at]
	delete(sw.of, k)
	if under && r.done && !r.over {
		sw.counts.Ended++
	}
	switch {
	case under && r.unguarded && !r.over && len(sw.detached) < maxDetached:
		r.node = 0
		sw.detach(v, r, at)
		sw.advanceSoon(v, r)
		return
	case under:
		delete(sw.runs, at)
		return
	case v.Kinds.Relisting() || was.Deleting || !p.IsHolder(was) || was.HasFinalizer(p.Sweep().Finalizer):
		return
	}
	sw.counts.Unguarded++
	v.Out.Warn("holder deleted before its finalizer was set", "object", was.Key.String(), "unseen", unseen)
	v.Out.Report(was.Key, was.Version, policy.Decision{Action: policy.Keep, Reason: policy.HolderUnguarded})
	if p.Sweep().Unguarded && p.Fit(was) == nil && !unseen && len(sw.detached) < maxDetached {
		sw.begin(v, plan, 0, was)
	}
}

// Lose has each run that waits for a proof request one that begins after the moment.
func (sw *Sweeps) Lose(at seq.Stamp) {
	for _, r := range sw.runs {
		r.proofAfter = 0
		if r.need != 0 {
			r.need = at
		}
	}
}
