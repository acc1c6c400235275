package fault

import (
	"fmt"
	"slices"

	"github.com/ownergraph/ownergraph/graph"
)

// Fault is one kind of failure. It is a value.
type Fault uint8

const (
	// Unset is no fault.
	Unset Fault = iota

	// Break ends the watch with an error. Occasion: an event.
	Break
	// Drop loses the events of a kind, from a change of it on. The loss ends with a
	// new listing of the kind, which the fault requests a little later. Occasion: a
	// Put or a Gone.
	Drop
	// Duplicate reports a change twice. The contract does not exclude that, and the
	// engine accepts it. Occasion: a Put or a Gone.
	Duplicate
	// Delay delays the events of a kind for Config.Lag, from a change on.
	// Occasion: a Put or a Gone.
	Delay
	// Reorder delays the events of a kind until an event of another kind has
	// overtaken them. Occasion: a Put or a Gone.
	Reorder
	// Compact calls the hook, if there is one, and makes the watch list every kind
	// again. Occasion: an event.
	Compact
	// Mute loses progress. Occasion: a Progress.
	Mute

	// Conflict answers a write with ErrConflict, and does nothing. Occasion of
	// Conflict and of Refuse: a Patch, a Delete, a WriteRecord, or a write of a Batch.
	Conflict
	// Refuse answers a write with ErrRefused, and does nothing.
	Refuse
	// Transient answers a call with an error, and does nothing. Every second error
	// has RetryAfter. Occasion: any call but Watch.
	Transient
	// LostReply makes the call and answers ErrNoAnswer. Occasion: a Patch, a
	// Delete, a Batch, a WriteRecord, a Fence or a List.
	LostReply
	// LostCall answers ErrNoAnswer, and does nothing. Occasion: any call but Watch.
	LostCall
	// Late answers ErrNoAnswer, and makes the call a little later. Occasion: a
	// Patch, a Delete, a WriteRecord, or a write of a Batch.
	Late
	// Hang blocks a call until its context ends or Calm is called, and does
	// nothing. Occasion: any call but Watch.
	Hang

	// Sick takes a kind out of reach for a while. Calls fail, and the watch reports
	// the sickness. The watch lists the kind again afterwards. Occasion of Sick and
	// of Vanish: a Get, a Patch, a Delete, a write of a Batch, a Put or a Gone, of the kind.
	Sick
	// Vanish stops serving a kind for a while. Foreground and orphan deletions of
	// its objects are not exact then.
	Vanish

	// Rewind calls Config.Rewind before a call. Occasion of Rewind and of Jump: any
	// call but Watch.
	Rewind
	// Jump calls Config.Jump before a call.
	Jump
	// CrashBefore calls Config.Crash instead of making a call. Occasion of the
	// three crashes: any call, Watch among them.
	CrashBefore
	// CrashAmid calls Config.Crash during a call. A write is made later. Half of a batch
	// is made before the crash, and the rest later. A watch is in the middle of a listing.
	CrashAmid
	// CrashAfter calls Config.Crash after a call and before its answer. A watch has
	// listed one kind.
	CrashAfter

	// Stale answers a read with an older state of the object, if there was one. It
	// breaks the contract. Occasion of Stale and of Absent: a Get.
	Stale
	// Absent answers a read with ErrNotFound although the object lives. It breaks
	// the contract.
	Absent
	// Lose loses a change for ever. It breaks the contract. Occasion: a Put or a
	// Gone outside of a listing.
	Lose

	faults // their number
)

// site is the set of places where a fault may happen.
type site uint16

const (
	atGet site = 1 << iota
	atWrite
	atControl
	atWatch
	atChange
	atProgress
	atOther // any other event
	atItem  // a write of a batch
	atBatch // a batch as a whole
	atRecord
	atRecordWrite

	atCall  = atGet | atWrite | atControl | atBatch | atRecord | atRecordWrite
	atKind  = atGet | atWrite | atChange | atItem
	atEvent = atChange | atProgress | atOther
)

// sites returns the places where the fault may happen.
func (f Fault) sites() site {
	switch f {
	case Break, Compact:
		return atEvent
	case Drop, Duplicate, Delay, Reorder, Lose:
		return atChange
	case Mute:
		return atProgress
	case Conflict, Refuse, Late:
		return atWrite | atItem | atRecordWrite
	case Transient, LostCall, Hang, Rewind, Jump:
		return atCall
	case LostReply:
		return atWrite | atControl | atBatch | atRecordWrite
	case Sick, Vanish:
		return atKind
	case CrashBefore, CrashAmid, CrashAfter:
		return atCall | atWatch
	case Stale, Absent:
		return atGet
	}
	return 0
}

var faultNames = [...]string{"unset", "break", "drop", "duplicate", "delay", "reorder", "compact", "mute", "conflict",
	"refuse", "transient", "lost-reply", "lost-call", "late", "hang", "sick", "vanish", "rewind", "jump",
	"crash-before", "crash-amid", "crash-after", "stale", "absent", "lose"}

// String returns the fault's name in lower case, as a Plan spells it.
func (f Fault) String() string {
	if f < faults {
		return faultNames[f]
	}
	return fmt.Sprintf("fault(%d)", uint8(f))
}

// Parse reads the text that Fault.String writes. An error wraps graph.ErrInvalid.
func Parse(s string) (Fault, error) {
	for f := Unset + 1; f < faults; f++ {
		if faultNames[f] == s {
			return f, nil
		}
	}
	return Unset, fmt.Errorf("parse fault: %q is none: %w", s, graph.ErrInvalid)
}

// Keeps reports whether a store with the fault keeps the contract. The engine owes
// all its promises under such a fault.
func (f Fault) Keeps() bool { return f > Unset && f < Stale }

// Faults returns all faults, in the order of their constants. The caller owns the
// result.
func Faults() []Fault {
	var out []Fault
	for f := Unset + 1; f < faults; f++ {
		out = append(out, f)
	}
	return out
}

// Keeping returns the faults that keep the contract. The caller owns the result.
func Keeping() []Fault {
	return slices.DeleteFunc(Faults(), func(f Fault) bool { return !f.Keeps() })
}
