package storetest

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
)

// lawsOfRestrictSearch are about a deletion beside a new Restrict reference, and about the
// deletions of a batch.
func lawsOfRestrictSearch() []law {
	return ofLevel3([]law{
		{
			name: "level3/restricted-batch", needs: []need{needBatcher}, rests: []string{restrictDeletes, "level3/batch"},
			why: "a batch has its own statements: a look that only the single deletions have is missing there",
			run: refusesRestrictedInBatches,
		},
		{
			name: "search/restrict", rests: []string{restrictEnds, restrictMarked, "search/level3"},
			why: "a deletion that looks for references in another step than its mark ends an owner that is restricted since",
			run: func(t *trial) { t.neverBoth(t) },
		},
		{
			name: "second/restrict", needs: []need{needSecond}, rests: []string{"search/restrict", "second/level3"},
			why: "a lock of one process does not keep another process from writing the reference between the look and the mark",
			run: func(t *trial) {
				other := t.secondHandle()
				t.onBehalf(other, func() { t.neverBoth(other) })
			},
		},
	})
}

func refusesRestrictedInBatches(t *trial) {
	for _, p := range []graph.Propagation{ownergraph.Background, ownergraph.Foreground, ownergraph.Orphan} {
		owner, other := t.made("owner-"+p.String()), t.made("second-"+p.String())
		d, ok := t.restricting("d-"+p.String(), ownergraph.Owner{Key: owner.Key})
		if !ok {
			return
		}
		results := t.batched(deleteOf(owner, p), deleteOf(other, ownergraph.Background))
		t.refusesRestrictedDeletion(fmt.Sprintf("in a batch, the deletion (%s) of %s, which %s restricts,", p, owner, d), results[0])
		t.wantSame("after a refused deletion", owner, t.live(owner.Key))
		t.accept(fmt.Sprintf("in the same batch, the deletion of %s", other), results[1])
	}
}

// neverBoth deletes an owner while several writers add Restrict references to it, in rounds.
// Either the owner has no mark after that, or no unmarked object restricts it. This handle
// deletes, and the writers use both.
func (t *trial) neverBoth(other *trial) {
	t.Helper()
	solid := t.made("solid")
	if _, ok := t.restricting("probe", ownergraph.Owner{Key: solid.Key}); !ok {
		return
	}
	var objects []ownergraph.Object
	for i := range (writers - 1) * eachAdds {
		objects = append(objects, t.made(fmt.Sprint("d", i)))
	}
	var took time.Duration // by the last deletion
	t.search(func(i int) {
		r := &markRound{
			t: t, other: other, number: i, objects: objects, policy: graph.OnDeleteRestrict,
			tried: make(chan struct{}, writers*eachAdds),
		}
		r.owner = t.made("owner", holdFinalizer)
		took = r.restrict(took)
		if !t.live(r.owner.Key).Deleting {
			r.free()
			t.userDelete(r.owner.Key, propagated(r.propagation()))
		}
		r.end()
	})
}

// restrict deletes the owner beside the writers, and reads the dependents after that. The writers
// begin while the deletion runs, which took that time in the last round. In each fourth round the
// deletion follows a write.
func (r *markRound) restrict(last time.Duration) (took time.Duration) {
	t := r.t
	t.Helper()
	begun, follows := make(chan struct{}), r.number%4 == 3
	errs := t.together(func(ctx context.Context, i int) error {
		switch {
		case i > 0 && !follows:
			<-begun
			<-time.After(randomPart(last))
			fallthrough
		case i > 0:
			return r.addAll(ctx, i)
		case follows:
			if err := r.await(ctx); err != nil {
				return err
			}
		}
		close(begun)
		start := time.Now()
		err := t.Client.Delete(ctx, r.owner.Key, propagated(r.propagation()))
		if took = time.Since(start); errors.Is(err, graph.ErrRestricted) {
			return nil
		}
		return err
	})
	if err := errors.Join(errs...); err != nil {
		t.broken("several users add Restrict references, and one deletes the owner", err.Error())
	}
	owner := t.live(r.owner.Key)
	found, err := r.dependents(t.Context())
	if err != nil {
		t.broken("a read after the writes of several users succeeds", err.Error())
	}
	if owner.Deleting && len(found) > 0 {
		t.broken(fmt.Sprintf("the owner %s has a mark, or an unmarked object restricts it", owner), fmt.Sprintf("%s restricts it", found[0]))
	}
	return took
}
