package engine

import (
	"slices"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/brake"
	"github.com/ownergraph/ownergraph/internal/core/effect"
	"github.com/ownergraph/ownergraph/internal/core/pause"
	"github.com/ownergraph/ownergraph/internal/core/seq"
	"github.com/ownergraph/ownergraph/internal/inside"
)

// Driver is an Engine with the rights of a Collector of this module: it drives the engine without a
// copy of each call, and under a lock of its own. A program outside of the module drives the
// Engine itself. See Engine.Inside.
type Driver struct {
	*Engine
	driver
}

// driver has the methods of a Driver: those of the loop and of the record here, and the questions in
// ask.go.
type driver struct{ e *Engine }

// Driver returns the engine with the rights of a driver.
func (i insider) Driver() Driver { return Driver{i.e, driver(i)} }

// Settings returns the Config with its defaults, and with the level of the engine.
func (d driver) Settings() Config {
	cfg := d.e.cfg.Config
	cfg.Level = d.e.level
	return cfg
}

// Filled returns a Config with its defaults.
func (insider) Filled(cfg Config) Config { return cfg.filled() }

// NextInto is Next without a copy of the call, which is large. It makes c the call, or returns
// false. More says that it has not looked at all work.
func (d driver) NextInto(now time.Time, lane Lane, c *Call) (more, ok bool) {
	return d.e.nextInto(now, lane, c)
}

// Lanes is a set of lanes.
type Lanes [LaneControl + 1]bool

// Wake returns the time at which Next of one of the lanes will have something to do, the zero time for
// never, as without a lane.
func (d driver) Wake(of Lanes) time.Time { return d.e.wake(of) }

// Prepared returns the number of store calls that wait for their lane.
func (d driver) Prepared() int { return len(d.e.calls.Prepared()) }

// Piece is the number of events that a driver takes together: see Take.
const Piece = ahead

// Take begins a step for some events at a time. The events follow one by one, with Apply.
func (d driver) Take(now time.Time, piece []graph.Event) {
	d.e.tick(now)
	d.e.graph.Inside(inside.Key{}).Prefetch(piece)
}

// Apply observes an event at the time of Take. The engine logs an event that it refuses.
func (d driver) Apply(ev *graph.Event) error { return d.e.applyEvent(ev) }

// Abandon stops the engine for good, on the word of the driver: a call into the engine has
// panicked, or the driver can no longer tell the engine anything. The state is then not to be
// trusted.
func (d driver) Abandon(why error) { d.e.fail("%v", why) }

// Say adds a line to the log, and TakeLog returns the lines since the last time. Late writes the
// counts of lines that were left out, and returns the time of its next look.
func (d driver) Say(r effect.Record, now time.Time) { d.e.effects.KeepDue(r, now) }
func (d driver) TakeLog() []effect.Record           { return d.e.effects.TakeLines() }
func (d driver) Late(now time.Time) time.Time       { return d.e.effects.KeepLate(now) }

// UnderWay names the calls under way, sorted.
func (d driver) UnderWay() []string {
	var names []string
	for x := range d.e.calls.UnderWay() {
		names = append(names, underWayName(&x))
	}
	slices.Sort(names)
	return names
}

// Mark takes the time, and returns its moment.
func (d driver) Mark(now time.Time) seq.Stamp {
	d.e.tick(now)
	return d.e.seq.Stamp()
}

// BeginWait begins a wait for the engine to be idle, and returns its moment. On a store of level 2 it
// asks for a fence that begins after the moment, so that the engine observes every commit before it.
func (d driver) BeginWait(now time.Time) seq.Stamp {
	e := d.e
	e.tick(now)
	t := e.seq.Stamp()
	if e.level >= Level2 {
		e.fence.Want(t, e.now)
	}
	return t
}

// TryEndWait reports whether a wait is over. Then the engine is idle, and a fence that began after the
// moment has passed, or sick kinds alone block it. Without fences, idle is enough. If a kind that joins,
// or a rewind, has taken the fence back, TryEndWait asks for another one, and Next of LaneControl hands
// it out. TryEndWaitIn is the same for the objects of a scope and global ones.
//
//test:by ownergraph.TestWaitIdleFenceTakenBack internal/proof/sim.TestSeeds
func (d driver) TryEndWait(at seq.Stamp) bool { return d.e.Idle() && d.TryObserve(at) }
func (d driver) TryEndWaitIn(at seq.Stamp, scope string) bool {
	return d.TryObserve(at) && pending(d).idleIn(scope)
}

