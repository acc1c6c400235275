package ownergraph

import (
	"fmt"

	"github.com/ownergraph/ownergraph/internal/core/observed"
)

// check verifies the invariants that stand on Engine and returns an error that
// names the first one broken. It walks everything: it is for tests and audits.
func (e *Engine) check() error {
	for _, check := range []func() error{
		e.graph.Check, e.work.Check, e.checkSides, func() error { return e.calls.Check(e.view(), e.work, e.kinds.Rewound()) }, func() error { return e.reads.Check(e.view()) }, func() error { return e.sweeps.Check(e.sweepView()) }, e.checkFastPath, e.kinds.Check,
		func() error { return e.cycles.Check(e.view()) }, e.audit.Check, func() error { return e.fanout.Check(e.view()) },
		func() error { return e.handlers.Check(e.graph) }, func() error { return e.held.Check(e.graph) },
		func() error { return e.undone.Check(e.view()) }, func() error { return e.expected.Check(e.graph) },
	} {
		if err := check(); err != nil {
			return fmt.Errorf("engine invariant: %w", err)
		}
	}
	return e.broken
}

func (e *Engine) checkSides() error {
	for k := range e.absent.All() {
		if n, ok := e.graph.Lookup(k); ok && n.State() == observed.Observed {
			return fmt.Errorf("E5: %s is remembered as absent, and is observed", k)
		}
	}
	return nil
}
