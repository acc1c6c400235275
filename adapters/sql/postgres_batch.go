package sqlstore

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/ownergraph/ownergraph/finalizer"
	"github.com/ownergraph/ownergraph/graph"
)

// batchOnPostgres carries out the plain deletions with one statement, and the other writes,
// with the deletions that found another state, in a transaction after it.
func (s *Store) batchOnPostgres(ctx context.Context, t *postgresTables, writes []graph.Write) ([]error, error) {
	results := make([]error, len(writes))
	rest, err := s.removePlainOnes(ctx, t, writes)
	if err != nil || len(rest) == 0 {
		return results, err
	}
	err = s.transact(ctx, func(ses *session) error { return ses.batchTogether(ctx, t, writes, rest, results) })
	if err == nil || len(rest) == len(writes) {
		return results, err
	}
	for _, i := range rest { // the others are done
		results[i] = s.failed(writes[i].Type.String(), name(writes[i].Key), err)
	}
	return results, nil
}

// removePlainOnes removes the objects of plain deletions that are as the deletion demands.
// It returns the indexes of the other writes.
func (s *Store) removePlainOnes(ctx context.Context, t *postgresTables, writes []graph.Write) (rest []int, err error) {
	ses, err := s.reading(ctx)
	if err != nil {
		return nil, err
	}
	kinds, err := s.knownKinds(ctx, &ses.c)
	if err != nil {
		return nil, err
	}
	plain, rest := s.exactDeletions(kinds, writes)
	if len(plain) < 2 {
		return allOf(writes), nil
	}
	slices.SortFunc(plain, func(a, b int) int { // the order of the locks
		return cmp.Compare(writes[a].Options.Precondition.UID, writes[b].Options.Precondition.UID)
	})
	var x columns
	for _, i := range plain {
		w := &writes[i]
		r := &row{kind: kinds.number(w.Key.Kind), place: placeOf(w.Key), at: positionOf(w.Options.Precondition.Version)}
		r.object.UID = w.Options.Precondition.UID
		r.words = s.wordsOfDeletion(w.Key.Kind, &w.Options)
		x.add(r)
		x.addWords(r, false)
	}
	var done map[graph.UID]position
	err = s.retry(ctx, func() (err error) {
		done, err = t.removePlainAll(ctx, &ses.c, &x, kinds.stamp)
		return err
	})
	for _, i := range plain {
		if _, ok := done[writes[i].Options.Precondition.UID]; !ok {
			rest = append(rest, i)
		}
	}
	slices.Sort(rest)
	return rest, err
}

func allOf(writes []graph.Write) []int {
	list := make([]int, len(writes))
	for i := range list {
		list[i] = i
	}
	return list
}

// exactDeletions returns the indexes of the plain deletions under a UID and a version, and those of the other writes. Deletions
// that name one UID take no short way, because only one of them removes the object, and its words are those of the entry.
//
//test:by TestBatchOfOneUID
func (s *Store) exactDeletions(kinds *kindSet, writes []graph.Write) (plain, rest []int) {
	exact, times := make([]bool, len(writes)), make(map[graph.UID]int, len(writes))
	for i := range writes {
		if exact[i] = s.isExactDeletion(kinds, &writes[i]); exact[i] {
			times[writes[i].Options.Precondition.UID]++
		}
	}
	for i := range writes {
		if exact[i] && times[writes[i].Options.Precondition.UID] == 1 {
			plain = append(plain, i)
		} else {
			rest = append(rest, i)
		}
	}
	return plain, rest
}

// isExactDeletion reports whether a write is a plain deletion under a UID and a version.
func (s *Store) isExactDeletion(kinds *kindSet, w *graph.Write) bool {
	p := w.Options.Precondition
	at := positionOf(p.Version)
	return w.Type == graph.WriteDelete && kinds.serves(w.Key.Kind) && s.isPlain(w.Key.Kind, w.Options) &&
		at.pos != 0 && at.version() == p.Version && p.UID != "" && isPlainText(string(p.UID))
}

// batchTogether carries out writes with one statement for each sort. It locks the objects
// in the order of their UIDs.
func (ses *session) batchTogether(ctx context.Context, t *postgresTables, writes []graph.Write, which []int, results []error) error {
	if ses.s.conf.Strict && slices.ContainsFunc(which, func(i int) bool { return writes[i].Change.AddOwner != nil || len(writes[i].Change.Relink) > 0 }) {
		return ses.batch(ctx, writes, which, results)
	}
	kinds, err := ses.s.readKinds(ctx, &ses.c)
	if err != nil {
		return err
	}
	live, err := ses.findWritten(ctx, t, kinds, writes, which)
	if err != nil {
		return err
	}
	var gone, last, old, next, noted []*row
	for _, i := range which {
		w := &writes[i]
		r := live[w.Key.Place()]
		out, err := ses.s.outcome(kinds, w, r)
		if results[i] = err; err != nil {
			continue
		}
		if ses.s.conf.Strict && r.restricted && w.Type == graph.WriteDelete {
			return ses.batch(ctx, writes, which, results) // it may wait for a deletion before it
		}
		after := r.next(out.Object)
		after.words = ses.s.wordsOf(&r.object, &out, deletionOf(w))
		switch {
		case out.Effect == finalizer.Removed:
			gone, last = append(gone, r), append(last, after)
		case out.Effect == finalizer.Stored:
			old, next = append(old, r), append(next, after)
		case after.words != nil:
			noted = append(noted, after)
		}
		delete(live, w.Key.Place())
	}
	if len(gone) > 0 {
		err = t.removeAll(ctx, &ses.c, gone, last)
	}
	if err == nil && len(next) > 0 {
		err = t.changeAll(ctx, &ses.c, old, next)
	}
	if err == nil && len(noted) > 0 {
		err = t.noteTrails(ctx, &ses.c, noted)
	}
	return err
}

// deletionOf returns the options of a deletion, nil for another write.
func deletionOf(w *graph.Write) *graph.DeleteOptions {
	if w.Type == graph.WriteDelete {
		return &w.Options
	}
	return nil
}

// outcome returns the outcome of a write of a batch. The row is nil if there is none.
func (s *Store) outcome(kinds *kindSet, w *graph.Write, r *row) (finalizer.Outcome, error) {
	write, err := s.ruleOf(w)
	switch {
	case err != nil:
		return finalizer.Outcome{}, err
	case !kinds.serves(w.Key.Kind):
		return finalizer.Outcome{}, fmt.Errorf("%s: %w", w, graph.ErrKindUnknown)
	case r == nil:
		return finalizer.Outcome{}, fmt.Errorf("%s: %w", w, graph.ErrNotFound)
	}
	return write.judge(kinds, r.object)
}

// findWritten locks the rows of the writes.
func (ses *session) findWritten(ctx context.Context, t *postgresTables, kinds *kindSet, writes []graph.Write, which []int) (map[graph.Key]*row, error) {
	var x columns
	seen := map[graph.Key]bool{}
	for _, i := range which {
		key := writes[i].Key.Place()
		if seen[key] {
			return nil, fmt.Errorf("batch: %s: there twice: %w: %w", name(key), graph.ErrRefused, graph.ErrInvalid)
		}
		seen[key] = true
		x.add(&row{kind: kinds.number(key.Kind), place: placeOf(key)})
	}
	live := map[graph.Key]*row{}
	err := t.findAll(ctx, &ses.c, &x, func(r *row) error {
		r.object.Kind = kinds.byID[r.kind].info.Kind
		live[r.object.Key.Place()] = r
		return nil
	})
	return live, err
}
