package sweep

import (
	"errors"
	"slices"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/record"
	"github.com/ownergraph/ownergraph/internal/core/seq"
	"github.com/ownergraph/ownergraph/policy"
	"github.com/ownergraph/ownergraph/queue"
)

// opened returns the number of phases that may delete, and the missing selections that may
// open more of them. A phase that waits for others stays closed until the members of these are
// all known.
func (sw *Sweeps) opened(v View, r *run) (phases int, missing []selectWant) {
	switch {
	case r.open == r.first:
		return r.open, nil
	case sw.walked <= r.since:
		return r.first, nil
	}
	missing, ok := sw.missingSelects(v, r, max(r.since, r.labelsChanged))
	if ok {
		return r.open, nil
	}
	return r.first, missing
}

// claimedSince returns the moment since which the claim of a marked holder on a node is known.
// A claim that may change counts from the judged version on.
func (sw *Sweeps) claimedSince(v View, id graph.NodeID, m membership) seq.Stamp {
	since := max(m.since, sw.runs[m.run].since)
	if m.fixed && !v.Retried(id) { // a conflict's read takes newer evidence (R1)
		return since
	}
	return max(since, v.State(id).Known)
}

// proven reports whether the state of the holders is known for an instant after the moment.
// The holder existed at it, or was absent for a detached run. Every other holder with a claim
// was observed.
//
// With fences, all kinds of holders have passed a fence that began later. If one of these
// kinds is not served, so has the set of kinds: the kind may be served by now, and the watch
// may not have reported it. Without fences, a read that began later has to show the holder,
// and a listing the other holders.
func (sw *Sweeps) proven(v View, r *run, after seq.Stamp) bool {
	after = max(after, v.Kinds.LostAt())
	if !v.Fence.Exact() && r.proved <= after || !v.Kinds.Part(r.holder.Kind) {
		return false
	}
	for _, p := range sw.plans {
		name := p.Sweep().Holder
		k := v.Kinds.Of(name)
		if k.Part && (!v.Fence.Exact() && !v.Kinds.Relisted(name, after) || v.Fence.Exact() && k.Passed <= after) {
			return false
		}
	}
	return !sw.holdersHidden(v) || v.Fence.Exact() && v.Fence.SetPassed() > after || !v.Fence.Exact() && !v.Kinds.SetLost()
}

// holdersHidden reports whether a kind of holders is not served, as far as the engine knows.
func (sw *Sweeps) holdersHidden(v View) bool {
	return slices.ContainsFunc(sw.Holders(), func(k graph.Kind) bool { return !v.Kinds.Part(k) && !v.Kinds.Ignored(k) })
}

// needProof notes that a member waits for a proof.
func (sw *Sweeps) needProof(v View, r *run, after seq.Stamp) {
	after = max(after, v.Kinds.LostAt())
	if after > r.need {
		r.need = after
		sw.advanceSoon(v, r)
	}
}

// progress is how far a run is, with what its next step does. It is a value that is valid until
// that step.
type progress struct {
	why      policy.Reason // for which the run waits, or for which the holder may go
	done     bool          // the holder has no member left
	proved   bool          // the requested proof has come
	served   bool          // no member waits for a proof any longer
	requests bool          // members wait for a proof
	selects  []selectWant  // that are missing
	fence    bool          // a fence is wanted that begins after last
	last     seq.Stamp
	fenced   seq.Stamp  // see run
	relists  bool       // without fences: listings of every kind are wanted
	unlisted graph.Kind // see run
	listing  bool       // the holder waits for a listing or a kind
}

// progress returns how far a run is, and changes nothing: see advance.
func (sw *Sweeps) progress(v View, r *run) (p progress) {
	p.proved = r.proofAfter != 0 && sw.proven(v, r, r.proofAfter)
	p.served = r.need != 0 && sw.proven(v, r, r.need)
	p.fenced = r.fenced
	switch {
	case r.need != 0 && !p.served:
		p.why, p.requests = policy.NeedMembers, true
		return p
	case sw.walked <= r.since || r.members > 0:
		p.why = policy.NeedMembers
		return p
	case !sw.addSelects(v, r, max(r.since, r.labelsChanged), &p):
		return p
	}
	if sw.proveEmpty(v, r, &p); p.done {
		p.done = sw.addSelects(v, r, max(p.fenced, r.labelsChanged), &p)
	}
	return p
}

// addSelects reports whether the members of the run are known by labels as of the moment. Otherwise
// the progress has the missing selections.
func (sw *Sweeps) addSelects(v View, r *run, after seq.Stamp, p *progress) bool {
	missing, ok := sw.missingSelects(v, r, after)
	if !ok {
		p.why, p.selects = policy.NeedSelect, missing
	}
	return ok
}

