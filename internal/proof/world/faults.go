package world

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/proof/invariant"
)

// Fault is the failure of a call at its completion.
type Fault uint8

const (
	// NoFault: the store commits the call and answers.
	NoFault Fault = iota
	// Lost: the store does nothing, and the outcome is unknown.
	Lost
	// LostDone: the store commits the call, and the outcome is unknown.
	LostDone
	// Later: the store does nothing and asks for a retry after a second.
	Later
	// Conflicts: the store does nothing, because another writer was faster.
	Conflicts
	// Refuses: the store does nothing, because the call is forbidden.
	Refuses
	// Fails: the handler fails.
	Fails
	// Lies: the store answers NotFound against its contract.
	Lies
	// Undone: the store commits a write, answers, and undoes it in the same step.
	Undone
	// NotBegun: the engine's caller gives the call back, and has not begun it.
	NotBegun
)

var faultNames = [...]string{"none", "lost", "lost-done", "later", "conflict", "refused", "error", "lie", "undone", "not-begun"}

// String returns the fault in lower case.
func (f Fault) String() string {
	if int(f) < len(faultNames) {
		return faultNames[f]
	}
	return fmt.Sprintf("fault(%d)", uint8(f))
}

// ParseFault parses the text of String.
func ParseFault(s string) (Fault, bool) {
	i := slices.Index(faultNames[:], s)
	return Fault(max(i, 0)), i > 0
}

var errUnknownOutcome = errors.New("no answer in time")

type later struct{}

func (later) Error() string             { return "too many requests" }
func (later) RetryAfter() time.Duration { return time.Second }

func (f Fault) err() error {
	switch f {
	case NoFault, Undone:
		return nil
	case Later:
		return later{}
	case Conflicts:
		return graph.ErrConflict
	case Refuses:
		return graph.ErrRefused
	case Fails:
		return errors.New("failed")
	case Lies:
		return graph.ErrNotFound
	case NotBegun:
		return ownergraph.ErrNotBegun
	}
	return errUnknownOutcome
}

// CompleteAs completes the i-th call under way of a side with a fault. It returns the
// result that the engine takes.
func (w *World) CompleteAs(side, i int, fault Fault) (engine.Result, error) {
	s := w.Sides[side]
	f := s.Calls[i]
	s.Calls = slices.Delete(s.Calls, i, i+1)
	if f.writes() && !f.Committed && (fault == NoFault || fault == LostDone) {
		f.Answer.Err = w.write(f.Call)
	}
	switch {
	case fault == Undone && f.writes() && !f.Committed:
		f.Answer.Err = w.undo(f.Call)
	case fault != NoFault && fault != Undone:
		f.Answer = engine.Result{Err: fault.err()}
	}
	w.Requests[f.Type]++
	f.Answer.Object = f.Answer.Object.Clone()
	f.Answer.Selected.Objects = slices.Clone(f.Answer.Selected.Objects)
	if w.OnAnswer != nil {
		w.OnAnswer(side, f.Call, f.Answer)
	}
	return f.Answer, s.Engine.Done(w.Now, f.ID, f.Answer)
}

// Commit commits the i-th call under way of a side, if it is a write, and delays the
// answer. The event of the write may then come before the answer.
func (w *World) Commit(side, i int) {
	if f := &w.Sides[side].Calls[i]; w.Uncommitted(side, i) {
		f.Answer.Err, f.Committed = w.write(f.Call), true
	}
}

// Uncommitted reports whether the i-th call under way of a side is a write that the
// store has not committed yet.
func (w *World) Uncommitted(side, i int) bool {
	f := &w.Sides[side].Calls[i]
	return f.writes() && !f.Committed
}

func (f *InFlight) writes() bool {
	return f.Type == engine.CallPatch || f.Type == engine.CallDelete
}

// failControl answers a fence or a listing that fails. The store does not begin it
// and returns the error. A lost call returns no error.
func (w *World) failControl(side int, c engine.Call) error {
	r := engine.Result{Fence: w.Sides[side].Token}
	if w.Control != Lost {
		r.Err = w.Control.err()
	}
	w.Control = NoFault
	if c.Type == engine.CallFence {
		return w.named(side, c, r)
	}
	return w.Sides[side].Engine.Done(w.Now, c.ID, r)
}

// Garble makes the watch of a kind deliver an invalid event.
func (w *World) Garble(side, kind int) {
	w.Sides[side].push(kind, graph.Event{Type: graph.Put, Object: graph.Object{Key: graph.Key{Kind: w.Kinds[kind].Kind, Name: "garbled"}}})
}

// Progress makes the watch of a kind deliver its version. Versions have to be
// revisions of the store (CountRevisions).
func (w *World) Progress(side, kind int) {
	w.Sides[side].push(kind, graph.Event{Type: graph.Progress, Kind: w.Kinds[kind].Kind, Version: w.Store.Revision()})
}

