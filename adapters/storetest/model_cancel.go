package storetest

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/finalizer"
	"github.com/ownergraph/ownergraph/graph"
)

// cut makes a call whose context ends at a moment: before it, at once, or a part
// of the time later that a call takes.
func (m *model) cut(moment int, call func(context.Context) error) error {
	m.Helper()
	return m.call(func(ctx context.Context) error {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		if moment <= 1 {
			cancel()
			return call(ctx)
		}
		timer := time.AfterFunc(m.pace.part(moment-2, mostMoment-2), cancel)
		defer timer.Stop()
		return call(ctx)
	})
}

// get reads, and may be cancelled. Then the answer may be any error but a proof
// of absence where something is; the reads behind it have to be right.
func (m *model) get(d deed) {
	m.Helper()
	m.step("%sget %s", map[bool]string{true: "cancelled: "}[d.cancel > 0], place(d.at))
	var got ownergraph.Object
	call := func(ctx context.Context) (err error) { got, err = m.Store.Get(ctx, d.at); return err }
	if d.cancel == 0 {
		err := m.call(call)
		m.answers(d.at, got, err)
		return
	}
	if err := m.cut(d.cancel, call); err == nil || errors.Is(err, graph.ErrNotFound) {
		m.answers(d.at, got, err)
	}
}

// cutWrite finds out what a cancelled write has done: all or nothing. One that
// has done nothing may still come later. A user's write gives the object another
// version then, for which the cancelled one was not made.
func (m *model) cutWrite(verb string, live ownergraph.Object, out finalizer.Outcome, err error) {
	m.Helper()
	if err == nil {
		m.judge(verb, live, out, nil, nil)
		return
	}
	if m.done(live, out) {
		m.wrote(live, out)
		return
	}
	o := live.Clone()
	if o.HasFinalizer(another) {
		o.Finalizers = slices.DeleteFunc(o.Finalizers, func(f string) bool { return f == another })
	} else {
		o.Finalizers = append(o.Finalizers, another)
	}
	next, want := finalizer.Update(live, o)
	m.step("update %s", m.show(o))
	err = m.call(func(ctx context.Context) (err error) { _, err = m.Client.Update(ctx, o.Clone()); return err })
	if errors.Is(err, graph.ErrConflict) || errors.Is(err, graph.ErrNotFound) {
		m.wrote(live, out) // it has come, or half of it
		return
	}
	m.judge("Client.Update", live, next, want, err)
}

// done reports whether the store holds what a write leaves.
func (m *model) done(live ownergraph.Object, out finalizer.Outcome) bool {
	m.Helper()
	got, err := m.read(live.Place())
	if out.Effect == finalizer.Removed {
		return errors.Is(err, graph.ErrNotFound)
	}
	return err == nil && sameContent(got, out.Object)
}
