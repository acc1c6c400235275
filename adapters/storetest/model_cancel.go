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

// callCancelled makes a call whose context ends at a moment: before the call, at
// once, or after a part of the usual time of a call.
func (m *model) callCancelled(moment int, call func(context.Context) error) error {
	m.Helper()
	return m.call(func(ctx context.Context) error {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		if moment <= 1 {
			cancel()
			return call(ctx)
		}
		timer := time.AfterFunc(m.waits.partOfCall(moment-2, maxMoment-2), cancel)
		defer timer.Stop()
		return call(ctx)
	})
}

// get reads, and may be cancelled. A cancelled read may answer any error, except a
// false proof of absence. The reads after it have to be right.
func (m *model) get(d operation) {
	m.Helper()
	m.addStep("%sget %s", map[bool]string{true: "cancelled: "}[d.cancel > 0], place(d.at))
	var got ownergraph.Object
	call := func(ctx context.Context) (err error) { got, err = m.Store.Get(ctx, d.at); return err }
	if d.cancel == 0 {
		err := m.call(call)
		m.checkRead(d.at, got, err)
		return
	}
	if err := m.callCancelled(d.cancel, call); err == nil || errors.Is(err, graph.ErrNotFound) {
		m.checkRead(d.at, got, err)
	}
}

// checkCancelledWrite checks that a cancelled write is done fully or not at all, and that
// its error is no lie: the object was there, and only an undone write may claim to be
// undone. A write that is not done may still come later. A user's write then gives the
// object another version, so that the cancelled write is in conflict.
func (m *model) checkCancelledWrite(verb string, live ownergraph.Object, out finalizer.Outcome, err error) {
	m.Helper()
	if err == nil {
		m.checkAnswer(verb, live, out, nil, nil)
		return
	}
	done := m.isDone(live, out)
	if errors.Is(err, graph.ErrNotFound) || errors.Is(err, graph.ErrKindUnknown) || done && (definite(err) || comesAgain(err)) {
		m.Logf("the store: %v", err)
		m.fail("%s(%s): %s, which is a lie (done: %t)", verb, m.objectText(live), cause(err), done)
	}
	if done {
		m.checkWrite(live, out)
		return
	}
	o := live.Clone()
	if o.HasFinalizer(moreFinalizer) {
		o.Finalizers = slices.DeleteFunc(o.Finalizers, func(f string) bool { return f == moreFinalizer })
	} else {
		o.Finalizers = append(o.Finalizers, moreFinalizer)
	}
	next, want := finalizer.Update(live, o)
	m.addStep("update %s", m.objectText(o))
	err = m.call(func(ctx context.Context) (err error) { _, err = m.Client.Update(ctx, o.Clone()); return err })
	if errors.Is(err, graph.ErrConflict) || errors.Is(err, graph.ErrNotFound) {
		m.checkWrite(live, out) // the cancelled write has come, or half of it
		return
	}
	m.checkAnswer("Client.Update", live, next, want, err)
}

// isDone reports whether the store has the result of the write.
func (m *model) isDone(live ownergraph.Object, out finalizer.Outcome) bool {
	m.Helper()
	got, err := m.read(live.Place())
	if out.Effect == finalizer.Removed {
		return errors.Is(err, graph.ErrNotFound)
	}
	return err == nil && sameContent(got, out.Object)
}
