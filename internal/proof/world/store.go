package world

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/ownergraph/ownergraph/finalizer"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/proof/oracle"
)

// Store keeps objects under the rules of package finalizer. Versions count the
// states of one object, so that equal histories give equal versions. A Store is a
// value: a change makes new slices, so that copies are independent.
type Store struct {
	objects  []graph.Object // by key
	spent    []graph.UID    // sorted
	down     []graph.Kind   // reads and writes of these fail
	revision int            // counts writes
	counting bool           // versions are revisions
	labels   labels         // of the objects that have any
	archived archived
}

// NewStore returns a store with the objects. An object without a version gets
// version 1.
func NewStore(objects []graph.Object) Store {
	var s Store
	for _, o := range objects {
		if o.Version == "" {
			o.Version = "1"
		}
		s.put(o)
	}
	return s
}

func (s *Store) find(k graph.Key) (int, bool) {
	return slices.BinarySearchFunc(s.objects, k, func(o graph.Object, k graph.Key) int {
		return o.Place().Compare(k.Place())
	})
}

// put makes o the state of its place.
func (s *Store) put(o graph.Object) {
	s.revision++
	s.objects = slices.Clone(s.objects)
	i, ok := s.find(o.Key)
	if ok {
		s.objects[i] = o
	} else {
		s.objects = slices.Insert(s.objects, i, o)
	}
	s.spend(o.UID)
}

// spend notes a UID that the store does not use again.
func (s *Store) spend(u graph.UID) {
	if j, ok := slices.BinarySearch(s.spent, u); !ok {
		s.spent = slices.Insert(slices.Clone(s.spent), j, u)
	}
}

// Spent returns the UIDs that the store will not use again, sorted. The caller must
// not change them.
func (s *Store) Spent() []graph.UID { return s.spent }

// Objects returns the objects of the store by key. The caller must not change them.
func (s *Store) Objects() []graph.Object { return s.objects }

// Get returns the object at the key's place, or an error that wraps
// graph.ErrNotFound.
func (s *Store) Get(k graph.Key) (graph.Object, error) {
	if s.isDown(k.Kind) {
		return graph.Object{}, fmt.Errorf("get %s: kind is down", k)
	}
	i, ok := s.find(k)
	if !ok {
		return graph.Object{}, fmt.Errorf("get %s: %w", k, graph.ErrNotFound)
	}
	return s.objects[i], nil
}

func (s *Store) isDown(k graph.Kind) bool { return slices.Contains(s.down, k) }

// At returns the object at the key's place, even if its kind is down.
func (s *Store) At(k graph.Key) (graph.Object, bool) {
	i, ok := s.find(k)
	if !ok {
		return graph.Object{}, false
	}
	return s.objects[i], true
}

// Revision returns the version of the whole store. CountRevisions makes the versions
// of objects comparable with it.
func (s *Store) Revision() graph.Version { return graph.Version(strconv.Itoa(s.revision)) }

// Next returns the key with the UID of the next incarnation at its place.
func (s *Store) Next(k graph.Key) graph.Key { return s.next(k) }

// commit carries out the outcome of a write under the rules. The event is unset if
// the object is the same.
func (s *Store) commit(live graph.Object, out finalizer.Outcome) graph.Event {
	switch out.Effect {
	case finalizer.Stored:
		out.Object.Version = s.after(live.Version)
		s.put(out.Object)
		return graph.Event{Type: graph.Put, Object: out.Object}
	case finalizer.Removed:
		i, _ := s.find(live.Key)
		s.revision++
		s.objects = slices.Delete(slices.Clone(s.objects), i, i+1)
		s.labels = s.labels.with(live.Key, nil)
		return graph.Event{Type: graph.Gone, Key: live.Key}
	}
	return graph.Event{}
}

// after returns the version that follows v.
func (s *Store) after(v graph.Version) graph.Version {
	n, _ := strconv.Atoi(string(v))
	if s.counting {
		n = s.revision
	}
	return graph.Version(strconv.Itoa(n + 1))
}

// Delete carries out an engine's delete.
func (s *Store) Delete(k graph.Key, opts graph.DeleteOptions) (graph.Event, error) {
	live, err := s.Get(k)
	if err != nil {
		return graph.Event{}, err
	}
	out, err := finalizer.Delete(live, opts, graph.Background)
	if err != nil {
		return graph.Event{}, err
	}
	s.note(live, out, true, opts.Cause)
	return s.commit(live, out), nil
}

// Patch carries out an engine's patch.
func (s *Store) Patch(k graph.Key, pre graph.Precondition, c graph.Change) (graph.Event, error) {
	live, err := s.Get(k)
	if err != nil {
		return graph.Event{}, err
	}
	out, err := finalizer.Patch(live, pre, c)
	if err != nil {
		return graph.Event{}, err
	}
	s.note(live, out, false, nil)
	return s.commit(live, out), nil
}

