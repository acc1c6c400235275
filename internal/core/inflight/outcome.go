package inflight

import (
	"errors"
	"fmt"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/seq"
)

// Outcome says what follows from the result of a write or of a read. The engine carries it
// out.
type Outcome uint8

const (
	// OutcomeUnset is no outcome.
	OutcomeUnset Outcome = iota

	// Succeeded: the store has made the change. The object awaits the event of it.
	Succeeded
	// Vanished: the store has no such object. The object awaits the watch, and its
	// dependents do not.
	Vanished
	// Conflicted: another writer was first, or the watch goes first. The object is read.
	Conflicted
	// Refused: the store rejects the call. The object is held, and tried again slowly.
	Refused
	// Delayed: the store has done nothing, and names the time of the next try.
	Delayed
	// Unserved: the store does not serve the kind.
	Unserved
	// Unknown: the store may have made the change. The object is read after a while.
	Unknown

	// Outdated: the read began before a rewind. It begins again.
	Outdated
	// Overtaken: the watch has shown more since the read began. The graph decides.
	Overtaken
	// Settled: the read was refused, and the watch has shown the kind since the write of
	// unknown outcome. The graph decides.
	Settled
	// Sick: the read failed, and its kind is sick. The object waits for its kind.
	Sick
	// Failed: the read failed, and proves nothing (R8). It begins again.
	Failed
	// Backwards: the object shows that the store's history went backwards (R5).
	Backwards
	// Found: the owner exists.
	Found
	// Same: the object has the version that the graph shows. The graph decides.
	Same
	// Different: the watch has still to show this content. The object awaits the watch.
	Different
	// Retry: only the version is new. One decision rests on it (R1).
	Retry

	numOutcomes
)

var outcomeNames = [numOutcomes]string{
	"unset", "succeeded", "vanished", "conflicted", "refused", "delayed", "unserved", "unknown",
	"outdated", "overtaken", "settled", "sick", "failed", "backwards", "found", "same", "different", "retry",
}

// String returns the outcome in lower case.
func (o Outcome) String() string {
	if o < numOutcomes {
		return outcomeNames[o]
	}
	return fmt.Sprintf("outcome(%d)", uint8(o))
}

// IsAnswer reports whether the store has answered a read: with an object, or with proof of
// absence.
func (o Outcome) IsAnswer() bool { return o == Vanished || o == Backwards || o.HasObject() }

// HasObject reports whether a read has returned an object that the engine may use.
func (o Outcome) HasObject() bool {
	return o == Found || o == Same || o == Different || o == Retry
}

// ReadsAgain reports whether the object still has to be read.
func (o Outcome) ReadsAgain() bool {
	return o == Outdated || o == Refused || o == Delayed || o == Sick || o == Failed
}

// Sound returns the error of a read of the key that returned the object, or err. A wrong
// answer of a store proves nothing, least of all absence.
func Sound(k graph.Key, o *graph.Object, err error) error {
	if err == nil && (o.UID == "" || o.Version == "" || o.Place() != k.Place()) {
		return fmt.Errorf("read %s: answered with %s at version %q: %w", k, o.Key, o.Version, graph.ErrInvalid)
	}
	return err
}

// IsAbsent reports whether a read of the key proves its absence: it found no object, or one
// with another UID. The result of the read is an object with the UID, or an error.
func IsAbsent(k graph.Key, uid graph.UID, err error) bool {
	return err == nil && uid != k.UID || errors.Is(err, graph.ErrNotFound)
}

// OfWrite returns the outcome of a write with the error. Delayed says that the error names
// a delay. The last rewind was at rewound.
func OfWrite(x *Call, err error, delayed bool, rewound seq.Stamp) Outcome {
	switch {
	case err == nil:
		return Succeeded
	case errors.Is(err, graph.ErrNotFound) && x.Began > rewound && !x.Shown:
		return Vanished
	case errors.Is(err, graph.ErrConflict), errors.Is(err, graph.ErrNotFound):
		return Conflicted
	case errors.Is(err, graph.ErrRefused):
		return Refused
	case delayed:
		return Delayed
	case errors.Is(err, graph.ErrKindUnknown):
		return Unserved
	}
	return Unknown
}

// OfRead returns the outcome of a read of an owner. The result is an object with the UID,
// or an error. Backwards says that the object shows a rewind.
func OfRead(x *Call, uid graph.UID, err error, backwards bool, rewound seq.Stamp) Outcome {
	switch absent := IsAbsent(x.Key, uid, err); {
	case x.Began <= rewound:
		return Outdated
	case absent && x.Shown:
		return Overtaken
	case absent:
		return Vanished
	case err != nil:
		return Failed
	case backwards:
		return Backwards
	}
	return Found
}

// RereadFacts has the facts that decide what follows from a reread. It is a value.
type RereadFacts struct {
	Err            error     // of the read
	Delayed        bool      // the error names a delay
	UID            graph.UID // of the object that it returned
	Known          seq.Stamp // since then the graph shows the object's version
	Rewound        seq.Stamp // the last rewind
	OutcomeUnknown bool      // of the write before it
	Part           bool      // the kind takes part
	Sick           bool      // the kind is sick
	ShownSince     bool      // the watch has shown the kind since the newest sign of a rewind
	Backwards      bool      // the object shows that history went backwards
	SameVersion    bool      // the object has the version in the graph
	SameContent    bool      // the object has the content in the graph
}

// OfReread returns the outcome of a read after a conflict or a deadline. A newer event of
// the watch goes first.
func OfReread(x *Call, r *RereadFacts) Outcome {
	absent := IsAbsent(x.Key, r.UID, r.Err)
	switch {
	case x.Began <= r.Rewound:
		return Outdated
	case r.Known > x.Began, r.Known <= r.Rewound, absent && x.Shown:
		return Overtaken
	case absent:
		return Vanished
	case r.Err != nil:
		return r.failed()
	case r.Backwards:
		return Backwards
	case r.SameVersion:
		return Same
	case r.OutcomeUnknown || !r.SameContent:
		return Different
	}
	return Retry
}

// failed returns the outcome of a reread that failed and proves nothing.
func (r *RereadFacts) failed() Outcome {
	refused := errors.Is(r.Err, graph.ErrRefused)
	switch {
	case errors.Is(r.Err, graph.ErrKindUnknown) && !r.Part: // once it is served again it is listed
		return Unserved
	case r.Sick:
		return Sick
	case refused && r.OutcomeUnknown && r.ShownSince:
		return Settled
	case refused: // only the outside can help
		return Refused
	case r.Delayed:
		return Delayed
	}
	return Failed
}
