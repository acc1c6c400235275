package storetest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
)

// sync waits until the follower of the watch has all objects of the store. Then it
// checks the events that led there.
func (m *model) sync() {
	m.Helper()
	m.addStep("sync")
	if !m.follower.waitFor(m.agrees) {
		m.logWatch()
		m.fail("the watch has not reported all objects of the store")
	}
	m.checkOrder(m.follower.drain())
}

// logWatch logs the difference between the watch and the model.
func (m *model) logWatch() {
	m.Helper()
	list, err := m.follower.content(m.kinds)
	m.logDifference("the watch", m.live(), list)
	if err != nil {
		m.Logf("a watch ended: %v", err)
	}
}

// logDifference logs the difference between two lists of objects.
func (m *model) logDifference(source string, want, shown []ownergraph.Object) {
	m.Helper()
	if lines := difference(m.names.versioned(want), m.names.versioned(shown)); lines != "" {
		m.Logf("%s: %s", source, strings.ReplaceAll(lines, "\n", "\n  "))
	}
}

// agrees reports whether the follower has all objects of the model.
func (m *model) agrees(r *follower) bool {
	return !slices.ContainsFunc(m.kinds, func(k ownergraph.KindInfo) bool {
		return !r.known.agrees(k.Kind, ofKind(m.live(), k.Kind))
	})
}

// checkOrder checks that the watch reported only states that existed. It also
// checks that each object's states come in order, and none comes after its end.
func (m *model) checkOrder(events []ownergraph.Event) {
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
			m.logRaw(o, nil)
			m.fail("the watch has reported a state that never existed")
		case gone[o.Key]:
			m.logRaw(o, nil)
			m.fail("the watch has reported an object after its end")
		case i < last[o.Key]:
			m.logRaw(o, nil)
			m.fail("the watch has reported an object's earlier state after a later one")
		}
		last[o.Key] = i
	}
}

// reconnect starts the watch again, with the content of the former one.
func (m *model) reconnect() {
	m.Helper()
	m.addStep("watch again")
	m.follower.stop()
	m.follow()
}

// restart opens the store's data again.
func (m *model) restart() {
	m.Helper()
	m.follower.stop()
	var next Subject
	m.hook("restart", func(ctx context.Context) (err error) { next, err = m.Restart(ctx); return err })
	m.Subject, m.backup = next, nil // the backup was of the former store
	m.follow()
}

// follow starts a watch with the content of the former one.
func (m *model) follow() {
	known := m.follower.known // it has ended
	var objects []ownergraph.Object
	for kind := range known.kinds {
		objects = append(objects, known.all(kind)...)
	}
	m.follower = follow(m, m.Store, m.waits, objects...)
}

// extras returns the operations for which the subject has a hook or a power.
func (m *model) extras() (list []string) {
	add := func(do string, has bool) {
		if has {
			list = append(list, do)
		}
	}
	add(opFence, m.level >= ownergraph.Level2 && is[ownergraph.Fencer](m.Subject))
	_, lacking := needBatcher.lacking(m.Subject, testKinds{})
	add(opBatch, !lacking)
	add(opList, is[ownergraph.Lister](m.Subject))
	add(opCompact, m.Compact != nil && m.conf.owes(Compaction))
	add(opBreak, m.Break != nil && m.conf.owes(BrokenConnections))
	add(opRestart, m.Restart != nil && m.conf.owes(Durability))
	add(opHistory, m.Backup != nil && m.conf.owes(Rewinds))
	add(opSicken, m.Sicken != nil && m.conf.owes(SickKinds))
	add(opVanish, m.Vanish != nil && m.conf.owes(ChangingKinds))
	return list
}

// extra runs one of them. After a restart a store may have fewer.
func (m *model) extra(d operation) {
	m.Helper()
	if !slices.Contains(m.extras(), d.verb) {
		return
	}
	switch d.verb {
	case opBatch:
		m.batch(d)
	case opFence:
		m.fence()
	case opList:
		m.list(d.at.Kind)
	case opCompact:
		m.hook(d.verb, m.Compact)
	case opBreak:
		m.hook(d.verb, m.Break)
	case opRestart:
		m.restart()
	case opHistory:
		m.rewind()
	case opSicken:
		m.takeOut(d, m.Sicken)
	case opVanish:
		m.takeOut(d, m.Vanish)
	}
}

func (m *model) hook(name string, run func(context.Context) error) {
	m.Helper()
	m.addStep("%s", name)
	if err := m.call(run); err != nil {
		m.Logf("hook %s: %v", name, err)
		m.fail("%s: %s", name, cause(err))
	}
}

// fence waits for a fence. It must not pass before the objects that it covers are
// reported.
func (m *model) fence() {
	m.Helper()
	fencer, _ := ownergraph.As[ownergraph.Fencer](m.Store)
	m.addStep("fence")
	for range maxFences {
		id, run, stored := uint64(0), 0, m.live()
		m.follower.waitFor(func(r *follower) bool { run = r.runs; return r.begun })
		m.follower.beginFence(stored)
		if err := m.call(func(ctx context.Context) (err error) { id, err = fencer.Fence(ctx); return err }); err != nil {
			m.Logf("the store: %v", err)
			m.fail("Fence: %s", cause(err))
		}
		m.follower.nameFence(id, stored)
		passed, broke := false, false
		m.follower.waitFor(func(r *follower) bool {
			passed, broke = r.passed(id), r.runs != run
			return passed || broke
		})
		switch {
		case m.follower.tooEarly() != nil:
			h := m.follower.tooEarly()
			m.logDifference(fmt.Sprintf("the watch, when the fence passed %s", h.kind), h.stored, h.shown)
			m.fail("a fence passed a kind before the watch had reported its objects")
		case passed:
			return
		case !broke:
			m.fail("the fence has not passed")
		}
	}
}

// maxFences is the number of attempts to pass a fence when the watch ends.
const maxFences = 8

func (m *model) list(kind ownergraph.Kind) {
	m.Helper()
	lister, _ := ownergraph.As[ownergraph.Lister](m.Store)
	m.hook("list "+string(kind), func(ctx context.Context) error { return lister.List(ctx, kind) })
}

// takeOut takes a kind out of service, checks that reads prove nothing, and brings
// the kind back.
func (m *model) takeOut(d operation, stopServing func(context.Context, ownergraph.Kind) (func(context.Context) error, error)) {
	m.Helper()
	kind := d.at.Kind
	var serve func(context.Context) error
	m.hook(d.verb+" "+string(kind), func(ctx context.Context) (err error) { serve, err = stopServing(ctx, kind); return err })
	for _, at := range m.places {
		if at.Kind != kind {
			continue
		}
		if _, err := m.read(at); errors.Is(err, graph.ErrNotFound) {
			m.Logf("the store: %v", err)
			m.fail("Get(%s): %s, although the kind is out of service", place(at), cause(err))
		}
	}
	m.hook("bring back "+string(kind), serve)
	m.sync()
}

// backup is the content of the store and the model at one moment.
type backup struct {
	restore func(context.Context) error
	objects map[ownergraph.Key]ownergraph.Object
}
