package ownergraph

import (
	"errors"
	"slices"
	"time"

	"github.com/ownergraph/ownergraph/internal/core/observed"
	"github.com/ownergraph/ownergraph/internal/core/queue"
	"github.com/ownergraph/ownergraph/internal/core/seq"
	"github.com/ownergraph/ownergraph/policy"
)

// walkAgain has every node asked whose member it is, and whether it can be
// deleted by now.
func (e *Engine) walkAgain() {
	e.clear.again = e.clear.again || len(e.clear.runs) > 0
}

// stepClearings goes on with the walk, or begins one that is wanted. It reports
// whether it did anything.
func (e *Engine) stepClearings() bool {
	c := &e.clear
	if c.stir || !c.due.IsZero() && !e.now.Before(c.due) {
		e.stepGhosts()
		return true
	}
	if c.walk == 0 && !c.again {
		return false
	}
	if c.walk == 0 {
		c.walk, c.again, c.began = 1, false, e.seq.Stamp()
	}
	for n, before := 0, e.looked; n+int(e.looked-before) < slice && int(c.walk) < e.graph.Cap() && e.work.Ready() < lowWater; n++ {
		e.walkNode(c.walk)
		c.walk++
	}
	if int(c.walk) < e.graph.Cap() {
		return true
	}
	before := c.walked
	c.walk, c.walked, c.stir = 0, c.began, len(c.ghosts) > 0
	for _, id := range c.sorted() {
		r := c.runs[id]
		if r.node != 0 { // it alone: for those that it owns a walk changes nothing
			e.work.Add(r.node, queue.Normal)
		}
		if before <= r.turned && c.walked > r.turned && r.open > r.first { // who waits for a phase has not been told
			e.walkAgain()
		}
	}
	return true
}

// opened returns how many phases of a clearing may delete. As long as it is not
// known who is left, those that wait for others do.
func (e *Engine) opened(r *clearing) int {
	if r.open == r.first || e.clear.walked > r.turned && e.selected(r, max(r.turned, r.hinted)) {
		return r.open
	}
	return r.first
}

// walkNode counts a node as a member, and has it decided if it can be deleted.
func (e *Engine) walkNode(id observed.NodeID) {
	if !e.graph.InUse(id) || e.graph.Node(id).State() != observed.Observed {
		return
	}
	e.enlist(id)
	if e.graph.Node(id).Deleting() {
		return
	}
	for _, m := range e.clear.members[id] {
		r := e.clear.runs[m.run]
		switch {
		case !e.proven(r, e.claimed(id, m)):
			e.needProof(r, e.claimed(id, m))
		case m.phase < e.opened(r):
			e.work.Add(id, queue.Low)
		}
	}
}

// stepGhosts sees to the clearings whose holders are gone.
func (e *Engine) stepGhosts() {
	c := &e.clear
	c.stir, c.due = false, time.Time{}
	for _, id := range c.sorted() {
		r := c.runs[id]
		if r.node != 0 {
			continue
		}
		name := holderName{r.plan, r.holder.Scope, r.holder.Name}
		taken := len(c.holders[name]) > 0 // what is left is the namesake's now
		_, done := e.tend(r)
		if taken || done {
			delete(c.runs, id)
			delete(c.ghosts, name)
		}
		if done && !taken {
			e.counts.Swept++
		}
	}
}

// stirGhosts has them seen to.
func (e *Engine) stirGhosts() {
	e.clear.stir = e.clear.stir || len(e.clear.ghosts) > 0
}

// claimed returns since when it is known that a node is a member of a marked
// holder. A claim that rests on what may change counts from the version that is
// judged.
func (e *Engine) claimed(id observed.NodeID, m membership) seq.Stamp {
	since := max(m.since, e.clear.runs[m.run].turned)
	if m.fixed && !has(e.retries, id) { // a conflict's read takes newer evidence (R1)
		return since
	}
	return max(since, e.state(id).Known)
}

