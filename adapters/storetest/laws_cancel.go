package storetest

import (
	"context"
	"errors"
	"fmt"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
)

// lawsOfCancel are about contexts that end. Every other law holds every call to
// returning when its context has.
func lawsOfCancel() []law {
	return []law{
		{
			name: "cancel/watch", rests: []string{watchListing},
			why: "an engine that is told to stop waits for its watch",
			run: cancelledWatchesEnd,
		},
		{
			name: "cancel/ended", rests: []string{readMarked},
			why: "a call that was cut off proves nothing: ErrNotFound for it deletes the dependents of a living owner",
			run: cancelledCallsProveNothing,
		},
		{
			name: "cancel/whole", rests: []string{readMarked, patchOneStep},
			why: "a write whose outcome is unknown was done or was not: half of one is a state that nobody has judged",
			run: cancelledWritesAreWhole,
		},
	}
}

func cancelledWatchesEnd(t *trial) {
	idle := t.watch().ready()
	err, ended := idle.stop()
	if !ended {
		t.broken(fmt.Sprintf("a watch ends within %s when its context does", t.patience), "it goes on")
	}
	if !errors.Is(err, context.Canceled) {
		t.broken("the watch returns the context's error, wrapped", fmt.Sprint(err))
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	err = t.doWith(ctx, "Watch with a context that has ended", func(ctx context.Context) error {
		return t.Store.Watch(ctx, func(ownergraph.Event) error { return nil })
	})
	if !errors.Is(err, context.Canceled) {
		t.broken("a watch whose context has ended returns its error, wrapped", fmt.Sprint(err))
	}
}

// cut runs a call with a context that has ended.
func (t *trial) cut(what string, call func(context.Context) error) error {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	err := t.doWith(ctx, what+" with a context that has ended", call)
	if errors.Is(err, graph.ErrNotFound) || errors.Is(err, graph.ErrConflict) {
		t.broken(what+" with a context that has ended says nothing of the object", err.Error())
	}
	return err
}

func cancelledCallsProveNothing(t *trial) {
	o := t.made("a", foreign)
	var got ownergraph.Object
	err := t.cut("Get", func(ctx context.Context) (err error) { got, err = t.Store.Get(ctx, o.Key); return err })
	if err == nil {
		t.wantSame("Get that succeeds although its context has ended", o, got)
	}
	change := ownergraph.Change{AddFinalizer: another}
	err = t.cut("Patch", func(ctx context.Context) error { return t.Store.Patch(ctx, o.Key, exact(o), change) })
	o = t.eitherWay("Patch", err, o, change.Apply(o))
	err = t.cut("Delete", func(ctx context.Context) error {
		return t.Store.Delete(ctx, o.Key, ownergraph.DeleteOptions{Precondition: exact(o), Propagation: ownergraph.Background})
	})
	deleted := o.Clone()
	deleted.Deleting = true
	t.eitherWay("Delete", err, o, deleted)
}

// eitherWay breaks the law unless a write has happened fully, or, if it failed,
// not at all. It returns the object as it is.
func (t *trial) eitherWay(what string, err error, before, after ownergraph.Object) ownergraph.Object {
	t.Helper()
	now := t.live(before.Key)
	switch {
	case sameContent(now, after):
	case err == nil:
		t.broken(fmt.Sprintf("%s answered that it was done: %s", what, after), now.String())
	case errors.Is(err, graph.ErrConflict), sameContent(now, before):
		t.wantSame(fmt.Sprintf("%s answered %q", what, err), before, now)
	default:
		t.broken(fmt.Sprintf("%s that was cut off has left %s or %s", what, before, after), now.String())
	}
	return now
}

// cancelledWritesAreWhole ends the context while the call runs, or before.
func cancelledWritesAreWhole(t *trial) {
	o := t.threeOwners()
	o.Finalizers = []string{foreign}
	o = t.update(o)
	refs := o.Owners
	for i := range 24 {
		change := ownergraph.Change{DropOwners: refs[:1], Unblock: refs[1:2], DropFinalizer: foreign, AddFinalizer: another}
		ctx, cancel := context.WithCancel(t.Context())
		done := start(ctx, func(ctx context.Context) error { return t.Store.Patch(ctx, o.Key, exact(o), change) })
		cancel()
		err := t.doWith(context.WithoutCancel(ctx), "Patch whose context ends", func(context.Context) error { return <-done })
		again := []string{foreign}
		if i%4 == 3 {
			again = append(again, fmt.Sprintf("example.org/%d", i))
		}
		o = t.afterCut(err, o, change.Apply(o), func(o ownergraph.Object) ownergraph.Object {
			o.Owners, o.Finalizers = refs, again
			return o
		})
	}
}

// afterCut judges a patch that was cut off, and has a user write next. The patch
// may come to the store later than its call has returned, and even after it was
// looked for: then the user's write is in conflict, once.
func (t *trial) afterCut(err error, before, after ownergraph.Object, next func(ownergraph.Object) ownergraph.Object) ownergraph.Object {
	t.Helper()
	now := t.eitherWay("Patch", err, before, after)
	o, refused := t.tryUpdate(next(now))
	if err != nil && errors.Is(refused, graph.ErrConflict) {
		return t.update(next(t.eitherWay("Patch", err, before, after)))
	}
	if refused != nil {
		t.unable("Client.Update %s: %v", now, refused)
	}
	return o
}
