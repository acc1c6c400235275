package storetest

import (
	"context"
	"fmt"
	"slices"

	"github.com/ownergraph/ownergraph"
)

// endedBatchesAnswerTruly ends the context of a batch during the call. No other writer
// knows the objects of the batch.
func (t *trial) endedBatchesAnswerTruly() {
	t.Helper()
	b, _ := ownergraph.As[ownergraph.Batcher](t.Store)
	var doubts []doubt
	round := 0
	try := func(m moment) (looks int) {
		round++
		writes, list := t.batchAttempts(fmt.Sprint("-", round))
		keys := func(a, b ownergraph.Write) int { return a.Key.Compare(b.Key) }
		slices.SortFunc(list, func(a, b failingWrite) int { return a.key.Compare(b.key) })
		slices.SortFunc(writes, keys)
		var results []error
		looks, err := t.during("Batch", m, nil, func(ctx context.Context) (err error) { results, err = b.Batch(ctx, slices.Clone(writes)); return err })
		if err == nil && len(results) != len(writes) {
			t.broken(fmt.Sprintf("a batch returns one result for each of its %d writes, although its context ends (%s)", len(writes), m), fmt.Sprintf("it returned %d", len(results)))
		}
		for i, answer := range answered(len(writes), results, err) {
			if t.answersTruly(list[i], m, answer) {
				doubts = append(doubts, doubt{list[i], m, answer})
			}
		}
		return looks
	}
	for _, m := range looksAt(try(moment{})) {
		try(m)
	}
	for range randomMoments / 2 {
		if m := someMoment(0); !m.shown {
			try(m)
		}
	}
	for _, d := range doubts {
		t.answersTruly(d.write, d.when, d.answer)
	}
}

// endedRecordsAnswerTruly ends the context of a read and of a write of a record during
// the call.
func (t *trial) endedRecordsAnswerTruly() {
	t.Helper()
	power, _ := ownergraph.As[ownergraph.Records](t.Store)
	kept := t.recorded("kept-too", "a", "")
	var got ownergraph.Record
	read := func(ctx context.Context) (err error) { got, err = power.ReadRecord(ctx, "kept-too"); return err }
	t.eachMoment("ReadRecord", read, func(m moment, err error) { t.unknownRecord(fmt.Sprintf("whose context ends (%s)", m), kept, got, err) })
	round := 0
	try := func(m moment) (looks int) {
		round++
		for _, w := range t.recordWrites(fmt.Sprint("-", round)) {
			var next ownergraph.Version
			n, err := t.during("WriteRecord", m, nil, func(ctx context.Context) (err error) {
				next, err = power.WriteRecord(ctx, w.name, []byte(w.value), w.before.Version)
				return err
			})
			looks = max(looks, n)
			t.doneOrNot(fmt.Sprintf("whose context ends (%s)", m), w, next, err)
		}
		return looks
	}
	for _, m := range looksAt(try(moment{})) {
		try(m)
	}
	for range randomMoments {
		if m := someMoment(0); !m.shown {
			try(m)
		}
	}
}
