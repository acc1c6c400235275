package storetest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/finalizer"
	"github.com/ownergraph/ownergraph/graph"
	"pgregory.net/rapid"
)

// modelTest returns a property for rapid: whatever is done to the store, by its
// users and by the engine's methods, in whatever order, a read answers what a
// map does that follows the rules of package finalizer, and a watch ends up with
// the same. The steps of a counterexample are printed in the notation of package
// graph.
//
// Held by TestModelOfMemory, TestModelFinds and TestModelBearsFaults.
func modelTest(c Config) func(*rapid.T) {
	return func(t *rapid.T) { newModel(t, c).walk(t) }
}

// walk draws steps and makes them.
func (m *model) walk(t *rapid.T) {
	actions := map[string]func(*rapid.T){
		"create": m.create, "create more": m.create, "update": m.update, "patch": m.patch, "patch more": m.patch,
		"delete": m.delete, "client delete": m.clientDelete, "get unserved": m.getUnserved,
		"sync": func(*rapid.T) { m.sync() }, "reconnect": func(*rapid.T) { m.reconnect() }, "": m.check,
	}
	maps.Copy(actions, m.hooks())
	for name, act := range actions {
		actions[name] = m.bounded(act)
	}
	t.Repeat(actions)
	m.sync()
}

// mostDone bounds a history: the inputs of a fuzzer grow without end.
const mostDone = 300

// bounded returns an action that does nothing at the end of a history.
func (m *model) bounded(act func(*rapid.T)) func(*rapid.T) {
	return func(t *rapid.T) {
		if len(m.steps) < mostDone {
			act(t)
		}
	}
}

// model is a map that stands beside a store.
type model struct {
	TB
	Subject
	conf    Config
	level   ownergraph.Level
	kinds   []ownergraph.KindInfo
	places  []ownergraph.Key
	objects map[ownergraph.Key]ownergraph.Object // live, by place
	// states has what every incarnation was, in order; gone ones too.
	states   map[ownergraph.Key][]ownergraph.Object
	names    *names
	follower *follower // of a watch
	steps    []string
	fences   uint64
	backup   *backup
}

func newModel(t *rapid.T, c Config) *model {
	c.Patience = cmp.Or(c.Patience, defaultPatience)
	m := &model{
		TB: t, Subject: c.New(t), conf: c, level: c.Level, names: newNames(),
		objects: map[ownergraph.Key]ownergraph.Object{}, states: map[ownergraph.Key][]ownergraph.Object{},
	}
	if m.Store == nil || m.Client == nil {
		t.Fatalf("New returned no Store or no Client")
	}
	if m.level == ownergraph.LevelUnset {
		m.level = ownergraph.LevelOf(m.Store)
	}
	m.follower = follow(t, m.Store, c.Patience)
	if !m.follower.until(func(r *follower) bool { return r.known.listed() }) {
		m.fail("the watch has not listed every kind within %s", c.Patience)
	}
	m.kinds = owning(m.follower.known.infos)
	m.places = somePlaces(m.kinds)
	return m
}

// owning returns at most three kinds whose objects may own, scoped ones first.
func owning(infos []ownergraph.KindInfo) []ownergraph.KindInfo {
	list := slices.DeleteFunc(slices.Clone(infos), func(i ownergraph.KindInfo) bool { return i.NoOwner })
	if len(list) == 0 {
		list = slices.Clone(infos)
	}
	slices.SortFunc(list, func(a, b ownergraph.KindInfo) int { return cmp.Compare(a.Kind, b.Kind) })
	if i := slices.IndexFunc(list, func(i ownergraph.KindInfo) bool { return i.Scoped }); i > 2 {
		list[0], list[i] = list[i], list[0]
	}
	return list[:min(len(list), 3)]
}

// somePlaces returns two places of each kind, few enough to be taken again.
func somePlaces(kinds []ownergraph.KindInfo) (list []ownergraph.Key) {
	for _, k := range kinds {
		list = append(list, keyOf(k, "a"), keyOf(k, "b"))
	}
	return list
}

