package storetest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/finalizer"
	"github.com/ownergraph/ownergraph/graph"
)

// do does a deed, or nothing if it has nothing to act on.
func (m *model) do(d deed) {
	m.Helper()
	switch d.do {
	case doCreate:
		m.create(d)
	case doUpdate:
		m.update(d)
	case doPatch:
		m.patch(d)
	case doGet:
		m.get(d)
	case doDelete:
		m.delete(d, m.Store.Delete)
	case doClientDelete:
		m.delete(d, m.Client.Delete)
	case doGetUnserved:
		m.getUnserved(d.at)
	case doSync:
		m.sync()
	case doReconnect:
		m.reconnect()
	default:
		m.extra(d)
	}
}

// incarnations returns all that live or lived, sorted by our names.
func (m *model) incarnations() []ownergraph.Key {
	return slices.SortedFunc(maps.Keys(m.states), func(a, b ownergraph.Key) int { return m.names.key(a).Compare(m.names.key(b)) })
}

// references returns a deed's references to what was created.
func (m *model) references(list []claimed) (out []ownergraph.Owner) {
	for _, c := range list {
		if key, made := m.made[c.to]; made {
			out = append(out, ownergraph.Owner{Key: key, Block: c.block})
		}
	}
	return out
}

func (m *model) create(d deed) {
	m.Helper()
	at := d.at
	o := ownergraph.Object{Key: at, Owners: m.references(d.refs), Finalizers: d.finalizers}
	m.step("create %s", m.unborn(o))
	var got ownergraph.Object
	err := m.call(func(ctx context.Context) (err error) { got, err = m.Client.Create(ctx, o.Clone()); return err })
	if _, taken := m.objects[at]; taken {
		if err == nil {
			m.fail("Client.Create(%s): no error, although the place is taken", place(at))
		}
		return
	}
	if err != nil {
		m.raw(got, err)
		m.fail("Client.Create(%s): %s", place(at), cause(err))
	}
	if got.UID == "" || got.Version == "" || m.names.short[got.UID] != "" {
		m.raw(got, err)
		m.fail("Client.Create(%s) returned no version, no UID, or one that was before", place(at))
	}
	o.UID = got.UID
	m.made[d.number] = o.Key
	m.names.add(o.Key)
	if !sameContent(got, o) {
		m.fail("Client.Create(%s) returned %s", m.show(o), m.show(got))
	}
	m.hold(got)
}

// unborn is show for an object that has no UID yet.
func (m *model) unborn(o ownergraph.Object) string {
	o = m.names.object(o)
	o.UID = ownergraph.UID(place(o.Key))
	return o.String()
}

// precondition returns what a deed demands of an object, and says so.
func (m *model) precondition(d demand, live ownergraph.Object) (ownergraph.Precondition, string) {
	former := slices.DeleteFunc(m.incarnations(), func(key ownergraph.Key) bool {
		return key.Place() != live.Place() || key.UID == live.UID
	})
	return d.precondition(live, m.states[live.Key], former)
}

func (m *model) update(d deed) {
	m.Helper()
	live, ok := m.objects[d.at]
	if !ok {
		return
	}
	o := live.Clone()
	o.Owners, o.Finalizers = m.references(d.refs), slices.Clone(d.finalizers)
	if live.Deleting { // a marked object gains none
		o.Finalizers = slices.DeleteFunc(o.Finalizers, func(f string) bool { return !live.HasFinalizer(f) })
	}
	states, stale := m.states[live.Key], ""
	if len(states) > 1 && d.stale {
		o.Version, stale = states[len(states)-2].Version, " with its version of before"
	}
	m.step("update %s%s", m.show(o), stale)
	out, want := finalizer.Update(live, o)
	err := m.call(func(ctx context.Context) (err error) { _, err = m.Client.Update(ctx, o.Clone()); return err })
	m.judge("Client.Update", live, out, want, err)
}

func (m *model) patch(d deed) {
	m.Helper()
	live, there := m.objects[d.at]
	refs := m.references(d.refs)
	if len(refs) < len(d.refs) {
		return
	}
	c := changeOf(d.change, d.finalizers, refs)
	what := m.sayChange(d.change, d.finalizers, refs)
	if !there {
		m.step("patch %s: %s", place(d.at), what)
		m.absent("Patch", d.at, m.call(func(ctx context.Context) error {
			return m.Store.Patch(ctx, d.at, ownergraph.Precondition{}, c)
		}))
		return
	}
	if d.change == changeAddOwner && ownedBy(live.Owners, refs[0].UID) || d.change == changeDropOwner && !slices.Contains(live.Owners, refs[0]) {
		return
	}
	pre, text := m.precondition(d.demands, live)
	out, want := finalizer.Patch(live, pre, c)
	m.write(d, live, fmt.Sprintf("patch %s: %s%s", m.names.key(live.Key), what, text), "Patch", out, want,
		func(ctx context.Context) error { return m.Store.Patch(ctx, d.at, pre, c) })
}

func (m *model) sayChange(change string, finalizers []string, refs []ownergraph.Owner) string {
	if len(refs) > 0 {
		return change + " " + m.names.owner(refs[0]).String()
	}
	return change + " " + finalizers[0]
}

// write makes a call that writes, and judges what it answered and left behind.
func (m *model) write(d deed, live ownergraph.Object, step, verb string, out finalizer.Outcome, want error, call func(context.Context) error) {
	m.Helper()
	if d.cancel > 0 && want == nil && out.Effect != finalizer.Unchanged && !live.Deleting {
		m.step("cancelled: %s", step)
		m.cutWrite(verb, live, out, m.cut(d.cancel, call))
		return
	}
	m.step("%s", step)
	m.judge(verb, live, out, want, m.call(call))
}

// judge compares what a write answered and left behind with what it should.
func (m *model) judge(verb string, live ownergraph.Object, out finalizer.Outcome, want, err error) {
	m.Helper()
	for _, is := range []error{graph.ErrConflict, graph.ErrRefused} {
		if errors.Is(want, is) && !errors.Is(err, is) {
			m.raw(live, err)
			m.fail("%s(%s): %s, want one that wraps %q", verb, m.show(live), cause(err), is)
		}
	}
	switch {
	case want != nil:
		out = finalizer.Outcome{Effect: finalizer.Unchanged, Object: live}
	case err != nil:
		m.raw(live, err)
		m.fail("%s(%s): %s", verb, m.show(live), cause(err))
	}
	m.wrote(live, out)
}

// absent judges a write where nothing is.
func (m *model) absent(verb string, at ownergraph.Key, err error) {
	m.Helper()
	if !errors.Is(err, graph.ErrNotFound) {
		m.Logf("the store: %v", err)
		m.fail("%s(%s): %s, want one that wraps %q", verb, place(at), cause(err), graph.ErrNotFound)
	}
}
