package linear

import (
	"math/rand/v2"

	"github.com/ownergraph/ownergraph/graph"
)

// generator makes the choices of a plan.
type generator struct {
	*rand.Rand
	objects []object
}

func (d generator) step() step {
	o := d.objects[d.IntN(len(d.objects))]
	s := step{
		verb: d.verb(), place: o.place, options: d.options(), change: d.change(o),
		owners: some(d.Rand, o.owners...), finalizers: some(d.Rand, "linear.test/a", "linear.test/b"),
		cancel: d.IntN(24) == 0, yield: d.IntN(4),
	}
	switch d.IntN(4) {
	case 0:
		s.underUID = true
	case 1, 2:
		s.underState = true
	}
	s.with = d.beside(s)
	return s
}

// verb weighs the calls. Reads show most mistakes. The creation of an object that
// exists does little.
func (d generator) verb() verb {
	weighted := [...]verb{get, get, get, create, create, update, update, patch, patch, patch, erase, userDelete}
	return weighted[d.IntN(len(weighted))]
}

// change draws removals, additions, or both. All of them have to be one step.
func (d generator) change(o object) graph.Change {
	var c graph.Change
	finalizers := [...]string{"linear.test/a", "linear.test/b", graph.FinalizerOrphan, graph.FinalizerForeground}
	owners := some(d.Rand, o.owners...)
	for c.IsZero() {
		if d.IntN(3) == 0 {
			c.DropFinalizer = finalizers[d.IntN(4)]
		}
		if d.IntN(3) == 0 {
			c.AddFinalizer = finalizers[d.IntN(2)]
		}
		switch n := d.IntN(6); {
		case n == 0:
			c.DropOwners = owners
		case n == 1:
			c.Unblock = owners
		case n == 2 && len(o.owners) > 0:
			c.AddOwner = &o.owners[d.IntN(len(o.owners))]
		}
	}
	return c
}

// options leave no default to the store, since the judge could not know it.
func (d generator) options() graph.DeleteOptions {
	every := [...]graph.Propagation{graph.Background, graph.Background, graph.Foreground, graph.Orphan}
	return graph.DeleteOptions{Propagation: every[d.IntN(4)], GraceSeconds: new(int64)}
}

// some returns a random part of the list, in its order.
func some[T any](r *rand.Rand, of ...T) []T {
	var list []T
	for _, v := range of {
		if r.IntN(2) == 0 {
			list = append(list, v)
		}
	}
	return list
}
