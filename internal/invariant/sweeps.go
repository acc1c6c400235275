package invariant

import (
	"maps"
	"slices"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/finalizer"
	"github.com/ownergraph/ownergraph/graph"
)

// Sweeps judges what engines do for Config.Sweeps by what really was in the
// store, instant by instant. It does not know how they come to it. It is not safe
// for concurrent use.
//
// Held by TestSweepsJudge.
type Sweeps struct {
	// Override says that the engines may replace a propagation finalizer that an
	// object carries (ownergraph.Config.Override).
	Override bool
	// Hidden, if set, reports whether nobody could tell the engine, when it asked
	// for the call, of objects of the kind: no fence sees those of a kind that is
	// not served.
	Hidden func(c ownergraph.Call, k graph.Kind) bool
	// Labels are those of the objects, as of the next Commit. They are kept and
	// have not to be changed.
	Labels map[graph.Key]map[string]string

	claims
	all      []graph.Object                  // that live
	labelled map[graph.Key]map[string]string // the labels of these
	owed     map[graph.Key]debt              // members that may be deleted
	least    map[tenure]map[bucket]int       // how few members there were at an instant since the mark
	ghosts   []graph.Object                  // that went before they carried the finalizer
}

// debt says that at an instant a marked holder, and nobody else who lived, had a
// claim on the object. It ends with the version, unless the claim is fixed.
type debt struct {
	version graph.Version
	fixed   bool
}

// tenure is one holder under one plan.
type tenure struct {
	plan   int
	holder graph.Key
}

// NewSweeps begins with a store that holds the objects. The error is that of
// finalizer.NewPlan.
func NewSweeps(sweeps []finalizer.Sweep, objects []graph.Object) (*Sweeps, error) {
	s := &Sweeps{}
	for _, w := range sweeps {
		p, err := finalizer.NewPlan(w)
		if err != nil {
			return nil, err
		}
		s.plans = append(s.plans, p)
	}
	s.labels = func(p *finalizer.Plan, members int, o graph.Object) (string, bool) {
		return read(p, members, s.labelled[o.Key])
	}
	s.Begin(objects)
	return s, nil
}

// Plans returns the plans of the sweeps. They are shared.
func (s *Sweeps) Plans() []*finalizer.Plan { return s.plans }

// Begin begins a new history, as after a restore, with a store that holds the
// objects.
func (s *Sweeps) Begin(objects []graph.Object) {
	s.all, s.ghosts = nil, nil
	s.owed, s.least = map[graph.Key]debt{}, map[tenure]map[bucket]int{}
	s.Commit(objects)
}

// Commit takes what the store holds after each change. The slice is kept and has
// not to be changed.
func (s *Sweeps) Commit(objects []graph.Object) {
	s.haunt(objects)
	s.all, s.labelled = objects, s.Labels
	for i := range objects { // a new version is judged anew
		o := &objects[i]
		if d, ok := s.owed[o.Key]; ok && !d.fixed && d.version != o.Version {
			delete(s.owed, o.Key)
		}
	}
	for i, p := range s.plans {
		for _, h := range s.ghosts {
			s.look(i, p, h)
		}
		for _, h := range objects {
			if h.Deleting && p.IsHolder(h) {
				s.look(i, p, h)
			}
		}
	}
}

// look notes what belongs to a marked holder now.
func (s *Sweeps) look(plan int, p *finalizer.Plan, h graph.Object) {
	if !p.IsHolder(h) {
		return
	}
	for _, o := range s.all {
		if !s.member(p, h, o) {
			continue
		}
		if p.Fit(h) == nil && !h.Orphaning() && !unconfirmed(p, h) && !s.contested(h, o, s.all) && !s.coOwned(p, h, o) {
			d := s.owed[o.Key]
			s.owed[o.Key] = debt{o.Version, d.fixed || s.fixed(p, h, o)}
		}
	}
	s.fewest(tenure{plan, h.Key}, s.counts(p, h, nil))
}

