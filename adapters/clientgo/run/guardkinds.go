package run

import (
	"context"
	"fmt"
	"slices"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/adapters/clientgo"
	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/guard"
)

const (
	namespaceKind  graph.Kind = "Namespace"
	definitionKind graph.Kind = "apiextensions.k8s.io/CustomResourceDefinition"
	// shortDefinition is the definition's kind without its group. No server serves that kind,
	// so a guard that names it means a definition.
	shortDefinition graph.Kind = "CustomResourceDefinition"
)

// byAdmission names the way that works for the kinds that no guard can hold.
const byAdmission = "refuse its deletion by an admission policy on DELETE instead, as the component adapters/clientgo/run/deploy/protect does"

// contentEnds returns the reason why no guard can hold an object of a kind: another actor
// deletes its content at the deletion mark, and reads no finalizer of the metadata. It returns
// "" for every other kind.
func (c *Config) contentEnds(k graph.Kind) string {
	switch k {
	case definitionKind, shortDefinition:
		return "the API server deletes each instance at once, and does not wait for an approval"
	case namespaceKind:
		if !c.sweepsNamespaces() {
			return "the namespace controller deletes the content at once, and does not wait for an approval"
		}
	}
	return ""
}

// sweepsNamespaces reports whether a sweep of this program ends namespaces, in place of the
// namespace controller. It waits for the verdict.
func (c *Config) sweepsNamespaces() bool {
	return slices.ContainsFunc(c.Engine.Sweeps, func(s guard.Sweep) bool {
		return s.Holder == namespaceKind && s.Finalizer == clientgo.NamespaceFinalizer
	})
}

// fillGuards refuses a guard that names a kind whose content ends without an approval. A guard
// without kinds selects no object of these kinds: it stays, with a further condition.
//
//test:by TestGuardOfContent
func (c *Config) fillGuards() error {
	c.Engine.Guards = slices.Clone(c.Engine.Guards)
	for i := range c.Engine.Guards {
		g := &c.Engine.Guards[i]
		for _, k := range g.Kinds {
			if why := c.contentEnds(k); why != "" {
				return invalid(fmt.Sprintf("Engine.Guards[%d].Kinds (flag -guard)", i),
					fmt.Sprintf("a guard protects nothing in a %s: %s; %s", k, why, byAdmission))
			}
		}
		if len(g.Kinds) == 0 && (len(g.Scopes) > 0 || len(g.Names) > 0 || g.Where != nil) {
			g.Where = c.withoutContent(g.Where)
		}
	}
	return nil
}

// withoutContent returns a condition that leaves out the kinds whose content ends without an
// approval.
func (c *Config) withoutContent(where func(graph.Object) bool) func(graph.Object) bool {
	sweeps := Config{Engine: ownergraph.Config{Sweeps: slices.Clone(c.Engine.Sweeps)}}
	return func(o graph.Object) bool {
		return sweeps.contentEnds(o.Kind) == "" && (where == nil || where(o))
	}
}

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
// misspelt kind protects nothing. It also names the kinds that a guard without kinds leaves out.
//
//test:by TestGuardKinds TestGuardOfContent
func (p *Program) checkGuardKinds(ctx context.Context) {
	without := 0
	for _, g := range p.config.Engine.Guards {
		if len(g.Kinds) == 0 && (len(g.Scopes) == 0 || slices.Contains(g.Scopes, "")) {
			without++
		}
	}
	if without > 0 {
		p.log.Warn("guards without kinds leave out definitions, and namespaces that this program does not sweep", "count", without)
	}
	kinds := p.config.guardKinds()
	if len(kinds) == 0 || p.collector.Synced(ctx) != nil {
		return
	}
	served := p.collector.Kinds()
	for _, k := range kinds {
		if !slices.ContainsFunc(served, func(s engine.KindStatus) bool { return s.Kind == k }) {
			p.log.Warn("a protection or a guard names a kind that takes no part, so it selects no object of it", "kind", string(k))
		}
	}
}
