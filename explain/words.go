package explain

import (
	"fmt"
	"slices"

	"github.com/ownergraph/ownergraph/graph"
)

// State says what the engine has seen of an object.
type State uint8

const (
	// StateUnset is no state.
	StateUnset State = iota
	// Exists: the watch has shown the object and not its end.
	Exists
	// Referred: only owner references name the object.
	Referred
	// Gone: the object has gone, or is proven absent.
	Gone
)

var stateNames = [...]string{"unset", "exists", "referred", "gone"}

// String returns the state in lower case.
func (s State) String() string { return word("state", stateNames[:], uint8(s)) }

// MarshalText returns the word. An error wraps graph.ErrInvalid.
func (s State) MarshalText() ([]byte, error) { return text("state", stateNames[:], uint8(s)) }

// UnmarshalText reads the word. An error wraps graph.ErrInvalid.
func (s *State) UnmarshalText(t []byte) error { return parse("state", stateNames[:], t, (*uint8)(s)) }

// Class is the class of an owner.
type Class uint8

const (
	// ClassUnset is no class.
	ClassUnset Class = iota
	// Solid: the owner exists and does not wait for its dependents.
	Solid
	// Waiting: the owner is being deleted in the foreground and waits for its dependents.
	Waiting
	// Orphaning: the owner is being deleted and leaves its dependents.
	Orphaning
	// Dangling: the owner is proven absent.
	Dangling
	// Unknown: the owner is proven neither present nor absent.
	Unknown
)

var classNames = [...]string{"unset", "solid", "waiting", "orphaning", "dangling", "unknown"}

// String returns the class in lower case.
func (c Class) String() string { return word("class", classNames[:], uint8(c)) }

// MarshalText returns the word. An error wraps graph.ErrInvalid.
func (c Class) MarshalText() ([]byte, error) { return text("class", classNames[:], uint8(c)) }

// UnmarshalText reads the word. An error wraps graph.ErrInvalid.
func (c *Class) UnmarshalText(t []byte) error { return parse("class", classNames[:], t, (*uint8)(c)) }

// Evidence is the source of the knowledge about an owner.
type Evidence uint8

const (
	// EvidenceUnset is none: nothing has shown the owner.
	EvidenceUnset Evidence = iota
	// WatchSaw: the watch showed the owner.
	WatchSaw
	// WatchSawGo: the watch showed the end of the owner.
	WatchSawGo
	// ReadFound: a read that began at the time found the owner.
	ReadFound
	// ReadFoundNothing: a read that began at the time found nothing, or another UID.
	ReadFoundNothing
	// FencePassed: a fence that began at the time has passed after the owner's mark.
	FencePassed
	// Listed: a listing of the owner's kind ended at the time, without the owner. That
	// alone proves nothing.
	Listed
)

var evidenceNames = [...]string{"unset", "watch-saw", "watch-saw-go", "read-found", "read-found-nothing", "fence-passed", "listed"}

var evidenceTextNames = [...]string{"nothing has shown it", "the watch showed it", "the watch saw it go",
	"a read found it", "a read found nothing", "a fence passed", "its kind was listed without it"}

// String returns the evidence as a word.
func (e Evidence) String() string { return word("evidence", evidenceNames[:], uint8(e)) }

// MarshalText returns the word. An error wraps graph.ErrInvalid.
func (e Evidence) MarshalText() ([]byte, error) {
	return text("evidence", evidenceNames[:], uint8(e))
}

// UnmarshalText reads the word. An error wraps graph.ErrInvalid.
func (e *Evidence) UnmarshalText(t []byte) error {
	return parse("evidence", evidenceNames[:], t, (*uint8)(e))
}

// End is the place at which a chain of conditions ends (law X2).
type End uint8

const (
	// EndUnset is no end: the chain goes on.
	EndUnset End = iota
	// User: a user has to act, or the object stays as the user wants it.
	User
	// Controller: the controller of a finalizer has to act.
	Controller
	// Handler: a handler of this engine has to succeed.
	Handler
	// Kind: a kind has to become healthy, or has to be listed.
	Kind
	// Store: the store refuses a call, fails, or has not done its part.
	Store
	// Time: a period has to end.
	Time
	// Work: this engine has work to do, or waits for the answer to a call or a fence.
	Work
	// Writer: another engine or another writer has to act, or to stop.
	Writer
	// Ring: the chain leads back to an object of the chain.
	Ring
	// Cut: the bound of the explanation ends the chain here.
	Cut
)

var endNames = [...]string{"unset", "user", "controller", "handler", "kind", "store", "time", "work", "writer", "ring", "cut"}

// String returns the end in lower case.
func (e End) String() string { return word("end", endNames[:], uint8(e)) }

// MarshalText returns the word. An error wraps graph.ErrInvalid.
func (e End) MarshalText() ([]byte, error) { return text("end", endNames[:], uint8(e)) }

// UnmarshalText reads the word. An error wraps graph.ErrInvalid.
func (e *End) UnmarshalText(t []byte) error { return parse("end", endNames[:], t, (*uint8)(e)) }

// Pace tells a stuck object from a slow one (law X3). The package comment defines its words.
type Pace uint8

const (
	// PaceUnset is no pace.
	PaceUnset Pace = iota
	// Resting: nothing has to happen to the object.
	Resting
	// Moving: this engine or a handler is at work, or a period runs.
	Moving
	// Pending: the object waits for an actor outside, as is common in a deletion.
	Pending
	// Stuck: a part outside has to be mended or changed.
	Stuck
)

var paceNames = [...]string{"unset", "resting", "moving", "pending", "stuck"}

// String returns the pace in lower case.
func (p Pace) String() string { return word("pace", paceNames[:], uint8(p)) }

// MarshalText returns the word. An error wraps graph.ErrInvalid.
func (p Pace) MarshalText() ([]byte, error) { return text("pace", paceNames[:], uint8(p)) }

// UnmarshalText reads the word. An error wraps graph.ErrInvalid.
func (p *Pace) UnmarshalText(t []byte) error { return parse("pace", paceNames[:], t, (*uint8)(p)) }

func word(enum string, names []string, i uint8) string {
	if int(i) < len(names) {
		return names[i]
	}
	return fmt.Sprintf("%s(%d)", enum, i)
}

func text(enum string, names []string, i uint8) ([]byte, error) {
	if int(i) < len(names) {
		return []byte(names[i]), nil
	}
	return nil, fmt.Errorf("write %s: %d has no word: %w", enum, i, graph.ErrInvalid)
}

func parse(enum string, names []string, t []byte, to *uint8) error {
	i := slices.Index(names, string(t))
	if i < 0 {
		return fmt.Errorf("read %s: unknown word %.100q: %w", enum, t, graph.ErrInvalid)
	}
	*to = uint8(i)
	return nil
}
