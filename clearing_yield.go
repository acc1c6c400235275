package ownergraph

import (
	"slices"

	"github.com/ownergraph/ownergraph/internal/core/observed"
	"github.com/ownergraph/ownergraph/internal/core/seq"
)

// What two holders have a claim on is contested as long as one of them lives, unless one
// holds the other. When that ends, by whatever becomes of either, of who holds them, or
// of the object, the holder that is swept is known to have been as it was only up to its
// last proof: there may be no instant at which the object was its alone. So another
// proof is asked for that begins later. Here it is kept when claims may have ended.

// lapsed reports whether the proof is older than the last moment at which another
// holder that has a claim on an object, or had one before it changed, was taken to
// live, and contested it: the holder that is swept may have changed its mind by then,
// unseen as yet. Another one is asked for.
func (e *Engine) lapsed(id observed.NodeID, r *clearing, o Object) bool {
	last := e.clear.lapsed
	for i := range e.clear.plans {
		for claim := range e.claims(i, id, o, false) {
			for h, x := range e.claimants(i, o, claim) {
				if at := e.clear.dying[h]; h != r.node && h != id && at > last && !e.related(r.holder, x) {
					last = at
				}
			}
		}
	}
	last = max(last, e.yieldOf(id, o))
	if last == 0 || e.proven(r, last) {
		return false
	}
	e.needProof(r, last)
	return true
}

// yieldOf returns when one of those last changed who may have a claim on an object, or
// who hold these, directly or through others: see related.
func (e *Engine) yieldOf(id observed.NodeID, o Object) (last seq.Stamp) {
	c := &e.clear
	if len(c.yielded) == 0 {
		return 0
	}
	seen, ids := []Object{o}, []observed.NodeID{id}
	for at := 0; at < len(seen); at++ {
		for i := range c.plans {
			for claim := range e.claims(i, ids[at], seen[at], false) {
				for _, scope := range [...]string{"", seen[at].Scope} {
					last = max(last, c.yielded[holderName{i, scope, claim.Name}])
				}
				for h, x := range e.claimants(i, seen[at], claim) {
					if !slices.Contains(ids, h) {
						seen, ids = append(seen, x), append(ids, h)
					}
				}
			}
		}
		if len(seen) > mostRelated { // whoever it was
			return c.latest
		}
	}
	return last
}

// relabelled sees to a holder of another version: by its labels it may be another
// one's now, and contest nothing of that one's any more. If they are not known yet they
// are asked for where that matters: see show.
func (e *Engine) relabelled(id observed.NodeID, o Object) {
	switch {
	case e.labelled(id, o.Version):
		e.clear.lapsed = e.seq.Stamp()
		e.yield()
	case e.clear.blocks():
		e.told(id, o)
	}
}

// noteYield keeps when a holder has changed, or come, in a way that may have ended a
// claim of it, or of one that it holds now, or is held by: that one contested the
// objects until then. One that was deleted before had no claim any more, since dying.
// Held by TestSweepLapsedChange.
func (e *Engine) noteYield(id observed.NodeID, was, o Object, had bool) {
	if len(e.clear.runs) == 0 { // a sweep asks for proof since its own beginning
		return
	}
	if at := e.yieldedAt(id, was, o, had); at > 0 {
		e.yield()
		e.yielded(o, at)
	}
}

// mostYielded bounds how many holders it is kept of by name. Past it they are all taken
// to have had a claim on anything: each sweep needs another proof.
const mostYielded = 4096

// yielded keeps that a holder may have had a claim until then, on what names it.
func (e *Engine) yielded(o Object, at seq.Stamp) {
	c := &e.clear
	if len(c.runs) == 0 {
		return
	}
	c.latest = max(c.latest, at)
	if len(c.yielded) > mostYielded {
		c.lapsed = c.latest
		clear(c.yielded)
	}
	for i, p := range c.plans {
		if o.Kind != p.Sweep().Holder {
			continue
		}
		for _, name := range c.names(i, o) {
			c.yielded[name] = max(c.yielded[name], at)
		}
	}
}

// yieldedAt returns until when there may have been such a claim, 0 if no claim may have
// ended.
func (e *Engine) yieldedAt(id observed.NodeID, was, o Object, had bool) seq.Stamp {
	if !had {
		if e.claiming(o) {
			return e.seq.Stamp()
		}
		return 0
	}
	switch own, others := e.mayYield(was, o); {
	case others, own && !was.Deleting:
		return e.seq.Stamp()
	case own:
		return e.clear.dying[id]
	}
	return 0
}

// mayYield reports whether a change of a holder may have ended a claim of its own, but
// by its deletion, and one of others, since it holds them now, or is held by them.
func (e *Engine) mayYield(was, o Object) (own, others bool) {
	for _, p := range e.clear.plans {
		s := p.Sweep()
		own = own || s.DependsOnHolder() || p.IsHolder(was) != p.IsHolder(o)
		others = others || !p.IsHolder(was) && p.IsHolder(o) ||
			!slices.Equal(slices.Collect(p.ClaimsBy(was, anyLabels)), slices.Collect(p.ClaimsBy(o, anyLabels)))
		for i := range s.Members {
			others = others || s.Members[i].Where != nil && slices.ContainsFunc(e.clear.sweeps(), func(k Kind) bool { return p.Takes(i, k) })
		}
	}
	return own, others
}

// claiming reports whether a holder may be another one's: then one that it holds may
// be by its coming, too.
func (e *Engine) claiming(o Object) bool {
	for _, p := range e.clear.plans {
		for range p.ClaimsBy(o, anyLabels) {
			return true
		}
	}
	return false
}

// anyLabels has every claim yielded that some labels would make.
func anyLabels(int) (string, bool) { return "any", true }

// yield has members looked at again that a holder has contested who does not any
// more. Such members are held.
func (e *Engine) yield() {
	if e.clear.blocks() {
		e.walkAgain()
	}
}

// blocks reports whether a member is held.
func (c *clearings) blocks() bool {
	for _, r := range c.runs {
		if r.blocked > 0 {
			return true
		}
	}
	return false
}
