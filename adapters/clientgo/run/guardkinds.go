package run

import (
	"context"
	"slices"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
)

// guardKinds returns the kinds that protections and guards name, sorted.
func (c Config) guardKinds() (out []graph.Kind) {
	for _, p := range c.Engine.Protect {
		out = append(out, p.Kinds...)
	}
	for _, g := range c.Engine.Guards {
		out = append(out, g.Kinds...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// checkGuardKinds logs the kinds of protections and guards that the server does not serve. A
// misspelt kind protects nothing.
//
// Held by TestGuardKinds.
func (p *Program) checkGuardKinds(ctx context.Context) {
	kinds := p.config.guardKinds()
	if len(kinds) == 0 || p.collector.Synced(ctx) != nil {
		return
	}
	served := p.collector.Kinds()
	for _, k := range kinds {
		if !slices.ContainsFunc(served, func(s ownergraph.KindStatus) bool { return s.Kind == k }) {
			p.log.Warn("a protection or a guard names a kind that takes no part, so it selects no object of it", "kind", string(k))
		}
	}
}
