package storetest

import (
	"context"
	"errors"
	"slices"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/oracle"
)

// mostTries bounds how often a user tries again who meets a conflict.
const mostTries = 100

// do bounds a call that is not under test, and returns its error.
func (e *course) do(call func(ctx context.Context) error) error {
	ctx, cancel := context.WithTimeout(e.Context(), e.conf.Patience)
	defer cancel()
	return <-start(ctx, call)
}

// must is do where nothing may go wrong.
func (e *course) must(what string, call func(ctx context.Context) error) {
	e.Helper()
	if err := e.do(call); err != nil {
		e.Logf("%s: %v", what, err)
		e.fail("%s: %s", what, cause(err))
	}
}

// key returns the key of an actor's latest incarnation.
func (e *course) key(i int) ownergraph.Key {
	k := e.plot.actors[i].at
	k.UID = e.uids[i]
	return k
}

// live reads what is there of the actors, sorted by key.
func (e *course) live() (list []ownergraph.Object) {
	e.Helper()
	for i, a := range e.plot.actors {
		if e.uids[i] == "" {
			continue
		}
		var o ownergraph.Object
		err := e.do(func(ctx context.Context) (err error) { o, err = e.Store.Get(ctx, a.at); return err })
		switch {
		case err == nil:
			list = append(list, o)
		case !errors.Is(err, graph.ErrNotFound):
			e.Logf("the store: %v", err)
			e.fail("Get(%s): %s", place(a.at), cause(err))
		}
	}
	return list
}

// note notes an action that a user has done.
func (e *course) note(verb oracle.Verb, o ownergraph.Object) {
	e.actions = append(e.actions, oracle.Action{Verb: verb, Object: e.names.object(o)})
}

// move does what a user does. What cannot be done has no effect, and is not
// noted.
func (e *course) move(m move) {
	e.Helper()
	switch m.verb {
	case oracle.Create:
		e.create(m.actor)
	case oracle.Recreate:
		e.recreate(m.actor)
	case oracle.Background, oracle.Foreground, oracle.Orphan:
		p := map[oracle.Verb]ownergraph.Propagation{
			oracle.Background: ownergraph.Background, oracle.Foreground: ownergraph.Foreground, oracle.Orphan: ownergraph.Orphan,
		}[m.verb]
		e.remove(m.actor, p)
	default:
		e.change(m)
	}
}

// create creates an actor, with references to those that were created.
func (e *course) create(i int) {
	e.Helper()
	a := e.plot.actors[i]
	o := ownergraph.Object{Key: a.at}
	for _, c := range a.owners {
		r := ownergraph.Owner{Key: e.key(c.to), Block: c.block}
		if r.UID != "" && !slices.ContainsFunc(o.Owners, func(x ownergraph.Owner) bool { return x.UID == r.UID }) {
			o.Owners = append(o.Owners, r)
		}
	}
	if a.held {
		o.Finalizers = []string{foreign}
	}
	e.made(i, o)
}

// recreate creates an actor's next incarnation, bare, if its place is free.
func (e *course) recreate(i int) {
	e.Helper()
	at := e.plot.actors[i].at
	err := e.do(func(ctx context.Context) error { _, err := e.Store.Get(ctx, at); return err })
	if errors.Is(err, graph.ErrNotFound) {
		e.made(i, ownergraph.Object{Key: at})
	}
}

func (e *course) made(i int, o ownergraph.Object) {
	e.Helper()
	e.must("the user's Create of "+place(o.Key), func(ctx context.Context) error {
		made, err := e.Client.Create(ctx, o.Clone())
		e.uids[i], o.UID = made.UID, made.UID
		return err
	})
	e.names.add(o.Key)
	e.note(oracle.Create, o)
}

// remove deletes an actor, and reports whether it was there.
func (e *course) remove(i int, p ownergraph.Propagation) bool {
	e.Helper()
	key, grace := e.key(i), int64(0)
	if key.UID == "" {
		return false
	}
	opts := ownergraph.DeleteOptions{Precondition: ownergraph.Precondition{UID: key.UID}, Propagation: p, GraceSeconds: &grace}
	err := e.do(func(ctx context.Context) error { return e.Client.Delete(ctx, key, opts) })
	switch {
	case err == nil:
		verb := map[ownergraph.Propagation]oracle.Verb{
			ownergraph.Background: oracle.Background, ownergraph.Foreground: oracle.Foreground, ownergraph.Orphan: oracle.Orphan,
		}[p]
		e.note(verb, ownergraph.Object{Key: key})
		return true
	case errors.Is(err, graph.ErrNotFound), errors.Is(err, graph.ErrConflict):
		return false
	}
	e.Logf("the store: %v", err)
	e.fail("the user's Delete of %s: %s", e.names.key(key), cause(err))
	return false
}

// change updates an actor as the move says, again and again if others are
// faster.
func (e *course) change(m move) {
	e.Helper()
	key := e.key(m.actor)
	note := ownergraph.Object{Key: key}
	if m.verb == oracle.AddRef || m.verb == oracle.DropRef || m.verb == oracle.Flip {
		note.Owners = []ownergraph.Owner{{Key: e.key(m.to.to)}}
		if note.Owners[0].UID == "" {
			return
		}
		note.Owners[0].Block = m.verb == oracle.AddRef && m.to.block
	}
	for range mostTries {
		var o ownergraph.Object
		err := e.do(func(ctx context.Context) (err error) { o, err = e.Store.Get(ctx, key); return err })
		if key.UID == "" || errors.Is(err, graph.ErrNotFound) || err == nil && o.UID != key.UID {
			return
		}
		if err != nil {
			e.Logf("the store: %v", err)
			e.fail("Get(%s): %s", place(key), cause(err))
		}
		next := altered(o, m.verb, note.Owners)
		if next.EqualContent(o) {
			return
		}
		err = e.do(func(ctx context.Context) error { _, err := e.Client.Update(ctx, next); return err })
		switch {
		case err == nil:
			e.note(m.verb, note)
			return
		case !errors.Is(err, graph.ErrConflict) && !errors.Is(err, graph.ErrNotFound):
			e.Logf("the store: %v", err)
			e.fail("the user's Update of %s: %s", place(key), cause(err))
		}
	}
	e.fail("the user's Update of %s met %d conflicts", place(key), mostTries)
}

// altered returns the object as a user leaves it.
func altered(o ownergraph.Object, verb oracle.Verb, refs []ownergraph.Owner) ownergraph.Object {
	o = o.Clone()
	named := func(r ownergraph.Owner) bool { return r.Key == refs[0].Key }
	switch verb {
	case oracle.AddRef:
		if !slices.ContainsFunc(o.Owners, named) {
			o.Owners = append(o.Owners, refs[0])
		}
	case oracle.DropRef:
		o.Owners = slices.DeleteFunc(o.Owners, named)
	case oracle.Flip:
		for i, r := range o.Owners {
			o.Owners[i].Block = r.Block != named(r)
		}
	case oracle.Strip:
		o.Finalizers = slices.DeleteFunc(o.Finalizers, func(f string) bool {
			return f == graph.FinalizerOrphan || f == graph.FinalizerForeground
		})
	case oracle.Finish:
		o.Finalizers = slices.DeleteFunc(o.Finalizers, func(f string) bool { return f == foreign })
	}
	return o
}
