package storetest

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"pgregory.net/rapid"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/fault"
	"github.com/ownergraph/ownergraph/internal/inside"
	"github.com/ownergraph/ownergraph/internal/proof/oracle"
)

// ownPauses is the longest pause of an engine before it tries again by itself: for
// a lost fence, and for a ring.
const ownPauses = time.Minute

// engineTest returns a property for rapid. Users create, change and delete objects
// through the store's own client. One or two collectors run on the store, under
// every fault that the contract permits. After the faults, the store must reach a
// state that the specification permits.
//
// The property is for the level of the store. Below level 2, foreground and orphan
// deletions are best effort. Then, and after a rewind, the property only checks
// that no work is left. At level 3, the specification leaves out the histories in which
// the store had to refuse a write that it accepted.
//
//test:by TestEngineAtLevel3 TestEngineOnMemory TestEngineOnOthers TestEngineBelowLevel2
//test:by TestEngineFinds
func engineTest(c Config) func(*rapid.T) { return newEngineSearch(c).property }

// parallelScenarios is the number of smaller scenarios that run at once. Most of
// the time they wait.
const parallelScenarios = 6

// scenarioRepeats is the number of runs of a scenario, because its result depends
// on timing.
const scenarioRepeats = 2

// scenarioRounds is the number of times that every smaller scenario has to pass.
const scenarioRounds = 3

// engineSearch searches for failing scenarios.
type engineSearch struct {
	failureSearch[scenario]
	conf  Config
	waits *engineWaits
	kinds []ownergraph.KindInfo
	among []fault.Fault
}

func newEngineSearch(c Config) *engineSearch {
	h := &engineSearch{conf: c, waits: newEngineWaits(c)}
	h.failureSearch = failureSearch[scenario]{smaller: smallerScenarios, width: parallelScenarios, rounds: scenarioRounds, repeats: func(scenario) int { return scenarioRepeats }, runCase: func(tb TB, p scenario) {
		e := newEngineCase(tb, c, h.waits)
		e.scenario = p
		e.run()
	}}
	return h
}

func (s *engineSearch) property(t *rapid.T) {
	if s.finished() {
		return
	}
	if len(s.kinds) == 0 { // the choices of a scenario depend on the store
		s.prepare(t, func(tb TB) {
			e := newEngineCase(tb, s.conf, s.waits)
			s.kinds, s.among = e.served(), e.faults(fault.Keeping())
		})
	}
	p := drawScenario(t, s.kinds, s.among)
	s.failureSearch.run(t, p.String(), p)
}

// engineCase is one case of engineTest.
type engineCase struct {
	TB
	Subject
	conf     Config
	waits    *engineWaits
	level    ownergraph.Level
	scenario scenario
	names    *names
	uids     []graph.UID // of the scenario's objects, "" before their creation
	start    []ownergraph.Object
	actions  []oracle.Action
	runners  []*runner
	restore  func(context.Context) error
	end      string // the last known content of the store
}

func newEngineCase(tb TB, c Config, p *engineWaits) *engineCase {
	tb.Helper()
	c.Patience = cmp.Or(c.Patience, defaultPatience)
	e := &engineCase{TB: tb, Subject: c.New(tb), conf: c, waits: p, level: c.Level, names: newNames()}
	if e.Store == nil || e.Client == nil {
		tb.Fatalf("New returned no Store or no Client")
	}
	if e.level == ownergraph.LevelUnset {
		e.level = ownergraph.LevelOf(e.Store)
	}
	return e
}

// faults returns the faults that can happen here. A collector has no clock to move.
func (e *engineCase) faults(among []fault.Fault) []fault.Fault {
	return slices.DeleteFunc(slices.Clone(among), func(f fault.Fault) bool {
		return f == fault.Jump || f == fault.Rewind && (e.Backup == nil || !e.conf.owes(Rewinds))
	})
}

// served returns kinds that the store serves.
func (e *engineCase) served() []ownergraph.KindInfo {
	f := follow(e, e.Store, e.waits.watch)
	defer f.stop()
	if !f.waitFor(func(f *follower) bool { return f.known.listed() }) {
		e.fail("the watch has not listed every kind")
	}
	list := ownerKinds(f.known.infos, e.conf.Kinds)
	if len(list) == 0 {
		e.fail("the store serves none of Config.Kinds")
	}
	return list
}

