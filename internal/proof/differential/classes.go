package main

import (
	"slices"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/proof/oracle"
)

// class is one deliberate deviation from Kubernetes: see the package's comment.
type class struct {
	name string
	// is reports whether the difference is of this class. Any smaller history than this
	// one is without the difference.
	is func(history, outcome) bool
	// cure removes the subject of this class from a history.
	cure func(history) history
}

func classes() []class {
	return []class{
		{"override", isOverride, undressed},
		{"self", isSelf, dropping(self)},
		{"twice", isTwice, dropping(twice)},
		{"ring", isRing, dropping(ring)},
		{"late", isLate, dropping(late)},
		{"unknown", isUnknown, dropping(unresolved)},
		{"forgotten", isForgotten, dropping(forgotten)},
		{"coordinates", isCoordinates, dropping(misnamed)},
	}
}

// suspect reports whether the i-th reference of an object is a subject of a class.
type suspect func(h history, o graph.Object, i int) bool

func self(_ history, o graph.Object, i int) bool { return o.Owners[i].UID == o.UID }

// twice: two references as old writers left them. A server refuses them today.
func twice(h history, o graph.Object, i int) bool {
	old, ok := lookup(h.start, o.Key)
	same := func(r graph.Owner) bool { return r.UID == o.Owners[i].UID }
	return ok && i < len(old.Owners) && slices.ContainsFunc(old.Owners[:i], same)
}

// late: the owner may have been seen waiting before the reference.
func late(h history, o graph.Object, i int) bool {
	r := o.Owners[i]
	waits := false
	for _, p := range h.start {
		waits = waits || p.UID == r.UID && p.Waiting()
	}
	if old, ok := lookup(h.start, o.Key); ok && waits && slices.ContainsFunc(old.Owners, r.Same) {
		return true
	}
	for _, a := range h.actions {
		switch a.Verb {
		case oracle.Foreground:
			waits = waits || a.Object.UID == r.UID
		case oracle.AddRef, oracle.Create:
			if waits && a.Object.Key == o.Key && slices.ContainsFunc(a.Object.Owners, r.Same) {
				return true
			}
		}
	}
	return false
}

func unresolved(_ history, o graph.Object, i int) bool { return o.Owners[i].Unresolved }

func forgotten(_ history, o graph.Object, i int) bool {
	return o.Scope == "" && scoped(o.Owners[i].Kind)
}

// misnamed: the UID is that of an object with other coordinates.
func misnamed(h history, o graph.Object, i int) bool {
	r := o.Owners[i]
	return !r.Unresolved && slices.ContainsFunc(h.everyone(), func(p graph.Object) bool { return p.UID == r.UID && p.Key != r.Key })
}

// ring: a reference that leads back to its own object, or a reference of an object with
// a dependent that may come to wait.
func ring(h history, o graph.Object, i int) bool {
	return leadsBack(h, o, i) || slices.ContainsFunc(h.everyone(), func(p graph.Object) bool {
		owned := p.UID != o.UID && slices.ContainsFunc(p.Owners, func(r graph.Owner) bool { return r.UID == o.UID })
		return owned && slices.ContainsFunc(h.above(p.UID), h.waits)
	})
}

// leadsBack reports whether the reference leads, over UIDs, back to its own object.
func leadsBack(h history, o graph.Object, i int) bool {
	return o.Owners[i].UID != o.UID && slices.Contains(h.above(o.Owners[i].UID), o.UID)
}

// above returns the UID and those of its owners, and of their owners, and so on.
func (h history) above(uid graph.UID) []graph.UID {
	reached := []graph.UID{uid}
	for at := 0; at < len(reached); at++ {
		for _, p := range h.everyone() {
			if p.UID != reached[at] {
				continue
			}
			for _, r := range p.Owners {
				if !slices.Contains(reached, r.UID) {
					reached = append(reached, r.UID)
				}
			}
		}
	}
	return reached
}

// waits reports whether the object with this UID waits at the start, or a user deletes
// it in the foreground.
func (h history) waits(uid graph.UID) bool {
	return slices.ContainsFunc(h.start, func(o graph.Object) bool { return o.UID == uid && o.Waiting() }) ||
		slices.ContainsFunc(h.actions, func(a oracle.Action) bool { return a.Verb == oracle.Foreground && a.Object.UID == uid })
}

// everyone returns every object of the history, with every reference that it ever has
// there.
func (h history) everyone() []graph.Object {
	list := slices.Clone(h.start)
	for _, a := range h.actions {
		switch a.Verb {
		case oracle.Create:
			list = append(list, a.Object)
		case oracle.AddRef:
			for i, o := range list {
				if o.Key == a.Object.Key {
					list[i] = o.Clone()
					list[i].Owners = append(list[i].Owners, a.Object.Owners...)
				}
			}
		}
	}
	return list
}

// dropping returns the cure that leaves out suspect references.
func dropping(is suspect) func(history) history {
	return func(h history) history {
		clean := func(o graph.Object) graph.Object {
			var kept []graph.Owner
			for i, r := range o.Owners {
				if !is(h, o, i) {
					kept = append(kept, r)
				}
			}
			o.Owners = kept
			return o
		}
		var out history
		for _, o := range h.start {
			out.start = append(out.start, clean(o))
		}
		for _, a := range h.actions {
			if a.Verb == oracle.Create || a.Verb == oracle.AddRef {
				a.Object = clean(a.Object)
			}
			if len(a.Object.Owners) > 0 || !takesRef(a.Verb) {
				out.actions = append(out.actions, a)
			}
		}
		return out
	}
}

// undressed is the cure of override. It removes the propagation finalizers of objects
// that no user deletes.
func undressed(h history) history {
	out := history{slices.Clone(h.start), h.actions}
	for i, o := range h.start {
		if !o.Deleting {
			out.start[i].Finalizers = slices.DeleteFunc(slices.Clone(o.Finalizers), propagates)
		}
	}
	return out
}