func (m *model) owes(p Promise) bool { return !slices.Contains(m.conf.Lacks, p) }

// step notes what is done next, in one line.
func (m *model) step(format string, args ...any) {
	m.steps = append(m.steps, fmt.Sprintf(format, args...))
}

func (m *model) fail(format string, args ...any) {
	m.Helper()
	m.Fatalf("%s\nthe model: %s\nthe steps:\n  %s", fmt.Sprintf(format, args...), m.line(), strings.Join(m.steps, "\n  "))
}

// line returns what the model holds, in the notation.
func (m *model) line() string { return m.text(m.live()) }

func (m *model) text(list []ownergraph.Object) string {
	return fmt.Sprintf("%q", graph.Format(m.names.objects(list)))
}

// live returns what the model holds, sorted by key.
func (m *model) live() []ownergraph.Object {
	var out []ownergraph.Object
	for _, o := range m.objects {
		out = append(out, o)
	}
	slices.SortFunc(out, func(a, b ownergraph.Object) int { return a.Key.Compare(b.Key) })
	return out
}

// call bounds a call of the store.
func (m *model) call(call func(ctx context.Context) error) error {
	m.Helper()
	ctx, cancel := context.WithTimeout(m.Context(), m.conf.Patience)
	defer cancel()
	done := start(ctx, call)
	limit := time.NewTimer(2 * m.conf.Patience)
	defer limit.Stop()
	select {
	case err := <-done:
		return err
	case <-limit.C:
		m.fail("the call has not returned within %s, although its context has ended", 2*m.conf.Patience)
		return nil
	}
}

func (m *model) read(key ownergraph.Key) (o ownergraph.Object, err error) {
	m.Helper()
	err = m.call(func(ctx context.Context) (err error) { o, err = m.Store.Get(ctx, key); return err })
	return o, err
}

// check reads every place that is or was taken.
func (m *model) check(*rapid.T) {
	m.Helper()
	for _, at := range m.places {
		want, there := m.objects[at]
		if !there && m.names.made[at] == 0 {
			continue
		}
		got, err := m.read(at)
		switch {
		case !there && !errors.Is(err, graph.ErrNotFound):
			m.fail("Get(%s): %s, want an error that wraps ErrNotFound", place(at), m.answer(got, err))
		case there && (err != nil || !got.Equal(want)):
			m.fail("Get(%s): %s, want %s", place(at), m.answer(got, err), m.answer(want, nil))
		}
	}
}

// answer says what a read answered.
func (m *model) answer(o ownergraph.Object, err error) string {
	if err != nil {
		return fmt.Sprintf("error %q", err)
	}
	return fmt.Sprintf("%s at version %s, generation %d", m.show(o), o.Version, o.Generation)
}

func (m *model) show(o ownergraph.Object) string { return m.names.object(o).String() }

// wrote compares what a write left behind with what it should have, and takes
// the store's version over.
func (m *model) wrote(before ownergraph.Object, out finalizer.Outcome) {
	m.Helper()
	at := before.Place()
	got, err := m.read(at)
	if out.Effect == finalizer.Removed {
		if !errors.Is(err, graph.ErrNotFound) {
			m.fail("Get(%s): %s, want it removed, and an error that wraps ErrNotFound", place(at), m.answer(got, err))
		}
		delete(m.objects, at)
		return
	}
	if err != nil || !sameContent(got, out.Object) {
		m.fail("Get(%s): %s, want %s", place(at), m.answer(got, err), m.show(out.Object))
	}
	m.hold(got)
}

// hold takes a state of an object over.
func (m *model) hold(o ownergraph.Object) {
	m.Helper()
	m.objects[o.Place()] = o
	states := m.states[o.Key]
	for _, s := range states {
		if s.Version == o.Version && !s.Equal(o) {
			m.fail("version %s names two states: %s and %s", o.Version, m.show(s), m.show(o))
		}
	}
	if n := len(states); n == 0 || states[n-1].Version != o.Version {
		m.states[o.Key] = append(states, o)
	}
}