// run runs the case.
func (e *engineCase) run() {
	e.Helper()
	e.uids = make([]graph.UID, len(e.scenario.objects))
	for i := range e.scenario.created() {
		e.create(i)
	}
	for i, a := range e.scenario.objects[:e.scenario.created()] {
		if a.goneAtStart && !e.remove(i, ownergraph.Background) {
			e.fail("the user's Delete of %s found nothing", place(a.at))
		}
	}
	e.start, e.actions = e.names.objects(e.live()), nil
	if e.Backup != nil && e.scenario.hasFault(fault.Rewind) {
		e.mustDo("Backup", func(ctx context.Context) (err error) { e.restore, err = e.Backup(ctx); return err })
	}
	e.startCollectors()
	for _, m := range e.scenario.actions {
		e.pause(m.pause)
		e.act(m)
	}
	e.pause(e.scenario.pause)
	for _, r := range e.runners {
		r.store.Calm()
	}
	e.waitForEnd()
}

// startCollectors starts the collectors. They end with the test.
func (e *engineCase) startCollectors() {
	e.Helper()
	unit, hooks := e.waits.timeUnit(), e.Subject
	conf := ownergraph.Config{Level: e.level, Workers: 4, CallTimeout: e.conf.Patience / 50,
		OwnerName: graph.NameAbsent} // without a fence behind it, a false NotFound shows
	tuning := conf.Inside(inside.Key{})
	tuning.AwaitTimeout, tuning.RefusedRetry = 2*unit, 2*unit
	if !e.conf.owes(Compaction) {
		hooks.Compact = nil
	}
	ctx, cancel := context.WithCancel(context.Background())
	e.Cleanup(func() {
		cancel()
		for _, r := range e.runners {
			r.store.Calm()
			<-r.ended
		}
	})
	for _, plan := range e.scenario.plans {
		r, err := newRunner(e.Store, fault.Config{Plan: plan, Lag: unit, Rewind: e.restore, Compact: hooks.Compact}, conf)
		if err != nil {
			e.Logf("new collector: %v", err)
			e.fail("no collector can run on the store")
		}
		e.runners = append(e.runners, r)
		go r.run(ctx)
	}
}

// pause lets the collectors work for a while.
func (e *engineCase) pause(units int) {
	if units > 0 {
		<-time.After(time.Duration(units) * e.waits.timeUnit())
	}
}

// waitForEnd waits until the collectors are idle and the store is in a permitted
// state.
func (e *engineCase) waitForEnd() {
	e.Helper()
	for idleSince := (time.Time{}); ; <-time.After(e.waits.timeUnit() / 5) { // no store reports the end of a refused write, or of a lag of the watch
		held, err := e.waitIdle()
		wrong := e.endError(held)
		if idleSince.IsZero() {
			idleSince = time.Now()
		}
		switch {
		case err != nil:
			e.Logf("%v", err)
			e.fail("the collectors do not become idle")
		case wrong == "":
			e.waits.afterIdle.noteWait(idleSince)
			return
		case time.Since(idleSince) > e.waits.afterIdle.limit():
			e.failAs(wrong, wrong)
		}
	}
}

// waitIdle waits until every collector is idle, and returns their held objects.
func (e *engineCase) waitIdle() (held []engine.Held, err error) {
	began := time.Now()
	ctx, cancel := context.WithTimeout(e.Context(), e.waits.idle.limit())
	defer cancel()
	for _, r := range e.runners {
		list, err := r.idle(ctx)
		if err != nil {
			return held, err
		}
		held = append(held, list...)
	}
	e.waits.idle.noteWait(began)
	return held, nil
}

// fail ends the case. It prints the draws, and logs the results.
func (e *engineCase) fail(format string, args ...any) {
	e.Helper()
	e.failAs(format, fmt.Sprintf(format, args...))
}

func (e *engineCase) failAs(kind, message string) {
	e.Helper()
	e.waits.noteFailure()
	var b strings.Builder
	fmt.Fprintf(&b, "the objects before: %s\nthe users' writes: ", graph.Format(e.start))
	for i, a := range e.actions {
		fmt.Fprintf(&b, "%s%s", map[bool]string{true: "; "}[i > 0], a)
	}
	if e.end != "" {
		fmt.Fprintf(&b, "\nthe end: %s", e.end)
	}
	for i, r := range e.runners {
		for _, note := range r.store.Notes() {
			fmt.Fprintf(&b, "\n  %d: %s", i+1, note)
		}
	}
	e.Logf("%s", b.String())
	failAs(e.TB, kind, message+"\n"+e.scenario.String())
}
