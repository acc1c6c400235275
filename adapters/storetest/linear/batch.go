package linear

import (
	"context"
	"slices"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
)

// beside draws a second write for a batch: a patch or a deletion of another object.
func (d generator) beside(first step) *step {
	others := slices.DeleteFunc(slices.Clone(d.objects), func(o object) bool { return o.place == first.place })
	if len(others) == 0 || first.verb != patch && first.verb != erase || d.IntN(3) > 0 {
		return nil
	}
	other := generator{d.Rand, others}.step()
	other.verb, other.with = []verb{patch, erase}[d.IntN(2)], nil
	return &other
}

// doTogether makes two calls as one batch, if they are two writes and the store takes
// batches. Otherwise it makes one call after the other. Each write of a batch counts as a
// call of its own, at the time of the batch.
func (r *recorder) doTogether(ctx context.Context, calls []call) []call {
	b, ok := ownergraph.As[ownergraph.Batcher](r.subject.Store)
	if ok = ok && b.MaxBatch(r.subject.Store) >= len(calls); ok {
		ok = !slices.ContainsFunc(calls, func(c call) bool { return c.verb != patch && c.verb != erase })
	}
	if !ok || len(calls) == 1 {
		for i := range calls {
			calls[i] = r.do(ctx, calls[i])
		}
		return calls
	}
	slices.SortFunc(calls, func(a, b call) int { return a.place.Compare(b.place) })
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	writes := make([]ownergraph.Write, len(calls))
	for i := range calls {
		writes[i] = calls[i].write()
	}
	if calls[0].cancel {
		go cancel()
	}
	begun := r.ticks.Add(1)
	results, err := b.Batch(ctx, writes)
	ended := r.ticks.Add(1)
	if err == nil && len(results) != len(calls) {
		err = errResults
	}
	for i := range calls {
		calls[i].begun, calls[i].ended, calls[i].err = begun, ended, err
		if err == nil {
			calls[i].err = results[i]
		}
	}
	return calls
}

// write returns the call as a write of a batch. It is a copy.
func (c *call) write() ownergraph.Write {
	if c.verb == erase {
		return ownergraph.Write{Type: graph.WriteDelete, Key: c.place, Options: c.options}
	}
	return ownergraph.Write{Type: graph.WritePatch, Key: c.place, Precondition: c.pre, Change: clone(c.change)}
}
