package plan

import (
	"fmt"
	"slices"

	"github.com/ownergraph/ownergraph/finalizer"
	"github.com/ownergraph/ownergraph/graph"
)

// Deletion is one object to be deleted. Its options carry the judged UID and version.
type Deletion struct {
	Key     graph.Key
	Options graph.DeleteOptions
}

// Step is the next step of a sweep, and its progress. The receiver owns it.
type Step struct {
	// Delete lists the next deletions, by key.
	Delete []Deletion
	// Contested lists members, by key, on which another holder has a claim, too. It also
	// lists members by owner reference alone that have another owner. They are not
	// deleted, and the holder stays.
	Contested []graph.Key
	// Left counts by phase the members that are not gone.
	Left []int
	// Done says that no member is left.
	Done bool
}

// Next returns the next step of the sweep of a marked holder. The argument all has every
// object. Next looks at the state alone. A caller that carries out its deletions and
// calls it again comes to an end, from any state. It deletes nothing for an object that
// is no holder, or not marked. The error is that of Fit, or says that the sweep depends
// on labels, which Next does not know.
//
// Held by TestSweepExact, TestNextEnds and TestNextKnowsNoLabels.
func (p *Plan) Next(holder graph.Object, all []graph.Object) (Step, error) {
	s := Step{Left: make([]int, p.Phases())}
	if p.Labelled() {
		return s, fmt.Errorf("sweep %s: members by labels: no object shows them: %w", holder.Key, graph.ErrInvalid)
	}
	if err := p.Fit(holder); err != nil {
		return s, err
	}
	if !p.IsHolder(holder) || !holder.Deleting {
		return s, nil
	}
	var rivals, members []graph.Object
	for _, o := range all {
		if p.IsHolder(o) && o.Key != holder.Key && !p.Member(holder, o) && !p.Member(o, holder) {
			rivals = append(rivals, o)
		}
		if p.Member(holder, o) {
			members = append(members, o)
			s.Left[p.PhaseOf(o)]++
		}
	}
	slices.SortFunc(members, func(a, b graph.Object) int { return a.Compare(b.Key) })
	open := p.Open(s.Left)
	for _, o := range members {
		i := p.PhaseOf(o)
		switch {
		case slices.ContainsFunc(rivals, func(r graph.Object) bool { return p.Contests(r, o) }), p.coOwned(holder, o, all):
			s.Contested = append(s.Contested, o.Key)
		case !o.Deleting && i < open:
			s.Delete = append(s.Delete, Deletion{o.Key, options(p.Phase(i), o)})
		}
	}
	s.Done = len(members) == 0
	return s, nil
}

// coOwned reports whether a member by an owner reference alone has another owner, which
// is no marked holder.
func (p *Plan) coOwned(holder, o graph.Object, all []graph.Object) bool {
	for c := range p.Claims(o) {
		if c.Key.UID == "" && !c.Shadow && p.Holds(holder, o, c) {
			return false
		}
	}
	return slices.ContainsFunc(all, func(x graph.Object) bool {
		owns := slices.ContainsFunc(o.Owners, func(r graph.Owner) bool { return r.UID == x.UID && (r.Unresolved || r.Key == x.Key) })
		return owns && x.Key != holder.Key && x.Key != o.Key && !(p.IsHolder(x) && x.Deleting)
	})
}

func options(p finalizer.Phase, o graph.Object) graph.DeleteOptions {
	return graph.DeleteOptions{
		Precondition: graph.Precondition{UID: o.UID, Version: o.Version},
		Propagation:  p.Propagation, GraceSeconds: p.GraceSeconds,
	}
}
