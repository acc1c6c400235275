package storetest

import (
	"context"
	"errors"
	"fmt"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
)

// batchesAnswerInOrder only judges answers that are right in another order. Other laws
// judge the answers themselves.
func batchesAnswerInOrder(t *trial) {
	var writes []ownergraph.Write
	stale := map[int]bool{1: true, 2: true, 5: true}
	for i := range 7 {
		o := t.made(fmt.Sprintf("a%d", i))
		if now := t.touch(o); !stale[i] {
			o = now
		}
		writes = append(writes, patchOf(o, ownergraph.Change{AddFinalizer: holdFinalizer}))
	}
	ctx, cancel := context.WithTimeout(t.Context(), t.patience)
	defer cancel()
	results, err := t.batch(ctx, writes)
	if err != nil {
		return
	}
	conflicts, misplaced := 0, ""
	for i, err := range results {
		if errors.Is(err, graph.ErrConflict) {
			conflicts++
		}
		if errors.Is(err, graph.ErrConflict) != stale[i] {
			misplaced += fmt.Sprintf("result %d is %v; ", i, err)
		}
	}
	if conflicts == len(stale) && misplaced != "" {
		t.broken("the results of a batch are in the order of its writes: numbers 1, 2 and 5 are in conflict", misplaced)
	}
}

// failing is a write of a batch that has to fail.
type failing struct {
	write ownergraph.Write
	is    error // that the result wraps; nil for any error
}

// failingWrites makes a write for each definite error. The object of a refused one is as
// it was.
func (t *trial) failingWrites() []failing {
	t.Helper()
	add := ownergraph.Change{AddFinalizer: holdFinalizer}
	old := t.made("c-version")
	t.touch(old)
	former := t.made("c-uid")
	t.remove(former)
	t.made("c-uid")
	absent := ownergraph.Object{Key: t.object("d-absent").Key}
	unserved := absent
	unserved.Kind = "No.store.serves.this"
	list := []failing{
		{patchOf(old, add), graph.ErrConflict},
		{ownergraph.Write{Type: graph.WritePatch, Key: former.Key, Precondition: ownergraph.Precondition{UID: former.UID}, Change: add}, graph.ErrConflict},
		{patchOf(absent, add), graph.ErrNotFound},
		{patchOf(unserved, add), graph.ErrKindUnknown},
	}
	more := ownergraph.Change{AddFinalizer: moreFinalizer}
	refused := failing{write: patchOf(t.marked("e-refused"), more)}
	if errors.Is(t.single(patchOf(t.marked("e-single"), more)), graph.ErrRefused) {
		refused.is = graph.ErrRefused
	}
	return append(list, refused)
}

// batchesSpareNeighbours makes a batch for each error, with two sound writes beside it.
func batchesSpareNeighbours(t *trial) {
	for i, f := range t.failingWrites() {
		first, last := t.made(fmt.Sprintf("a%d", i)), t.made(fmt.Sprintf("z%d", i))
		writes := []ownergraph.Write{f.write, deleteOf(first, ownergraph.Background), deleteOf(last, ownergraph.Background)}
		results := t.batched(writes...)
		for n, w := range writes {
			if w.Key == f.write.Key {
				continue
			}
			t.accept(fmt.Sprintf("%s, in a batch with %s, which fails", w, f.write), results[n])
			t.absent(fmt.Sprintf("after %s in a batch with %s, which fails", w, f.write), w.Key)
		}
	}
}

// batchesTellErrors has all errors in one batch.
func batchesTellErrors(t *trial) {
	list := t.failingWrites()
	before := map[ownergraph.Key]ownergraph.Object{}
	writes := []ownergraph.Write{deleteOf(t.made("a"), ownergraph.Background), deleteOf(t.made("z"), ownergraph.Background)}
	for _, f := range list {
		writes = append(writes, f.write)
		if o, err := t.get(f.write.Key); err == nil {
			before[f.write.Key] = o
		}
	}
	results := t.batched(writes...)
	for i, w := range writes {
		for _, f := range list {
			if f.write.Key == w.Key {
				t.tellsError(f, results[i])
			}
		}
	}
	for key, o := range before {
		t.wantSame("after a write of a batch that has failed", o, t.live(key))
	}
}

// tellsError breaks the law if the result of a write is another error than the expected
// one.
func (t *trial) tellsError(f failing, err error) {
	t.Helper()
	t.refuse(fmt.Sprintf("%s, in a batch,", f.write), err)
	for _, other := range []error{graph.ErrNotFound, graph.ErrConflict, graph.ErrKindUnknown, graph.ErrRefused} {
		if f.is != nil && errors.Is(err, other) != (other == f.is) {
			t.broken(fmt.Sprintf("%s, in a batch, returns an error that wraps %q", f.write, f.is), err.Error())
		}
	}
}

// batchesAtOnce: several callers write batches about the same objects, under the same versions.
// Each object has one winner at most.
func batchesAtOnce(t *trial) {
	var objects []ownergraph.Object
	for i := range 6 {
		objects = append(objects, t.made(fmt.Sprintf("a%d", i)))
	}
	b, _ := ownergraph.As[ownergraph.Batcher](t.Store)
	wins := 0
	for round := range 6 {
		results := make([][]error, writers)
		errs := t.together(func(ctx context.Context, i int) (err error) {
			var writes []ownergraph.Write
			for _, o := range objects {
				writes = append(writes, patchOf(o, ownergraph.Change{AddFinalizer: numbered(round*writers + i)}))
			}
			results[i], err = b.Batch(ctx, writes)
			return err
		})
		for n, o := range objects {
			objects[n] = t.live(o.Key)
			won := t.oneWins(o, objects[n], round, n, errs, results)
			wins += won
		}
	}
	if wins == 0 {
		t.broken("of several batches on the same versions, some writes succeed", "none did, in six rounds")
	}
}

// oneWins breaks the law unless at most one caller has written to the object, and the
// others had a conflict, or were asked to come again. It returns the number of winners.
func (t *trial) oneWins(before, now ownergraph.Object, round, n int, errs []error, results [][]error) int {
	t.Helper()
	var winner []string
	for i, err := range errs {
		if err == nil && n < len(results[i]) {
			err = results[i][n]
		}
		switch {
		case err == nil:
			winner = append(winner, numbered(round*writers+i))
		case !errors.Is(err, graph.ErrConflict) && !comesAgain(err):
			t.broken("each write of one of several batches at once succeeds, or is in conflict, or is asked to come again", err.Error())
		}
	}
	if len(winner) > 1 {
		t.broken("of several batches on one version, one writes to "+before.String(), fmt.Sprintf("%d did, and left %s", len(winner), now))
	}
	if len(winner) == 0 {
		t.wantSame("after batches that did not write to it", before, now)
		return 0
	}
	t.wantContent("after the only batch that wrote to it", ownergraph.Change{AddFinalizer: winner[0]}.Apply(before), now)
	return 1
}
