package finalizer

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"runtime/debug"
	"slices"

	"github.com/ownergraph/ownergraph/graph"
)

// Handler does the work behind one finalizer for an object that is being
// deleted, such as freeing what the object stands for outside of the store. Nil
// says that the work is done and the finalizer may go; an error, that it has to
// be tried again.
//
// There may be several runs for one object, one after another and at the same time:
//
//   - Two collectors on one store run the handler for the same object at the same time.
//     One collector does so only where a restore brings the object back during a run.
//   - A run is repeated after an error, a panic, a timeout, a crash, a shutdown and a
//     rewind, and also after a success whose finalizer is not yet seen to be gone.
//   - A run that ignores its context may go on while the next one begins, and after the
//     object has gone (ownergraph.Config.ShutdownTimeout).
//
// So a handler has to be idempotent (proposal, "Finalizers") and safe for concurrent
// use. It names what it frees by the object's UID, since another object may have the
// name by now. Work that is already done, or done by another run at this moment, is a
// success. See the example. A handler has to return soon after ctx ends. The object is
// its own to change; changes of it go nowhere.
type Handler func(ctx context.Context, o graph.Object) error

var (
	// ErrPanic says that a handler panicked. The error is a *PanicError.
	ErrPanic = errors.New("handler panicked")
	// ErrNoHandler says that no handler is registered under the name.
	ErrNoHandler = errors.New("no handler")
)

// Registry holds handlers by the name of their finalizer. It is immutable and
// safe for concurrent use. The zero Registry and a nil one hold none.
type Registry struct {
	handlers map[string]Handler
}

// NewRegistry returns a registry of the handlers, of which it keeps a copy. A
// map has no name twice. ErrInvalid for an empty name, a nil handler, and the
// finalizers of the propagations, which are the engine's own work; all that is
// wrong is named, in the order of the names. Held by TestNewRegistryRefuses.
func NewRegistry(handlers map[string]Handler) (*Registry, error) {
	var errs []error
	bad := func(name, cause string) {
		errs = append(errs, fmt.Errorf("register handler %q: %s: %w", name, cause, graph.ErrInvalid))
	}
	for _, name := range slices.Sorted(maps.Keys(handlers)) {
		switch {
		case name == "":
			bad(name, "the name is empty")
		case name == graph.FinalizerOrphan || name == graph.FinalizerForeground:
			bad(name, "the name is a propagation's")
		case handlers[name] == nil:
			bad(name, "the handler is nil")
		}
	}
	if len(errs) > 0 {
		return nil, errors.Join(errs...)
	}
	return &Registry{maps.Clone(handlers)}, nil
}

// Names returns the registered names, sorted. The caller owns the result.
func (r *Registry) Names() []string {
	if r == nil {
		return nil
	}
	return slices.Sorted(maps.Keys(r.handlers))
}

// Run calls the handler registered under name with a copy of o, on the caller's
// goroutine, and returns nil or a *RunError, which names the finalizer and the object
// and wraps what the handler says. It does not call it once ctx has ended. A panic of
// the handler becomes a *PanicError. Other errors: ErrNoHandler, and the context's.
// Held by TestRun and TestRunHonoursContext.
func (r *Registry) Run(ctx context.Context, name string, o graph.Object) (err error) {
	wrap := func(err error) error { return &RunError{name, o.Key, err} }
	if err := ctx.Err(); err != nil {
		return wrap(err)
	}
	if r == nil || r.handlers[name] == nil {
		return wrap(ErrNoHandler)
	}
	defer func() {
		if v := recover(); v != nil {
			err = wrap(&PanicError{Finalizer: name, Object: o.Key, Value: v, Stack: debug.Stack()})
		}
	}()
	if err := r.handlers[name](ctx, o.Clone()); err != nil {
		return wrap(err)
	}
	return nil
}

// RunError says whose handler failed, and why. A caller that names both itself shows
// Err alone.
type RunError struct {
	Finalizer string
	Object    graph.Key
	// Err is what the handler returned, a *PanicError, ErrNoHandler, or the context's
	// error.
	Err error
}

// Error names the finalizer, the object and the cause.
func (e *RunError) Error() string {
	return fmt.Sprintf("run finalizer %q of %s: %v", e.Finalizer, e.Object, e.Err)
}

// Unwrap returns the cause.
func (e *RunError) Unwrap() error { return e.Err }

// PanicError reports a handler's panic. It wraps ErrPanic, and the panic's value
// if that is an error.
type PanicError struct {
	// Finalizer and Object say whose work it was.
	Finalizer string
	Object    graph.Key
	// Value is what the handler panicked with, Stack where.
	Value any
	Stack []byte
}

// Error returns what the handler panicked with.
func (e *PanicError) Error() string { return fmt.Sprintf("%v: %v", ErrPanic, e.Value) }

// Unwrap returns ErrPanic, and the panic's value if that is an error.
func (e *PanicError) Unwrap() []error {
	if err, ok := e.Value.(error); ok {
		return []error{ErrPanic, err}
	}
	return []error{ErrPanic}
}
