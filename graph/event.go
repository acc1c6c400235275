package graph

import "fmt"

// EventType says what a watch reports.
type EventType uint8

const (
	// EventUnset is no event; applying it is an error.
	EventUnset EventType = iota
	// KindsKnown brings the complete set of kinds in Kinds. It comes first, and
	// again on every change.
	KindsKnown
	// ListBegun says that a listing of Kind begins: every object of the kind
	// follows as a Put, mixed with later changes, until ListEnded.
	ListBegun
	// ListEnded says that the listing was complete: what it did not bring is
	// gone. Version, where given, is the moment that it shows.
	ListEnded
	// Put says that Object has this state.
	Put
	// Gone says that the object Key is removed, exactly this UID at exactly
	// these coordinates.
	Gone
	// Progress says that everything of Kind up to Version has been reported.
	Progress
	// FencePassed says that everything of Kind that was committed before fence
	// Fence began has been reported. An empty Kind stands for the set of kinds.
	FencePassed
	// KindSick says that Kind cannot be watched for now; Reason says why.
	KindSick
	// KindRecovered ends KindSick. A listing of the kind follows if anything
	// may have been missed.
	KindRecovered
	// KindVanished says that Kind is no longer served. That proves nothing
	// about its objects.
	KindVanished
	// Rewound says that the store's history went backwards (a restore). Epoch
	// names the restore. A watch that begins later announces the newest one again.
	Rewound
)

var eventNames = [...]string{"unset", "kinds-known", "list-begun", "list-ended", "put", "gone",
	"progress", "fence-passed", "kind-sick", "kind-recovered", "kind-vanished", "rewound"}

// String returns the event type's name in lower case.
func (t EventType) String() string {
	if int(t) < len(eventNames) {
		return eventNames[t]
	}
	return fmt.Sprintf("event(%d)", uint8(t))
}

// KindInfo describes one kind that a store serves.
type KindInfo struct {
	Kind Kind
	// Scoped kinds have objects with a scope; the others are global.
	Scoped bool
	// NoOwner kinds may not own (events, in Kubernetes). A reference to one is
	// unknown, and holds the dependent.
	NoOwner bool
	// Unwatched kinds can be read, and not watched: the store reports neither a
	// listing, an object nor a fence of them. Their objects are no dependents. A
	// global owner of such a kind is known by reads alone.
	Unwatched bool
}

// Event is one report of a watch. Fields that its type does not name are
// ignored. Events are ordered within a kind; across kinds they may come in any
// order. The receiver owns the event.
type Event struct {
	Type    EventType
	Kind    Kind       // all but KindsKnown, Put, Gone and Rewound
	Object  Object     // Put
	Key     Key        // Gone
	Version Version    // ListEnded, Progress: optional, opaque
	Fence   uint64     // FencePassed
	Kinds   []KindInfo // KindsKnown, in any order
	Reason  string     // KindSick, Rewound
	// Epoch is the identity of a rewind: one restore has one epoch in every watch,
	// and each restore has another one. An engine takes each epoch once. Rewound
	// without an epoch counts as a new restore each time.
	Epoch string
}

// Of returns the kind that the event is about, "" for those about all of them.
func (e Event) Of() Kind {
	switch e.Type {
	case Put:
		return e.Object.Kind
	case Gone:
		return e.Key.Kind
	case KindsKnown, Rewound:
		return ""
	}
	return e.Kind
}
