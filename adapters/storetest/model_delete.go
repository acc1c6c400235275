package storetest

import (
	"context"
	"errors"
	"fmt"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/finalizer"
	"github.com/ownergraph/ownergraph/graph"
	"pgregory.net/rapid"
)

// options draws how to delete an object, and says so.
func (m *model) options(t *rapid.T, live ownergraph.Object) (opts ownergraph.DeleteOptions, text string) {
	opts.Propagation = rapid.SampledFrom([]ownergraph.Propagation{
		ownergraph.Background, ownergraph.Foreground, ownergraph.Orphan, ownergraph.Unset,
	}).Draw(t, "propagation")
	var grace int64
	switch {
	case live.Deleting && live.GraceSeconds > 0: // what else a second deletion does is the store's
		opts.GraceSeconds = &grace
		if opts.Propagation == ownergraph.Unset {
			opts.Propagation = ownergraph.Background
		}
	case m.owes(GracePeriods) && rapid.IntRange(0, 5).Draw(t, "grace") == 5:
		grace = 30
		opts.GraceSeconds = &grace
	case rapid.Bool().Draw(t, "no grace"):
		opts.GraceSeconds = &grace
	}
	text = opts.Propagation.String()
	if opts.GraceSeconds != nil {
		text += fmt.Sprintf(", grace %d", *opts.GraceSeconds)
	}
	return opts, text
}

func (m *model) delete(t *rapid.T) { m.deleteBy(t, "delete", m.Store.Delete) }

func (m *model) clientDelete(t *rapid.T) { m.deleteBy(t, "client: delete", m.Client.Delete) }

func (m *model) deleteBy(t *rapid.T, verb string, remove func(context.Context, ownergraph.Key, ownergraph.DeleteOptions) error) {
	at := m.somewhere(t)
	live, there := m.objects[at]
	opts, how := m.options(t, live)
	if !there {
		m.step("%s %s: %s", verb, place(at), how)
		err := m.call(func(ctx context.Context) error { return remove(ctx, at, opts) })
		if err == nil {
			m.fail("%s %s: no error, although nothing is there", verb, place(at))
		}
		if verb == "delete" {
			m.absent("Delete", at, err)
		}
		return
	}
	var text string
	opts.Precondition, text = m.precondition(t, live)
	m.step("%s %s: %s%s", verb, m.names.key(live.Key), how, text)
	err := m.call(func(ctx context.Context) error { return remove(ctx, at, opts) })
	out, want := finalizer.Delete(live, opts, m.byDefault(live, opts))
	m.judge(verb, live, out, want, err)
}

// byDefault returns the default propagation of the object's kind, which the
// contract leaves to the store, as the deletion shows it.
func (m *model) byDefault(live ownergraph.Object, opts ownergraph.DeleteOptions) ownergraph.Propagation {
	if opts.Propagation != ownergraph.Unset || live.Propagation() != ownergraph.Unset {
		return ownergraph.Unset
	}
	if got, err := m.read(live.Key); err == nil && got.UID == live.UID && got.Propagation() != ownergraph.Unset {
		return got.Propagation()
	}
	return ownergraph.Background
}

// getUnserved: a kind that nobody serves proves nothing.
func (m *model) getUnserved(t *rapid.T) {
	key := rapid.SampledFrom(m.places).Draw(t, "place")
	key.Kind = "Nobody.serves.this"
	m.step("get %s", place(key))
	if got, err := m.read(key); !errors.Is(err, graph.ErrKindUnknown) || errors.Is(err, graph.ErrNotFound) {
		m.raw(got, err)
		m.fail("Get(%s): %s, want one that wraps %q alone", place(key), cause(err), graph.ErrKindUnknown)
	}
}
