package engine

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/inflight"
	"github.com/ownergraph/ownergraph/internal/core/pause"
	"github.com/ownergraph/ownergraph/internal/inside"
	"github.com/ownergraph/ownergraph/queue"
)

// Extent is the range of a pause: exactly one of everything, a kind and a scope. A write
// is covered if its object is. It is a value.
type Extent struct {
	All  bool
	Kind graph.Kind
	// InScope says that Scope counts. The scope "" is that of the global objects.
	InScope bool
	Scope   string
}

// String returns the extent in words, such as "kind pod".
func (x Extent) String() string { return pause.Extent(x).String() }

// covers reports whether the extent covers the object at a key.
func (x Extent) covers(k graph.Key) bool { return pause.Extent(x).Covers(k.Kind, k.Scope) }

// PauseReport is a pause with the calls that it waits for. It is a value, and the receiver
// owns it.
type PauseReport struct {
	What Extent
	// Since is the time since which the pause is in force.
	Since time.Time
	// Recorded says that the record of Config.Record has the pause.
	Recorded bool
	// Unread is the reason of a pause of everything that nothing but the unknown record
	// causes. It is empty for every other pause.
	Unread string
	// UnderWay names the writes and the runs of handlers of covered objects that are under
	// way, sorted.
	UnderWay []string
	// Unknown has at most 1,000 of the writes to covered objects with an unknown outcome, by
	// key. More counts the others. The store may still carry such a write out, or may have
	// done so. An entry stays until the watch or a read has shown a later version of the
	// object, or its end. Writes of an engine that has crashed are not known.
	Unknown []UnknownWrite
	More    int
}

// UnknownWrite is a write of unknown outcome. It is a value.
type UnknownWrite struct {
	Type    CallType // CallPatch or CallDelete
	Key     graph.Key
	Version graph.Version // that the write is conditioned on
	Since   time.Time     // its outcome is unknown
}

// Pause begins a pause: from now on Next returns no write and no run of a handler for a
// covered object. It revokes the calls that no caller has begun: see Revision. The report
// names the calls under way, which the caller has to end. A pause that is in force stays
// as it is. Reads, fences, listings and selections go on, and so do all reports.
//
// An error wraps ErrInvalid for an extent that is not exactly one of the three, and beyond
// 1,000 pauses. A broken engine returns its error.
//
//test:by ownergraph.TestPauseStopsWrites ownergraph.TestPauseRevokes ownergraph.TestPauseErrors
func (e *Engine) Pause(now time.Time, what Extent) (PauseReport, error) {
	if err := e.allowPause(now, what); err != nil {
		return PauseReport{}, fmt.Errorf("pause %s: %w", what, err)
	}
	if err := e.pauses.Begin(pause.Extent(what), e.now, &e.effects); err != nil {
		return PauseReport{}, fmt.Errorf("pause %s: %w: %w", what, err, graph.ErrInvalid)
	}
	e.endStep()
	x, _ := e.pauses.Get(pause.Extent(what))
	return reports{e}.pauseReport(x), nil
}

// Resume ends a pause. It changes nothing without one. The other pauses stay, even if they
// cover the same objects. The errors are those of Pause.
//
//test:by ownergraph.TestPauseStopsWrites ownergraph.TestPausesOverlap
func (e *Engine) Resume(now time.Time, what Extent) error {
	if err := e.allowPause(now, what); err != nil {
		return fmt.Errorf("resume %s: %w", what, err)
	}
	e.pauses.End(pause.Extent(what), &e.effects)
	e.endPauses()
	return nil
}

// allowPause takes the time, and checks an extent.
func (e *Engine) allowPause(now time.Time, what Extent) error {
	if e.broken != nil {
		return e.broken
	}
	e.tick(now)
	if err := pause.Extent(what).Check(); err != nil {
		return fmt.Errorf("%w: %w", err, graph.ErrInvalid)
	}
	return nil
}

// endPauses carries out the end of pauses. The sweeps look at their members again, too.
func (e *Engine) endPauses() {
	if e.pauses.Walks() {
		e.sweeps.WalkAgain()
	}
	e.endStep()
}

// Paused returns the pauses in force: everything, then kinds, then scopes. A pause of the
// unknown record comes first.
//
//test:by ownergraph.TestPausesOverlap ownergraph.TestRecordUnreadable
func (e *Engine) Paused() (out []PauseReport) {
	if why, since, is := e.pauses.Unread(); is {
		x := reports{e}.pauseReport(pause.Pause{What: pause.Extent{All: true}, Since: since})
		x.Unread = cmp.Or(why, "not read yet")
		out = append(out, x)
	}
	for _, x := range e.pauses.All() {
		out = append(out, reports{e}.pauseReport(x))
	}
	return out
}

// maxUnknown bounds the writes of unknown outcome in one report.
const maxUnknown = 1000

// pauseReport returns the report of a pause.
func (r reports) pauseReport(x pause.Pause) PauseReport {
	e := r.e
	out := PauseReport{What: Extent(x.What), Since: x.Since, Recorded: x.Recorded, UnderWay: r.underWayIn(Extent(x.What))}
	for id, w := range e.pauses.Unknown() {
		u := UnknownWrite{Type: CallPatch, Key: e.graph.Node(id).Key(), Version: w.Version, Since: w.Since}
		if w.Delete {
			u.Type = CallDelete
		}
		if out.What.covers(u.Key) {
			out.Unknown = append(out.Unknown, u)
		}
	}
	slices.SortFunc(out.Unknown, func(a, b UnknownWrite) int { return a.Key.Compare(b.Key) })
	if out.More = max(len(out.Unknown)-maxUnknown, 0); out.More > 0 {
		out.Unknown = slices.Clone(out.Unknown[:maxUnknown])
	}
	return out
}

// underWayIn names the writes and runs of handlers of covered objects that a caller has, sorted.
func (r reports) underWayIn(what Extent) (names []string) {
	for x := range r.e.calls.UnderWay() {
		if x.Purpose.Acts() && what.covers(x.Key) {
			names = append(names, underWayName(&x))
		}
	}
	slices.Sort(names)
	return names
}

// noteUnknown notes a write of unknown outcome, until the watch tells the outcome.
//
//test:by TestPauseUnknownAhead
func (e *Engine) noteUnknown(x *inflight.Call) {
	e.pauses.NoteUnknown(x.Node, pause.Write{
		Delete: x.Purpose == inflight.Delete, Version: x.Version, Since: e.now,
		Ahead: x.Ahead && !e.graph.Node(x.Node).Inside(inside.Key{}).HasVersion(x.Version),
	})
}

// stepPauses goes on with the walk after the end of a pause. The walk visits every object,
// because a later reason may have replaced that of the pause.
func (e *Engine) stepPauses() {
	for n := 0; n < slice && e.pauses.Walks() && e.work.Ready() < lowWater; n++ {
		id := e.pauses.Next(e.graph)
		if id == 0 {
			continue
		}
		if e.held.Has(id) { // it may wait for its next decision, and have left the share
			e.setHeld(id)
		}
		n := e.graph.Node(id)
		root := e.guards.Roots.Any() && e.guards.Roots.MaySelect(n) // it may lack finalizers
		if n.Owners() > 0 || n.Deleting() || root || e.sweeps.IsHolder(id) || e.held.Has(id) {
			e.keepOrEnqueue(id, queue.Low)
		}
	}
}
