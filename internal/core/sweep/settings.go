package sweep

import (
	"fmt"
	"slices"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/guard"
	"github.com/ownergraph/ownergraph/internal/core/seq"
	"github.com/ownergraph/ownergraph/internal/core/sweep/plan"
)

// Settings are the parts of the engine's configuration that sweeps use.
type Settings struct {
	Sweeps   []guard.Sweep
	Handlers []string     // the finalizers that have a handler
	Ignore   []graph.Kind // the kinds that take no part
	Override bool         // the phase's propagation goes before the object's own
	Page     int          // the objects in a page of a selection
}

// New returns the sweeps of a configuration. An error wraps graph.ErrInvalid and names the
// sweep's field. No two sweeps share a finalizer, and none shares one with a handler.
func New(set Settings) (Sweeps, error) {
	sw := Sweeps{
		override: set.Override, page: set.Page,
		holders: map[holderName][]graph.NodeID{}, known: map[graph.NodeID]graph.Object{},
		dying: map[graph.NodeID]seq.Stamp{}, releases: map[holderName]seq.Stamp{},
		runs: map[RunID]*run{}, of: map[runKey]RunID{}, members: map[graph.NodeID][]membership{},
		detached: map[holderName]RunID{},
	}
	taken := map[string]bool{}
	for i := range set.Sweeps {
		p, err := set.plan(i, taken)
		if err != nil {
			return sw, err
		}
		sw.plans = append(sw.plans, p)
	}
	sw.labels = newLabels(sw.plans)
	return sw, nil
}

// plan returns the plan of the i-th sweep, and adds its finalizers to taken. An error names
// the conflict with an earlier sweep, a handler or a kind.
func (set *Settings) plan(i int, taken map[string]bool) (*plan.Plan, error) {
	s := &set.Sweeps[i]
	bad := func(cause string) error {
		return fmt.Errorf("configure engine: Sweeps[%d]: finalizer %q: %s: %w", i, s.Finalizer, cause, graph.ErrInvalid)
	}
	p, err := plan.New(*s)
	switch {
	case err != nil:
		return nil, fmt.Errorf("configure engine: Sweeps[%d]: %w", i, err)
	case taken[s.Finalizer]:
		return nil, bad("another sweep has it")
	case slices.Contains(set.Handlers, s.Finalizer):
		return nil, bad("a handler has it")
	}
	for _, k := range p.Kinds() {
		if slices.Contains(set.Ignore, k) {
			return nil, bad(fmt.Sprintf("kind %q takes no part", k))
		}
	}
	taken[s.Finalizer] = true
	return p, nil
}
