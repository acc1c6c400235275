package clientgo

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"reflect"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/ownergraph/ownergraph/graph"
)

// triesWithoutVersion bounds the tries of a patch without a version. A try fails if
// another client writes meanwhile.
const triesWithoutVersion = 5

// Patch applies change to the object at key's coordinates, if pre is met. It sends one
// JSON patch, for built-in kinds and custom resources alike.
//
// The patch sets uid and resourceVersion to those of the precondition. The server
// answers with a conflict if the object has others. The patch tests that each removed
// reference and finalizer is at the expected index with the expected text. So all other
// parts of the object stay exactly as they are.
//
// If the server cannot apply the patch, the store reads the object. Either the object
// has changed (ErrConflict), or its order differs, and the store sends the exact patch.
//
// A change of the finalizers in a Namespace's spec goes to the finalize endpoint, in
// one read and one write under the same UID and version: see NamespaceFinalizer. Such a
// change must be the only one (ErrRefused).
//
// Errors: see storeError.
//
//test:by TestPatch TestPatchIsExact TestFinalize
func (s *Store) Patch(ctx context.Context, key graph.Key, pre graph.Precondition, change graph.Change) error {
	r, c, err := s.reach(ctx, "patch", key)
	if err != nil {
		return err
	}
	if changesSpec(key.Kind, change) {
		return s.finalize(ctx, key, pre, change, r)
	}
	var sent attempt
	if pre.UID != "" && pre.Version != "" {
		sent.ops = s.cachedPatch(c, key, pre, change)
	}
	if sent.ops != nil {
		sent.err = s.write(ctx, r, func() error { return s.client.patch(ctx, r.at, key.Scope, key.Name, sent.ops) })
		if !notApplicable(sent.err) {
			return s.storeError(ctx, "patch", key, r, sent.err)
		}
	}
	for range triesWithoutVersion {
		err = s.patchAfterRead(ctx, key, pre, change, r, c, sent)
		if pre.Version != "" || !errors.Is(err, errMoved) {
			break
		}
	}
	return err
}

// attempt is a patch that was sent, and its result.
type attempt struct {
	ops []operation
	err error
}

// errMoved is a conflict of a patch with the read just before it.
var errMoved = errors.New("another client wrote meanwhile")

// patchAfterRead reads the object and sends the exact patch. If the server refused the
// same patch before, its refusal is final.
func (s *Store) patchAfterRead(ctx context.Context, key graph.Key, pre graph.Precondition, change graph.Change, r resource, c *catalog, sent attempt) error {
	m, err := s.read(ctx, "patch", key, r)
	if err != nil {
		return err
	}
	o := c.objectOf(key.Kind, m)
	if !pre.Holds(o) {
		return fmt.Errorf("patch %s: version %s of %s is there: %w", key, o.Version, o.UID, graph.ErrConflict)
	}
	s.layouts.record(o, m)
	ops, err := c.exactPatch(o, m, change)
	if err != nil || len(ops) == 0 {
		return err
	}
	if reflect.DeepEqual(sent.ops, ops) {
		return s.storeError(ctx, "patch", key, r, sent.err)
	}
	err = s.write(ctx, r, func() error { return s.client.patch(ctx, r.at, key.Scope, key.Name, ops) })
	if apierrors.IsConflict(err) {
		return fmt.Errorf("patch %s: %w: %w: %w", key, graph.ErrConflict, errMoved, err)
	}
	return s.storeError(ctx, "patch", key, r, err)
}

// notApplicable reports whether a server could not apply a JSON patch, or found its
// result invalid. The server does not tell which.
func notApplicable(err error) bool {
	var status apierrors.APIStatus
	return errors.As(err, &status) && status.Status().Code == http.StatusUnprocessableEntity
}