// TryObserve asks for a fence that begins after the moment, unless the engine has observed every commit
// before it, as far as kinds are well. Then it returns true.
func (d driver) TryObserve(at seq.Stamp) bool {
	e := d.e
	if e.fence.Serves(at, &e.kinds) {
		return true
	}
	e.fence.Want(at, e.now)
	return false
}

// TrySelect asks for the selections by labels that begin after the moment, for protections and
// members. It reports whether all of them are complete.
func (d driver) TrySelect(at seq.Stamp) bool { return d.e.guards.TrySelect(d.e.guardView(), at) }

// AwaitRecord pauses everything until a record has been read. With kept, the brake keeps facts for it.
func (d driver) AwaitRecord(now time.Time, kept bool) {
	d.e.pauses.AwaitRecord(now)
	if kept {
		d.e.brake.KeepRecord()
	}
}

// SetRecord takes the pauses and the facts of the program's record.
func (d driver) SetRecord(now time.Time, pauses []pause.Pause, facts []brake.Fact) {
	e := d.e
	if e.broken == nil && e.cfg.Brake.PerCascade > 0 { // first, since the engine may resume
		e.tick(now)
		e.brake.TakeRecord(e.brakeView(), facts)
		e.endStep()
	}
	if e.broken == nil {
		e.tick(now)
		e.pauses.SetRecord(pauses, e.now, &e.effects)
		e.endPauses()
	}
}

// FailRecord pauses everything, since the program's record is unknown.
func (d driver) FailRecord(now time.Time, why string) {
	e := d.e
	if e.broken == nil {
		e.tick(now)
		e.pauses.FailRecord(why, e.now, &e.effects)
		e.endPauses()
	}
}

// IsUnread reports whether everything is paused because the record is unknown.
func (d driver) IsUnread() bool {
	_, _, unread := d.e.pauses.Unread()
	return unread
}

// IsUnrecorded reports whether the brake has something for the record.
func (d driver) IsUnrecorded() bool { return d.e.brake.Unrecorded() }

// MergeRecord returns the facts of the record with those of the brake, as values and as texts. It
// drops the facts for which the record has no room in bytes, and says so for a cascade that holds
// objects.
func (d driver) MergeRecord(now time.Time, was []brake.Fact, room int) (kept []brake.Fact, texts [][]byte) {
	kept, texts, held := d.e.brake.FitRecord(d.e.brake.MergeRecord(was), room)
	for _, f := range held {
		d.Say(effect.Record{
			Level: effect.Warn, Text: "the record is full and leaves out a cascade that is held: after a restart it is counted anew",
			Args: []any{"record", d.e.cfg.Record, "root", f.Key.String(), "cause", f.State.String()},
		}, now)
	}
	return kept, texts
}

// CheckPause takes the time, and checks an extent.
func (d driver) CheckPause(now time.Time, what Extent) error { return d.e.allowPause(now, what) }

// PauseOf returns the report of a pause in force.
func (d driver) PauseOf(what Extent) (r PauseReport, ok bool) {
	x, ok := d.e.pauses.Get(pause.Extent(what))
	if ok {
		r = reports(d).pauseReport(x)
	}
	return r, ok
}

// IsPausing reports whether a pause is in force that waits for calls under way.
func (d driver) IsPausing(what Extent) bool {
	_, ok := d.e.pauses.Get(pause.Extent(what))
	return ok && len(reports(d).underWayIn(what)) > 0
}

// ApproveBraked and RefuseBraked answer for every cascade of Braked. They return the number of the
// cascades.
func (d driver) ApproveBraked(now time.Time, a BrakeApproval) (n int, err error) {
	if err := a.validate("approve braked cascades", now); err != nil {
		return 0, err
	}
	return d.answerAll(func(k graph.Key) error { return d.e.ApproveCascade(now, k, a) })
}

func (d driver) RefuseBraked(now time.Time, r Refusal) (n int, err error) {
	if err := r.validate("refuse braked cascades"); err != nil {
		return 0, err
	}
	return d.answerAll(func(k graph.Key) error { return d.e.RefuseCascade(now, k, r) })
}

// answerAll answers for each of the cascades.
func (d driver) answerAll(answer func(graph.Key) error) (n int, err error) {
	for _, s := range d.e.brake.Held() {
		if err = answer(s.Key); err != nil {
			break
		}
		n++
	}
	return n, err
}

// Now returns the time of the last step.
func (d driver) Now() time.Time { return d.e.now }
