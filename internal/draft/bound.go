package draft

import (
	"fmt"

	"github.com/ownergraph/ownergraph/finalizer"
	"github.com/ownergraph/ownergraph/internal/core/excerpt"
	"github.com/ownergraph/ownergraph/plan"
)

// Bound bounds the calls of a forecast. The calls follow objects, references and finalizers,
// and not objects alone: an object with n owners may lose them in n writes.
//
// No write of an engine makes an object or a reference. So each write uses up a part of the copy:
//
//   - A reference is unblocked once, and dropped once.
//   - A finalizer is taken off once. An engine puts a few on: those of a guard, one of each
//     sweep, and one of each propagation.
//   - An object is marked once, gets another propagation once, and is removed once.
//
// Between two writes the graph stays as it is. Each owner is then read a few times for all its
// dependents. An object waits for a few fences, selections and runs of handlers.
type Bound struct {
	// MaxWrites bounds the writes that change the store, and MaxQuiet the calls since the last one.
	MaxWrites, MaxQuiet int

	objects, references, finalizers int
	writes, quiet                   int
}

// NewBound returns the bound for a plan of the parts, with a number of sweeps.
func NewBound(parts []excerpt.Part, sweeps int) (b Bound) {
	b.objects = len(parts)
	for i := range parts {
		b.references += len(parts[i].Object.Owners)
		b.finalizers += len(parts[i].Object.Finalizers)
	}
	b.MaxWrites = 1000 + 2*b.references + b.finalizers + (8+2*sweeps)*b.objects
	b.MaxQuiet = 1000 + 100*(b.objects+b.references+b.finalizers)
	return b
}

// Count counts a call that is about to be made. The error wraps plan.ErrBound.
func (b *Bound) Count() error {
	b.quiet++
	switch {
	case b.writes > b.MaxWrites:
		return b.err("writes", b.MaxWrites)
	case b.quiet > b.MaxQuiet:
		return b.err("calls without a write", b.MaxQuiet)
	}
	return nil
}

func (b *Bound) err(of string, bound int) error {
	return fmt.Errorf("plan: %d objects with %d references and %d finalizers: more than %d %s: %w", b.objects, b.references, b.finalizers, bound, of, plan.ErrBound)
}

// Wrote counts a write that succeeded.
func (b *Bound) Wrote(effect finalizer.Effect) {
	if effect != finalizer.Unchanged {
		b.writes++
		b.quiet = 0
	}
}