// Do carries out a user's action. An action that the store refuses changes nothing,
// and its event is unset.
func (s *Store) Do(a oracle.Action) (graph.Event, error) {
	switch a.Verb {
	case oracle.Create:
		return s.create(a.Object)
	case oracle.Recreate:
		return s.create(graph.Object{Key: s.next(a.Object.Key)})
	}
	live, err := s.Get(a.Object.Key)
	if err != nil {
		return graph.Event{}, err
	}
	if live.UID != a.Object.UID {
		return graph.Event{}, fmt.Errorf("%s: %w", a, graph.ErrConflict)
	}
	out, err := change(live, a)
	if err != nil {
		return graph.Event{}, err
	}
	if a.Verb == oracle.Touch {
		out = finalizer.Outcome{Effect: finalizer.Stored, Object: live}
	}
	deletion := deletes(a.Verb, live)
	if deletion {
		s.reach(live.UID)
	}
	s.note(live, out, deletion, nil)
	return s.commit(live, out), nil
}

// deletes reports whether an action deletes a live object. The end of a grace period is a deletion of a marked one.
func deletes(v oracle.Verb, live graph.Object) bool {
	return v == oracle.Foreground || v == oracle.Background || v == oracle.Orphan || v == oracle.Grace0 && live.Deleting
}

// change applies the rules to one action on a live object.
func change(live graph.Object, a oracle.Action) (finalizer.Outcome, error) {
	del := func(p graph.Propagation) (finalizer.Outcome, error) {
		opts := graph.DeleteOptions{Propagation: p}
		if a.Object.Deleting {
			opts.GraceSeconds = &a.Object.GraceSeconds
		}
		return finalizer.Delete(live, opts, graph.Background)
	}
	wanted := live.Clone()
	switch a.Verb {
	case oracle.Foreground:
		return del(graph.Foreground)
	case oracle.Background:
		return del(graph.Background)
	case oracle.Orphan:
		return del(graph.Orphan)
	case oracle.Grace0:
		if !live.Deleting {
			return finalizer.Outcome{Effect: finalizer.Unchanged, Object: live}, nil
		}
		zero := int64(0)
		return finalizer.Delete(live, graph.DeleteOptions{GraceSeconds: &zero}, graph.Background)
	case oracle.Strip, oracle.Finish:
		wanted.Finalizers = slices.DeleteFunc(wanted.Finalizers, func(f string) bool {
			own := f == graph.FinalizerOrphan || f == graph.FinalizerForeground
			return own == (a.Verb == oracle.Strip) && !graph.IsGuardFinalizer(f)
		})
	case oracle.Approve:
		wanted = graph.Change{DropFinalizer: graph.FinalizerHold}.Apply(live)
	case oracle.Protect:
		wanted = graph.Change{AddFinalizer: graph.FinalizerProtect}.Apply(live)
	case oracle.Unprotect:
		wanted = graph.Change{DropFinalizer: graph.FinalizerProtect}.Apply(live)
	case oracle.AddRef:
		r := a.Object.Owners[0]
		if !slices.ContainsFunc(wanted.Owners, r.Same) {
			wanted.Owners = append(wanted.Owners, r)
		}
	case oracle.DropRef:
		wanted.Owners = slices.DeleteFunc(wanted.Owners, func(r graph.Owner) bool { return r.Key == a.Object.Owners[0].Key })
	case oracle.Flip:
		for i, r := range wanted.Owners {
			wanted.Owners[i].Block = r.Block != (r.Key == a.Object.Owners[0].Key)
		}
	case oracle.Repolicy:
		for i, r := range wanted.Owners {
			if r.Key == a.Object.Owners[0].Key {
				wanted.Owners[i].OnDelete = a.Object.Owners[0].OnDelete
			}
		}
	}
	return finalizer.Update(live, wanted)
}

func (s *Store) create(o graph.Object) (graph.Event, error) {
	_, taken := s.find(o.Key)
	if _, spent := slices.BinarySearch(s.spent, o.UID); taken || spent {
		return graph.Event{}, fmt.Errorf("create %s: %w", o.Key, graph.ErrConflict)
	}
	o.Version = s.after("0")
	s.put(o)
	return graph.Event{Type: graph.Put, Object: o}, nil
}

// next returns the key of the next incarnation of a name.
func (s *Store) next(k graph.Key) graph.Key {
	k.UID = graph.UID(strings.TrimRight(string(k.UID), "'"))
	for {
		if _, spent := slices.BinarySearch(s.spent, k.UID); !spent {
			return k
		}
		k.UID += "'"
	}
}
