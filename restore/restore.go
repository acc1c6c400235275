// Package restore brings the objects of a deletion back, from the archive of a store. Package archive has the words and the rules.
//
//	plan, err := restore.Plan(ctx, collector, archive.Request{Roots: []graph.UID{uid}})
//	result, err := restore.Run(ctx, collector, archive.Request{Roots: []graph.UID{uid}}, nil)
//
// A restore needs a collector that observes the store, also one with Config.ObserveOnly. It makes its own writes, and the
// collector makes none for it. It asks the store for owners of kinds that the collector ignores (Config.Ignore).
package restore

import (
	"context"
	"fmt"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/archive"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/inside"
	"github.com/ownergraph/ownergraph/internal/restoring"
)

// Plan returns the forecast of a restore (RULES, A2 and A3). It has the objects that come back, with their names and owners.
// It has the entries that stay, with their reasons, and the names that are taken. It waits for a fence that begins after the call, and writes nothing. The
// caller owns the plan.
//
// The error wraps ErrInvalid for a store without an archive, a request without roots, and a place that no object can have
// (archive.Request). It wraps ErrClosed after the end of the collector, and the cause of a context that ends.
//
//test:by TestPlan
func Plan(ctx context.Context, c *ownergraph.Collector, req archive.Request) (archive.Plan, error) {
	s, err := storeOf(c, "plan restore")
	if err != nil {
		return archive.Plan{}, err
	}
	return restoring.Plan(ctx, s, graphOf(c), req)
}

// Run brings objects back that a deletion took: the roots of the request, and exactly the objects that went because of them
// (RULES, A2). It returns once the cascade has ended and the set is there, or only members with taken names are left.
// Progress, if set, gets reports on the goroutine of the caller. Call it again after an error or a crash, with the same
// roots.
//
// The error is a *archive.RefusedError for a root that cannot come back, and a *archive.TakenError for names that are
// taken before the first write. Nothing is done then. A root that goes during the restore, by a purge or a deletion, ends it with
// a *archive.RefusedError, too. Its members so far stay. The error wraps ErrInvalid as that of Plan does, and ErrClosed after the
// end of the collector. It wraps the cause of a context that ends, and names the objects whose end the restore waits for.
//
//test:by TestRun TestRefused TestUnderWay TestTwice TestIsTheIdentity
func Run(ctx context.Context, c *ownergraph.Collector, req archive.Request, progress func(archive.Progress)) (archive.Result, error) {
	s, err := storeOf(c, "restore")
	if err != nil {
		return archive.Result{}, err
	}
	return restoring.Restore(ctx, s, graphOf(c), req, progress)
}

// store is the store of a collector. The archive may be that of a wrapped store, and Patch is that of the outermost one.
type store struct {
	archive.Store
	outer ownergraph.Store
}

// Patch is that of the collector's store.
func (s store) Patch(ctx context.Context, key graph.Key, pre graph.Precondition, change graph.Change) error {
	return s.outer.Patch(ctx, key, pre, change)
}

func storeOf(c *ownergraph.Collector, verb string) (store, error) {
	outer := c.Inside(inside.Key{}).Store()
	s, ok := ownergraph.As[archive.Store](outer)
	if !ok || !s.HasArchive() {
		return store{}, fmt.Errorf("%s: the store has no archive: %w", verb, ownergraph.ErrInvalid)
	}
	return store{s, outer}, nil
}

func graphOf(c *ownergraph.Collector) restoring.Graph {
	in := c.Inside(inside.Key{})
	return restoring.Graph{Observe: in.Observe, Look: in.Look, Get: in.Store().Get}
}
