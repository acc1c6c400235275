package storetest

import (
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/finalizer"
	"github.com/ownergraph/ownergraph/graph"
)

// apply runs an operation. It skips an operation without a target.
func (m *model) apply(d operation) {
	m.Helper()
	switch d.verb {
	case opCreate:
		m.create(d)
	case opUpdate:
		m.update(d)
	case opPatch:
		m.patch(d)
	case opGet:
		m.get(d)
	case opDelete:
		m.delete(d, m.Store.Delete)
	case opClientDelete:
		m.delete(d, m.Client.Delete)
	case opGetUnserved:
		m.getUnserved(d.at)
	case opSync:
		m.sync()
	case opReconnect:
		m.reconnect()
	default:
		m.extra(d)
	}
}

// incarnations returns all present and former incarnations, sorted by their short
// names.
func (m *model) incarnations() []ownergraph.Key {
	return slices.SortedFunc(maps.Keys(m.states), func(a, b ownergraph.Key) int { return m.names.key(a).Compare(m.names.key(b)) })
}

// references returns the references of an operation to created incarnations.
func (m *model) references(list []claim) (out []ownergraph.Owner) {
	for _, c := range list {
		if key, made := m.made[c.to]; made {
			out = append(out, ownergraph.Owner{Key: key, Block: c.block})
		}
	}
	return out
}

func (m *model) create(d operation) {
	m.Helper()
	at := d.at
	o := ownergraph.Object{Key: at, Owners: m.references(d.refs), Finalizers: d.finalizers}
	m.addStep("create %s", m.newObjectText(o))
	var got ownergraph.Object
	err := m.call(func(ctx context.Context) (err error) { got, err = m.Client.Create(ctx, o.Clone()); return err })
	if _, taken := m.objects[at]; taken {
		if err == nil {
			m.fail("Client.Create(%s): no error, although the place is taken", place(at))
		}
		return
	}
	if r, refused := refusedOwner(m.objects, nil, o.Owners); m.strict() && refused {
		if !errors.Is(err, graph.ErrRefused) {
			m.logRaw(got, err)
			m.fail("Client.Create(%s): %s, want one that wraps %q: the owner %s takes no dependent",
				m.newObjectText(o), m.answerText(got, err), graph.ErrRefused, m.names.key(r.Key))
		}
		return
	}
	if err != nil {
		m.logRaw(got, err)
		m.fail("Client.Create(%s): %s", place(at), cause(err))
	}
	if got.UID == "" || got.Version == "" || m.names.short[got.UID] != "" {
		m.logRaw(got, err)
		m.fail("Client.Create(%s) returned no version, no UID, or a former UID", place(at))
	}
	o.UID = got.UID
	m.made[d.number] = o.Key
	m.names.add(o.Key)
	if !sameContent(got, o) {
		m.fail("Client.Create(%s) returned %s", m.objectText(o), m.objectText(got))
	}
	m.record(got)
}

// newObjectText is objectText for an object that has no UID yet.
func (m *model) newObjectText(o ownergraph.Object) string {
	o = m.names.object(o)
	o.UID = graph.UID(place(o.Key))
	return o.String()
}

// precondition returns the precondition of an operation, and its text.
func (m *model) precondition(d conditions, live ownergraph.Object) (ownergraph.Precondition, string) {
	former := slices.DeleteFunc(m.incarnations(), func(key ownergraph.Key) bool {
		return key.Place() != live.Place() || key.UID == live.UID
	})
	return d.precondition(live, m.states[live.Key], former)
}

func (m *model) update(d operation) {
	m.Helper()
	live, ok := m.objects[d.at]
	if !ok {
		return
	}
	o := live.Clone()
	o.Owners, o.Finalizers = m.references(d.refs), slices.Clone(d.finalizers)
	if live.Deleting { // a marked object accepts no new finalizer
		o.Finalizers = slices.DeleteFunc(o.Finalizers, func(f string) bool { return !live.HasFinalizer(f) })
	}
	states, stale := m.states[live.Key], ""
	if len(states) > 1 && d.stale {
		o.Version, stale = states[len(states)-2].Version, " with its version of before"
	}
	m.addStep("update %s%s", m.objectText(o), stale)
	out, want := finalizer.Update(live, o)
	if m.strict() {
		want = judgeStrict(m.objects, live, out, want)
	}
	err := m.call(func(ctx context.Context) (err error) { _, err = m.Client.Update(ctx, o.Clone()); return err })
	m.checkAnswer("Client.Update", live, out, want, err)
}

func (m *model) patch(d operation) {
	m.Helper()
	w, ok := m.planPatch(d)
	if !ok {
		return
	}
	call := func(ctx context.Context) error { return m.Store.Patch(ctx, d.at, w.Precondition, w.Change) }
	if !w.there {
		m.addStep("%s", w.text)
		m.absent("Patch", d.at, m.call(call))
		return
	}
	out, want := finalizer.Patch(w.live, w.Precondition, w.Change)
	if m.strict() {
		want = judgeStrict(m.objects, w.live, out, want)
	}
	m.write(d, w.live, w.text, "Patch", out, want, call)
}

func (m *model) changeText(change string, finalizers []string, refs []ownergraph.Owner) string {
	if len(refs) > 0 {
		return change + " " + m.names.owner(refs[0]).String()
	}
	return change + " " + finalizers[0]
}

// write makes a call that writes, and checks its answer and its result.
func (m *model) write(d operation, live ownergraph.Object, step, verb string, out finalizer.Outcome, want error, call func(context.Context) error) {
	m.Helper()
	if d.cancel > 0 && want == nil && out.Effect != finalizer.Unchanged && !live.Deleting {
		m.addStep("cancelled: %s", step)
		m.checkCancelledWrite(verb, live, out, m.callCancelled(d.cancel, call))
		return
	}
	m.addStep("%s", step)
	m.checkAnswer(verb, live, out, want, m.call(call))
}

// checkAnswer compares the answer of a write, and the object after it, with the
// expected ones.
func (m *model) checkAnswer(verb string, live ownergraph.Object, out finalizer.Outcome, want, err error) {
	m.Helper()
	for _, is := range []error{graph.ErrConflict, graph.ErrRefused} {
		if errors.Is(want, is) && !errors.Is(err, is) {
			m.logRaw(live, err)
			m.fail("%s(%s): %s, want one that wraps %q", verb, m.objectText(live), cause(err), is)
		}
	}
	switch {
	case want != nil:
		out = finalizer.Outcome{Effect: finalizer.Unchanged, Object: live}
	case err != nil:
		m.logRaw(live, err)
		m.fail("%s(%s): %s", verb, m.objectText(live), cause(err))
	}
	m.checkWrite(live, out)
}

// absent checks the answer of a write to a place without an object.
func (m *model) absent(verb string, at ownergraph.Key, err error) {
	m.Helper()
	if !errors.Is(err, graph.ErrNotFound) {
		m.Logf("the store: %v", err)
		m.fail("%s(%s): %s, want one that wraps %q", verb, place(at), cause(err), graph.ErrNotFound)
	}
}
