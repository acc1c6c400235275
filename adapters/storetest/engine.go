package storetest

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/adapters/storetest/fault"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/oracle"
	"pgregory.net/rapid"
)

// ownPauses is the longest that an engine may wait by itself before it tries
// something again: for a fence that was lost, and for a ring.
const ownPauses = time.Minute

// engineTest returns a property for rapid: objects that users create, change and
// delete through the store's own client end, under one or two collectors and
// every fault that the contract allows, in a state that the specification
// permits, once the faults are over. It is for the level that the store claims:
// below level 2 foreground and orphan deletions are best effort, and then only
// that nothing is left to do is checked; and so it is after a rewind.
//
// Held by TestEngineOnMemory, TestEngineOnOthers, TestEngineBelowLevel2 and
// TestEngineFinds.
func engineTest(c Config) func(*rapid.T) {
	return func(t *rapid.T) {
		e := newCourse(t, c)
		e.draw(t, fault.Keeping())
		e.play()
	}
}

// course is one case of engineTest.
type course struct {
	TB
	Subject
	conf    Config
	level   ownergraph.Level
	plot    plot
	names   *names
	uids    []ownergraph.UID // of the actors, "" before they are created
	start   []ownergraph.Object
	actions []oracle.Action
	runners []*runner
	restore func(context.Context) error
}

func newCourse(tb TB, c Config) *course {
	tb.Helper()
	c.Patience = cmp.Or(c.Patience, defaultPatience)
	e := &course{TB: tb, Subject: c.New(tb), conf: c, level: c.Level, names: newNames()}
	if e.Store == nil || e.Client == nil {
		tb.Fatalf("New returned no Store or no Client")
	}
	if e.level == ownergraph.LevelUnset {
		e.level = ownergraph.LevelOf(e.Store)
	}
	return e
}

// draw draws the plot, with faults of these.
func (e *course) draw(t *rapid.T, among []fault.Fault) {
	among = slices.DeleteFunc(slices.Clone(among), func(f fault.Fault) bool {
		return f == fault.Jump || f == fault.Rewind && (e.Backup == nil || slices.Contains(e.conf.Lacks, Rewinds))
	})
	e.plot = drawPlot(t, e.served(), among)
}

// served returns kinds that the store serves.
func (e *course) served() []ownergraph.KindInfo {
	f := follow(e, e.Store, e.conf.Patience)
	defer f.stop()
	if !f.until(func(f *follower) bool { return len(f.known.infos) > 0 }) {
		e.Fatalf("the watch has not told its kinds within %s", e.conf.Patience)
	}
	return owning(f.known.infos)
}

// play runs the case.
func (e *course) play() {
	e.Helper()
	e.uids = make([]ownergraph.UID, len(e.plot.actors))
	for i := range e.plot.created() {
		e.create(i)
	}
	for i, a := range e.plot.actors[:e.plot.created()] {
		if a.ghost && !e.remove(i, ownergraph.Background) {
			e.fail("the user's Delete of %s found nothing", place(a.at))
		}
	}
	e.start, e.actions = e.names.objects(e.live()), nil
	if e.Backup != nil && e.plot.suffers(fault.Rewind) {
		e.must("Backup", func(ctx context.Context) (err error) { e.restore, err = e.Backup(ctx); return err })
	}
	e.collect()
	for _, m := range e.plot.moves {
		e.rest(m.pause)
		e.move(m)
	}
	e.rest(e.plot.pause)
	for _, r := range e.runners {
		r.store.Calm()
	}
	e.settle()
}

// collect starts the collectors. They end with the test.
func (e *course) collect() {
	e.Helper()
	soon := e.conf.Patience / 50
	conf := ownergraph.Config{Level: e.level, Workers: 4, CallTimeout: soon, AwaitTimeout: soon, RefusedRetry: soon}
	ctx, cancel := context.WithCancel(context.Background())
	e.Cleanup(func() {
		cancel()
		for _, r := range e.runners {
			r.store.Calm()
			<-r.ended
		}
	})
	for _, plan := range e.plot.plans {
		r, err := newRunner(e.Store, fault.Config{Plan: plan, Lag: e.conf.Patience / 100, Rewind: e.restore, Compact: e.Compact}, conf)
		if err != nil {
			e.fail("%v", err)
		}
		e.runners = append(e.runners, r)
		go r.run(ctx)
	}
}

// rest lets the collectors work for a while.
func (e *course) rest(hundredths int) {
	if hundredths > 0 {
		<-time.After(time.Duration(hundredths) * e.conf.Patience / 100)
	}
}

// settle waits until the end is one that is permitted, and everybody idle.
func (e *course) settle() {
	e.Helper()
	ctx, cancel := context.WithTimeout(e.Context(), e.conf.Patience+ownPauses)
	defer cancel()
	for {
		held, err := e.idle(ctx)
		wrong := e.verdict(held)
		switch {
		case err != nil:
			e.fail("%v\n%s", err, wrong)
		case wrong == "":
			return
		}
		select {
		case <-time.After(e.conf.Patience / 500): // a refused write, a watch that lags: no store says when
		case <-ctx.Done():
			e.fail("%s", wrong)
		}
	}
}

// idle waits until every collector is idle, and returns what they hold.
func (e *course) idle(ctx context.Context) (held []ownergraph.Held, err error) {
	for _, r := range e.runners {
		list, err := r.idle(ctx)
		if err != nil {
			return held, err
		}
		held = append(held, list...)
	}
	return held, nil
}

// verdict says what is wrong with what the store holds now, "" if nothing is.
func (e *course) verdict(held []ownergraph.Held) string {
	e.Helper()
	if e.level < ownergraph.Level1 { // the engine writes nothing, and promises nothing
		return ""
	}
	objects := e.names.objects(e.live())
	if !oracle.Quiet(oracle.NewState(objects), oracle.Config{}) {
		return fmt.Sprintf("at rest, but something is left to do: %q\nheld: %v", oracle.Line(objects), held)
	}
	if !e.judged() {
		return ""
	}
	got, ends := oracle.Line(objects), oracle.Ends(e.start, e.actions, oracle.Config{})
	if slices.Contains(ends, got) {
		return ""
	}
	return fmt.Sprintf("the end is not permitted: %q\nwant one of\n  %q\nheld: %v", got, strings.Join(ends, "\"\n  \""), held)
}

// judged reports whether the engine promises an exact end.
func (e *course) judged() bool {
	exact := e.level >= ownergraph.Level2 && !e.plot.suffers(fault.Vanish)
	return !e.plot.suffers(fault.Rewind) && (exact || !e.plot.propagates())
}

func (e *course) fail(format string, args ...any) {
	e.Helper()
	var b strings.Builder
	fmt.Fprintf(&b, format, args...)
	fmt.Fprintf(&b, "\nthe objects: %s\nthe actions: ", graph.Format(e.start))
	for i, a := range e.actions {
		fmt.Fprintf(&b, "%s%s", map[bool]string{true: "; "}[i > 0], a)
	}
	b.WriteString(e.plot.faults())
	for i, r := range e.runners {
		for _, note := range r.store.Notes() {
			fmt.Fprintf(&b, "\n  %d: %s", i+1, note)
		}
	}
	e.Fatalf("%s", b.String())
}
