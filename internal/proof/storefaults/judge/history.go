package judge

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/ownergraph/ownergraph/graph"
)

// Finalizers of the objects. A handler of the collectors does the work of the first, and a
// user removes the second.
const (
	FinalizerWork = "faults.example/work"
	FinalizerHold = "faults.example/hold"
)

// Verb is the sort of a user's call.
type Verb uint8

const (
	// VerbUnset is no call.
	VerbUnset Verb = iota
	// Create makes Object.
	Create
	// Delete deletes the object at Key with Propagation.
	Delete
	// Adopt adds the reference Owner.
	Adopt
	// Release removes FinalizerHold.
	Release
	// Read changes nothing.
	Read
)

var verbNames = [...]string{"unset", "create", "delete", "adopt", "release", "read"}

// String returns the verb in lower case.
func (v Verb) String() string {
	if int(v) < len(verbNames) {
		return verbNames[v]
	}
	return fmt.Sprintf("verb(%d)", uint8(v))
}

// Outcome is the outcome of a call, as the store answered it.
type Outcome uint8

const (
	// OutcomeUnset is the outcome of a call that has not returned.
	OutcomeUnset Outcome = iota
	// Done says that the call is done.
	Done
	// Refused says that the call has changed nothing.
	Refused
	// Absent says that the object is not there. The call has changed nothing.
	Absent
	// Unknown says nothing.
	Unknown
)

var outcomeNames = [...]string{"unset", "done", "refused", "absent", "unknown"}

// String returns the outcome in lower case.
func (o Outcome) String() string {
	if int(o) < len(outcomeNames) {
		return outcomeNames[o]
	}
	return fmt.Sprintf("outcome(%d)", uint8(o))
}

// OutcomeOf reads the error of a store's method, as the engine does. An error with a
// method RetryAfter says that nothing is done.
func OutcomeOf(err error) Outcome {
	var later interface{ RetryAfter() time.Duration }
	switch {
	case err == nil:
		return Done
	case errors.Is(err, graph.ErrNotFound):
		return Absent
	case errors.Is(err, graph.ErrConflict), errors.Is(err, graph.ErrRefused), errors.Is(err, graph.ErrInvalid),
		errors.Is(err, graph.ErrKindUnknown), errors.As(err, &later):
		return Refused
	}
	return Unknown
}

// Call is one call of a user.
type Call struct {
	Verb Verb
	// Key is the object's key. The UID of a creation is empty until it is done.
	Key         graph.Key
	Object      graph.Object      // of a creation
	Payload     bool              // a creation that adds a row or a payload of the user
	Owner       graph.Owner       // of an adoption
	Propagation graph.Propagation // of a deletion
	Outcome     Outcome
	Err         string
	// Began and Ended order the calls: a call with a lower end than another's begin
	// returned before it.
	Began, Ended int
}

// MayBeDone reports whether the call may have changed the database.
func (c *Call) MayBeDone() bool { return c.Outcome == Done || c.Outcome == Unknown }

// String returns the call in one line.
func (c *Call) String() string {
	text := fmt.Sprintf("%d-%d %s %s", c.Began, c.Ended, c.Verb, c.Key)
	switch c.Verb {
	case Create:
		text = fmt.Sprintf("%d-%d create %s", c.Began, c.Ended, c.Object)
		if c.Key.UID != "" {
			text += " = " + string(c.Key.UID)
		}
	case Delete:
		text += " " + c.Propagation.String()
	case Adopt:
		text += " -> " + c.Owner.String()
	}
	text += ": " + c.Outcome.String()
	if c.Err != "" {
		text += ": " + c.Err
	}
	return text
}

// History is every call of every user. It is safe for concurrent use.
type History struct {
	mu     sync.Mutex
	moment int
	calls  []*Call
}

// Begin records the begin of a call. The caller keeps the pointer for End.
func (h *History) Begin(c Call) *Call {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.moment++
	c.Began = h.moment
	h.calls = append(h.calls, &c)
	return &c
}

// End records the answer. The UID is that of a creation that is done.
func (h *History) End(c *Call, uid graph.UID, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.moment++
	c.Ended, c.Outcome = h.moment, OutcomeOf(err)
	if err != nil {
		c.Err = err.Error()
	} else if c.Verb == Create {
		c.Key.UID = uid
	}
}

// Calls returns a copy of the calls in the order of their begin.
func (h *History) Calls() []*Call {
	h.mu.Lock()
	defer h.mu.Unlock()
	out := make([]*Call, len(h.calls))
	for i, c := range h.calls {
		d := *c
		out[i] = &d
	}
	return slices.Clip(out)
}
