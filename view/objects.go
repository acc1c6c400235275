package view

import (
	"slices"
	"strings"

	"github.com/ownergraph/ownergraph/graph"
)

// Tree returns the picture of one object, of the owners above it and of the dependents
// below it. An owner reference leads to each object with its UID, and its other fields may
// be wrong. The picture then names the flaw. A reference to no object leads to an unknown
// owner. Tree draws at most limit nodes, nearest first. A limit of 0 stands for 1,000, and
// the maximum is 5,000. If no object has the key, the picture is empty. Tree changes
// nothing.
//
//test:by TestTextShapes TestTextDrawsEachOnce TestTreeTakesTheNearest
func Tree(objects []graph.Object, key graph.Key, limit int) Picture {
	return treeOf(ofObjects(objects, nil), key, limit)
}

func treeOf(w *world, key graph.Key, limit int) Picture {
	start := w.find(key)
	if start < 0 {
		return Picture{}
	}
	w.nodes[start].subject = true
	s, below := w.around(start, bound(limit))
	p := s.picture(limit)
	p.title = "Ownership of " + spell(key)
	p.below = below
	if above := s.total - 1 - below; above > 0 {
		p.summary = append(p.summary, numbered(above, "owner")+" above it")
	}
	p.summary = append(p.summary, p.belowLine())
	return p
}

// All returns the picture of all objects. The first objects are those without an owner, in
// the order of their keys, each with the objects around it. References and limit are those
// of Tree.
//
//test:by TestAll
func All(objects []graph.Object, limit int) Picture {
	w := ofObjects(objects, nil)
	s := w.all(nil, bound(limit))
	p := s.picture(limit)
	p.title = "Ownership of all objects"
	p.summary = []string{numbered(len(w.nodes), "object")}
	return p
}

// ofObjects returns the world of objects. Of several objects with one key it takes one.
func ofObjects(objects []graph.Object, containers []Container) *world {
	sorted := inOrder(objects)
	w := &world{nodes: make([]node, 0, len(sorted))}
	x := newIndex(len(sorted))
	references := 0
	for _, o := range sorted {
		w.nodes = append(w.nodes, ofObject(o))
		x.add(o.Key)
		references += len(o.Owners)
	}
	w.addAbsent(sorted, x)
	w.edges = make([]edge, 0, references)
	for lower, o := range sorted {
		for i := range o.Owners {
			r := &o.Owners[i]
			for upper := x.first(r.Key); upper >= 0; upper = x.next[upper] {
				w.edges = append(w.edges, edge{upper: upper, lower: lower, owns: true, block: r.Block, controller: r.Controller, policies: policyOf(r.OnDelete), notes: w.flaws(r, upper)})
			}
		}
	}
	w.addMembers(containers)
	w.arrange()
	return w
}

// inOrder returns the objects in the order of their keys, each key once.
func inOrder(objects []graph.Object) []*graph.Object {
	sorted := make([]*graph.Object, len(objects))
	for i := range objects {
		sorted[i] = &objects[i]
	}
	order := func(a, b *graph.Object) int {
		if c := a.Key.Compare(b.Key); c != 0 || a.Equal(*b) {
			return c
		}
		return strings.Compare(a.String(), b.String())
	}
	if !slices.IsSortedFunc(sorted, order) {
		slices.SortFunc(sorted, order)
	}
	return slices.CompactFunc(sorted, func(a, b *graph.Object) bool { return a.Key == b.Key })
}

func ofObject(o *graph.Object) node {
	n := node{key: o.Key, class: live, refs: o.Owners}
	switch {
	case o.Orphaning():
		n.class = orphaning
	case o.Waiting():
		n.class = waiting
	case o.Deleting:
		n.class = marked
	}
	if len(o.Finalizers) > 0 {
		n.notes = append(n.notes, "finalizer "+some(o.Finalizers, clean))
	}
	return n
}

// addAbsent adds a node for each owner that no object is. Of the references to one UID, the
// first in the order of keys names it.
func (w *world) addAbsent(objects []*graph.Object, x *index) {
	absent := newIndex(0)
	var first []*graph.Owner
	for _, o := range objects {
		for i := range o.Owners {
			r := &o.Owners[i]
			if x.first(r.Key) >= 0 {
				continue
			}
			n := absent.first(r.Key)
			if n < 0 {
				absent.add(r.Key)
				first = append(first, r)
			} else if c := r.Key.Compare(first[n].Key); c < 0 || c == 0 && !r.Unresolved {
				first[n] = r
			}
		}
	}
	for _, r := range first {
		note := "not among the objects"
		if r.Unresolved {
			note = "its scope is not resolvable"
		}
		x.add(r.Key)
		w.nodes = append(w.nodes, node{key: r.Key, class: unknown, notes: []string{note}})
	}
}

// flaws returns the flaw of a reference to a node: another place than the owner's, or no
// scope.
func (w *world) flaws(r *graph.Owner, upper int) []string {
	owner := &w.nodes[upper]
	switch {
	case owner.class == unknown || r.Key == owner.key && !r.Unresolved:
		return nil
	case r.Unresolved:
		return []string{"its owner's scope is not resolved"}
	}
	return []string{"its reference names " + spell(r.Key)}
}
