package oracle

import (
	"slices"
	"strings"

	"github.com/ownergraph/ownergraph/graph"
)

// Apply returns the state after the action, and true if it differs. An action that
// the store refuses changes nothing: its object does not live, its name is taken, or
// its UID is spent. An action whose effect is there already changes nothing either.
func (a Action) Apply(s State) (State, bool) {
	if a.wrong() != "" {
		return s, false
	}
	switch a.Verb {
	case Create:
		return s.create(a.Object)
	case Recreate:
		return s.create(graph.Object{Key: s.next(a.Object.Key)})
	case Restore:
		return s.restore(a.Object.UID)
	}
	i := s.find(a.Object.Key)
	if i < 0 {
		return s, false
	}
	s, f, heard := s, newForm(a.change(s.objects[i].Object)), false
	if a.Verb.deletes() {
		s, heard = s.hear(i)
	}
	if f.text == s.objects[i].text && a.Verb != Touch {
		return s, heard // and no new version
	}
	return s.write(i, f, a.Verb.deletes()), true
}

// change returns the object after the action.
func (a Action) change(o graph.Object) graph.Object {
	switch a.Verb {
	case Foreground:
		return a.deleted(o, graph.Foreground)
	case Background:
		return a.deleted(o, graph.Background)
	case Orphan:
		return a.deleted(o, graph.Orphan)
	case Strip:
		return without(o, propagates)
	case Finish:
		return without(o, func(f string) bool { return !propagates(f) && !graph.IsGuardFinalizer(f) })
	case Approve:
		return without(o, func(f string) bool { return f == graph.FinalizerHold })
	case Protect:
		if !o.Deleting { // a marked object gains no finalizer
			return graph.Change{AddFinalizer: graph.FinalizerProtect}.Apply(o)
		}
	case Unprotect:
		return without(o, func(f string) bool { return f == graph.FinalizerProtect })
	case Grace0:
		o.GraceSeconds = 0
	case AddRef:
		if r := a.Object.Owners[0]; !slices.ContainsFunc(o.Owners, r.Same) {
			return graph.Change{AddOwner: &r}.Apply(o)
		}
	case DropRef:
		o = o.Clone()
		o.Owners = slices.DeleteFunc(o.Owners, a.names)
	case Flip:
		o = o.Clone()
		for i, r := range o.Owners {
			o.Owners[i].Block = r.Block != a.names(r)
		}
	case Repolicy:
		o = o.Clone()
		for i, r := range o.Owners {
			if a.names(r) {
				o.Owners[i].OnDelete = a.Object.Owners[0].OnDelete
			}
		}
	}
	return o
}

func (a Action) names(r graph.Owner) bool { return r.Key == a.Object.Owners[0].Key }

// deleted returns the object after a user's deletion, which may carry a grace period. During a
// period only a deletion with a shorter one changes the object.
func (a Action) deleted(o graph.Object, p graph.Propagation) graph.Object {
	asked := a.Object
	switch {
	case o.Deleting && o.GraceSeconds > 0 && !(asked.Deleting && asked.GraceSeconds < o.GraceSeconds):
		return o
	case !asked.Deleting:
	case o.Deleting:
		o.GraceSeconds = min(o.GraceSeconds, asked.GraceSeconds)
	default:
		o.GraceSeconds = asked.GraceSeconds
	}
	return mark(o, p)
}

func propagates(f string) bool { return f == graph.FinalizerOrphan || f == graph.FinalizerForeground }

func without(o graph.Object, drop func(string) bool) graph.Object {
	o = o.Clone()
	o.Finalizers = slices.DeleteFunc(o.Finalizers, drop)
	return o
}

func (s State) create(o graph.Object) (State, bool) {
	taken := func(p object) bool { return p.Place() == o.Place() }
	if slices.ContainsFunc(s.objects, taken) || slices.Contains(s.spent, o.UID) {
		return s, false
	}
	return s.insert(o), true
}

// next returns the key of the next incarnation.
func (s State) next(key graph.Key) graph.Key {
	key.UID = graph.UID(strings.TrimRight(string(key.UID), "'"))
	for slices.Contains(s.spent, key.UID) {
		key.UID += "'"
	}
	return key
}
