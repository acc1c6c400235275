package main

import (
	"slices"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/proof/oracle"
)

// sides returns the two states of an outcome.
func (o outcome) sides() (ours, theirs []graph.Object) {
	ours, _ = graph.Parse(o.ours) // both were printed
	theirs, _ = graph.Parse(o.theirs)
	return ours, theirs
}

func lookup(list []graph.Object, key graph.Key) (graph.Object, bool) {
	i := slices.IndexFunc(list, func(o graph.Object) bool { return o.Key == key })
	if i < 0 {
		return graph.Object{}, false
	}
	return list[i], true
}

// foreground reports whether any object is deleted in the foreground.
func (h history) foreground() bool {
	return slices.ContainsFunc(h.actions, func(a oracle.Action) bool { return a.Verb == oracle.Foreground }) ||
		slices.ContainsFunc(h.start, func(o graph.Object) bool { return o.Propagation() == graph.Foreground })
}

// isOverride: the other reading permits the end of Kubernetes.
func isOverride(h history, out outcome) bool {
	return slices.Contains(permitted(h, out, true), out.theirs)
}

// exists reports whether so is true of any object of theirs and the same object of
// ours. gone says that ours no longer has it.
func (o outcome) exists(so func(theirs, ours graph.Object, gone bool) bool) bool {
	ours, theirs := o.sides()
	return slices.ContainsFunc(theirs, func(p graph.Object) bool {
		q, ok := lookup(ours, p.Key)
		return so(p, q, !ok)
	})
}

// isSelf: an object that refers to itself stays in Kubernetes, or keeps its mark. Or it
// loses that reference as it orphans. One that refers to its own UID at other coordinates goes in
// Kubernetes, and stays for us.
func isSelf(_ history, out outcome) bool {
	owns := func(o graph.Object) bool {
		return slices.ContainsFunc(o.Owners, func(r graph.Owner) bool { return r.UID == o.UID })
	}
	elsewhere := func(o graph.Object) bool {
		return slices.ContainsFunc(o.Owners, func(r graph.Owner) bool { return r.UID == o.UID && r.Key != o.Key })
	}
	ours, theirs := out.sides()
	return out.exists(func(theirs, ours graph.Object, gone bool) bool {
		return owns(theirs) && (gone || !theirs.Equal(ours)) || owns(ours) && !owns(theirs) && theirs.Deleting
	}) || slices.ContainsFunc(ours, func(o graph.Object) bool {
		_, stays := lookup(theirs, o.Key)
		return elsewhere(o) && !stays
	})
}

// isTwice: we leave alone an object that has two references with one UID, and
// Kubernetes does not.
func isTwice(h history, out outcome) bool {
	ours, theirs := out.sides()
	flawed := func(o graph.Object) bool {
		for i := range o.Owners {
			if twice(history{start: []graph.Object{o}}, o, i) {
				return true
			}
		}
		return false
	}
	return slices.ContainsFunc(ours, func(o graph.Object) bool {
		p, _ := lookup(theirs, o.Key)
		return flawed(o) && !flawed(p)
	})
}

// isRing: Kubernetes has unblocked a reference, for a ring that it sees. Or in such a ring,
// which may be none, it has ended an object that waits in ours, or keeps one for ever.
func isRing(h history, out outcome) bool {
	return h.foreground() && slices.ContainsFunc(h.everyone(), func(o graph.Object) bool {
		return h.unblocked(o, out) || h.suspicious(o) && h.broken(o, out)
	})
}

func (h history) unblocked(o graph.Object, out outcome) bool {
	ours, theirs := out.sides()
	p, _ := lookup(theirs, o.Key)
	q, _ := lookup(ours, o.Key)
	return slices.ContainsFunc(o.Owners, func(r graph.Owner) bool {
		blocked := r.Block || h.flips(o.Key, r.Key)
		r.Block = false
		return blocked && slices.Contains(p.Owners, r) && !slices.Contains(q.Owners, r)
	})
}

// suspicious reports whether Kubernetes may take a reference of the object for a part of a
// ring.
func (h history) suspicious(o graph.Object) bool {
	for i := range o.Owners {
		if ring(h, o, i) {
			return true
		}
	}
	return false
}

