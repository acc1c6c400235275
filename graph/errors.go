package graph

import "errors"

// The errors by which a store steers the engine. A store wraps them with %w.
// Everything else that a store returns is transient, and of a write it is not known
// whether it was done. If it has a method RetryAfter() time.Duration, the call is
// taken for one that was not begun, and is made again after that time and not
// before.
var (
	// ErrNotFound is proof of absence: the kind is served and has no object at
	// these coordinates. It is never used for a kind that is not served or not
	// reachable.
	ErrNotFound = errors.New("not found")
	// ErrConflict says that a precondition did not hold. Nothing was changed.
	ErrConflict = errors.New("conflict")
	// ErrKindUnknown says that the kind is not served. It proves nothing about
	// any object.
	ErrKindUnknown = errors.New("kind unknown")
	// ErrRefused says that the store will not do it: forbidden, or invalid.
	// Trying again soon is of no use.
	ErrRefused = errors.New("refused")
	// ErrInvalid says that an object or an event breaks a rule of the model;
	// the message names the object and the field.
	ErrInvalid = errors.New("invalid")
)
