package graph

import "fmt"

// EventType is the type of a watch's report.
type EventType uint8

const (
	// EventUnset is no event. The engine rejects it.
	EventUnset EventType = iota
	// KindsKnown brings the complete set of kinds in Kinds. It comes before every event of a
	// kind, and again on every change. Only Rewound may come before it.
	KindsKnown
	// ListBegun says that a listing of Kind begins. Every object of the kind follows as a
	// Put, mixed with later changes, until ListEnded.
	ListBegun
	// ListEnded says that the listing was complete. Every object that it did not bring is
	// gone. Version, where given, is the moment of the listing.
	ListEnded
	// Put says that an object has the state Object.
	Put
	// Gone says that the store has removed the object Key: exactly this UID at exactly
	// these coordinates.
	Gone
	// Progress says that the watch has reported every change of Kind up to Version.
	Progress
	// FencePassed says that the watch has reported every change of Kind from before a fence
	// began. Fence is the token of that fence. An empty Kind stands for the set of kinds.
	FencePassed
	// KindSick says that the store cannot watch Kind for now. Reason names the cause.
	KindSick
	// KindRecovered ends KindSick. A listing of the kind follows if the watch may have
	// missed a change.
	KindRecovered
	// KindVanished says that the store no longer serves Kind. It proves nothing about its
	// objects.
	KindVanished
	// Rewound says that the store's history went backwards, as after a restore. Epoch
	// names the restore. A watch that begins later announces the newest restore again, before
	// its KindsKnown.
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
	// Scoped kinds have objects with a scope. The objects of other kinds are global.
	Scoped bool
	// NoOwner kinds may not own (events, in Kubernetes). An owner of such a kind is
	// unknown, and the engine holds its dependents.
	NoOwner bool
	// Unwatched kinds can be read and not watched. The store reports no listing, object
	// or fence of them. Their objects are no dependents. Only a read can find a global
	// owner of such a kind.
	Unwatched bool
	// Container declares that the end of an object of this kind takes its members along. The
	// engine refuses a set of kinds with a flawed declaration.
	Container Container
	// Definition is the name of the container that defines this kind, such as the name of a
	// CustomResourceDefinition, or "". See KindMembers.
	Definition string
}

// Event is one report of a watch. The engine ignores the fields that the type does not
// name. Events are ordered within a kind. Events of different kinds may come in any
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
	// Epoch is the identity of a rewind. One restore has the same epoch in every watch,
	// and another restore has another epoch. An engine takes each epoch once. It takes
	// each Rewound without an epoch as a new restore.
	Epoch string
}

// Of returns the kind of the event, "" for an event about all kinds.
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