// broken reports whether Kubernetes has ended the object, which waits in ours. It also
// reports true if a blocking reference to a waiting owner keeps it waiting in
// Kubernetes only.
func (h history) broken(o graph.Object, out outcome) bool {
	ours, theirs := out.sides()
	p, there := lookup(theirs, o.Key)
	q, here := lookup(ours, o.Key)
	return slices.ContainsFunc(o.Owners, func(r graph.Owner) bool {
		blocked := r.Block || h.flips(o.Key, r.Key)
		waits := slices.ContainsFunc(theirs, func(x graph.Object) bool { return x.UID == r.UID && x.Waiting() })
		return blocked && (!there && q.Waiting() || !here && p.Waiting() && waits)
	})
}

// flips reports whether a user turns the object's reference to the owner.
func (h history) flips(object, owner graph.Key) bool {
	return slices.ContainsFunc(h.actions, func(a oracle.Action) bool {
		return a.Verb == oracle.Flip && a.Object.Key == object && a.Object.Owners[0].Key == owner
	})
}

// isForgotten: Kubernetes leaves a global object alone after a reference to a scoped
// owner has gone.
func isForgotten(h history, out outcome) bool {
	return out.exists(func(theirs, ours graph.Object, gone bool) bool {
		o, _ := lookup(h.everyone(), theirs.Key)
		for i, r := range o.Owners {
			if forgotten(h, o, i) && !slices.ContainsFunc(theirs.Owners, r.Same) && len(theirs.Owners) > 0 {
				return gone || !theirs.Equal(ours)
			}
		}
		return false
	})
}

// isLate: Kubernetes keeps exactly the objects that have come late to a waiting owner.
func isLate(h history, out outcome) bool {
	ours, theirs := out.sides()
	came := func(o graph.Object) bool {
		for i := range o.Owners {
			p, alive := lookup(theirs, o.Owners[i].Key)
			if late(h, o, i) && alive && p.Waiting() {
				return true
			}
		}
		return false
	}
	stays := func(o graph.Object) bool { _, ok := lookup(ours, o.Key); return ok || came(o) }
	return len(ours) < len(theirs) && !slices.ContainsFunc(theirs, func(o graph.Object) bool { return !stays(o) })
}

// isUnknown: of an object with an unresolved reference, we have dropped others and
// Kubernetes has not.
func isUnknown(_ history, out outcome) bool {
	ours, theirs := out.sides()
	if len(ours) != len(theirs) {
		return false
	}
	for i, o := range ours {
		p := theirs[i]
		more := !slices.ContainsFunc(o.Owners, func(r graph.Owner) bool { return !slices.Contains(p.Owners, r) })
		unknown := slices.ContainsFunc(o.Owners, func(r graph.Owner) bool { return r.Unresolved })
		p.Owners = o.Owners
		if !o.Equal(p) || !more || len(theirs[i].Owners) > len(o.Owners) && !unknown {
			return false
		}
	}
	return true
}

// isCoordinates: Kubernetes has orphaned by UID, or waits by UID, although the
// coordinates differ.
func isCoordinates(h history, out outcome) bool {
	_, theirs := out.sides()
	return out.exists(func(p, _ graph.Object, _ bool) bool {
		o, _ := lookup(h.everyone(), p.Key)
		for i, r := range o.Owners {
			if !misnamed(h, o, i) {
				continue
			}
			j := slices.IndexFunc(p.Owners, r.Same)
			waits := slices.ContainsFunc(theirs, func(q graph.Object) bool { return q.UID == r.UID && q.Waiting() })
			if j < 0 && h.orphans(r.UID) || j >= 0 && p.Owners[j].Block && waits {
				return true
			}
		}
		return false
	})
}

// orphans reports whether the object with this UID is ever deleted as orphaning.
func (h history) orphans(uid graph.UID) bool {
	return slices.ContainsFunc(h.actions, func(a oracle.Action) bool { return a.Verb == oracle.Orphan && a.Object.UID == uid }) ||
		slices.ContainsFunc(h.start, func(o graph.Object) bool { return o.UID == uid && o.Propagation() == graph.Orphan })
}