// proven reports whether the holder is known to have been there, or to have been
// gone if it is a ghost, and with it everybody else who may hold anything, at an
// instant after the moment: all kinds of holders have passed a fence that began
// later, and so has the set of kinds, where it has not all of these: one of them may
// be served by now, and the watch not have said so. Without fences a read that began
// later has to show the holder, and a listing the others.
func (e *Engine) proven(r *clearing, after seq.Stamp) bool {
	after = max(after, e.kinds.LostAt())
	if e.level < Level2 && r.proved <= after || !e.kinds.Part(r.holder.Kind) {
		return false
	}
	for _, p := range e.clear.plans {
		name := p.Sweep().Holder
		k := e.kinds.Of(name)
		if k.Part && (e.level < Level2 && !e.kinds.Relisted(name, after) || e.level >= Level2 && k.Passed <= after) {
			return false
		}
	}
	return !e.holdersHidden() || e.level >= Level2 && e.fence.SetPassed() > after || e.level < Level2 && !e.kinds.SetLost()
}

// holdersHidden reports whether a kind of holders is not served, as far as is known.
func (e *Engine) holdersHidden() bool {
	return slices.ContainsFunc(e.clear.sweeps(), func(k Kind) bool { return !e.kinds.Part(k) && !e.kinds.Ignored(k) })
}

// needProof notes that a member waits for a proof.
func (e *Engine) needProof(r *clearing, after seq.Stamp) {
	after = max(after, e.kinds.LostAt())
	if after > r.need {
		r.need = after
		e.lookAt(r)
	}
}

// tend goes on with a clearing. It returns why that waits, and whether nothing is
// left of what the holder holds.
func (e *Engine) tend(r *clearing) (why policy.Reason, done bool) {
	r.paced = false
	if r.sought != 0 && e.proven(r, r.sought) {
		r.sought = 0
		r.waves++
		r.next = e.now.Add(pause(r.waves))
		e.walkAgain()
	}
	if r.need != 0 && e.proven(r, r.need) {
		r.need = 0
		e.walkAgain() // whoever waits has not been told
	}
	switch {
	case r.need != 0:
		e.seek(r)
		return policy.NeedMembers, false
	case e.clear.walked <= r.turned || r.members > 0:
		return policy.NeedMembers, false
	case !e.selected(r, max(r.turned, r.hinted)):
		return policy.NeedSelect, false
	}
	why, done = e.empty(r)
	if done && !e.selected(r, max(r.fenced, r.hinted)) {
		return policy.NeedSelect, false
	}
	return why, done
}

// empty reports whether it is proven that nothing is left but what labels alone say
// is there: by a fence that began after the last member came or went. What it did
// not show, and what it was too early for, a selection finds that began after it.
func (e *Engine) empty(r *clearing) (why policy.Reason, done bool) {
	if e.level < Level2 {
		return e.relist(r)
	}
	last := max(r.turned, r.seen, e.kinds.LostAt())
	switch {
	case e.fence.Passed() > last:
		if r.fenced <= last {
			r.fenced = e.fence.Passed()
		}
		return policy.MembersGone, true
	case !e.turn(r, &e.clear.ends, last):
		return policy.NeedFence, false
	}
	e.fence.Want(last, e.now)
	e.wakeHolder(r)
	if e.fenceHeld() {
		return policy.FenceHeld, false
	}
	return policy.NeedFence, false
}

// pause is how long the next proof is not asked for: who keeps creating members
// has them deleted in waves, at most one in half a minute.
func pause(waves int) time.Duration {
	return min(250*time.Millisecond<<min(waves-1, 7), 30*time.Second)
}

// seek asks for a proof, when it is time.
func (e *Engine) seek(r *clearing) {
	if e.now.Before(r.next) && r.sought == 0 {
		e.tendAt(r, r.next)
		return
	}
	if r.sought == 0 {
		if !e.turn(r, &e.clear.proofs, r.need) {
			return
		}
		r.sought = r.need
	}
	if e.level < Level2 {
		e.seekBy(r)
		return
	}
	e.fence.Want(r.sought, e.now)
	if e.fence.SetPassed() <= r.sought && e.holdersHidden() {
		e.wakeHolder(r)
	}
	for _, p := range e.clear.plans {
		name := p.Sweep().Holder
		if k := e.kinds.Of(name); k.Part && k.Passed <= r.sought && r.node != 0 {
			e.fence.AwaitKind(name, r.node)
		}
	}
}

// fencePace is how far apart fences are asked for, of each sort: sweeps that end
// one after another share them.
const fencePace = time.Second

// turn reports whether a clearing may ask for a fence that begins after the
// moment: one is wanted anyway, or it is time. Otherwise it is seen to then.
func (e *Engine) turn(r *clearing, next *time.Time, after seq.Stamp) bool {
	switch {
	case e.level < Level2 || e.fence.CanJoin(after):
		return true
	case e.now.Before(*next):
		r.paced = true
		e.tendAt(r, *next)
		return false
	}
	*next = e.now.Add(fencePace)
	return true
}

