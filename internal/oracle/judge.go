package oracle

import (
	"slices"

	"github.com/ownergraph/ownergraph/graph"
)

// Quiet reports whether the collector has nothing left to do.
func Quiet(s State, cfg Config) bool {
	for i := range s.objects {
		if len(s.judge(i, cfg)) > 0 {
			return false
		}
	}
	return true
}

// judge returns what the collector, seeing this state, may turn the i-th object
// into.
func (s State) judge(i int, cfg Config) (out []graph.Object) {
	o := s.objects[i].Object
	if !o.Deleting && !flawed(o) {
		out = s.collect(out, i, cfg)
	}
	out = s.orphan(out, i, cfg)
	switch {
	case o.Orphaning() && !s.referred(i):
		out = append(out, graph.Change{DropFinalizer: graph.FinalizerOrphan}.Apply(o)) // G6
	case o.Waiting() && !s.blocked(i):
		out = append(out, graph.Change{DropFinalizer: graph.FinalizerForeground}.Apply(o)) // G7
	case o.Waiting():
		out = s.breakRing(out, i) // G8
	}
	return out
}

// collect takes G1 to G4 for an object that is neither marked nor flawed.
func (s State) collect(out []graph.Object, i int, cfg Config) []graph.Object {
	d := s.objects[i].Object
	var n [classes]int
	var remembered []graph.Owner
	for _, r := range d.Owners {
		c := s.class(d, r, cfg)
		n[c]++
		if c == absent && slices.Contains(s.orphaned, r.Key) {
			remembered = append(remembered, r)
		}
	}
	switch {
	case n[solid] > 0:
		for _, r := range d.Owners {
			if c := s.class(d, r, cfg); c == absent || c == waiting {
				out = append(out, drop(d, r)) // G4
			}
		}
		return out
	case n[unknown] > 0, n[absent]+n[waiting] == 0:
		return out
	}
	for _, p := range s.propagations(i, n[waiting] > 0, cfg) {
		out = append(out, mark(d, p)) // G1
	}
	if len(remembered) > 0 {
		out = append(out, drop(d, remembered...)) // G3
	}
	return out
}

// propagations returns the ways in which G2 lets the collector delete.
func (s State) propagations(i int, waits bool, cfg Config) []graph.Propagation {
	own := s.objects[i].Propagation()
	switch {
	case own != graph.Unset && !cfg.Override:
		return []graph.Propagation{own}
	case !waits:
		return []graph.Propagation{graph.Background}
	case s.referred(i):
		return []graph.Propagation{graph.Foreground}
	}
	return []graph.Propagation{graph.Foreground, graph.Background}
}

// mark returns the object as a deletion leaves it, W1.
func mark(o graph.Object, p graph.Propagation) graph.Object {
	o = without(o, propagates)
	if f := p.Finalizer(); f != "" {
		o.Finalizers = append(o.Finalizers, f)
	}
	o.Deleting = true
	return o
}

// orphan takes G5 for an object that refers to owners that orphan.
func (s State) orphan(out []graph.Object, i int, cfg Config) []graph.Object {
	d := s.objects[i].Object
	freed := false
	for o, owner := range s.objects {
		if refs := s.refs(i, o); owner.Orphaning() && len(refs) > 0 {
			out = append(out, drop(d, refs...))
			freed = true
		}
	}
	if !freed || flawed(d) {
		return out
	}
	for _, r := range d.Owners {
		if s.class(d, r, cfg) == absent {
			out = append(out, drop(d, r))
		}
	}
	return out
}

func drop(d graph.Object, refs ...graph.Owner) graph.Object {
	return graph.Change{DropOwners: refs}.Apply(d)
}

// breakRing takes G8 for a waiting object: its blocking references to waiting
// objects from which blocking references lead back to it.
func (s State) breakRing(out []graph.Object, i int) []graph.Object {
	var inside []graph.Owner
	for o := range s.objects {
		if refs := s.refs(i, o); s.objects[o].Waiting() && blocks(refs) && s.leads(o, i) {
			inside = append(inside, refs...)
		}
	}
	if len(inside) == 0 {
		return out
	}
	return append(out, graph.Change{Unblock: inside}.Apply(s.objects[i].Object))
}

// leads reports whether blocking references lead from one waiting object to
// another, over waiting objects alone.
func (s State) leads(from, to int) bool {
	reached := []int{from}
	for at := 0; at < len(reached); at++ {
		for o := range s.objects {
			if s.objects[o].Waiting() && blocks(s.refs(reached[at], o)) && !slices.Contains(reached, o) {
				reached = append(reached, o)
			}
		}
	}
	return slices.Contains(reached, to)
}
