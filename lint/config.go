package lint

import (
	"time"

	"github.com/ownergraph/ownergraph/graph"
)

// Config has the settings of Check. The zero value works: a bound that is not positive
// has its default. It is a value and safe for concurrent use.
type Config struct {
	// MaxMarkAge bounds the age of a deletion mark, one hour by default.
	MaxMarkAge time.Duration
	// MaxDependents bounds the references to one owner, 1,000 by default.
	MaxDependents int
	// MaxDepth bounds the levels of a chain of owners, 8 by default. A chain of one owner
	// and one dependent has two levels.
	MaxDepth int
	// PerCode bounds the findings of one code, 1,000 by default. Details bounds the objects
	// that one message names, 5 by default.
	PerCode, Details int
	// Handlers names the finalizers that have a handler. The two finalizers of propagation
	// always have one. With nil no finalizer is judged.
	Handlers []string
	// OwnedKinds names the kinds whose objects always have an owner, such as
	// "apps/ReplicaSet". An object of these kinds without an owner has lost it.
	OwnedKinds []graph.Kind
	// Limits bounds the size of one object.
	Limits graph.Limits
	// Policies says that the collector acts by the policies of references, as with
	// ownergraph.Config.Policies. Without it the engine holds each object with a policy, and the
	// report counts the references whose policy begins to act with that step.
	Policies bool
	// Ignore lists the findings to leave out.
	Ignore Ignore
}

func (c Config) withDefaults() Config {
	if c.MaxMarkAge <= 0 {
		c.MaxMarkAge = time.Hour
	}
	for _, n := range []struct {
		field *int
		value int
	}{{&c.MaxDependents, 1000}, {&c.MaxDepth, 8}, {&c.PerCode, 1000}, {&c.Details, 5}} {
		if *n.field <= 0 {
			*n.field = n.value
		}
	}
	return c
}