// tendAt has a clearing seen to at a time.
func (e *Engine) tendAt(r *clearing, at time.Time) {
	if r.node != 0 {
		e.work.AddAt(r.node, queue.Normal, at)
		return
	}
	if e.clear.due.IsZero() || at.Before(e.clear.due) {
		e.clear.due = at
	}
}

func (e *Engine) wakeHolder(r *clearing) {
	if r.node != 0 {
		e.fence.Await(r.node, e.edit(r.node))
	}
}

// seekBy reads the holder and has the kinds of holders listed, for stores without
// fences.
func (e *Engine) seekBy(r *clearing) {
	for _, name := range e.clear.sweeps() {
		if !e.kinds.Relisted(name, r.sought) && e.kinds.Of(name).Begun <= r.sought {
			e.kinds.WantList(name)
		}
	}
	e.wakeHolder(r)
	if r.read || r.proved > r.sought {
		return
	}
	r.read = true
	c := Call{Type: CallRead, Key: r.holder.Key, Timeout: e.cfg.CallTimeout}
	e.launch(&c, flight{node: r.node, key: r.holder.Key, run: e.clear.idOf(r)})
	e.prepared.Push(&c)
}

// holderRead takes what a read of a holder says. That somebody else has its
// place by now is for the watch to tell.
func (e *Engine) holderRead(f flight, res Result) {
	r := e.clear.runs[f.run]
	if r == nil || f.began <= e.kinds.Rewound() {
		return
	}
	r.read = false
	same := res.Err == nil && res.Object.UID == f.key.UID
	gone := errors.Is(res.Err, ErrNotFound) || res.Err == nil && !same
	switch {
	case gone && r.node == 0, same: // a ghost's place may be taken by what is no holder
		r.proved = f.began
		e.lookAt(r)
	default:
		r.waves++
		r.next = e.now.Add(pause(r.waves))
		r.sought = 0
		e.tendAt(r, r.next)
	}
}

// relist asks for a new listing of every kind, where there are no fences. It
// reports whether all have been listed since a member was last seen.
func (e *Engine) relist(r *clearing) (policy.Reason, bool) {
	if r.asked <= max(r.turned, r.seen, e.kinds.LostAt()) {
		r.asked = e.seq.Stamp()
		r.fenced = r.asked
		e.kinds.WantLists()
	}
	if e.lacksList(r) {
		e.wakeHolder(r)
		if e.kinds.AnySick() {
			return policy.FenceHeld, false
		}
		return policy.NeedFence, false
	}
	if e.kinds.SetLost() { // of kinds that nobody knows
		e.wakeHolder(r)
		return policy.FenceHeld, false
	}
	return policy.MembersGone, true
}

// lacksList reports whether a kind has still to be listed anew. The one that was found
// last is asked first: a holder is decided at each listing's end, and does not walk all
// kinds each time.
func (e *Engine) lacksList(r *clearing) bool {
	lacks := func(name Kind) bool { return e.kinds.Part(name) && !e.kinds.Relisted(name, r.asked) }
	if lacks(r.lacks) {
		return true
	}
	for _, name := range e.kinds.Names() {
		e.looked++
		if lacks(name) {
			r.lacks = name
			return true
		}
	}
	return false
}

func (c *clearings) idOf(r *clearing) runID {
	if r.node != 0 {
		return c.of[runKey{r.node, r.plan}]
	}
	return c.ghosts[holderName{r.plan, r.holder.Scope, r.holder.Name}]
}

// clearing reports whether a sweep waits for a proof that can still come: the
// kinds of holders are well, and known.
func (e *Engine) clearing() bool {
	if e.kinds.SetLost() && e.holdersHidden() {
		return false
	}
	for _, r := range e.clear.runs {
		if (r.need != 0 || r.paced) && !r.halted && !r.over && !slices.ContainsFunc(e.clear.sweeps(), func(k Kind) bool { return e.kinds.Sick(k) != "" }) {
			return true
		}
	}
	return false
}

// sweeps returns the kinds of holders.
func (c *clearings) sweeps() []Kind {
	out := make([]Kind, len(c.plans))
	for i, p := range c.plans {
		out[i] = p.Sweep().Holder
	}
	return out
}
