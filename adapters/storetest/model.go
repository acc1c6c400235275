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

// modelTest returns a property for rapid. It compares a store with a map that
// follows the rules of package finalizer. Users and the engine's methods write in
// any order. Each read must answer the map's object, and a watch must end with the
// map's objects. A failing history is shortened as far as possible. Its steps are
// printed in the notation of package graph.
//
//test:by TestModelOfMemory TestModelFinds TestModelAcceptsFaults
func modelTest(c Config) func(*rapid.T) { return newModelSearch(c, maxHistory).property }

// maxHistory bounds the operations of a history.
const maxHistory = 300

// parallelHistories is the number of shorter histories that run at once. Some of
// them wait for an event that never comes.
const parallelHistories = 3

// modelSearch searches for failing histories.
type modelSearch struct {
	failureSearch[[]operation]
	conf          Config
	waits         *waitTimes
	maxOperations int // of one history
	capabilities  capabilities
}

func newModelSearch(c Config, maxOperations int) *modelSearch {
	h := &modelSearch{conf: c, waits: newWaitTimes(cmp.Or(c.Patience, defaultPatience)), maxOperations: maxOperations}
	h.failureSearch = failureSearch[[]operation]{smaller: smallerHistories, width: parallelHistories, repeats: repeatsOf, runCase: func(tb TB, list []operation) { newModel(tb, c, h.waits).run(list) }}
	return h
}

func (s *modelSearch) property(t *rapid.T) {
	if s.finished() {
		return
	}
	if len(s.capabilities.kinds) == 0 { // the choices of a history depend on the store
		s.prepare(t, func(tb TB) { s.capabilities = newModel(tb, s.conf, s.waits).capabilities() })
	}
	list := drawHistory(t, s.capabilities, s.maxOperations)
	s.failureSearch.run(t, operationsText(list), list)
}

// model is a map of objects, compared with a store.
type model struct {
	TB
	Subject
	conf    Config
	waits   *waitTimes
	level   ownergraph.Level
	kinds   []ownergraph.KindInfo
	places  []ownergraph.Key
	objects map[ownergraph.Key]ownergraph.Object // live, by place
	// states has the states of every incarnation, in order. It keeps removed
	// incarnations.
	states   map[ownergraph.Key][]ownergraph.Object
	made     map[int]ownergraph.Key // incarnations, by the numbers of their operations
	names    *names
	follower *follower // of a watch
	steps    []string
	backup   *backup
}

func newModel(tb TB, c Config, p *waitTimes) *model {
	m := &model{
		TB: tb, Subject: c.New(tb), conf: c, waits: p, level: c.Level, names: newNames(), made: map[int]ownergraph.Key{},
		objects: map[ownergraph.Key]ownergraph.Object{}, states: map[ownergraph.Key][]ownergraph.Object{},
	}
	if m.Store == nil || m.Client == nil {
		tb.Fatalf("New returned no Store or no Client")
	}
	if m.level == ownergraph.LevelUnset {
		m.level = ownergraph.LevelOf(m.Store)
	}
	m.follower = follow(tb, m.Store, p)
	if !m.follower.waitFor(func(r *follower) bool { return r.known.listed() }) {
		m.fail("the watch has not listed every kind")
	}
	if m.kinds = ownerKinds(m.follower.known.infos, c.Kinds); len(m.kinds) == 0 {
		m.fail("the store serves none of Config.Kinds")
	}
	m.places = testPlaces(m.kinds)
	return m
}

// run runs a history, and reads the store after each step.
func (m *model) run(list []operation) {
	m.Helper()
	for _, d := range list {
		m.apply(d)
		m.check()
	}
	m.sync()
}

// capabilities returns the operations that the store supports.
func (m *model) capabilities() capabilities {
	return capabilities{kinds: m.kinds, extras: m.extras(), grace: m.conf.owes(GracePeriods), strict: m.strict()}
}

// strict reports whether the store has level 3.
func (m *model) strict() bool { return m.level >= ownergraph.Level3 }

