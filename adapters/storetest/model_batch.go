package storetest

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"pgregory.net/rapid"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/finalizer"
	"github.com/ownergraph/ownergraph/graph"
)

// maxBatched bounds the writes of a batch in a history.
const maxBatched = 4

// batch draws writes to different places. They are one operation.
func (g *generator) batch(t *rapid.T) {
	whole := g.operations
	g.operations, g.taken = nil, map[ownergraph.Key]bool{}
	for range rapid.IntRange(2, min(maxBatched, len(g.places))).Draw(t, "writes") {
		if rapid.Bool().Draw(t, "patch") {
			g.patch(t)
		} else {
			g.delete(t, opDelete)
		}
		for _, d := range g.operations {
			g.taken[d.at] = true
		}
	}
	batch := g.operations
	g.operations, g.taken = whole, nil
	slices.SortFunc(batch, func(a, b operation) int { return a.at.Compare(b.at) })
	g.add(operation{verb: opBatch, batch: batch})
}

// write is a planned write of the engine, with the object at its place.
type write struct {
	ownergraph.Write
	text  string
	live  ownergraph.Object
	there bool
}

// planPatch returns the write of a patch. It reports false for one without a target.
func (m *model) planPatch(d operation) (w write, ok bool) {
	m.Helper()
	w.live, w.there = m.objects[d.at]
	refs := m.references(d.refs)
	if len(refs) < len(d.refs) {
		return w, false
	}
	w.Type, w.Key, w.Change = graph.WritePatch, d.at, changeOf(d.change, d.finalizers, refs)
	what := m.changeText(d.change, d.finalizers, refs)
	if !w.there {
		w.text = fmt.Sprintf("patch %s: %s", place(d.at), what)
		return w, true
	}
	if d.change == changeAddOwner && ownedBy(w.live.Owners, refs[0].UID) || d.change == changeDropOwner && !slices.Contains(w.live.Owners, refs[0]) {
		return w, false
	}
	pre, text := m.precondition(d.conditions, w.live)
	w.Precondition, w.text = pre, fmt.Sprintf("patch %s: %s%s", m.names.key(w.live.Key), what, text)
	return w, true
}

// planDelete returns the write of a deletion.
func (m *model) planDelete(d operation) (w write) {
	m.Helper()
	w.live, w.there = m.objects[d.at]
	pre, text := ownergraph.Precondition{}, ""
	if w.there {
		pre, text = m.precondition(d.conditions, w.live)
	}
	w.Type, w.Key, w.Options = graph.WriteDelete, d.at, d.options(w.live, pre)
	how := w.Options.Propagation.String()
	if w.Options.GraceSeconds != nil {
		how += fmt.Sprintf(", grace %d", *w.Options.GraceSeconds)
	}
	if w.Options.GraceAtMost {
		how += ", at most"
	}
	at := place(d.at)
	if w.there {
		at = m.names.key(w.live.Key).String()
	}
	w.text = fmt.Sprintf("%s %s: %s%s", d.verb, at, how, text)
	return w
}

// batch carries out a batch, and checks the answer and the effect of each write.
func (m *model) batch(d operation) {
	m.Helper()
	var planned []write
	var writes []ownergraph.Write
	var texts []string
	b, _ := ownergraph.As[ownergraph.Batcher](m.Store)
	for _, x := range d.batch {
		w, ok := write{}, true
		if x.verb == opPatch { // at level 3, an owner may be in the batch, too
			w, ok = m.planPatch(x)
			ok = ok && !(m.strict() && w.Change.AddOwner != nil)
		} else {
			w = m.planDelete(x)
		}
		if ok && len(writes) < b.MaxBatch(m.Store) {
			planned, writes, texts = append(planned, w), append(writes, w.Write), append(texts, w.text)
		}
	}
	if len(writes) == 0 {
		return
	}
	m.addStep("batch of %d: %s", len(writes), strings.Join(texts, ", and "))
	var results []error
	err := m.call(func(ctx context.Context) (err error) { results, err = b.Batch(ctx, writes); return err })
	if err != nil || len(results) != len(planned) {
		m.Logf("the store: %v", err)
		m.fail("Batch: %d results, and %s", len(results), cause(err))
	}
	for i, w := range planned {
		m.checkBatched(w, results[i])
	}
}

// checkBatched checks the result of one write of a batch.
func (m *model) checkBatched(w write, err error) {
	m.Helper()
	verb := "Batch: " + w.Type.String()
	if !w.there {
		m.absent(verb, w.Key, err)
		return
	}
	var out finalizer.Outcome
	var want error
	if w.Type == graph.WriteDelete {
		out, want = finalizer.Delete(w.live, w.Options, m.defaultPropagation(w.live, w.Options))
	} else {
		out, want = finalizer.Patch(w.live, w.Precondition, w.Change)
	}
	m.checkAnswer(verb, w.live, out, want, err)
}

// simplerBatch returns the batch without one of its writes, and with one of them in a
// simpler form. A batch of one write becomes that write.
func (o operation) simplerBatch() (list []operation) {
	with := func(batch []operation) {
		x := o
		x.batch = batch
		list = append(list, x)
	}
	for i := range o.batch {
		if len(o.batch) == 1 {
			list = append(list, o.batch[0])
			break
		}
		with(slices.Delete(slices.Clone(o.batch), i, i+1))
	}
	for i, x := range o.batch {
		for _, less := range x.simpler() {
			batch := slices.Clone(o.batch)
			batch[i] = less
			with(batch)
		}
	}
	return list
}
