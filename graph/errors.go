package graph

import "errors"

// The errors by which a store steers the engine. A store wraps them with %w. Every other
// error of a store is transient, and the outcome of a write with such an error is
// unknown.
//
// An error that wraps none of these may have a method RetryAfter() time.Duration. Then the
// engine takes the call as not begun. It repeats the call after that time, and not before. A
// setting of the engine bounds the time, and a time that is not positive counts as none.
var (
	// ErrNotFound is proof of absence: the store serves the kind, and has no object at
	// these coordinates. A store never returns it for a kind that it does not serve, or
	// that it cannot reach.
	ErrNotFound = errors.New("not found")
	// ErrConflict says that a precondition was not met. The store changed nothing.
	ErrConflict = errors.New("conflict")
	// ErrKindUnknown says that the store does not serve the kind. It proves nothing about
	// any object.
	ErrKindUnknown = errors.New("kind unknown")
	// ErrRefused says that the store rejects the call as forbidden or invalid. A retry
	// soon after fails again.
	ErrRefused = errors.New("refused")
	// ErrInvalid says that an object or an event breaks a rule of the model. The message
	// names the object and the field.
	ErrInvalid = errors.New("invalid")
)
