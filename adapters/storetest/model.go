package storetest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
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
// the same. A history that fails is made as short as it can be. Its steps are
// printed in the notation of package graph.
//
// Held by TestModelOfMemory, TestModelFinds and TestModelBearsFaults.
func modelTest(c Config) func(*rapid.T) { return newModelHunt(c, mostDone).property }

// mostDone bounds a history.
const mostDone = 300

// fewAtOnce is how many shorter histories run at once: some of them wait for what
// a watch never shows.
const fewAtOnce = 3

// modelHunt looks for histories that fail.
type modelHunt struct {
	hunt[[]deed]
	conf  Config
	pace  *pace
	most  int // deeds
	stage stage
}

func newModelHunt(c Config, most int) *modelHunt {
	h := &modelHunt{conf: c, pace: newPace(cmp.Or(c.Patience, defaultPatience)), most: most}
	h.hunt = hunt[[]deed]{smaller: smallerDeeds, width: fewAtOnce, chances: chances, play: func(tb TB, list []deed) { newModel(tb, c, h.pace).run(list) }}
	return h
}

func (h *modelHunt) property(t *rapid.T) {
	if h.over() {
		return
	}
	if len(h.stage.kinds) == 0 { // what can be drawn hangs on the store
		h.prepare(t, func(tb TB) { h.stage = newModel(tb, h.conf, h.pace).stage() })
	}
	list := drawHistory(t, h.stage, h.most)
	h.hunt.run(t, deedsText(list), list)
}

// model is a map that stands beside a store.
type model struct {
	TB
	Subject
	conf    Config
	pace    *pace
	level   ownergraph.Level
	kinds   []ownergraph.KindInfo
	places  []ownergraph.Key
	objects map[ownergraph.Key]ownergraph.Object // live, by place
	// states has what every incarnation was, in order; gone ones too.
	states   map[ownergraph.Key][]ownergraph.Object
	made     map[int]ownergraph.Key // incarnations, by the numbers of deeds
	names    *names
	follower *follower // of a watch
	steps    []string
	fences   uint64
	backup   *backup
}

func newModel(tb TB, c Config, p *pace) *model {
	m := &model{
		TB: tb, Subject: c.New(tb), conf: c, pace: p, level: c.Level, names: newNames(), made: map[int]ownergraph.Key{},
		objects: map[ownergraph.Key]ownergraph.Object{}, states: map[ownergraph.Key][]ownergraph.Object{},
	}
	if m.Store == nil || m.Client == nil {
		tb.Fatalf("New returned no Store or no Client")
	}
	if m.level == ownergraph.LevelUnset {
		m.level = ownergraph.LevelOf(m.Store)
	}
	m.follower = follow(tb, m.Store, p)
	if !m.follower.until(func(r *follower) bool { return r.known.listed() }) {
		m.fail("the watch has not listed every kind")
	}
	if m.kinds = owning(m.follower.known.infos, c.Kinds); len(m.kinds) == 0 {
		m.fail("the store serves none of Config.Kinds")
	}
	m.places = somePlaces(m.kinds)
	return m
}

// run runs a history, and looks at the store after each step.
func (m *model) run(list []deed) {
	m.Helper()
	for _, d := range list {
		m.do(d)
		m.check()
	}
	m.sync()
}

// stage returns what can be drawn.
func (m *model) stage() stage {
	return stage{kinds: m.kinds, extras: m.extras(), grace: m.owes(GracePeriods)}
}

// owning returns at most three kinds whose objects may own, scoped ones first,
// of those that the client can make objects of: all, if it does not say.
func owning(infos []ownergraph.KindInfo, can []ownergraph.Kind) []ownergraph.KindInfo {
	infos = slices.DeleteFunc(slices.Clone(infos), func(i ownergraph.KindInfo) bool {
		return len(can) > 0 && !slices.Contains(can, i.Kind)
	})
	list := slices.DeleteFunc(slices.Clone(infos), func(i ownergraph.KindInfo) bool { return i.NoOwner })
	if len(list) == 0 {
		list = infos
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

func (m *model) owes(p Promise) bool { return !slices.Contains(m.conf.Without, p) }

// step notes what is done next, in one line, which says all that was drawn.
func (m *model) step(format string, args ...any) {
	m.steps = append(m.steps, fmt.Sprintf(format, args...))
}

// history returns the steps, in lines.
func (m *model) history() string { return strings.Join(m.steps, "\n  ") }

// fail ends the history. What differs from run to run, such as UIDs and versions,
// is logged by raw.
func (m *model) fail(format string, args ...any) {
	m.Helper()
	m.pace.fail()
	failAs(m.TB, format, fmt.Sprintf("%s\nthe model: %s\nthe steps:\n  %s", fmt.Sprintf(format, args...), m.line(), m.history()))
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
	most, began := m.pace.limit(), time.Now()
	ctx, cancel := context.WithTimeout(m.Context(), most)
	defer cancel()
	done := start(ctx, call)
	limit := time.NewTimer(2 * most)
	defer limit.Stop()
	select {
	case err := <-done:
		if ctx.Err() == nil {
			m.pace.took(began)
			m.pace.call(began)
		}
		return err
	case <-limit.C:
		m.fail("a call has not returned, although its context has ended")
		return nil
	}
}

func (m *model) read(key ownergraph.Key) (o ownergraph.Object, err error) {
	m.Helper()
	err = m.call(func(ctx context.Context) (err error) { o, err = m.Store.Get(ctx, key); return err })
	return o, err
}

// check reads every place that is or was taken.
func (m *model) check() {
	m.Helper()
	for _, at := range m.places {
		if _, there := m.objects[at]; !there && m.names.made[at] == 0 {
			continue
		}
		got, err := m.read(at)
		m.answers(at, got, err)
	}
}

// answers checks what a read of a place has answered.
func (m *model) answers(at ownergraph.Key, got ownergraph.Object, err error) {
	m.Helper()
	want, there := m.objects[at]
	switch {
	case !there && !errors.Is(err, graph.ErrNotFound):
		m.raw(got, err)
		m.fail("Get(%s): %s, want an error that wraps ErrNotFound", place(at), m.answer(got, err))
	case there && (err != nil || !got.Equal(want)):
		m.raw(got, err)
		m.Logf("want: %+v", want)
		m.fail("Get(%s): %s, want %s", place(at), m.answer(got, err), m.answer(want, nil))
	}
}

// answer says what a read answered.
func (m *model) answer(o ownergraph.Object, err error) string {
	if err != nil {
		return cause(err)
	}
	return m.show(o) + " at " + m.names.version(o.Version)
}

// raw logs what a call answered, as it is.
func (m *model) raw(o ownergraph.Object, err error) {
	m.Helper()
	if err != nil {
		m.Logf("the store: %v", err)
		return
	}
	m.Logf("the store: %+v", o)
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
			m.raw(got, err)
			m.fail("Get(%s): %s, want it removed, and an error that wraps ErrNotFound", place(at), m.answer(got, err))
		}
		delete(m.objects, at)
		return
	}
	if err != nil || !sameContent(got, out.Object) {
		m.raw(got, err)
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
			m.raw(o, nil)
			m.fail("%s names two states: %s and %s", m.names.version(o.Version), m.show(s), m.show(o))
		}
	}
	if n := len(states); n == 0 || states[n-1].Version != o.Version {
		m.states[o.Key] = append(states, o)
		m.names.count(o.Version)
	}
}
