package restore

import (
	"context"
	"fmt"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/inside"
	"github.com/ownergraph/ownergraph/internal/restoring"
)

// Relink moves references to owners that have other UIDs now, as after the import of a backup. A reference keeps its policy,
// Block and Controller.
//
// Imported objects name owners that are gone, so an engine would delete them. The caller pauses the imported scope before
// the import with Collector.Pause, and ends the pause with Collector.Resume after Relink. Relink returns ErrInvalid if
// nothing is paused. It returns the number of objects that it has changed, and the marked objects, which keep their
// references. A fence has shown then that no unmarked object has such a reference.
//
// Each new owner has to be there and unmarked: ErrRefused else, because the engine would delete its dependents after the pause. A
// move without a UID, to its own UID, to a second owner, or to the former owner of another move is ErrInvalid. Nothing is done
// then.
//
//test:by TestRelink TestRelinkInput
func Relink(ctx context.Context, c *ownergraph.Collector, moves []graph.Relink) (moved int, marked []graph.Key, err error) {
	if len(c.Paused()) == 0 {
		return 0, nil, fmt.Errorf("relink: nothing is paused, so the engine may delete the objects before: %w", ownergraph.ErrInvalid)
	}
	return restoring.Relink(ctx, c.Inside(inside.Key{}).Store(), graphOf(c), moves)
}
