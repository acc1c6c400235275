package storetest

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/fault"
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
func engineTest(c Config) func(*rapid.T) { return newEngineHunt(c).property }

// atOnce is how many smaller plots run at once: most of the time they wait.
const atOnce = 6

// plotChances is how often a plot is played: what collectors come to hangs on the
// moment.
const plotChances = 2

// engineHunt looks for plots that fail.
type engineHunt struct {
	hunt[plot]
	conf  Config
	paces *paces
	kinds []ownergraph.KindInfo
	among []fault.Fault
}

func newEngineHunt(c Config) *engineHunt {
	h := &engineHunt{conf: c, paces: newPaces(c)}
	h.hunt = hunt[plot]{smaller: smallerPlots, width: atOnce, chances: func(plot) int { return plotChances }, play: func(tb TB, p plot) {
		e := newCourse(tb, c, h.paces)
		e.plot = p
		e.play()
	}}
	return h
}

func (h *engineHunt) property(t *rapid.T) {
	if h.over() {
		return
	}
	if len(h.kinds) == 0 { // what can be drawn hangs on the store
		h.prepare(t, func(tb TB) {
			e := newCourse(tb, h.conf, h.paces)
			h.kinds, h.among = e.served(), e.faults(fault.Keeping())
		})
	}
	p := drawPlot(t, h.kinds, h.among)
	h.hunt.run(t, p.String(), p)
}

// course is one case of engineTest.
type course struct {
	TB
	Subject
	conf    Config
	paces   *paces
	level   ownergraph.Level
	plot    plot
	names   *names
	uids    []ownergraph.UID // of the actors, "" before they are created
	start   []ownergraph.Object
	actions []oracle.Action
	runners []*runner
	restore func(context.Context) error
	end     string // what the store held when it was last looked at
}

func newCourse(tb TB, c Config, p *paces) *course {
	tb.Helper()
	c.Patience = cmp.Or(c.Patience, defaultPatience)
	e := &course{TB: tb, Subject: c.New(tb), conf: c, paces: p, level: c.Level, names: newNames()}
	if e.Store == nil || e.Client == nil {
		tb.Fatalf("New returned no Store or no Client")
	}
	if e.level == ownergraph.LevelUnset {
		e.level = ownergraph.LevelOf(e.Store)
	}
	return e
}

// faults returns those that can happen here. A collector has no clock to turn.
func (e *course) faults(among []fault.Fault) []fault.Fault {
	return slices.DeleteFunc(slices.Clone(among), func(f fault.Fault) bool {
		return f == fault.Jump || f == fault.Rewind && (e.Backup == nil || !e.owes(Rewinds))
	})
}

func (e *course) owes(p Promise) bool { return !slices.Contains(e.conf.Without, p) }

