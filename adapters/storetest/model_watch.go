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

// sync waits until the follower of the watch knows what the store holds, and
// checks how it came to know.
func (m *model) sync() {
	m.Helper()
	m.step("sync")
	if !m.follower.until(m.agrees) {
		m.logShown()
		m.fail("the watch has not shown what there is")
	}
	m.inOrder(m.follower.take())
}

// logShown logs how what the watch has shown differs from what there is.
func (m *model) logShown() {
	m.Helper()
	list, err := m.follower.shown(m.kinds)
	m.logDifference("the watch", m.live(), list)
	if err != nil {
		m.Logf("a watch ended: %v", err)
	}
}

// logDifference logs how objects that somebody has shown differ.
func (m *model) logDifference(who string, want, shown []ownergraph.Object) {
	m.Helper()
	if lines := difference(m.names.versioned(want), m.names.versioned(shown)); lines != "" {
		m.Logf("%s: %s", who, strings.ReplaceAll(lines, "\n", "\n  "))
	}
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

// extras returns the deeds that the subject has hooks or powers for.
func (m *model) extras() (list []string) {
	add := func(do string, has bool) {
		if has {
			list = append(list, do)
		}
	}
	add(doFence, m.level >= ownergraph.Level2 && is[ownergraph.Fencer](m.Subject))
	add(doList, is[ownergraph.Lister](m.Subject))
	add(doCompact, m.Compact != nil && m.owes(Compaction))
	add(doBreak, m.Break != nil && m.owes(BrokenConnections))
	add(doRestart, m.Restart != nil && m.owes(Durability))
	add(doHistory, m.Backup != nil && m.owes(Rewinds))
	add(doSicken, m.Sicken != nil && m.owes(SickKinds))
	add(doVanish, m.Vanish != nil && m.owes(ChangingKinds))
	return list
}

// extra does one of them. After a restart a store may have fewer.
func (m *model) extra(d deed) {
	m.Helper()
	if !slices.Contains(m.extras(), d.do) {
		return
	}
	switch d.do {
	case doFence:
		m.fence()
	case doList:
		m.list(d.at.Kind)
	case doCompact:
		m.hook(d.do, m.Compact)
	case doBreak:
		m.hook(d.do, m.Break)
	case doRestart:
		m.restart()
	case doHistory:
		m.rewind()
	case doSicken:
		m.down(d, m.Sicken)
	case doVanish:
		m.down(d, m.Vanish)
	}
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
			m.logDifference(fmt.Sprintf("the watch, when the fence passed of %s", h.kind), h.held, h.shown)
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

func (m *model) list(kind ownergraph.Kind) {
	m.Helper()
	lister, _ := ownergraph.As[ownergraph.Lister](m.Store)
	m.hook("list "+string(kind), func(ctx context.Context) error { return lister.List(ctx, kind) })
}

// down takes a kind out of service, looks what that proves, and takes it back.
func (m *model) down(d deed, take func(context.Context, ownergraph.Kind) (func(context.Context) error, error)) {
	m.Helper()
	kind := d.at.Kind
	var back func(context.Context) error
	m.hook(d.do+" "+string(kind), func(ctx context.Context) (err error) { back, err = take(ctx, kind); return err })
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
