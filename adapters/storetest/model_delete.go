package storetest

import (
	"context"
	"errors"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/finalizer"
	"github.com/ownergraph/ownergraph/graph"
)

func (m *model) delete(d operation, remove func(context.Context, ownergraph.Key, ownergraph.DeleteOptions) error) {
	m.Helper()
	w := m.planDelete(d)
	at, live, opts := d.at, w.live, w.Options
	call := func(ctx context.Context) error { return remove(ctx, at, opts) }
	if !w.there {
		m.addStep("%s", w.text)
		err := m.call(call)
		if err == nil {
			m.fail("%s %s: no error, although nothing is there", d.verb, place(at))
		}
		if d.verb == opDelete {
			m.absent("Delete", at, err)
		}
		return
	}
	if d.cancel > 0 && opts.Propagation != graph.Unset {
		out, want := finalizer.Delete(live, opts, graph.Unset)
		m.write(d, live, w.text, d.verb, out, want, call)
		return
	}
	m.addStep("%s", w.text)
	err := m.call(call)
	out, want := finalizer.Delete(live, opts, m.defaultPropagation(live, opts))
	m.checkAnswer(d.verb, live, out, want, err)
}

// defaultPropagation returns the default propagation of the object's kind. The
// contract leaves it to the store, and the deletion shows it.
func (m *model) defaultPropagation(live ownergraph.Object, opts ownergraph.DeleteOptions) graph.Propagation {
	if opts.Propagation != graph.Unset || live.Propagation() != graph.Unset {
		return graph.Unset
	}
	if got, err := m.read(live.Key); err == nil && got.UID == live.UID && got.Propagation() != graph.Unset {
		return got.Propagation()
	}
	return ownergraph.Background
}

// getUnserved reads an object of a kind that the store does not serve. The answer
// must prove nothing.
func (m *model) getUnserved(key ownergraph.Key) {
	m.Helper()
	key.Kind = "No.store.serves.this"
	m.addStep("get %s", place(key))
	if got, err := m.read(key); !errors.Is(err, graph.ErrKindUnknown) || errors.Is(err, graph.ErrNotFound) {
		m.logRaw(got, err)
		m.fail("Get(%s): %s, want one that wraps %q alone", place(key), cause(err), graph.ErrKindUnknown)
	}
}
