package storetest

import (
	"context"
	"errors"
	"fmt"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
)

// lawsOfCancel are about contexts that end. Every other law also demands that a
// call returns after the end of its context.
func lawsOfCancel() []law {
	return []law{
		{
			name: "cancel/watch", rests: []string{watchListing},
			why: "an engine that stops waits for its watch to end",
			run: cancelledWatchesEnd,
		},
		{
			name: "cancel/ended", rests: []string{readMarked},
			why: "a cancelled call proves nothing: with ErrNotFound as its answer, an engine deletes the dependents of a live owner",
			run: cancelledCallsProveNothing,
		},
		{
			name: "cancel/whole", rests: []string{readMarked, patchOneStep},
			why: "a write of unknown outcome is done fully or not at all: no engine has judged a state in between",
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
		return t.Store.Watch(ctx, func([]ownergraph.Event) error { return nil })
	})
	if !errors.Is(err, context.Canceled) {
		t.broken("a watch whose context has ended returns its error, wrapped", fmt.Sprint(err))
	}
}

// callCancelled makes a call with a context that has ended.
func (t *trial) callCancelled(what string, call func(context.Context) error) error {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	err := t.doWith(ctx, what+" with a context that has ended", call)
	if errors.Is(err, graph.ErrNotFound) || errors.Is(err, graph.ErrConflict) {
		t.broken(what+" with a context that has ended says nothing about the object", err.Error())
	}
	return err
}

func cancelledCallsProveNothing(t *trial) {
	o := t.made("a", holdFinalizer)
	var got ownergraph.Object
	err := t.callCancelled("Get", func(ctx context.Context) (err error) { got, err = t.Store.Get(ctx, o.Key); return err })
	if err == nil {
		t.wantSame("Get that succeeds although its context has ended", o, got)
	}
	change := ownergraph.Change{AddFinalizer: moreFinalizer}
	err = t.callCancelled("Patch", func(ctx context.Context) error { return t.Store.Patch(ctx, o.Key, exact(o), cloneChange(change)) })
	o = t.eitherWay("Patch", err, o, change.Apply(o))
	err = t.callCancelled("Delete", func(ctx context.Context) error {
		return t.Store.Delete(ctx, o.Key, ownergraph.DeleteOptions{Precondition: exact(o), Propagation: ownergraph.Background})
	})
	deleted := o.Clone()
	deleted.Deleting = true
	t.eitherWay("Delete", err, o, deleted)
}

// eitherWay breaks the law if a write is done in part, or if a successful write is
// not done. It returns the object as it is. The law cancel/answer judges the error of a
// write that was done.
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
		t.broken(fmt.Sprintf("%s that was cancelled has left %s or %s", what, before, after), now.String())
	}
	return now
}

// cancelledWritesAreWhole ends the context before or during the call.
func cancelledWritesAreWhole(t *trial) {
	o := t.threeOwners()
	o.Finalizers = []string{holdFinalizer}
	o = t.update(o)
	refs := o.Owners
	for i := range 24 {
		change := ownergraph.Change{DropOwners: refs[:1], Unblock: refs[1:2], DropFinalizer: holdFinalizer, AddFinalizer: moreFinalizer}
		ctx, cancel := context.WithCancel(t.Context())
		done := start(ctx, func(ctx context.Context) error { return t.Store.Patch(ctx, o.Key, exact(o), cloneChange(change)) })
		cancel()
		err := t.doWith(context.WithoutCancel(ctx), "Patch whose context ends", func(context.Context) error { return <-done })
		again := []string{holdFinalizer}
		if i%4 == 3 {
			again = append(again, fmt.Sprintf("example.org/%d", i))
		}
		o = t.afterCancelled(err, o, change.Apply(o), func(o ownergraph.Object) ownergraph.Object {
			o.Owners, o.Finalizers = refs, again
			return o
		})
	}
}

// afterCancelled checks a cancelled patch, and then writes as a user. The patch may
// reach the store after its call has returned, even after a read. Then the user's
// write is in conflict, once.
func (t *trial) afterCancelled(err error, before, after ownergraph.Object, next func(ownergraph.Object) ownergraph.Object) ownergraph.Object {
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
