package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/ownergraph/ownergraph/adapters/memory"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/proof/oracle"
)

// act lets a user do an action, and reports whether it was done. The store refuses
// wrong actions and late ones.
func act(ctx context.Context, store *memory.Store, a oracle.Action) (done bool, err error) {
	err = attempt(ctx, store, a)
	for _, expected := range []error{graph.ErrNotFound, graph.ErrConflict, graph.ErrRefused} {
		if errors.Is(err, expected) {
			return false, nil
		}
	}
	if err != nil {
		return false, fmt.Errorf("user: %s: %w", a, err)
	}
	return true, nil
}

func attempt(ctx context.Context, store *memory.Store, a oracle.Action) error {
	if a.Verb == oracle.Create {
		o := a.Object
		o.UID = ""
		_, err := store.Create(ctx, o)
		return err
	}
	live, err := store.Get(ctx, a.Object.Key)
	if err != nil {
		return err
	}
	if live.Key != a.Object.Key {
		return graph.ErrNotFound
	}
	pre := graph.Precondition{UID: live.UID}
	switch a.Verb {
	case oracle.Foreground:
		return store.Delete(ctx, live.Key, graph.DeleteOptions{Precondition: pre, Propagation: graph.Foreground})
	case oracle.Background:
		return store.Delete(ctx, live.Key, graph.DeleteOptions{Precondition: pre, Propagation: graph.Background})
	case oracle.Orphan:
		return store.Delete(ctx, live.Key, graph.DeleteOptions{Precondition: pre, Propagation: graph.Orphan})
	}
	wanted, err := edited(live, a)
	if err == nil {
		_, err = store.Update(ctx, wanted)
	}
	return err
}

// edited returns the effect of an update on the live object.
func edited(live graph.Object, a oracle.Action) (graph.Object, error) {
	names := func(r graph.Owner) bool { return r.Key == a.Object.Owners[0].Key }
	switch a.Verb {
	case oracle.Strip:
		live.Finalizers = slices.DeleteFunc(live.Finalizers, propagates)
	case oracle.Finish:
		live.Finalizers = slices.DeleteFunc(live.Finalizers, func(f string) bool { return !propagates(f) })
	case oracle.AddRef:
		live.Owners = append(live.Owners, a.Object.Owners[0])
	case oracle.DropRef:
		live.Owners = slices.DeleteFunc(live.Owners, names)
	case oracle.Flip:
		for i, r := range live.Owners {
			live.Owners[i].Block = r.Block != names(r)
		}
	default:
		return live, fmt.Errorf("%s is no action of these histories", a.Verb)
	}
	return live, nil
}

func propagates(f string) bool { return f == graph.FinalizerOrphan || f == graph.FinalizerForeground }