// haunt notes which holders have gone unguarded, where those are swept too.
func (s *Sweeps) haunt(now []graph.Object) {
	for _, p := range s.plans {
		for _, h := range s.all {
			gone := !slices.ContainsFunc(now, func(o graph.Object) bool { return o.Key == h.Key })
			if gone && p.IsHolder(h) && p.Sweep().Unguarded && !h.HasFinalizer(p.Sweep().Finalizer) {
				h.Deleting = true // by whoever took off what kept it
				h.Finalizers = slices.DeleteFunc(slices.Clone(h.Finalizers), func(name string) bool {
					return name == p.Sweep().Confirm || name == graph.FinalizerOrphan || name == graph.FinalizerForeground
				})
				s.ghosts = append(s.ghosts, h)
			}
		}
	}
}

// unconfirmed reports whether nobody has confirmed yet that the holder may go.
func unconfirmed(p *finalizer.Plan, h graph.Object) bool {
	return p.Sweep().Confirm != "" && h.HasFinalizer(p.Sweep().Confirm)
}

// coOwned reports whether what is a member by an owner reference alone has
// another owner that lives and is not swept.
func (s *Sweeps) coOwned(p *finalizer.Plan, h, o graph.Object) bool {
	return s.owned(p, h, o) && slices.ContainsFunc(s.all, func(x graph.Object) bool {
		owns := slices.ContainsFunc(o.Owners, func(r graph.Owner) bool { return r.Key == x.Key && !r.Unresolved })
		return owns && x.Key != h.Key && x.Key != o.Key && !(x.Deleting && p.IsHolder(x))
	})
}

// Judge returns what a write breaks that an engine makes for a sweep, nil if
// nothing; the error is a *Breach. A delete is one if it has a holder. It is
// called before the write is committed, and only for one that the store will
// commit.
func (s *Sweeps) Judge(c ownergraph.Call) error {
	i := slices.IndexFunc(s.all, func(o graph.Object) bool { return o.Key == c.Key })
	if i < 0 {
		return nil
	}
	o := s.all[i]
	if c.Type == ownergraph.CallDelete {
		if _, ok := s.owed[o.Key]; !ok {
			return &Breach{Rule: "S23", Object: o.Key, text: "%[1]s is swept, and at no instant was it a marked holder's alone"}
		}
		if own, as := o.Propagation(), c.Options.Propagation; !s.Override && own != graph.Unset && as != graph.Unset && as != own {
			return &Breach{Rule: "S14", Object: o.Key, text: "%[1]s asks for another propagation than %[3]s", detail: as.String()}
		}
		return nil
	}
	for i, p := range s.plans {
		most := -1
		switch name := c.Change.DropFinalizer; {
		case name == "":
			continue
		case name == p.Sweep().Finalizer:
			most = 0
		case name == p.Sweep().Confirm:
			most = p.Sweep().ConfirmAbove
		}
		if most >= 0 && !s.few(i, o, most, c) {
			return &Breach{Rule: "S24", Object: o.Key, text: "%[1]s loses %[3]q: at no instant since its mark was so little left", detail: c.Change.DropFinalizer}
		}
	}
	return nil
}

// few reports whether at an instant since its mark a holder had no more members
// than that, but for those of whom nobody could tell. Of members by labels there
// was one for each kind: see bucket.
func (s *Sweeps) few(plan int, h graph.Object, most int, c ownergraph.Call) bool {
	p := s.plans[plan]
	if !p.IsHolder(h) || p.Fit(h) != nil {
		return false
	}
	left := s.counts(p, h, func(o graph.Object) bool { return s.Hidden != nil && s.Hidden(c, o.Kind) })
	least, ok := s.least[tenure{plan, h.Key}]
	if !ok {
		return h.Deleting && total(left) <= most
	}
	if h.Deleting {
		least = maps.Clone(least)
		lower(least, left)
	}
	return total(least) <= most
}
