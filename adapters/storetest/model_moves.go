package storetest

import (
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/finalizer"
	"github.com/ownergraph/ownergraph/graph"
	"pgregory.net/rapid"
)

// somewhere draws a place, preferring one that is taken.
func (m *model) somewhere(t *rapid.T) ownergraph.Key {
	list := m.places
	if live := m.live(); len(live) > 0 && rapid.IntRange(0, 3).Draw(t, "absent") < 3 {
		list = nil
		for _, o := range live {
			list = append(list, o.Place())
		}
	}
	return rapid.SampledFrom(list).Draw(t, "place")
}

// reference draws a reference of the object at a place to an incarnation that
// lives or lived, in its own scope or global.
func (m *model) reference(t *rapid.T, at ownergraph.Key) (r ownergraph.Owner, ok bool) {
	var list []ownergraph.Key
	for _, key := range m.incarnations() {
		if key.Place() != at && (key.Scope == "" || key.Scope == at.Scope) {
			list = append(list, key)
		}
	}
	if len(list) == 0 {
		return r, false
	}
	return ownergraph.Owner{Key: rapid.SampledFrom(list).Draw(t, "owner"), Block: rapid.Bool().Draw(t, "block")}, true
}

// incarnations returns all that live or lived, sorted by our names.
func (m *model) incarnations() []ownergraph.Key {
	return slices.SortedFunc(maps.Keys(m.states), func(a, b ownergraph.Key) int { return m.names.key(a).Compare(m.names.key(b)) })
}

func (m *model) references(t *rapid.T, at ownergraph.Key) (list []ownergraph.Owner) {
	for range rapid.IntRange(0, 2).Draw(t, "references") {
		r, ok := m.reference(t, at)
		same := func(x ownergraph.Owner) bool { return x.UID == r.UID }
		if ok && !slices.ContainsFunc(list, same) {
			list = append(list, r)
		}
	}
	return list
}

func someFinalizers() []string { return []string{foreign, another} }

func finalizersOf(t *rapid.T, among []string) []string {
	var list []string
	for _, f := range among {
		if rapid.Bool().Draw(t, f) {
			list = append(list, f)
		}
	}
	return list
}

func (m *model) create(t *rapid.T) {
	at := rapid.SampledFrom(m.places).Draw(t, "place")
	o := ownergraph.Object{Key: at, Owners: m.references(t, at), Finalizers: finalizersOf(t, someFinalizers())}
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

// precondition draws what a write demands, and whether that holds.
func (m *model) precondition(t *rapid.T, live ownergraph.Object) (pre ownergraph.Precondition, text string) {
	if rapid.Bool().Draw(t, "uid") {
		pre.UID, text = live.UID, " if it has its UID"
	}
	switch rapid.IntRange(0, 5).Draw(t, "version") {
	case 0, 1:
		pre.Version, text = live.Version, text+" if it is unchanged"
	case 4:
		if states := m.states[live.Key]; len(states) > 1 {
			pre.Version, text = states[len(states)-2].Version, text+" if it is as it was before"
		}
	case 5:
		for _, key := range m.incarnations() {
			if key.Place() == live.Place() && key.UID != live.UID {
				pre.UID, text = key.UID, " if it is a former incarnation"
			}
		}
	}
	return pre, text
}

func (m *model) update(t *rapid.T) {
	live, ok := m.objects[m.somewhere(t)]
	if !ok {
		return
	}
	o := live.Clone()
	o.Owners = m.references(t, live.Place())
	among := someFinalizers()
	if live.Deleting { // a marked object gains none
		among = live.Finalizers
	}
	o.Finalizers = finalizersOf(t, among)
	states, stale := m.states[live.Key], ""
	if len(states) > 1 && rapid.IntRange(0, 3).Draw(t, "stale") == 3 {
		o.Version, stale = states[len(states)-2].Version, " with its version of before"
	}
	m.step("update %s%s", m.show(o), stale)
	out, want := finalizer.Update(live, o)
	err := m.call(func(ctx context.Context) (err error) { _, err = m.Client.Update(ctx, o.Clone()); return err })
	m.judge("Client.Update", live, out, want, err)
}

func (m *model) patch(t *rapid.T) {
	at := m.somewhere(t)
	live, there := m.objects[at]
	if !there {
		m.step("patch %s[%s]", place(at), foreign)
		m.absent("Patch", at, m.call(func(ctx context.Context) error {
			return m.Store.Patch(ctx, at, ownergraph.Precondition{}, ownergraph.Change{AddFinalizer: foreign})
		}))
		return
	}
	pre, text := m.precondition(t, live)
	c, what := m.change(t, live)
	m.step("patch %s: %s%s", m.names.key(live.Key), what, text)
	out, want := finalizer.Patch(live, pre, c)
	err := m.call(func(ctx context.Context) error { return m.Store.Patch(ctx, at, pre, c) })
	m.judge("Patch", live, out, want, err)
}

// change draws one of the engine's changes, and says which.
func (m *model) change(t *rapid.T, live ownergraph.Object) (c ownergraph.Change, what string) {
	switch rapid.IntRange(0, 5).Draw(t, "change") {
	case 0:
		c.AddFinalizer = rapid.SampledFrom(someFinalizers()).Draw(t, "finalizer")
		return c, "add finalizer " + c.AddFinalizer
	case 1:
		r, ok := m.reference(t, live.Place())
		same := func(x ownergraph.Owner) bool { return x.UID == r.UID }
		if ok && !slices.ContainsFunc(live.Owners, same) {
			c.AddOwner = &r
			return c, "add owner " + m.names.owner(r).String()
		}
	case 2, 3:
		if len(live.Owners) > 0 {
			r := rapid.SampledFrom(live.Owners).Draw(t, "reference")
			if rapid.Bool().Draw(t, "unblock") {
				c.Unblock = []ownergraph.Owner{r}
				return c, "unblock " + m.names.owner(r).String()
			}
			c.DropOwners = []ownergraph.Owner{r}
			return c, "drop owner " + m.names.owner(r).String()
		}
	}
	list := append([]string{graph.FinalizerOrphan, graph.FinalizerForeground}, someFinalizers()...)
	if len(live.Finalizers) > 0 && rapid.Bool().Draw(t, "its own") {
		list = live.Finalizers
	}
	c.DropFinalizer = rapid.SampledFrom(list).Draw(t, "finalizer")
	return c, "drop finalizer " + c.DropFinalizer
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
