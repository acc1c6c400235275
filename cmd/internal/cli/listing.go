package cli

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/offline"
	"github.com/ownergraph/ownergraph/internal/spell"
	"github.com/ownergraph/ownergraph/lint"
)

// listing is one listing of all objects, from any origin.
type listing struct {
	in      *lint.Input
	content *offline.Content
	index   *offline.Index
	inside  func(graph.Key) bool // the scope of the question
	note    string               // of the kinds that were not read

	ofCluster bool // its answers have their unknown facts
	counted   bool // a running program has counted what is gone

	markedAt map[graph.UID]time.Time // or nil, see marks
}

// list reads the objects of the flags, and the scope that the question is about. In a cluster, that is
// one namespace without -A.
func (a *app) list(ctx context.Context) (*listing, error) {
	from, err := a.origin()
	switch {
	case err != nil:
		return nil, err
	case from == ofCluster:
		return a.listCluster(ctx)
	}
	c, err := a.load(ctx)
	if err != nil {
		return nil, err
	}
	scope := a.scope()
	if a.everywhere {
		scope = ""
	}
	if err := c.hasScope(scope); err != nil {
		return nil, err
	}
	return &listing{in: &c.lint, content: c.offline(), index: c.offline().Index(), inside: insideOf(scope)}, nil
}

// insideOf returns the objects that a question about a scope is about: all for "".
func insideOf(scope string) func(graph.Key) bool {
	return func(k graph.Key) bool {
		return scope == "" || k.Scope == scope || k.Kind == namespaceKind && k.Name == scope
	}
}

// hasScope returns an error for a scope that no object has. An answer about it would be clean by mistake.
//
//test:by TestScopeOfQuestion
func (c *content) hasScope(scope string) error {
	inside := insideOf(scope)
	if scope == "" || slices.ContainsFunc(c.Objects, func(o graph.Object) bool { return inside(o.Key) }) {
		return nil
	}
	return fmt.Errorf("-n %s: no object has this scope", spell.Clip(scope))
}

func (a *app) listCluster(ctx context.Context) (*listing, error) {
	r, inside, err := a.readInside(ctx)
	if err != nil {
		return nil, err
	}
	return &listing{in: &r.in, content: &r.content, index: r.index(), inside: inside, note: a.unreadNote(r.in), ofCluster: true}, nil
}