// proveEmpty tells whether the holder has no member left, apart from members by labels
// alone. The proof is a fence that began after the last member came or went. Without the proof
// one is wanted. A selection that begins after the fence finds the other members.
func (sw *Sweeps) proveEmpty(v View, r *run, p *progress) {
	if !v.Fence.Exact() {
		sw.proveListed(v, r, p)
		return
	}
	p.last = max(r.since, r.seen, v.Kinds.LostAt())
	if v.Fence.Passed() > p.last {
		if r.fenced <= p.last {
			p.fenced = v.Fence.Passed()
		}
		p.why, p.done = policy.MembersGone, true
		return
	}
	p.why, p.fence = policy.NeedFence, true
	if sw.mayRequestFence(v, sw.ends, p.last) && v.Fence.Blocked(v.Kinds) {
		p.why = policy.FenceHeld
	}
}

// advance takes a run on by its progress.
func (sw *Sweeps) advance(v View, r *run, p *progress) {
	r.fenceDelayed = false
	if p.proved {
		r.proofAfter = 0
		r.waves++
		r.next = v.Now.Add(pause(r.waves))
		sw.WalkAgain()
	}
	if p.served {
		r.need = 0
		sw.WalkAgain() // the waiting members are decided again
	}
	if r.fenced = p.fenced; p.requests {
		sw.requestProof(v, r)
	}
	if p.relists {
		r.listsWanted = v.Stamps.Stamp()
		r.fenced = r.listsWanted
		v.Kinds.WantLists()
	}
	if p.unlisted != "" {
		r.unlisted = p.unlisted
	}
	if p.listing {
		sw.wakeHolder(v, r)
	}
	if p.fence && sw.tryRequestFence(v, r, &sw.ends, p.last) {
		v.Fence.Want(p.last, v.Now)
		sw.wakeHolder(v, r)
	}
	sw.wantSelects(v, p.selects)
}

// pause returns the time until the next proof. If a client creates members all the time, the engine
// deletes them in waves, at most one in half a minute.
func pause(waves int) time.Duration {
	return min(250*time.Millisecond<<min(waves-1, 7), 30*time.Second)
}

// requestProof requests a proof, when it is time.
func (sw *Sweeps) requestProof(v View, r *run) {
	if v.Now.Before(r.next) && r.proofAfter == 0 {
		sw.advanceAt(v, r, r.next)
		return
	}
	if r.proofAfter == 0 {
		if !sw.tryRequestFence(v, r, &sw.proofs, r.need) {
			return
		}
		r.proofAfter = r.need
	}
	if !v.Fence.Exact() {
		sw.requestReads(v, r)
		return
	}
	v.Fence.Want(r.proofAfter, v.Now)
	if v.Fence.SetPassed() <= r.proofAfter && sw.holdersHidden(v) {
		sw.wakeHolder(v, r)
	}
	for _, p := range sw.plans {
		name := p.Sweep().Holder
		if k := v.Kinds.Of(name); k.Part && k.Passed <= r.proofAfter && r.node != 0 {
			v.Fence.AwaitKind(name, r.node)
		}
	}
}

// fencePace is the time between two requests for a fence, of each sort. Runs that end one
// after another share fences.
const fencePace = time.Second

// mayRequestFence reports whether a run may request a fence that begins after the moment: another
// waiter wants one, or it is time.
func (sw *Sweeps) mayRequestFence(v View, next time.Time, after seq.Stamp) bool {
	return !v.Fence.Exact() || v.Fence.CanJoin(after) || !v.Now.Before(next)
}

// tryRequestFence reports whether a run may request a fence that begins after the moment. Then the
// turn of the next run comes fencePace later, unless the run joins another waiter. A run that may
// not advances at its turn.
func (sw *Sweeps) tryRequestFence(v View, r *run, next *time.Time, after seq.Stamp) bool {
	switch {
	case !sw.mayRequestFence(v, *next, after):
		r.fenceDelayed = true
		sw.advanceAt(v, r, *next)
		return false
	case v.Fence.Exact() && !v.Fence.CanJoin(after):
		*next = v.Now.Add(fencePace)
	}
	return true
}

// advanceAt asks for the next step of a run at a time.
func (sw *Sweeps) advanceAt(v View, r *run, at time.Time) {
	if r.node != 0 {
		v.Out.LookAt(r.node, queue.Normal, at)
		return
	}
	if sw.due.IsZero() || at.Before(sw.due) {
		sw.due = at
	}
}

func (sw *Sweeps) wakeHolder(v View, r *run) {
	if r.node != 0 {
		v.Fence.Await(r.node, v.Edit(r.node))
	}
}

// AwaitsFence reports whether a run of a holder waits for a fence.
func (sw *Sweeps) AwaitsFence(id graph.NodeID) bool {
	for at := range sw.plans {
		if r := sw.runs[sw.of[runKey{id, at}]]; r != nil && r.node == id && (r.proofAfter != 0 || r.fenceDelayed) {
			return true
		}
	}
	return false
}

