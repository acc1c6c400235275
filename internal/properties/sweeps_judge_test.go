package properties

import (
	"fmt"
	"slices"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/finalizer"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/world"
)

// sweepJudge says of each write of an engine whether a sweep may make it, by what
// really was in the store, instant by instant. It does not know how engines come
// to what they do.
type sweepJudge struct {
	plans []*finalizer.Plan
	// owed: at an instant at which the object existed, a holder of it was marked,
	// and nobody else who lived had a claim on it.
	owed map[graph.Key]bool
	// empty: at an instant since the holder's mark nothing belonged to it.
	empty map[string]bool
	// ghosts are holders that went before they carried the finalizer, where those
	// are swept too; last is what the store held an instant ago.
	ghosts []graph.Object
	last   []graph.Object
	// fair is off while kinds may be out of service, whose objects no fence sees.
	fair   bool
	broken error
}

func newSweepJudge(sweeps []finalizer.Sweep) *sweepJudge {
	j := &sweepJudge{owed: map[graph.Key]bool{}, empty: map[string]bool{}, fair: true}
	for _, s := range sweeps {
		p, err := finalizer.NewPlan(s)
		if err != nil {
			panic(err)
		}
		j.plans = append(j.plans, p)
	}
	return j
}

// above reports whether the holder h holds o, directly or through others.
func (j *sweepJudge) above(h, o graph.Object, all []graph.Object, depth int) bool {
	for _, p := range j.plans {
		if p.Member(h, o) {
			return true
		}
		for _, x := range all {
			if depth > 0 && p.Member(x, o) && j.above(h, x, all, depth-1) {
				return true
			}
		}
	}
	return false
}

func (j *sweepJudge) contested(h, o graph.Object, all []graph.Object) bool {
	for _, p := range j.plans {
		for _, x := range all {
			if x.Key != h.Key && x.Key != o.Key && p.Contests(x, o) && !j.above(x, h, all, 2) && !j.above(h, x, all, 2) {
				return true
			}
		}
	}
	return false
}

// instant takes what the store holds now.
func (j *sweepJudge) instant(all []graph.Object) {
	j.haunt(all)
	for i, p := range j.plans {
		for _, h := range append(slices.Clone(j.ghosts), all...) {
			if !p.IsHolder(h) || !h.Deleting {
				continue
			}
			empty := true
			for _, o := range all {
				if p.Member(h, o) {
					empty = false
					j.owed[o.Key] = j.owed[o.Key] || p.Fit(h) == nil && !unconfirmed(p, h) && !j.contested(h, o, all)
				}
			}
			j.empty[emptied(i, h.Key)] = j.empty[emptied(i, h.Key)] || empty
		}
	}
}

// unconfirmed reports whether nobody has confirmed yet that the holder may go.
func unconfirmed(p *finalizer.Plan, h graph.Object) bool {
	return p.Sweep().Confirm != "" && h.HasFinalizer(p.Sweep().Confirm)
}

// haunt notes which holders have gone unguarded.
func (j *sweepJudge) haunt(all []graph.Object) {
	for _, p := range j.plans {
		for _, h := range j.last {
			gone := !slices.ContainsFunc(all, func(o graph.Object) bool { return o.Key == h.Key })
			if gone && p.IsHolder(h) && p.Sweep().Unguarded && !h.HasFinalizer(p.Sweep().Finalizer) {
				h.Deleting = true
				j.ghosts = append(j.ghosts, h)
			}
		}
	}
	j.last = slices.Clone(all)
}

func emptied(plan int, k graph.Key) string { return fmt.Sprint(plan, k) }

// write judges a write of an engine that changed the store.
func (j *sweepJudge) write(before *world.Store, c ownergraph.Call) {
	if j.broken != nil {
		return
	}
	pre, live := c.Precondition, c.Key
	if c.Type == ownergraph.CallDelete {
		pre = c.Options.Precondition
	}
	o, ok := before.At(live)
	switch {
	case !ok || pre.UID == "" || pre.Version == "" || pre.UID != o.UID || pre.Version != o.Version:
		j.broken = fmt.Errorf("%s %s under %+v meets %s", c.Type, c.Key, pre, o)
	case c.Type == ownergraph.CallDelete && !j.owed[o.Key]:
		j.broken = fmt.Errorf("%s is deleted: at no instant was it a marked holder's alone", o)
	}
	for i, p := range j.plans {
		if j.fair && c.Change.DropFinalizer == p.Sweep().Finalizer && (!j.empty[emptied(i, o.Key)] || p.Fit(o) != nil) {
			j.broken = fmt.Errorf("%s is released: at no instant since its mark was nothing left", o)
		}
	}
}

// rest returns what is wrong in a world that is at rest: who is not guarded, who
// stays without a reason, who is still there and should not be.
func (j *sweepJudge) rest(all []graph.Object) error {
	for _, p := range j.plans {
		for _, h := range all {
			if !p.IsHolder(h) || p.Fit(h) != nil || h.Orphaning() {
				continue
			}
			guarded := h.HasFinalizer(p.Sweep().Finalizer)
			left := make([]int, p.Phases())
			members := slices.DeleteFunc(slices.Clone(all), func(o graph.Object) bool { return !p.Member(h, o) })
			for _, o := range members {
				left[p.PhaseOf(o)]++
			}
			switch {
			case !h.Deleting && !guarded:
				return fmt.Errorf("%s lives and is not guarded", h)
			case !h.Deleting || !guarded || unconfirmed(p, h) && len(members) > p.Sweep().ConfirmAbove:
				continue
			case unconfirmed(p, h):
				return fmt.Errorf("%s has few members, and nobody has to confirm", h)
			case len(members) == 0:
				return fmt.Errorf("%s holds nothing and is not released", h)
			}
			for _, o := range members {
				if !j.contested(h, o, all) && p.PhaseOf(o) < p.Open(left) && !o.Deleting {
					return fmt.Errorf("%s is left of %s", o, h)
				}
			}
		}
	}
	return nil
}
