package main

import (
	"context"
	"errors"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/tools/cache"
	watchtools "k8s.io/client-go/tools/watch"
)

// tally watches a namespace until a cascade is over. It counts the objects that have
// gone, or lost their owner.
type tally struct {
	watch watch.Interface
	done  map[types.UID]bool
	owner bool // the owner has gone
}

func newTally(ctx context.Context, at metadata.ResourceInterface) (*tally, error) {
	list, err := at.List(ctx, metav1.ListOptions{Limit: 1})
	if err != nil {
		return nil, fmt.Errorf("watch cascade: %w", err)
	}
	w, err := watchtools.NewRetryWatcherWithContext(ctx, list.ResourceVersion, &cache.ListWatch{
		WatchFuncWithContext: at.Watch, // which a busy server may end
	})
	if err != nil {
		return nil, fmt.Errorf("watch cascade: %w", err)
	}
	return &tally{watch: w, done: map[types.UID]bool{}}, nil
}

// wait returns when the given number of dependents are done, and also the owner, if it
// is waited for.
func (t *tally) wait(ctx context.Context, dependents int, owner bool) error {
	for len(t.done) < dependents || owner && !t.owner {
		select {
		case <-ctx.Done():
			return fmt.Errorf("wait for cascade: %d of %d done, owner gone: %t: %w", len(t.done), dependents, t.owner, context.Cause(ctx))
		case e, ok := <-t.watch.ResultChan():
			if !ok || e.Type == watch.Error {
				return errors.New("wait for cascade: the watch has ended")
			}
			t.take(e)
		}
	}
	return nil
}

func (t *tally) take(e watch.Event) {
	m, ok := e.Object.(*metav1.PartialObjectMetadata)
	switch {
	case !ok:
	case m.Name == "owner":
		t.owner = t.owner || e.Type == watch.Deleted
	case e.Type == watch.Deleted, e.Type == watch.Modified && len(m.OwnerReferences) == 0:
		t.done[m.UID] = true
	}
}

// remains compares the objects that are left with the required ones. After an orphaning
// those are all but the owner, without owners. Otherwise those are the objects outside
// of the cascade. It returns the difference, "" for none.
func remains(ctx context.Context, at metadata.ResourceInterface, s scenario, levels [][]*planned) (string, error) {
	list, err := at.List(ctx, metav1.ListOptions{})
	if err != nil {
		return "", fmt.Errorf("compare ends: %w", err)
	}
	want := map[string]string{} // owners' names by name
	for _, level := range levels {
		for _, p := range level {
			switch {
			case p.stays && p.owner != nil:
				want[p.name] = p.owner.name
			case p.stays, s.how == metav1.DeletePropagationOrphan && p.owner != nil:
				want[p.name] = ""
			}
		}
	}
	for _, m := range list.Items {
		owners := ""
		for _, r := range m.OwnerReferences {
			owners += r.Name
		}
		if w, ok := want[m.Name]; !ok || w != owners || m.DeletionTimestamp != nil || len(m.Finalizers) > 0 {
			return fmt.Sprintf("%s is left, with owner %q", m.Name, owners), nil
		}
		delete(want, m.Name)
	}
	if len(want) > 0 {
		return fmt.Sprintf("%d are missing", len(want)), nil
	}
	return "", nil
}
