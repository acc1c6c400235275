package ownergraph

import (
	"fmt"

	"github.com/ownergraph/ownergraph/internal/core/observed"
	"github.com/ownergraph/ownergraph/internal/core/queue"
)

// check verifies the invariants that stand on Engine and returns an error that
// names the first one broken. It walks everything: it is for tests and audits.
func (e *Engine) check() error {
	for _, check := range []func() error{
		e.graph.Check, e.work.Check, e.checkFlights, e.checkSides, func() error { return e.reads.Check(e.view()) }, func() error { return e.sweeps.Check(e.sweepView()) }, e.checkFastPath, e.kinds.Check,
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

func (e *Engine) checkFlights() error {
	flying := map[observed.NodeID]bool{}
	for x := range e.work.Entries() {
		flying[x.Key] = x.State == queue.InFlight
	}
	reads := map[Key]bool{}
	for id, f := range e.flights {
		if f.run != 0 {
			continue
		}
		if f.call == CallRead && !f.reread {
			if reads[f.key] {
				return fmt.Errorf("E4: %s is read twice at once", f.key)
			}
			reads[f.key] = true
			continue
		}
		if f.call > CallDelete || !e.graph.InUse(f.node) || e.graph.Node(f.node).Key() != f.key {
			continue
		}
		if f.call != CallRead && (f.version == "" || f.key.UID == "") {
			return fmt.Errorf("E6: call %d on %s: no UID or version", id, f.key)
		}
		former := f.began <= e.kinds.Rewound() || e.graph.Node(f.node).State() != observed.Observed // the node may have gone since
		if !former && (e.state(f.node).Call != uint64(id) || !flying[f.node]) {
			return fmt.Errorf("E3: call %d on %s: the node has call %d in flight", id, f.key, e.state(f.node).Call)
		}
	}
	return nil
}

func (e *Engine) checkSides() error {
	var err error
	used := func(what string, id observed.NodeID) {
		if err == nil && !e.graph.InUse(id) {
			err = fmt.Errorf("E5: %s of node %d, which is not in the graph", what, id)
		}
	}
	for k := range e.absent.All() {
		if n, ok := e.graph.Lookup(k); err == nil && ok && n.State() == observed.Observed {
			err = fmt.Errorf("E5: %s is remembered as absent, and is observed", k)
		}
	}
	for id := range e.retries {
		used("retry", id)
	}
	return err
}
