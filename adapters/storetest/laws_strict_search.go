package storetest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
)

// lawsOfStrictSearch are about a store of level 3 with several users at once, and about the
// references in a batch. They rest on laws that come late.
func lawsOfStrictSearch() []law {
	return ofLevel3([]law{
		{
			name: "level3/batch", needs: []need{needBatcher}, rests: []string{strictPatch, batchNeighbours},
			why: "a batch has its own statements: a check that only the single writes have is missing there",
			run: refusesInBatches,
		},
		{
			name: "search/level3", rests: []string{strictMoved, strictKept, "concurrency/one-wins", lastFinalizer},
			why: "a reference that is checked in another step than its write comes after the mark of its owner (write skew): the owner goes without it",
			run: func(t *trial) { t.marksEndDependents(t) },
		},
		{
			name: "second/level3", needs: []need{needSecond}, rests: []string{"search/level3", secondFresh},
			why: "a lock of one process does not keep another process from marking the owner between the check and the write",
			run: func(t *trial) {
				other := t.secondHandle()
				t.onBehalf(other, func() { t.marksEndDependents(other) })
			},
		},
	})
}

// eachAdds is the number of references that each writer adds in a round.
const eachAdds = 3

// marksEndDependents marks an owner while several writers add references to it, in
// rounds. The dependents that are read after the mark are all that the owner ever has. The
// owner is marked by this handle, and the writers use both.
//
// Each read is fresh. So a dependent that the reads after the mark did not find, and that
// is there at the end of the round, came after the mark.
func (t *trial) marksEndDependents(other *trial) {
	t.Helper()
	var objects []ownergraph.Object
	for i := range (writers - 1) * eachAdds {
		objects = append(objects, t.made(fmt.Sprint("d", i)))
	}
	t.search(func(i int) {
		r := &markRound{t: t, other: other, number: i, objects: objects, tried: make(chan struct{}, writers*eachAdds)}
		r.owner = t.made("owner", holdFinalizer)
		r.run()
		r.end()
	})
}

// markRound is one round of the search.
type markRound struct {
	t, other *trial
	number   int
	owner    ownergraph.Object
	objects  []ownergraph.Object
	policy   graph.OnDelete // of the references
	tried    chan struct{}  // gets a value for each write

	mu    sync.Mutex
	found []ownergraph.Key // the dependents that the reads after the mark found
}

func (r *markRound) propagation() graph.Propagation {
	return []graph.Propagation{ownergraph.Foreground, ownergraph.Orphan}[r.number%2]
}

// created returns the object that a writer creates in place of the i-th write.
func (r *markRound) created(i int) ownergraph.Object {
	o := r.t.object(fmt.Sprint("c", i))
	o.Owners = []ownergraph.Owner{r.reference()}
	return o
}

func (r *markRound) reference() ownergraph.Owner {
	return ownergraph.Owner{Key: r.owner.Key, Block: true, OnDelete: r.policy}
}

// run marks the owner beside the writers, and reads the dependents twice.
func (r *markRound) run() {
	t := r.t
	t.Helper()
	errs := t.together(func(ctx context.Context, i int) error {
		if i == 0 {
			return r.mark(ctx)
		}
		return r.addAll(ctx, i)
	})
	if err := errors.Join(errs...); err != nil {
		t.broken("several users add references, and one deletes the owner", err.Error())
	}
	last, err := r.dependents(t.Context())
	if err != nil {
		t.broken("a read after the writes of several users succeeds", err.Error())
	}
	for _, key := range last {
		if !slices.Contains(r.found, key) {
			t.broken(fmt.Sprintf("the owner %s was marked (%s), and reads after that found all its dependents", r.owner.Key, r.propagation()),
				fmt.Sprintf("%s is a dependent too", key))
		}
	}
}

// mark waits for some of the writes, deletes the owner, and reads its dependents.
func (r *markRound) mark(ctx context.Context) error {
	for range r.number % (writers * eachAdds / 2) {
		if err := r.await(ctx); err != nil {
			return err
		}
	}
	if err := r.t.Client.Delete(ctx, r.owner.Key, propagated(r.propagation())); err != nil {
		return err
	}
	found, err := r.dependents(ctx)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.found = found
	return err
}

// await waits for one of the writes.
func (r *markRound) await(ctx context.Context) error {
	select {
	case <-r.tried:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// addAll adds the references of a writer. The store may refuse each of them.
func (r *markRound) addAll(ctx context.Context, writer int) error {
	for n := range eachAdds {
		err := r.add(ctx, (writer-1)*eachAdds+n)
		r.tried <- struct{}{}
		if err != nil && !errors.Is(err, graph.ErrRefused) {
			return err
		}
	}
	return nil
}

// add adds a reference to the owner: by an update, by a patch, or by a creation.
func (r *markRound) add(ctx context.Context, i int) (err error) {
	handle := []*trial{r.t, r.other}[i%2]
	ref, o := r.reference(), r.objects[i].Clone()
	switch (i + r.number) % 3 {
	case 0:
		o.Owners = []ownergraph.Owner{ref}
		_, err = handle.Client.Update(ctx, o)
	case 1:
		err = handle.Store.Patch(ctx, o.Key, exact(o), ownergraph.Change{AddOwner: &ref})
	default:
		_, err = handle.Client.Create(ctx, r.created(i))
	}
	return err
}

// dependents reads the present dependents of the owner.
func (r *markRound) dependents(ctx context.Context) (list []ownergraph.Key, err error) {
	for i, o := range r.objects {
		for _, key := range []ownergraph.Key{o.Key, r.created(i).Key} {
			live, err := r.t.Store.Get(ctx, key)
			if errors.Is(err, graph.ErrNotFound) {
				continue
			}
			if err != nil {
				return nil, err
			}
			if slices.ContainsFunc(live.Owners, func(x ownergraph.Owner) bool { return x.Key == r.owner.Key }) {
				list = append(list, live.Key)
			}
		}
	}
	return list, nil
}

// end frees the dependents, and removes the owner and the created objects.
func (r *markRound) end() {
	t := r.t
	t.Helper()
	r.free()
	for _, name := range []string{holdFinalizer, r.propagation().Finalizer()} {
		t.accept("Patch of an owner", t.patch(r.owner.Key, ownergraph.Precondition{UID: r.owner.UID}, ownergraph.Change{DropFinalizer: name}))
	}
	t.absent("after its last finalizer", r.owner.Key)
}

// free takes the references of the dependents, and removes the created objects.
func (r *markRound) free() {
	t := r.t
	t.Helper()
	for i, o := range r.objects {
		live := t.live(o.Key)
		if len(live.Owners) > 0 {
			live.Owners = nil
			live = t.update(live)
		}
		r.objects[i] = live
		if live, err := t.get(r.created(i).Key); err == nil {
			t.remove(live)
		}
	}
}
