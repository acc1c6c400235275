package storetest

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
)

// lawsOfFailingBatches are about batches that are cancelled, and about a database that
// fails. Each write is done or not, as it is answered.
func lawsOfFailingBatches() []law {
	rests := func(more string) []string { return append(writesRest(), batchErrors, batchWatch, more) }
	return []law{
		{
			name: "batch/cancelled", rests: rests("cancel/ended"),
			why: "a cancelled batch proves nothing: the engine reads each of its objects again",
			run: cancelledBatchesProveNothing,
		},
		{
			name: "batch/outage", needs: []need{needOutage}, rests: rests(outageReads),
			why: "a busy database has lost nothing: an engine that takes the objects of a batch for absent deletes their dependents",
			run: outagesLeaveBatchesWhole,
		},
		{
			name: "batch/commit-failed", needs: []need{needFailCommits}, rests: rests(commitFailed),
			why: "the engine relies on the answers of a batch: if nothing was done, each owner goes while its dependents still refer to it",
			run: func(t *trial) { t.failBatches(false) },
		},
		{
			name: "batch/commit-unanswered", needs: []need{needFailCommits}, rests: rests("commit/unanswered"),
			why: "after a definite error, an engine takes all the writes of the batch for not done",
			run: func(t *trial) { t.failBatches(true) },
		},
	}
}

// comesAgain reports whether an error asks the caller to try again after a time. The write
// was not done then.
func comesAgain(err error) bool {
	var later interface{ RetryAfter() time.Duration }
	return errors.As(err, &later)
}

// batchAttempts prepares a batch with one write of every sort, in the order of their keys.
func (t *trial) batchAttempts(round string) (writes []ownergraph.Write, list []failingWrite) {
	t.Helper()
	add := func(w ownergraph.Write, before ownergraph.Object, after *ownergraph.Object) {
		writes = append(writes, w)
		list = append(list, failingWrite{name: "a write of a batch: " + w.String(), key: before.Key, before: &before, after: after})
	}
	d, m := t.marked("dropped"+round), t.made("marked"+round, holdFinalizer)
	p, r := t.made("patched"+round, holdFinalizer), t.made("removed"+round)
	marked, patched := m.Clone(), withFinalizers(p, holdFinalizer, moreFinalizer)
	marked.Deleting = true
	add(patchOf(d, ownergraph.Change{DropFinalizer: holdFinalizer}), d, nil)
	add(deleteOf(m, ownergraph.Background), m, &marked)
	add(patchOf(p, ownergraph.Change{AddFinalizer: moreFinalizer}), p, &patched)
	add(deleteOf(r, ownergraph.Background), r, nil)
	return writes, list
}

// answered returns the answer to each write of a batch.
func answered(n int, results []error, err error) []error {
	answers := make([]error, n)
	for i := range answers {
		if answers[i] = err; err == nil {
			answers[i] = results[i]
		}
	}
	return answers
}

func (t *trial) failBatches(done bool) {
	t.Helper()
	w := t.watch().ready()
	for i := range 3 {
		writes, list := t.batchAttempts(fmt.Sprint(i))
		end := t.begin("FailCommits", func(ctx context.Context) (func(context.Context) error, error) { return t.FailCommits(ctx, done) })
		answers := t.answers(writes)
		end()
		for n, a := range list {
			t.wholeOrNot(w, a, answers[n])
		}
	}
}

// answers carries out a batch, and returns the answer to each write.
func (t *trial) answers(writes []ownergraph.Write) []error {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), t.patience)
	defer cancel()
	results, err := t.batch(ctx, writes)
	return answered(len(writes), results, err)
}

func outagesLeaveBatchesWhole(t *trial) {
	writes, list := t.batchAttempts("")
	end := t.outage()
	answers := t.answers(writes)
	end()
	w := t.watch().ready()
	for n, a := range list {
		t.wholeOrNot(w, a, answers[n])
	}
}

// cancelledBatchesProveNothing ends the context before the call, and then during it.
func cancelledBatchesProveNothing(t *trial) {
	for round := range 8 {
		m, p := t.made(fmt.Sprintf("marked%d", round), holdFinalizer), t.made(fmt.Sprintf("patched%d", round), holdFinalizer)
		marked := m.Clone()
		marked.Deleting = true
		after := []ownergraph.Object{marked, withFinalizers(p, holdFinalizer, moreFinalizer)}
		writes := []ownergraph.Write{deleteOf(m, ownergraph.Background), patchOf(p, ownergraph.Change{AddFinalizer: moreFinalizer})}
		ctx, cancel := context.WithCancel(t.Context())
		if round < 2 {
			cancel()
		} else {
			go cancel()
		}
		results, err := t.batch(ctx, writes)
		cancel()
		for i, err := range answered(len(writes), results, err) {
			if errors.Is(err, graph.ErrNotFound) || errors.Is(err, graph.ErrConflict) || errors.Is(err, graph.ErrKindUnknown) {
				t.broken("a Batch whose context ends says nothing about its objects", err.Error())
			}
			t.eitherWay(writes[i].String()+" in a batch whose context ends", err, []ownergraph.Object{m, p}[i], after[i])
		}
	}
	t.endedBatchesAnswerTruly()
}