// served returns kinds that the store serves.
func (e *course) served() []ownergraph.KindInfo {
	f := follow(e, e.Store, e.paces.watch)
	defer f.stop()
	if !f.until(func(f *follower) bool { return f.known.listed() }) {
		e.fail("the watch has not listed every kind")
	}
	list := owning(f.known.infos, e.conf.Kinds)
	if len(list) == 0 {
		e.fail("the store serves none of Config.Kinds")
	}
	return list
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
	beat, hooks := e.paces.beat(), e.Subject
	conf := ownergraph.Config{Level: e.level, Workers: 4, CallTimeout: e.conf.Patience / 50, AwaitTimeout: 2 * beat, RefusedRetry: 2 * beat,
		OwnerName: graph.NameAbsent} // without a fence behind it, a NotFound that lies shows
	if !e.owes(Compaction) {
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
	for _, plan := range e.plot.plans {
		r, err := newRunner(e.Store, fault.Config{Plan: plan, Lag: beat, Rewind: e.restore, Compact: hooks.Compact}, conf)
		if err != nil {
			e.Logf("new collector: %v", err)
			e.fail("there is no collector for it")
		}
		e.runners = append(e.runners, r)
		go r.run(ctx)
	}
}

// rest lets the collectors work for a while.
func (e *course) rest(beats int) {
	if beats > 0 {
		<-time.After(time.Duration(beats) * e.paces.beat())
	}
}

// settle waits until the end is one that is permitted, and everybody idle.
func (e *course) settle() {
	e.Helper()
	for rested := (time.Time{}); ; <-time.After(e.paces.beat() / 5) { // a refused write, a watch that lags: no store says when
		held, err := e.idle()
		wrong := e.verdict(held)
		if rested.IsZero() {
			rested = time.Now()
		}
		switch {
		case err != nil:
			e.Logf("%v", err)
			e.fail("the collectors do not come to rest")
		case wrong == "":
			e.paces.rest.took(rested)
			return
		case time.Since(rested) > e.paces.rest.limit():
			e.failAs(wrong, wrong)
		}
	}
}

// idle waits until every collector is idle, and returns what they hold.
func (e *course) idle() (held []ownergraph.Held, err error) {
	began := time.Now()
	ctx, cancel := context.WithTimeout(e.Context(), e.paces.idle.limit())
	defer cancel()
	for _, r := range e.runners {
		list, err := r.idle(ctx)
		if err != nil {
			return held, err
		}
		held = append(held, list...)
	}
	e.paces.idle.took(began)
	return held, nil
}

// verdict says what is wrong with what the store holds now, "" if nothing is. It
// logs what that is.
func (e *course) verdict(held []ownergraph.Held) string {
	e.Helper()
	if e.level < ownergraph.Level1 { // the engine writes nothing, and promises nothing
		return ""
	}
	objects := e.names.objects(e.live())
	e.end = fmt.Sprintf("%q\nheld: %v", oracle.Line(objects), held)
	if !oracle.Quiet(oracle.NewState(objects), oracle.Config{OwnerName: oracle.NameAbsent}) {
		return "the collectors are at rest, and something is left to do"
	}
	if !e.judged() {
		return ""
	}
	got, ends := oracle.Line(objects), oracle.Ends(e.start, e.actions, oracle.Config{OwnerName: oracle.NameAbsent})
	if slices.Contains(ends, got) {
		return ""
	}
	e.end += "\n" + nearest(got, ends)
	return "the end is not permitted"
}

// mostEnds bounds how many permitted ends are printed.
const mostEnds = 3

// nearest says how an end differs from the permitted one that is most like it,
// and which others are permitted.
func nearest(got string, ends []string) string {
	const between = "; "
	least, near := -1, ""
	for _, end := range ends {
		has, want := strings.Split(got, between), strings.Split(end, between)
		missing, surplus := apartFrom(want, has), apartFrom(has, want)
		if n := len(missing) + len(surplus); least < 0 || n < least {
			least = n
			near = fmt.Sprintf("missing: %q\nsurplus: %q", strings.Join(missing, between), strings.Join(surplus, between))
		}
	}
	more := ""
	if n := len(ends) - mostEnds; n > 0 {
		more, ends = fmt.Sprintf("\n  and %d more", n), ends[:mostEnds]
	}
	return fmt.Sprintf("%s\nwant one of\n  %q%s", near, strings.Join(ends, "\"\n  \""), more)
}

// apartFrom returns what is in a and not in b.
func apartFrom(a, b []string) []string {
	return slices.DeleteFunc(slices.Clone(a), func(x string) bool { return x == "" || slices.Contains(b, x) })
}

// judged reports whether the engine promises an exact end.
func (e *course) judged() bool {
	exact := e.level >= ownergraph.Level2 && !e.plot.suffers(fault.Vanish)
	return !e.plot.suffers(fault.Rewind) && (exact || !e.plot.propagates())
}

// fail ends the case. It prints what was drawn; what came of it is logged.
func (e *course) fail(format string, args ...any) {
	e.Helper()
	e.failAs(format, fmt.Sprintf(format, args...))
}

func (e *course) failAs(kind, said string) {
	e.Helper()
	e.paces.fail()
	var b strings.Builder
	fmt.Fprintf(&b, "what was there: %s\nwhat users did: ", graph.Format(e.start))
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
	failAs(e.TB, kind, said+"\n"+e.plot.String())
}
