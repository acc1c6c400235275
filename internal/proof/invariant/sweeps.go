package invariant

import (
	"maps"
	"slices"

	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/guard"
	"github.com/ownergraph/ownergraph/internal/core/sweep/plan"
)

// Sweeps judges the work of engines for Config.Sweeps by the content of the store
// at each instant. It does not use the code of the engine. It is not safe for
// concurrent use.
//
//test:by TestSweepsJudge
type Sweeps struct {
	// Override says that the engines may replace a propagation finalizer that an
	// object carries (ownergraph.Config.Override).
	Override bool
	// Hidden, if set, reports whether the engine could not know the objects of the
	// kind when it requested the call. No fence sees the objects of a kind that is
	// not served.
	Hidden func(c engine.Call, k graph.Kind) bool
	// Labels are the labels of the objects, as of the next Commit. Sweeps keeps them,
	// so the caller may not change them.
	Labels map[graph.Key]map[string]string

	claims
	all      []graph.Object                  // the living objects
	labelled map[graph.Key]map[string]string // the labels of these
	owed     map[graph.Key]debt              // members that may be deleted
	least    map[tenure]map[bucket]int       // the least number of members at an instant since the mark
	detached []graph.Object                  // holders that went before they carried the finalizer
}

// debt records an instant at which a marked holder had a claim on the object, and no
// other living holder had one. It ends with the version, or stays for a fixed claim.
type debt struct {
	version graph.Version
	fixed   bool
}

// tenure is one holder under one plan.
type tenure struct {
	plan   int
	holder graph.Key
}

// NewSweeps returns the judge of a store that has the objects. The error is that
// of plan.New.
func NewSweeps(sweeps []guard.Sweep, objects []graph.Object) (*Sweeps, error) {
	s := &Sweeps{}
	for _, w := range sweeps {
		p, err := plan.New(w)
		if err != nil {
			return nil, err
		}
		s.plans = append(s.plans, p)
	}
	s.labels = func(p *plan.Plan, members int, o graph.Object) (string, bool) {
		return read(p, members, s.labelled[o.Key])
	}
	s.Begin(objects)
	return s, nil
}

// Plans returns the plans of the sweeps. The caller shares them and may not change them.
func (s *Sweeps) Plans() []*plan.Plan { return s.plans }

// IsHolder reports whether the object is a holder of a sweep.
func (s *Sweeps) IsHolder(o graph.Object) bool {
	return slices.ContainsFunc(s.plans, func(p *plan.Plan) bool { return p.IsHolder(o) })
}

// IsAwaited reports whether the object is a member of a marked holder with its guard. The holder waits for
// its end.
func (s *Sweeps) IsAwaited(o graph.Object) bool {
	return slices.ContainsFunc(s.plans, func(p *plan.Plan) bool {
		return slices.ContainsFunc(s.all, func(h graph.Object) bool {
			return h.Deleting && p.IsHolder(h) && h.HasFinalizer(p.Sweep().Finalizer) && s.member(p, h, o)
		})
	})
}

// Begin begins a new history with a store that has the objects, as after a
// restore.
func (s *Sweeps) Begin(objects []graph.Object) {
	s.all, s.detached = nil, nil
	s.owed, s.least = map[graph.Key]debt{}, map[tenure]map[bucket]int{}
	s.Commit(objects)
}

// Commit takes the objects of the store after each change. Sweeps keeps the slice,
// so the caller may not change it.
func (s *Sweeps) Commit(objects []graph.Object) {
	s.detach(objects)
	s.all, s.labelled = objects, s.Labels
	for i := range objects { // a new version needs a new debt
		o := &objects[i]
		if d, ok := s.owed[o.Key]; ok && !d.fixed && d.version != o.Version {
			delete(s.owed, o.Key)
		}
	}
	for i, p := range s.plans {
		for _, h := range s.detached {
			s.record(i, p, h)
		}
		for _, h := range objects {
			if h.Deleting && p.IsHolder(h) {
				s.record(i, p, h)
			}
		}
	}
}

