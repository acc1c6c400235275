package cli

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/ownergraph/ownergraph/dump"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/lint"
)

// specPrefix is the prefix of a finalizer in the spec of a namespace. The namespace controller
// alone takes it off, and no metadata has it.
const specPrefix = "spec.finalizers:"

// plainFinalizers returns the finalizers in the metadata of an object.
func plainFinalizers(o *lint.Object) []string {
	return slices.DeleteFunc(slices.Clone(o.Finalizers), func(f string) bool { return strings.HasPrefix(f, specPrefix) })
}

// writers reads the last writers of the finalizers of a marked object. If they cannot be read, the
// text is the reason.
//
//test:by TestPluginWritersOfFinalizers
func (r *reading) writers(ctx context.Context, o *lint.Object) (list []dump.Writer, unread string) {
	finalizers := plainFinalizers(o)
	if !o.Deleting || len(finalizers) == 0 {
		return nil, ""
	}
	m, err := r.wholes.metadata(ctx, r.target.path())
	switch {
	case errors.Is(err, graph.ErrNotFound) || err == nil && m.UID != o.UID:
		return nil, "the object is gone meanwhile"
	case err != nil:
		return nil, why("list", r.target.resource.String(), err)
	}
	return dump.FinalizerWriters(m.ManagedFields, finalizers), ""
}
