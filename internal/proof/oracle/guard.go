package oracle

import (
	"slices"

	"github.com/ownergraph/ownergraph/graph"
)

// Guard has the settings of one guard, V3 and V4. It is a value.
type Guard struct {
	// Roots has the names of the roots.
	Roots []string
	// Always refuses each deletion. Protected refuses one that would end a protected object
	// below the root. Above, if not nil, refuses one that ends more objects beside the root.
	Always, Protected bool
	Above             *int
	// Ordered says that the objects below the root go in phases.
	Ordered bool
}

// all returns the settings of all engines.
func (c Config) all() []Config { return append([]Config{c}, c.Beside...) }

// protects reports whether the object is protected.
func (c Config) protects(o graph.Object) bool {
	return o.HasFinalizer(graph.FinalizerProtect) || slices.Contains(c.Protect, o.Name)
}

// withholds reports whether a guard or a protection withholds the object's mark, V1.
func (c Config) withholds(o graph.Object) bool {
	return o.Deleting && (o.HasFinalizer(graph.FinalizerHold) || c.protects(o))
}

// guardOf returns the guard of a root.
func (c Config) guardOf(o graph.Object) (Guard, bool) {
	i := slices.IndexFunc(c.Guards, func(g Guard) bool { return slices.Contains(g.Roots, o.Name) })
	if i < 0 {
		return Guard{}, false
	}
	return c.Guards[i], true
}

// lacks returns the finalizer that an unmarked root has to get next, V3, or "".
func (c Config) lacks(o graph.Object) string {
	switch _, root := c.guardOf(o); {
	case !root || o.Deleting:
		return ""
	case !o.HasFinalizer(graph.FinalizerHold):
		return graph.FinalizerHold
	case !o.HasFinalizer(graph.FinalizerNew):
		return graph.FinalizerNew
	}
	return ""
}

// guard returns the next forms of the i-th object by V3 to V5.
func (s State) guard(i int, cfg Config) []graph.Object {
	o := s.objects[i].Object
	if f := cfg.lacks(o); f != "" {
		return []graph.Object{graph.Change{AddFinalizer: f}.Apply(o)} // V3
	}
	if !o.Deleting || !o.HasFinalizer(graph.FinalizerNew) {
		return nil
	}
	g, root := cfg.guardOf(o)
	switch {
	case !o.HasFinalizer(graph.FinalizerHold):
		return []graph.Object{graph.Change{DropFinalizer: graph.FinalizerNew}.Apply(o)} // V5
	case !root:
		return nil
	}
	return s.verdicts(i, g, cfg)
}

// verdicts applies V4.
func (s State) verdicts(i int, g Guard, cfg Config) (out []graph.Object) {
	o := s.objects[i].Object
	refused := s.refused(i, g, cfg)
	if refused || g.Above != nil && s.mayEnd(i) > *g.Above {
		out = append(out, graph.Change{DropFinalizer: graph.FinalizerNew}.Apply(o))
	}
	switch {
	case refused:
	case g.Ordered && o.Propagation() == graph.Unset:
		out = append(out, mark(o, graph.Foreground))
	default:
		out = append(out, graph.Change{DropFinalizer: graph.FinalizerHold}.Apply(o))
	}
	return out
}

// mayEnd returns the number of objects below the i-th if one of them has several owners, and 0
// otherwise. The fate of such an object may depend on the order of writes, so a plan may count
// objects that no order ends.
func (s State) mayEnd(i int) int {
	below := s.below(i)
	if slices.ContainsFunc(below, func(o form) bool { return len(o.Owners) > 1 }) {
		return len(below)
	}
	return 0
}

// refused reports whether a guard refuses the deletion of its i-th object in this state.
func (s State) refused(i int, g Guard, cfg Config) bool {
	if g.Always {
		return true
	}
	root := s.objects[i]
	if s.restricted(root.Object, cfg) {
		return true
	}
	below := s.below(i)
	if g.Ordered && root.Propagation() == graph.Unset {
		root.Object = mark(root.Object, graph.Foreground)
	}
	cfg.Beside = nil
	passed := s.forget().write(i, newForm(graph.Change{DropFinalizer: graph.FinalizerHold}.Apply(root.Object)), false).finish(below, root.Key)
	_, ends := explore([]State{passed}, cfg)
	return slices.ContainsFunc(ends, func(end State) bool {
		return end.meetsRestricted(below, cfg) || g.Protected && end.meetsProtected(below, cfg) || g.Above != nil && end.ended(below) > *g.Above
	})
}

// finish returns the state without the foreign finalizers of a root, and of the unmarked objects
// below it.
func (s State) finish(below []form, root graph.Key) State {
	for i := 0; i < len(s.objects); i++ {
		o := s.objects[i]
		unmarked := func(x form) bool { return x.Key == o.Key && !x.Deleting }
		if o.Key != root && !slices.ContainsFunc(below, unmarked) {
			continue
		}
		left := o.Object.Clone()
		left.Finalizers = slices.DeleteFunc(left.Finalizers, isForeign)
		if len(left.Finalizers) == len(o.Finalizers) {
			continue
		}
		n := len(s.objects)
		if s = s.write(i, newForm(left), false); len(s.objects) < n {
			i--
		}
	}
	return s
}

// isForeign reports whether other clients take a finalizer off.
func isForeign(f string) bool {
	own := []string{graph.FinalizerForeground, graph.FinalizerOrphan, graph.FinalizerHold, graph.FinalizerNew, graph.FinalizerProtect}
	return !slices.Contains(own, f)
}

// below returns the objects from which references lead to the i-th, without it.
func (s State) below(i int) (out []form) {
	reached := []int{i}
	for at := 0; at < len(reached); at++ {
		for d := range s.objects {
			if len(s.refs(d, reached[at])) > 0 && !slices.Contains(reached, d) {
				reached = append(reached, d)
				out = append(out, s.objects[d].form)
			}
		}
	}
	return out
}

// ended counts the objects of the list that are gone, or that have got a mark.
func (s State) ended(list []form) (n int) {
	for _, o := range list {
		if i := s.find(o.Key); i < 0 || s.objects[i].Deleting && !o.Deleting {
			n++
		}
	}
	return n
}

// meetsProtected reports whether the cascade stops at a protected object of the list.
func (s State) meetsProtected(list []form, cfg Config) bool {
	return slices.ContainsFunc(list, func(o form) bool {
		i := s.find(o.Key)
		if i < 0 || !cfg.protects(s.objects[i].Object) {
			return false
		}
		return s.objects[i].Deleting || s.count(s.objects[i].Object, cfg).goes()
	})
}

// meetsRestricted reports whether the cascade stops at a restricted object of the list.
func (s State) meetsRestricted(list []form, cfg Config) bool {
	return slices.ContainsFunc(list, func(o form) bool {
		i := s.find(o.Key)
		if i < 0 || !s.restricted(s.objects[i].Object, cfg) {
			return false
		}
		return s.objects[i].Deleting || s.count(s.objects[i].Object, cfg).goes()
	})
}
