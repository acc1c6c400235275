package archive

import (
	"fmt"
	"slices"
	"time"

	"github.com/ownergraph/ownergraph/graph"
)

// Entry is the record of an object that ended (RULES, A1). The store writes it in the transaction that
// removes the object. The payload is in the store alone: no entry that is read has it.
type Entry struct {
	// Object is the object at its end, with its UID, its last version and its references. Its finalizers are those
	// that it had when it was marked.
	Object graph.Object
	// Explicit: a user deleted the object, or a restore has brought it back as a root. A restore brings it back only as a root.
	Explicit bool
	// Orphaning: the object left its dependents behind.
	Orphaning bool
	// Cause is the word of the engine that deleted the object last. It is zero if none did.
	Cause graph.Cause
	// At is the end of the object, by the clock of the store.
	At time.Time
	// Until is the time from which the entry may be purged. It is zero for no end, and for each cascade entry, which
	// goes with the entries that it hangs from (RULES, A6).
	Until time.Time
	// Holds forbid to purge the entry.
	Holds []Hold
	// Restored is the object that came back. It is zero before that.
	Restored graph.Key
	// Size is the size of the payload in the store, in bytes.
	Size int
	// Sealed: the payload is encrypted (Sealing).
	Sealed bool
	// Unreadable is the reason for which the store cannot read the payload now, "" for none.
	Unreadable string
}

// Hold keeps an entry from being purged, for a legal reason or another one. It does not hinder a restore.
type Hold struct {
	// By is the holder. An entry has at most one hold of each holder.
	By string
	// Reason is for people.
	Reason string
	// Until is the end of the hold by the clock of the store, zero for no end. A store takes the years 1970 to 9999.
	Until time.Time
}

// Flaw returns the cause for which no store takes the hold, "" for none.
//
//test:by TestHoldFlaw
func (h Hold) Flaw() string {
	switch year := h.Until.UTC().Year(); {
	case h.By == "", len(h.By) > MaxHolder, len(h.Reason) > MaxReason:
		return fmt.Sprintf("By is empty, or By or Reason is too long (%d, %d bytes)", MaxHolder, MaxReason)
	case !h.Until.IsZero() && (year < 1970 || year > 9999 || h.Until.Unix() == 0):
		return fmt.Sprintf("Until: the year %d is not between 1970 and 9999, and no end is the zero time", year)
	}
	return ""
}

// The bounds of holds, of an object or an entry: their number, and the bytes of Hold.By and Hold.Reason.
const (
	MaxHolds  = 16
	MaxHolder = 253
	MaxReason = 1024
)

// IsRestored reports whether the object of the entry came back.
func (e *Entry) IsRestored() bool { return e.Restored.UID != "" }

// IsHeld reports whether a hold keeps the entry at this time.
func (e *Entry) IsHeld(now time.Time) bool {
	for _, h := range e.Holds {
		if h.Until.IsZero() || now.Before(h.Until) {
			return true
		}
	}
	return false
}

// references returns the references of an entry that count for a restore, each once for an owner and a policy. The
// holder of a sweep that deleted the object counts as a Cascade owner (RULES, A1). A reference of the object to
// itself does not count.
func (e *Entry) references() []graph.Owner {
	out := make([]graph.Owner, 0, len(e.Object.Owners)+1)
	for _, r := range e.Object.Owners {
		if r.UID != e.Object.UID {
			out = append(out, r)
		}
	}
	if h := e.Cause.Holder; h.UID != "" {
		out = append(out, graph.Owner{Key: h, OnDelete: graph.OnDeleteCascade})
	}
	return out
}

// Names returns the UIDs that the references of the entry name, and that of the holder of its sweep, each once, sorted. A
// store finds the entries below an owner by them.
func (e *Entry) Names() []graph.UID {
	var out []graph.UID
	for _, r := range e.references() {
		out = append(out, r.UID)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func sortKeys(keys []graph.Key) { slices.SortFunc(keys, graph.Key.Compare) }
