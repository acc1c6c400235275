package storetest

import (
	"context"
	"errors"
	"slices"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/proof/oracle"
)

// maxTries bounds the retries of a user after a conflict.
const maxTries = 100

// do bounds a call that is not under test, and returns its error.
func (e *engineCase) do(call func(ctx context.Context) error) error {
	ctx, cancel := context.WithTimeout(e.Context(), e.conf.Patience)
	defer cancel()
	return <-start(ctx, call)
}

// mustDo is do for a call that has to succeed.
func (e *engineCase) mustDo(what string, call func(ctx context.Context) error) {
	e.Helper()
	if err := e.do(call); err != nil {
		e.Logf("%s: %v", what, err)
		e.fail("%s: %s", what, cause(err))
	}
}

// key returns the key of an object's latest incarnation.
func (e *engineCase) key(i int) ownergraph.Key {
	k := e.scenario.objects[i].at
	k.UID = e.uids[i]
	return k
}

// live reads the present objects, sorted by key.
func (e *engineCase) live() (list []ownergraph.Object) {
	e.Helper()
	for i, a := range e.scenario.objects {
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

// recordAction notes a completed write of a user.
func (e *engineCase) recordAction(verb oracle.Verb, o ownergraph.Object) {
	e.actions = append(e.actions, oracle.Action{Verb: verb, Object: e.names.object(o)})
}

// act runs a user's action. An impossible action has no effect, and is not
// recorded.
func (e *engineCase) act(m userAction) {
	e.Helper()
	switch m.verb {
	case oracle.Create:
		e.create(m.object)
	case oracle.Recreate:
		e.recreate(m.object)
	case oracle.Background, oracle.Foreground, oracle.Orphan:
		p := map[oracle.Verb]graph.Propagation{
			oracle.Background: ownergraph.Background, oracle.Foreground: ownergraph.Foreground, oracle.Orphan: ownergraph.Orphan,
		}[m.verb]
		e.remove(m.object, p)
	default:
		e.change(m)
	}
}

// create creates an object, with references to the objects that were created.
func (e *engineCase) create(i int) {
	e.Helper()
	a := e.scenario.objects[i]
	o := ownergraph.Object{Key: a.at}
	for _, c := range a.owners {
		r := ownergraph.Owner{Key: e.key(c.to), Block: c.block}
		if r.UID != "" && !slices.ContainsFunc(o.Owners, func(x ownergraph.Owner) bool { return x.UID == r.UID }) {
			o.Owners = append(o.Owners, r)
		}
	}
	if a.foreignFinalizer {
		o.Finalizers = []string{holdFinalizer}
	}
	e.createObject(i, o)
}

// recreate creates an object's next incarnation, without references, if its place
// is free.
func (e *engineCase) recreate(i int) {
	e.Helper()
	at := e.scenario.objects[i].at
	err := e.do(func(ctx context.Context) error { _, err := e.Store.Get(ctx, at); return err })
	if errors.Is(err, graph.ErrNotFound) {
		e.createObject(i, ownergraph.Object{Key: at})
	}
}

func (e *engineCase) createObject(i int, o ownergraph.Object) {
	e.Helper()
	refused := false
	e.mustDo("the user's Create of "+place(o.Key), func(ctx context.Context) error {
		made, err := e.Client.Create(ctx, o.Clone())
		if refused = e.refuses(err); refused {
			return nil
		}
		e.uids[i], o.UID = made.UID, made.UID
		return err
	})
	if refused {
		return
	}
	e.names.add(o.Key)
	e.recordAction(oracle.Create, o)
}

// refuses reports whether a store of level 3 refuses a user's reference. Such an action has
// no effect. The specification knows the others as accepted.
func (e *engineCase) refuses(err error) bool {
	return e.level >= ownergraph.Level3 && errors.Is(err, graph.ErrRefused)
}

// remove deletes an object, and reports whether it was there.
func (e *engineCase) remove(i int, p graph.Propagation) bool {
	e.Helper()
	key, grace := e.key(i), int64(0)
	if key.UID == "" {
		return false
	}
	opts := ownergraph.DeleteOptions{Precondition: ownergraph.Precondition{UID: key.UID}, Propagation: p, GraceSeconds: &grace}
	err := e.do(func(ctx context.Context) error { return e.Client.Delete(ctx, key, opts) })
	switch {
	case err == nil:
		verb := map[graph.Propagation]oracle.Verb{
			ownergraph.Background: oracle.Background, ownergraph.Foreground: oracle.Foreground, ownergraph.Orphan: oracle.Orphan,
		}[p]
		e.recordAction(verb, ownergraph.Object{Key: key})
		return true
	case errors.Is(err, graph.ErrNotFound), errors.Is(err, graph.ErrConflict):
		return false
	}
	e.Logf("the store: %v", err)
	e.fail("the user's Delete of %s: %s", e.names.key(key), cause(err))
	return false
}

// change updates an object by the action. After a conflict it reads again.
func (e *engineCase) change(m userAction) {
	e.Helper()
	key := e.key(m.object)
	recorded := ownergraph.Object{Key: key}
	if m.verb == oracle.AddRef || m.verb == oracle.DropRef || m.verb == oracle.Flip {
		recorded.Owners = []ownergraph.Owner{{Key: e.key(m.to.to)}}
		if recorded.Owners[0].UID == "" {
			return
		}
		recorded.Owners[0].Block = m.verb == oracle.AddRef && m.to.block
	}
	for range maxTries {
		var o ownergraph.Object
		err := e.do(func(ctx context.Context) (err error) { o, err = e.Store.Get(ctx, key); return err })
		if key.UID == "" || errors.Is(err, graph.ErrNotFound) || err == nil && o.UID != key.UID {
			return
		}
		if err != nil {
			e.Logf("the store: %v", err)
			e.fail("Get(%s): %s", place(key), cause(err))
		}
		next := altered(o, m.verb, recorded.Owners)
		if next.EqualContent(o) {
			return
		}
		err = e.do(func(ctx context.Context) error { _, err := e.Client.Update(ctx, next); return err })
		switch {
		case err == nil:
			e.recordAction(m.verb, recorded)
			return
		case e.refuses(err):
			return
		case !errors.Is(err, graph.ErrConflict) && !errors.Is(err, graph.ErrNotFound):
			e.Logf("the store: %v", err)
			e.fail("the user's Update of %s: %s", place(key), cause(err))
		}
	}
	e.fail("the user's Update of %s met %d conflicts", place(key), maxTries)
}

// altered returns the object after a user's change.
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
		o.Finalizers = slices.DeleteFunc(o.Finalizers, func(f string) bool { return f == holdFinalizer })
	}
	return o
}
