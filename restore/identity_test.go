package restore_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/archive"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/proof/identity"
	"github.com/ownergraph/ownergraph/restore"
)

// TestIsTheIdentity: after the deletion of a root and its restore the store has the objects of before, up to UIDs
// and versions. References that went before the end of their object are forgotten (RULES, A7), and no other ones.
func TestIsTheIdentity(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		w := identity.Draw(r, 0, 0, graph.OnDeleteCascade, graph.OnDeleteRelease, graph.OnDeleteRestrict)
		by := rapid.SampledFrom([]graph.Propagation{graph.Background, graph.Foreground, graph.Orphan}).Draw(r, "by")
		strict, early := rapid.Bool().Draw(r, "strict"), rapid.Bool().Draw(r, "early")
		cause := ""
		synctest.Test(t, func(t *testing.T) { cause = deleteAndRestore(t, w, by, strict, early) })
		if cause != "" {
			r.Fatalf("%s: delete k/a %s, and restore it: %s", w, by, cause)
		}
	})
}

// deleteAndRestore deletes the first object and restores it, and tells the fault. An early restore begins while
// the cascade runs.
func deleteAndRestore(t *testing.T, w []graph.Object, by graph.Propagation, strict, early bool) string {
	r := newRig(t, w, strict, ownergraph.Config{})
	before := identity.References(r.s.Objects())
	err := r.s.Delete(t.Context(), r.key("a"), graph.DeleteOptions{Propagation: by})
	if errors.Is(err, graph.ErrRestricted) {
		return ""
	}
	if err != nil {
		return err.Error()
	}
	if !early {
		pass(time.Hour)
	}
	ctx, stop := context.WithTimeout(t.Context(), 24*time.Hour)
	defer stop()
	for ctx.Err() == nil { // the root has no entry before its end
		var refused *archive.RefusedError
		if _, err = restore.Run(ctx, r.Collector, r.request("a"), nil); !errors.As(err, &refused) || refused.Refused[0].Why != archive.NotEnded {
			break
		}
		pass(time.Minute)
	}
	switch {
	case err != nil && ctx.Err() != nil && r.isStuck(): // an object is restricted for ever
		return ""
	case err != nil:
		return fmt.Sprintf("%v; the store has %s", err, r.shape())
	}
	pass(time.Hour)
	if cause := identity.Fault(before, identity.References(r.s.Objects()), by); cause != "" {
		return fmt.Sprintf("%s; the store has %s", cause, r.shape())
	}
	return ""
}

// isStuck reports whether a restriction keeps a marked object.
func (r *rig) isStuck() bool {
	objects := r.s.Objects()
	return slices.ContainsFunc(objects, func(o graph.Object) bool { return o.Deleting }) && slices.ContainsFunc(objects, func(o graph.Object) bool {
		return slices.ContainsFunc(o.Owners, func(p graph.Owner) bool { return p.OnDelete == graph.OnDeleteRestrict })
	})
}
