package storetest

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
	"pgregory.net/rapid"
)

// sync waits until the follower of the watch knows what the store holds, and
// checks how it came to know.
func (m *model) sync() {
	m.Helper()
	m.step("sync")
	if !m.follower.until(m.agrees) {
		m.Logf("the watch has shown %s", m.shown())
		m.fail("the watch has not shown what there is")
	}
	m.inOrder(m.follower.take())
}

// shown says what the watch has shown.
func (m *model) shown() string {
	list, err := m.follower.shown(m.kinds)
	if err != nil {
		return fmt.Sprintf("%s; a watch ended: %v", m.text(list), err)
	}
	return m.text(list)
}

// agrees reports whether the follower knows what the model holds.
func (m *model) agrees(r *follower) bool {
	return !slices.ContainsFunc(m.kinds, func(k ownergraph.KindInfo) bool {
		return !r.known.agrees(k.Kind, ofKind(m.live(), k.Kind))
	})
}

// inOrder checks that the watch showed states that were, each object's in the
// order in which they came about, and none after its end.
func (m *model) inOrder(events []ownergraph.Event) {
	m.Helper()
	last, gone := map[ownergraph.Key]int{}, map[ownergraph.Key]bool{}
	for _, e := range events {
		if e.Type == graph.Gone {
			gone[e.Key] = true
			continue
		}
		o := e.Object
		i := slices.IndexFunc(m.states[o.Key], o.Equal)
		switch {
		case i < 0:
			m.raw(o, nil)
			m.fail("the watch has shown a state that never was")
		case gone[o.Key]:
			m.raw(o, nil)
			m.fail("the watch has shown an object after it had gone")
		case i < last[o.Key]:
			m.raw(o, nil)
			m.fail("the watch has shown an object's earlier state after a later one")
		}
		last[o.Key] = i
	}
}

// reconnect begins the watch anew, with what was known.
func (m *model) reconnect() {
	m.Helper()
	m.step("watch anew")
	m.follower.stop()
	m.follow()
}

// restart opens the store's data anew.
func (m *model) restart() {
	m.Helper()
	m.follower.stop()
	var next Subject
	m.hook("restart", func(ctx context.Context) (err error) { next, err = m.Restart(ctx); return err })
	m.Subject, m.backup = next, nil // what was noted was of the former store
	m.follow()
}

// follow begins a watch with what the former one has shown.
func (m *model) follow() {
	known := m.follower.known // it has ended
	var objects []ownergraph.Object
	for kind := range known.kinds {
		objects = append(objects, known.all(kind)...)
	}
	m.follower = follow(m, m.Store, m.pace, objects...)
}

// hooks returns the actions that the subject has hooks or powers for. Which it
// has it always has: rapid wants the same choices each time.
func (m *model) hooks() map[string]func(*rapid.T) {
	list := map[string]func(*rapid.T){}
	add := func(name string, has bool, act func(*rapid.T)) {
		if has {
			list[name] = act
		}
	}
	add("fence", m.level >= ownergraph.Level2 && is[ownergraph.Fencer](m.Subject), func(*rapid.T) { m.fence() })
	add("list", is[ownergraph.Lister](m.Subject), m.list)
	add("compact", m.Compact != nil && m.owes(Compaction), func(*rapid.T) { m.hook("compact", m.Compact) })
	add("break", m.Break != nil && m.owes(Breaks), func(*rapid.T) { m.hook("break", m.Break) })
	add("restart", m.Restart != nil && m.owes(Durability), func(*rapid.T) { m.restart() })
	add("history", m.Backup != nil && m.owes(Rewinds), func(*rapid.T) { m.rewind() })
	add("sick", m.Sicken != nil && m.owes(SickKinds), func(t *rapid.T) { m.down(t, "sicken", m.Sicken) })
	add("vanish", m.Vanish != nil && m.owes(ChangingKinds), func(t *rapid.T) { m.down(t, "vanish", m.Vanish) })
	return list
}

func (m *model) hook(name string, run func(context.Context) error) {
	m.Helper()
	m.step("%s", name)
	if err := m.call(run); err != nil {
		m.Logf("hook %s: %v", name, err)
		m.fail("%s: %s", name, cause(err))
	}
}

// fence waits for a fence, which must not pass before what it covers.
func (m *model) fence() {
	m.Helper()
	fencer, _ := ownergraph.As[ownergraph.Fencer](m.Store)
	m.step("fence")
	for range mostFences {
		m.fences++
		id, run := m.fences, 0
		m.follower.until(func(r *follower) bool { run = r.run; return r.up })
		m.follower.expect(id, m.live())
		if err := m.call(func(ctx context.Context) error { return fencer.Fence(ctx, id) }); err != nil {
			m.Logf("the store: %v", err)
			m.fail("Fence: %s", cause(err))
		}
		passed, broke := false, false
		m.follower.until(func(r *follower) bool {
			passed, broke = r.passed(id), r.run != run
			return passed || broke
		})
		switch {
		case m.follower.tooEarly() != nil:
			h := m.follower.tooEarly()
			m.Logf("the fence passed of kind %s, of which the watch has shown %s, and the store held %s", h.kind, m.text(h.shown), m.text(h.held))
			m.fail("a fence passed of a kind of which the watch has not shown what there is")
		case passed:
			return
		case !broke:
			m.fail("the fence has not passed")
		}
	}
}

// mostFences is how often a fence is asked for again when the watch broke.
const mostFences = 8

func (m *model) list(t *rapid.T) {
	lister, _ := ownergraph.As[ownergraph.Lister](m.Store)
	kind := rapid.SampledFrom(m.kinds).Draw(t, "kind").Kind
	m.hook("list "+string(kind), func(ctx context.Context) error { return lister.List(ctx, kind) })
}

// down takes a kind out of service, looks what that proves, and takes it back.
func (m *model) down(t *rapid.T, verb string, take func(context.Context, ownergraph.Kind) (func(context.Context) error, error)) {
	kind := rapid.SampledFrom(m.kinds).Draw(t, "kind").Kind
	var back func(context.Context) error
	m.hook(verb+" "+string(kind), func(ctx context.Context) (err error) { back, err = take(ctx, kind); return err })
	for _, at := range m.places {
		if at.Kind != kind {
			continue
		}
		if _, err := m.read(at); errors.Is(err, graph.ErrNotFound) {
			m.Logf("the store: %v", err)
			m.fail("Get(%s): %s, although the kind is out of service", place(at), cause(err))
		}
	}
	m.hook("bring back "+string(kind), back)
	m.sync()
}

// backup is what the store and the model held at one moment.
type backup struct {
	restore func(context.Context) error
	objects map[ownergraph.Key]ownergraph.Object
}
