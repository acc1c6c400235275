package storetest

import (
	"fmt"
	"slices"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/finalizer"
	"github.com/ownergraph/ownergraph/graph"
)

// judgeStrict adds the answer of a store of level 3 to the outcome of a write. Such a store
// refuses a new reference to an owner that takes no dependent. The objects are the live
// ones by place, and live is the object before the write.
func judgeStrict(objects map[ownergraph.Key]ownergraph.Object, live ownergraph.Object, out finalizer.Outcome, err error) error {
	if err != nil || out.Effect != finalizer.Stored {
		return err
	}
	if r, refused := refusedOwner(objects, live.Owners, out.Object.Owners); refused {
		return fmt.Errorf("owner %s takes no dependent: %w", r.Key, graph.ErrRefused)
	}
	return nil
}

// refusedOwner returns the first new reference that a store of level 3 refuses. A reference
// that begins to block, or that has another policy, is a new one.
func refusedOwner(objects map[ownergraph.Key]ownergraph.Object, had, refs []ownergraph.Owner) (ownergraph.Owner, bool) {
	i := slices.IndexFunc(refs, func(r ownergraph.Owner) bool {
		old := func(p ownergraph.Owner) bool {
			return p.Same(r) && (p.Block || !r.Block) && p.OnDelete == r.OnDelete
		}
		if r.Unresolved || slices.ContainsFunc(had, old) {
			return false
		}
		owner, lives := objects[r.Place()]
		return !lives || owner.UID != r.UID || owner.Waiting() || owner.Orphaning() ||
			owner.Deleting && r.OnDelete == graph.OnDeleteRestrict
	})
	if i < 0 {
		return ownergraph.Owner{}, false
	}
	return refs[i], true
}