// ownerKinds returns at most three kinds whose objects may own, with a scoped one
// among the first. It takes them from the kinds of which the client can create
// objects. If can is empty, the client can create all.
func ownerKinds(infos []ownergraph.KindInfo, can []ownergraph.Kind) []ownergraph.KindInfo {
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

// testPlaces returns two places of each kind. They are few, so that histories use
// them again.
func testPlaces(kinds []ownergraph.KindInfo) (list []ownergraph.Key) {
	for _, k := range kinds {
		list = append(list, keyOf(k, "a"), keyOf(k, "b"))
	}
	return list
}

// addStep notes the next step, in one line with all draws.
func (m *model) addStep(format string, args ...any) {
	m.steps = append(m.steps, fmt.Sprintf(format, args...))
}

// history returns the steps, in lines.
func (m *model) history() string { return strings.Join(m.steps, "\n  ") }

// fail ends the history. UIDs and versions differ from run to run, so logRaw logs
// them separately.
func (m *model) fail(format string, args ...any) {
	m.Helper()
	m.waits.noteFailure()
	failAs(m.TB, format, fmt.Sprintf("%s\nthe model: %s\nthe steps:\n  %s", fmt.Sprintf(format, args...), m.contentText(), m.history()))
}

// contentText returns the model's objects, in the notation.
func (m *model) contentText() string { return m.objectsText(m.live()) }

func (m *model) objectsText(list []ownergraph.Object) string {
	return fmt.Sprintf("%q", graph.Format(m.names.objects(list)))
}

// live returns the model's objects, sorted by key.
func (m *model) live() []ownergraph.Object {
	var out []ownergraph.Object
	for _, o := range m.objects {
		out = append(out, o)
	}
	slices.SortFunc(out, func(a, b ownergraph.Object) int { return a.Key.Compare(b.Key) })
	return out
}

// call bounds the time of a call of the store.
func (m *model) call(call func(ctx context.Context) error) error {
	m.Helper()
	longest, began := m.waits.limit(), time.Now()
	ctx, cancel := context.WithTimeout(m.Context(), longest)
	defer cancel()
	done := start(ctx, call)
	limit := time.NewTimer(2 * longest)
	defer limit.Stop()
	select {
	case err := <-done:
		if ctx.Err() == nil {
			m.waits.noteWait(began)
			m.waits.noteCall(began)
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

// check reads every place that has or had an object.
func (m *model) check() {
	m.Helper()
	for _, at := range m.places {
		if _, there := m.objects[at]; !there && m.names.made[at] == 0 {
			continue
		}
		got, err := m.read(at)
		m.checkRead(at, got, err)
	}
}

// checkRead checks the answer of a read.
func (m *model) checkRead(at ownergraph.Key, got ownergraph.Object, err error) {
	m.Helper()
	want, there := m.objects[at]
	switch {
	case !there && !errors.Is(err, graph.ErrNotFound):
		m.logRaw(got, err)
		m.fail("Get(%s): %s, want an error that wraps ErrNotFound", place(at), m.answerText(got, err))
	case there && (err != nil || !got.Equal(want)):
		m.logRaw(got, err)
		m.Logf("want: %+v", want)
		m.fail("Get(%s): %s, want %s", place(at), m.answerText(got, err), m.answerText(want, nil))
	}
}

// answerText prints the answer of a read.
func (m *model) answerText(o ownergraph.Object, err error) string {
	if err != nil {
		return cause(err)
	}
	return m.objectText(o) + " at " + m.names.version(o.Version)
}

// logRaw logs the answer of a call with the store's UIDs and versions.
func (m *model) logRaw(o ownergraph.Object, err error) {
	m.Helper()
	if err != nil {
		m.Logf("the store: %v", err)
		return
	}
	m.Logf("the store: %+v", o)
}

func (m *model) objectText(o ownergraph.Object) string { return m.names.object(o).String() }

// checkWrite compares the object after a write with the expected object. It takes
// the store's version into the model.
func (m *model) checkWrite(before ownergraph.Object, out finalizer.Outcome) {
	m.Helper()
	at := before.Place()
	got, err := m.read(at)
	if out.Effect == finalizer.Removed {
		if !errors.Is(err, graph.ErrNotFound) {
			m.logRaw(got, err)
			m.fail("Get(%s): %s, want it removed, and an error that wraps ErrNotFound", place(at), m.answerText(got, err))
		}
		delete(m.objects, at)
		return
	}
	if err != nil || !sameContent(got, out.Object) {
		m.logRaw(got, err)
		m.fail("Get(%s): %s, want %s", place(at), m.answerText(got, err), m.objectText(out.Object))
	}
	m.record(got)
}

// record takes a state of an object into the model.
func (m *model) record(o ownergraph.Object) {
	m.Helper()
	m.objects[o.Place()] = o
	states := m.states[o.Key]
	for _, s := range states {
		if s.Version == o.Version && !s.Equal(o) {
			m.logRaw(o, nil)
			m.fail("%s names two states: %s and %s", m.names.version(o.Version), m.objectText(s), m.objectText(o))
		}
	}
	if n := len(states); n == 0 || states[n-1].Version != o.Version {
		m.states[o.Key] = append(states, o)
		m.names.count(o.Version)
	}
}
