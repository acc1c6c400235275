package run

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"runtime/debug"
	"slices"

	"github.com/ownergraph/ownergraph/finalizer"
	"github.com/ownergraph/ownergraph/graph"
)

var (
	// ErrPanic says that a handler or a function of the settings panicked. The error of a
	// handler is a *PanicError, and that of another function a *FunctionPanic.
	ErrPanic = errors.New("handler panicked")
	// ErrNoHandler says that no handler is registered under the name.
	ErrNoHandler = errors.New("no handler")
)

// Registry has handlers by the name of their finalizer. It is immutable and safe for
// concurrent use. The zero Registry and a nil one have no handler.
type Registry struct {
	handlers map[string]finalizer.Handler
}

// NewRegistry returns a registry with a copy of the handlers. It returns ErrInvalid for an
// empty name, for a nil handler, and for a finalizer of a propagation, whose work the
// engine does itself. The error names every fault, in the order of the names.
//
//test:by TestNewRegistryRefuses
func NewRegistry(handlers map[string]finalizer.Handler) (*Registry, error) {
	var errs []error
	bad := func(name, cause string) {
		errs = append(errs, fmt.Errorf("register handler %q: %s: %w", name, cause, graph.ErrInvalid))
	}
	for _, name := range slices.Sorted(maps.Keys(handlers)) {
		switch {
		case name == "":
			bad(name, "the name is empty")
		case graph.IsGuardFinalizer(name):
			bad(name, "the name is a guard's")
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

// Run calls the handler of a finalizer with a copy of o, on the caller's goroutine. It
// returns nil or a *RunError, which wraps the error of the handler. A panic of the handler
// becomes a *PanicError. Run calls no handler after the end of ctx, and then wraps the
// error of the context. Without a handler it wraps ErrNoHandler.
//
//test:by TestRun TestRunHonoursContext
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

// RunError names the finalizer and the object of a failed run, and the cause. A caller that
// names both itself prints Err alone.
type RunError struct {
	Finalizer string
	Object    graph.Key
	// Err is the error of the handler, a *PanicError, ErrNoHandler, or the error of the
	// context.
	Err error
}

// Error names the finalizer, the object and the cause.
func (e *RunError) Error() string {
	return fmt.Sprintf("run finalizer %q of %s: %v", e.Finalizer, e.Object, e.Err)
}

// Unwrap returns the cause.
func (e *RunError) Unwrap() error { return e.Err }

// PanicError reports the panic of a handler. It wraps ErrPanic, and the value of the panic
// if that is an error.
type PanicError struct {
	Finalizer string
	Object    graph.Key
	// Value is the argument of the panic, and Stack the place.
	Value any
	Stack []byte
}

// Error returns the value of the panic.
func (e *PanicError) Error() string { return fmt.Sprintf("%v: %v", ErrPanic, e.Value) }

// Unwrap returns ErrPanic, and the value of the panic if that is an error.
func (e *PanicError) Unwrap() []error {
	if err, ok := e.Value.(error); ok {
		return []error{ErrPanic, err}
	}
	return []error{ErrPanic}
}
