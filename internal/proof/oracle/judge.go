package oracle

import (
	"slices"

	"github.com/ownergraph/ownergraph/graph"
)

// Quiet reports whether the collector has no step left that it must take.
func Quiet(s State, cfg Config) bool {
	for _, c := range cfg.all() {
		for i := range s.objects {
			if len(s.must(i, c)) > 0 {
				return false
			}
		}
	}
	return true
}

// must returns the next forms of the i-th object by the steps of the collector in
// this state. The collector has to take one of them, unless the state changes.
func (s State) must(i int, cfg Config) (out []graph.Object) {
	o := s.objects[i].Object
	if !cfg.flawed(o) {
		out = s.release(out, i, cfg)
		if !o.Deleting {
			out = s.collect(out, i, cfg)
		}
	}
	for owner := range s.objects {
		if refs := s.freed(i, owner, cfg); len(refs) > 0 && s.orphans(s.objects[owner].Object, cfg) {
			out = append(out, drop(o, refs...)) // T5
		}
	}
	switch {
	case s.orphans(o, cfg) && !s.frees(i, cfg):
		out = append(out, graph.Change{DropFinalizer: graph.FinalizerOrphan}.Apply(o)) // T6
	case s.waits(o, cfg) && !s.blocked(i):
		out = append(out, graph.Change{DropFinalizer: graph.FinalizerForeground}.Apply(o)) // T7
	case s.waits(o, cfg):
		out = s.breakRing(out, i, cfg) // T8
	}
	return append(out, s.guard(i, cfg)...)
}

// collect applies T1 to T4 to an object that is neither marked nor flawed.
func (s State) collect(out []graph.Object, i int, cfg Config) []graph.Object {
	d := s.objects[i].Object
	n := s.count(d, cfg)
	switch {
	case !n.goes():
		return append(out, s.trim(d, n, cfg)...)
	case cfg.protects(d), cfg.lacks(d) != "", s.restricted(d, cfg): // V2, V3, T1
		return out
	}
	if !cfg.Braked { // V6
		out = s.delete(out, i, n.waits(), cfg)
	}
	return s.remember(out, d, n, cfg)
}

// trim applies T4 to an object beside a solid owner.
func (s State) trim(d graph.Object, n tally, cfg Config) (out []graph.Object) {
	if n[graph.OnDeleteUnset][solid] == 0 {
		return nil
	}
	for _, r := range d.Owners {
		if r.OnDelete != graph.OnDeleteUnset {
			continue
		}
		if c := s.class(d, r, cfg); c == waiting || c == absent && !cfg.Restarts {
			out = append(out, drop(d, r))
		}
	}
	return out
}

// delete applies T1 to an object that has to go.
func (s State) delete(out []graph.Object, i int, waits bool, cfg Config) []graph.Object {
	for _, p := range s.propagations(i, waits, cfg) {
		out = append(out, mark(s.objects[i].Object, p))
	}
	return out
}

// remember applies T3.
func (s State) remember(out []graph.Object, d graph.Object, n tally, cfg Config) []graph.Object {
	var remembered []graph.Owner
	for _, r := range d.Owners {
		means := func(k graph.Key) bool { return k == r.Key || cfg.hasUID(d, r, k) }
		ends := r.OnDelete == graph.OnDeleteCascade || r.OnDelete == graph.OnDeleteUnset && !n.keeps()
		if ends && s.class(d, r, cfg) == absent && slices.ContainsFunc(s.orphaned, means) {
			remembered = append(remembered, r)
		}
	}
	if len(remembered) > 0 {
		out = append(out, drop(d, remembered...))
	}
	return out
}

// propagations returns the propagations that T2 permits for a deletion.
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

// mark returns the object after a deletion, W1.
func mark(o graph.Object, p graph.Propagation) graph.Object {
	o = without(o, propagates)
	if f := p.Finalizer(); f != "" {
		o.Finalizers = append(o.Finalizers, f)
	}
	o.Deleting = true
	return o
}

// may returns the next forms of the i-th object by steps that the collector need not
// take. An absent reference goes while another one is left (T4), or along with one
// to an owner that orphans (T5).
func (s State) may(i int, cfg Config) (out []graph.Object) {
	d := s.objects[i].Object
	if cfg.flawed(d) {
		return nil
	}
	if n := s.count(d, cfg); !d.Deleting {
		out = s.remember(out, d, n, cfg) // also for an object that is not deleted
		if n.goes() {
			out = append(out, s.trim(d, n, cfg)...)
			if cfg.Braked && !cfg.protects(d) && cfg.lacks(d) == "" && !s.restricted(d, cfg) { // V6
				out = s.delete(out, i, n.waits(), cfg)
			}
		}
	}
	freed := false
	for o, owner := range s.objects {
		freed = freed || s.orphans(owner.Object, cfg) && slices.ContainsFunc(s.freed(i, o, cfg), counted)
	}
	for _, r := range d.Owners {
		if !counted(r) || s.class(d, r, cfg) != absent {
			continue
		}
		left := drop(d, r)
		other := slices.ContainsFunc(left.Owners, func(p graph.Owner) bool { return counted(p) && s.class(d, p, cfg) != self })
		if other && (freed || !d.Deleting) {
			out = append(out, left)
		}
	}
	return out
}

// counted reports whether the reference is unset.
func counted(r graph.Owner) bool { return r.OnDelete == graph.OnDeleteUnset }

func drop(d graph.Object, refs ...graph.Owner) graph.Object {
	return graph.Change{DropOwners: refs}.Apply(d)
}

// breakRing applies T8 to a waiting object. It unblocks references to waiting objects
// from which blocking references lead back to the object.
func (s State) breakRing(out []graph.Object, i int, cfg Config) []graph.Object {
	var inside []graph.Owner
	for o := range s.objects {
		if refs := s.refs(i, o); s.waits(s.objects[o].Object, cfg) && blocks(refs) && s.leads(o, i, cfg) {
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
func (s State) leads(from, to int, cfg Config) bool {
	reached := []int{from}
	for at := 0; at < len(reached); at++ {
		for o := range s.objects {
			if s.waits(s.objects[o].Object, cfg) && blocks(s.refs(reached[at], o)) && !slices.Contains(reached, o) {
				reached = append(reached, o)
			}
		}
	}
	return slices.Contains(reached, to)
}