// ReadError returns the error of the last read of a holder, and the time of the next one. The
// text is empty while no read fails.
func (sw *Sweeps) ReadError(id graph.NodeID) (text string, next time.Time) {
	for at := range sw.plans {
		if r := sw.runs[sw.of[runKey{id, at}]]; r != nil && r.node == id && r.failed != "" {
			return r.failed, r.next
		}
	}
	return "", time.Time{}
}

// requestReads asks for a read of the holder and for listings of the kinds of holders, for stores
// without fences.
func (sw *Sweeps) requestReads(v View, r *run) {
	for _, name := range sw.Holders() {
		if !v.Kinds.Relisted(name, r.proofAfter) && v.Kinds.Of(name).Begun <= r.proofAfter {
			v.Kinds.WantList(name)
		}
	}
	sw.wakeHolder(v, r)
	if r.read || r.proved > r.proofAfter {
		return
	}
	r.read = true
	v.Out.ReadHolder(r.node, r.holder.Key, uint32(sw.idOf(r)))
}

// ReadDone takes the result of a read of a holder, which began then. A failed read shows
// neither the holder nor its absence. Wait is the store's own delay after the error. The watch
// reports a new object in its place.
func (sw *Sweeps) ReadDone(v View, id RunID, began seq.Stamp, o graph.Object, err error, wait time.Duration) {
	r := sw.runs[id]
	if r == nil || began <= v.Kinds.Rewound() {
		return
	}
	r.read, r.failed = false, ""
	there := err == nil && o.UID == r.holder.UID
	absent := errors.Is(err, graph.ErrNotFound) || err == nil && !there
	switch {
	case absent && r.node == 0, there: // an object that is no holder may have the name
		r.proved = began
		sw.advanceSoon(v, r)
	default:
		r.waves++
		r.next = v.Now.Add(max(pause(r.waves), wait))
		if err != nil {
			r.failed = record.ErrorText(err)
		}
		r.proofAfter = 0
		sw.advanceAt(v, r, r.next)
	}
}

// ReturnRead takes back a read of a holder that no worker has begun.
func (sw *Sweeps) ReturnRead(v View, id RunID) {
	if r := sw.runs[id]; r != nil {
		r.read = false
		sw.advanceSoon(v, r)
	}
}

// proveListed is proveEmpty for stores without fences: every kind has been listed since a member
// last came or went.
func (sw *Sweeps) proveListed(v View, r *run, p *progress) {
	after := r.listsWanted
	if p.relists = after <= max(r.since, r.seen, v.Kinds.LostAt()); p.relists {
		after = v.Stamps.Last() + 1 // no listing is that new
		p.fenced = after
	}
	p.unlisted = sw.missingList(v, r, after)
	switch p.listing = true; {
	case p.unlisted != "" && !v.Kinds.AnySick():
		p.why = policy.NeedFence
	case p.unlisted != "" || v.Kinds.SetLost(): // there may be unknown kinds
		p.why = policy.FenceHeld
	default:
		p.why, p.done, p.listing = policy.MembersGone, true, false
	}
}

// missingList returns a kind that has still to be listed after the moment, "" without one. It tries the
// kind of the last result first: a holder is decided at each listing's end, and does not walk
// all kinds each time.
func (sw *Sweeps) missingList(v View, r *run, after seq.Stamp) graph.Kind {
	lacks := func(name graph.Kind) bool { return v.Kinds.Part(name) && !v.Kinds.Relisted(name, after) }
	if lacks(r.unlisted) {
		return r.unlisted
	}
	for _, name := range v.Kinds.Names() {
		sw.looked++
		if lacks(name) {
			return name
		}
	}
	return ""
}

func (sw *Sweeps) idOf(r *run) RunID {
	if r.node != 0 {
		return sw.of[runKey{r.node, r.plan}]
	}
	return sw.detached[holderName{r.plan, r.holder.Scope, r.holder.Name}]
}

// Proving reports whether a run waits for a proof that can still come: the kinds of holders
// are known and well.
func (sw *Sweeps) Proving(v View) bool {
	if v.Kinds.SetLost() && sw.holdersHidden(v) {
		return false
	}
	for _, r := range sw.runs {
		if (r.need != 0 || r.fenceDelayed) && !r.halted && !r.over && !slices.ContainsFunc(sw.Holders(), func(k graph.Kind) bool { return v.Kinds.Sick(k) != "" }) {
			return true
		}
	}
	return false
}

// Holders returns the kinds of holders, one for each sweep of the configuration.
func (sw *Sweeps) Holders() []graph.Kind {
	out := make([]graph.Kind, len(sw.plans))
	for i, p := range sw.plans {
		out[i] = p.Sweep().Holder
	}
	return out
}