// Down makes reads and writes of a kind fail, or ends that.
func (w *World) Down(kind graph.Kind, down bool) {
	w.Store.down = slices.DeleteFunc(slices.Clone(w.Store.down), func(k graph.Kind) bool { return k == kind })
	if down {
		w.Store.down = append(w.Store.down, kind)
	}
}

// Served returns the kinds that are served. The caller owns the slice.
func (w *World) Served() []graph.KindInfo { return w.served() }

// served returns the kinds that are served.
func (w *World) served() []graph.KindInfo {
	return slices.DeleteFunc(slices.Clone(w.Kinds), func(k graph.KindInfo) bool {
		return slices.Contains(w.unserved, k.Kind)
	})
}

// serves returns an error that wraps graph.ErrKindUnknown if the key's kind is
// not served.
func (w *World) serves(k graph.Key) error {
	if w.kind(k.Kind) >= 0 && !slices.Contains(w.unserved, k.Kind) {
		return nil
	}
	return fmt.Errorf("%s: %w", k, graph.ErrKindUnknown)
}

// Sicken ends the watch of a kind for now.
func (w *World) Sicken(kind int, why string) error {
	return w.all(kind, true, graph.Event{Type: graph.KindSick, Kind: w.Kinds[kind].Kind, Reason: why})
}

// Recover ends Sicken. The caller then has to begin a listing.
func (w *World) Recover(kind int) error {
	return w.all(kind, false, graph.Event{Type: graph.KindRecovered, Kind: w.Kinds[kind].Kind})
}

// Vanish takes a kind out of service. Its objects stay in the store, and no call
// reaches them.
func (w *World) Vanish(kind int) error {
	name := w.Kinds[kind].Kind
	w.unserved = append(slices.Clone(w.unserved), name)
	return errors.Join(
		w.all(kind, true, graph.Event{Type: graph.KindVanished, Kind: name}),
		w.all(-1, false, graph.Event{Type: graph.KindsKnown, Kinds: w.served()}))
}

// Serve takes a kind into service: a vanished one or a new one.
func (w *World) Serve(info graph.KindInfo) error {
	if w.kind(info.Kind) < 0 {
		w.Kinds = append(slices.Clone(w.Kinds), info)
		for _, s := range w.Sides {
			s.Streams = append(s.Streams, Stream{})
		}
	}
	w.unserved = slices.DeleteFunc(slices.Clone(w.unserved), func(k graph.Kind) bool { return k == info.Kind })
	return w.all(w.kind(info.Kind), false, graph.Event{Type: graph.KindsKnown, Kinds: w.served()})
}

// all ends the stream of a kind on every side, and delivers an event at once.
func (w *World) all(kind int, down bool, ev graph.Event) error {
	for i, s := range w.Sides {
		if kind >= 0 {
			s.Streams[kind].cut()
			s.Streams[kind].Down = down
		}
		ev.Kinds = slices.Clone(ev.Kinds)
		if err := w.observe(i, ev); err != nil {
			return err
		}
	}
	return nil
}

// CountRevisions makes versions the revisions of the store, which have one order
// across all objects. The end of a listing then carries the revision of the listing.
func (w *World) CountRevisions() { w.Store.counting = true }

// Restore takes the store back to an older state. It still never reuses a UID. Every
// watch begins anew. If announced is true, every watch announces the rewind first.
func (w *World) Restore(old Store, announced bool) error {
	w.Store.objects, w.Store.revision, w.Store.labels, w.Store.archived = old.objects, old.revision, old.labels, old.archived
	protects := w.Ledger.Protects
	w.Ledger = invariant.NewLedger(old.objects)
	w.Ledger.Protects = protects
	w.Ledger.Override, w.Ledger.Strict = w.cfgs[0].Override, w.level >= ownergraph.Level3
	w.Ledger.Scope, w.Ledger.OwnerName = w.cfgs[0].Scope, w.cfgs[0].OwnerName
	for i, s := range w.Sides {
		for k := range s.Streams {
			s.Streams[k].cut()
		}
		if !announced {
			continue
		}
		if i == 0 {
			w.restores++
		}
		if err := w.Announce(i); err != nil {
			return err
		}
	}
	return nil
}

// Announce delivers the newest announced restore to a side's engine. A watch does
// this when it begins. Without such a restore it does nothing.
func (w *World) Announce(side int) error {
	if w.restores == 0 {
		return nil
	}
	return w.observe(side, graph.Event{Type: graph.Rewound, Reason: "restored", Epoch: strconv.Itoa(w.restores)})
}

// LoseWrites keeps the writes under way from taking effect, as a restore may. The
// engine promises only that no later write rests on the lost history. Answers of
// reads still come.
func (w *World) LoseWrites() {
	w.Zombies = nil
	for _, s := range w.Sides {
		for i := range s.Calls {
			if c := &s.Calls[i]; c.Type == engine.CallPatch || c.Type == engine.CallDelete {
				c.Key.Name += "/lost"
			}
		}
	}
}

// ListStale begins a listing of an older state of the store.
func (w *World) ListStale(side, kind int, old *Store) { w.listFrom(side, kind, old) }