// record records the present members of a marked holder.
func (s *Sweeps) record(plan int, p *plan.Plan, h graph.Object) {
	if !p.IsHolder(h) {
		return
	}
	for _, o := range s.all {
		if !s.member(p, h, o) {
			continue
		}
		if p.Fit(h) == nil && !h.Orphaning() && !s.contested(h, o, s.all) && !s.coOwned(p, h, o) {
			d := s.owed[o.Key]
			s.owed[o.Key] = debt{o.Version, d.fixed || s.fixed(p, h, o)}
		}
	}
	s.fewest(tenure{plan, h.Key}, s.counts(p, h, nil))
}

// detach records the holders that have gone without a guard, if the setting sweeps
// them too.
func (s *Sweeps) detach(now []graph.Object) {
	for _, p := range s.plans {
		for _, h := range s.all {
			gone := !slices.ContainsFunc(now, func(o graph.Object) bool { return o.Key == h.Key })
			if gone && p.IsHolder(h) && p.Sweep().Unguarded && !h.HasFinalizer(p.Sweep().Finalizer) {
				h.Deleting = true // a user deleted it and removed its other finalizers
				h.Finalizers = slices.DeleteFunc(slices.Clone(h.Finalizers), func(name string) bool {
					return name == graph.FinalizerOrphan || name == graph.FinalizerForeground
				})
				s.detached = append(s.detached, h)
			}
		}
	}
}

// coOwned reports whether a member by an owner reference alone has another living
// owner. A holder that is deleted does not count.
func (s *Sweeps) coOwned(p *plan.Plan, h, o graph.Object) bool {
	return s.owned(p, h, o) && slices.ContainsFunc(s.all, func(x graph.Object) bool {
		owns := slices.ContainsFunc(o.Owners, func(r graph.Owner) bool { return r.Key == x.Key && !r.Unresolved })
		return owns && x.Key != h.Key && x.Key != o.Key && !(x.Deleting && p.IsHolder(x))
	})
}

// Judge takes a write that an engine makes for a sweep. It returns a *Breach, or
// nil for a write that breaks no invariant. A delete for a sweep has a holder. The
// caller judges a write before its commit, and only if the store will commit it.
func (s *Sweeps) Judge(c engine.Call) error {
	i := slices.IndexFunc(s.all, func(o graph.Object) bool { return o.Key == c.Key })
	if i < 0 {
		return nil
	}
	o := s.all[i]
	if c.Type == engine.CallDelete {
		if _, ok := s.owed[o.Key]; !ok {
			return &Breach{Rule: "S23", Object: o.Key, text: "the engine sweeps %[1]s, and at no instant a marked holder alone had a claim on it"}
		}
		if own, as := o.Propagation(), c.Options.Propagation; !s.Override && own != graph.Unset && as != graph.Unset && as != own {
			return &Breach{Rule: "S14", Object: o.Key, text: "the engine deletes %[1]s with the propagation %[3]s, and its finalizer asks for another", detail: as.String()}
		}
		return nil
	}
	for i, p := range s.plans {
		if name := c.Change.DropFinalizer; name == p.Sweep().Finalizer && !s.empty(i, o, c) {
			return &Breach{Rule: "S24", Object: o.Key, text: "the engine releases %[3]q of %[1]s, and at each instant since its mark a member was left", detail: name}
		}
	}
	return nil
}

// empty reports whether at an instant since its mark a holder had no member. Members that
// the engine could not know do not count. For members by labels each kind has an instant of
// its own: see bucket.
func (s *Sweeps) empty(plan int, h graph.Object, c engine.Call) bool {
	p := s.plans[plan]
	if !p.IsHolder(h) || p.Fit(h) != nil {
		return false
	}
	left := s.counts(p, h, func(o graph.Object) bool { return s.Hidden != nil && s.Hidden(c, o.Kind) })
	least, ok := s.least[tenure{plan, h.Key}]
	if !ok {
		return h.Deleting && total(left) == 0
	}
	if h.Deleting {
		least = maps.Clone(least)
		lower(least, left)
	}
	return total(least) == 0
}
