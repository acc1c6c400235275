package sweep

import (
	"slices"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/seq"
)

// Two holders with a claim on an object contest it as long as one of them lives, unless one
// is a member of the other. The contest ends by a change of either holder, of the holders above
// them, or of the object. The state of the swept holder is known only up to its last proof.
// So there may be no instant at which the swept holder alone had the object. Therefore the
// run needs another proof that begins later. This file keeps the moments at which claims
// may have ended.

// contestedUntil returns the last moment at which another holder with a claim on an object may
// have contested it, 0 without one. Such a holder was taken to live then, or had the claim
// before it changed. An older proof is stale: the swept holder may have changed by then, and
// the engine has not observed that yet.
func (sw *Sweeps) contestedUntil(v View, id graph.NodeID, r *run, o graph.Object) (last seq.Stamp) {
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

// releasedFor returns the last change of the holders that may have a claim on an object. It
// includes the holders that have these as members, directly or through others: see related.
func (sw *Sweeps) releasedFor(v View, id graph.NodeID, o graph.Object) (last seq.Stamp) {
	if len(sw.releases) == 0 {
		return 0
	}
	seen, ids := []graph.Object{o}, []graph.NodeID{id}
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
		if len(seen) > maxRelated { // it may be any holder
			return sw.latest
		}
	}
	return last
}

// holderVersionChanged notes another version of a holder. By its labels it may belong to
// another holder now, and contest nothing of that one. The sweeps want unknown labels where
// they matter: see recordMatch.
func (sw *Sweeps) holderVersionChanged(v View, id graph.NodeID, o graph.Object) {
	switch {
	case sw.hasMatch(id, o.Version):
		sw.staleAt = v.Stamps.Stamp()
		sw.retryContested(v)
	case sw.anyHeld():
		sw.wantSelects(v, sw.missingLabels(v, id, o))
	}
}

// noteRelease keeps the moment at which a holder came, or changed, in a way that may have
// ended a claim. That may be a claim of its own, or of a holder that has it now, or is a member
// of it. Until then that holder contested the objects. A holder that was marked before had no
// claim since the mark, which dying has.
//
//test:by TestRivalChanged
func (sw *Sweeps) noteRelease(v View, id graph.NodeID, was, o graph.Object, had bool) {
	if len(sw.runs) == 0 { // a run needs a proof from after its own beginning
		return
	}
	if at := sw.releasedAt(v, id, was, o, had); at > 0 {
		sw.retryContested(v)
		sw.released(v, o, at)
	}
}

// maxReleases bounds the holders whose releases are kept by name. Past it every holder counts
// as one that had a claim on every object. Then each run needs another proof.
const maxReleases = 4096

// released keeps that a holder may have had a claim on its members until then.
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

// releasedAt returns the moment until which there may have been such a claim, 0 if no claim
// may have ended.
func (sw *Sweeps) releasedAt(v View, id graph.NodeID, was, o graph.Object, had bool) seq.Stamp {
	if !had {
		if sw.mayHaveHolder(v, o) {
			return v.Stamps.Stamp()
		}
		return 0
	}
	dying, marked := sw.dying[id]
	switch own, others := sw.mayRelease(v, was, o); {
	case others, own && !marked:
		return v.Stamps.Stamp()
	case own:
		return dying
	}
	return 0
}

// mayRelease reports whether a change of a holder may have ended claims. Own is for a claim of
// its own, without its deletion. Others is for a claim of another holder, since one of the two
// has the other now.
func (sw *Sweeps) mayRelease(v View, was, o graph.Object) (own, others bool) {
	for _, p := range sw.plans {
		s := p.Sweep()
		own = own || p.DependsOnHolder() || p.IsHolder(was) != p.IsHolder(o)
		others = others || !p.IsHolder(was) && p.IsHolder(o) ||
			!slices.Equal(slices.Collect(p.ClaimsBy(was, anyLabels)), slices.Collect(p.ClaimsBy(o, anyLabels)))
		for i := range s.Members {
			others = others || s.Members[i].Where != nil && slices.ContainsFunc(sw.Holders(), func(k graph.Kind) bool { return p.Takes(i, k) })
		}
	}
	return own, others
}

// mayHaveHolder reports whether a holder may be a member of another one. Then a holder that it
// has may become a member by its coming, too.
func (sw *Sweeps) mayHaveHolder(v View, o graph.Object) bool {
	for _, p := range sw.plans {
		for range p.ClaimsBy(o, anyLabels) {
			return true
		}
	}
	return false
}

// anyLabels stands for labels that make every possible claim.
func anyLabels(int) (string, bool) { return "any", true }

// retryContested asks for new decisions of contested members after a rival ended or changed. Such
// members are held.
func (sw *Sweeps) retryContested(v View) {
	if sw.anyHeld() {
		sw.WalkAgain()
	}
}

// anyHeld reports whether a member is held or blocked.
func (sw *Sweeps) anyHeld() bool {
	for _, r := range sw.runs {
		if r.held+r.blocked > 0 {
			return true
		}
	}
	return false
}
