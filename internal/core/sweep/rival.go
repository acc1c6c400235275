package sweep

import (
	"slices"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/observed"
	"github.com/ownergraph/ownergraph/internal/core/seq"
)

// What two holders have a claim on is contested as long as one of them lives, unless one
// holds the other. When that ends, by whatever becomes of either, of who holds them, or
// of the object, the holder that is swept is known to have been as it was only up to its
// last proof: there may be no instant at which the object was its alone. So another
// proof is asked for that begins later. Here it is kept when claims may have ended.

// contestedUntil returns the last moment at which another holder with a claim on an
// object may have contested it, 0 without one. Such a holder was taken to live then, or had
// the claim before it changed. An older proof is stale: the swept holder may have changed
// by then, and the engine has not observed that yet.
func (sw *Sweeps) contestedUntil(v View, id observed.NodeID, r *run, o graph.Object) (last seq.Stamp) {
	last = sw.staleAt
	for i := range sw.plans {
		for claim := range sw.claims(v, i, id, o, false) {
			for h, x := range sw.claimants(v, i, o, claim) {
				if at := sw.dying[h]; h != r.node && h != id && at > last && !sw.related(v, r.holder, x) {
					last = at
				}
			}
		}
	}
	return max(last, sw.releasedFor(v, id, o))
}

// yieldOf returns when one of those last changed who may have a claim on an object, or
// who hold these, directly or through others: see related.
func (sw *Sweeps) releasedFor(v View, id observed.NodeID, o graph.Object) (last seq.Stamp) {
	if len(sw.releases) == 0 {
		return 0
	}
	seen, ids := []graph.Object{o}, []observed.NodeID{id}
	for at := 0; at < len(seen); at++ {
		for i := range sw.plans {
			for claim := range sw.claims(v, i, ids[at], seen[at], false) {
				for _, scope := range [...]string{"", seen[at].Scope} {
					last = max(last, sw.releases[holderName{i, scope, claim.Name}])
				}
				for h, x := range sw.claimants(v, i, seen[at], claim) {
					if !slices.Contains(ids, h) {
						seen, ids = append(seen, x), append(ids, h)
					}
				}
			}
		}
		if len(seen) > maxRelated { // whoever it was
			return sw.latest
		}
	}
	return last
}

// relabelled sees to a holder of another version: by its labels it may be another
// one's now, and contest nothing of that one's any more. If they are not known yet they
// are asked for where that matters: see show.
func (sw *Sweeps) relabelled(v View, id observed.NodeID, o graph.Object) {
	switch {
	case sw.labelled(id, o.Version):
		sw.staleAt = v.Stamps.Stamp()
		sw.retryContested(v)
	case sw.blocks():
		sw.wantSelects(v, sw.missingLabels(v, id, o))
	}
}

// noteYield keeps when a holder has changed, or come, in a way that may have ended a
// claim of it, or of one that it holds now, or is held by: that one contested the
// objects until then. One that was deleted before had no claim any more, since dying.
func (sw *Sweeps) noteRelease(v View, id observed.NodeID, was, o graph.Object, had bool) {
	if len(sw.runs) == 0 { // a sweep asks for proof since its own beginning
		return
	}
	if at := sw.releasedAt(v, id, was, o, had); at > 0 {
		sw.retryContested(v)
		sw.released(v, o, at)
	}
}

// maxReleases bounds how many holders it is kept of by name. Past it they are all taken
// to have had a claim on anything: each sweep needs another proof.
const maxReleases = 4096

// yielded keeps that a holder may have had a claim until then, on what names it.
func (sw *Sweeps) released(v View, o graph.Object, at seq.Stamp) {
	if len(sw.runs) == 0 {
		return
	}
	sw.latest = max(sw.latest, at)
	if len(sw.releases) > maxReleases {
		sw.staleAt = sw.latest
		clear(sw.releases)
	}
	for i, p := range sw.plans {
		if o.Kind != p.Sweep().Holder {
			continue
		}
		for _, name := range sw.names(i, o) {
			sw.releases[name] = max(sw.releases[name], at)
		}
	}
}

// yieldedAt returns until when there may have been such a claim, 0 if no claim may have
// ended.
func (sw *Sweeps) releasedAt(v View, id observed.NodeID, was, o graph.Object, had bool) seq.Stamp {
	if !had {
		if sw.claiming(v, o) {
			return v.Stamps.Stamp()
		}
		return 0
	}
	switch own, others := sw.mayRelease(v, was, o); {
	case others, own && !was.Deleting:
		return v.Stamps.Stamp()
	case own:
		return sw.dying[id]
	}
	return 0
}

// mayYield reports whether a change of a holder may have ended a claim of its own, but
// by its deletion, and one of others, since it holds them now, or is held by them.
func (sw *Sweeps) mayRelease(v View, was, o graph.Object) (own, others bool) {
	for _, p := range sw.plans {
		s := p.Sweep()
		own = own || p.DependsOnHolder() || p.IsHolder(was) != p.IsHolder(o)
		others = others || !p.IsHolder(was) && p.IsHolder(o) ||
			!slices.Equal(slices.Collect(p.ClaimsBy(was, anyLabels)), slices.Collect(p.ClaimsBy(o, anyLabels)))
		for i := range s.Members {
			others = others || s.Members[i].Where != nil && slices.ContainsFunc(sw.sweeps(), func(k graph.Kind) bool { return p.Takes(i, k) })
		}
	}
	return own, others
}

// claiming reports whether a holder may be another one's: then one that it holds may
// be by its coming, too.
func (sw *Sweeps) claiming(v View, o graph.Object) bool {
	for _, p := range sw.plans {
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
func (sw *Sweeps) retryContested(v View) {
	if sw.blocks() {
		sw.WalkAgain()
	}
}

// blocks reports whether a member is held.
func (sw *Sweeps) blocks() bool {
	for _, r := range sw.runs {
		if r.blocked > 0 {
			return true
		}
	}
	return false
}
