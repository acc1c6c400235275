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

// triesWithoutVersion bounds how often a patch without a version is begun anew
// because somebody else wrote meanwhile.
const triesWithoutVersion = 5

// Patch applies change to the object at key's coordinates, if pre holds: one
// JSON patch, for built-in kinds and custom resources alike.
//
// The patch sets uid and resourceVersion to those of the precondition, which a
// server answers with a conflict if they are not the object's; and it tests that
// the references and finalizers which it takes away stand where they are
// expected, in the words that they are expected in. So all that it does not name
// stays as it is, to the letter. If it is refused as not applicable, the object
// is read: it has changed (ErrConflict), or stands otherwise than expected, and
// is patched once more, exactly.
//
// What a Namespace has in its spec is changed by its finalize endpoint, in one
// read and one write under the same UID and version: see NamespaceFinalizer. Such a
// change goes with no other (ErrRefused).
//
// Errors: see answer. Held by TestPatch, TestPatchIsExact and TestFinalize.
func (s *Store) Patch(ctx context.Context, key graph.Key, pre graph.Precondition, change graph.Change) error {
	r, c, err := s.reach(ctx, "patch", key)
	if err != nil {
		return err
	}
	if concernsSpec(key.Kind, change) {
		return s.finalize(ctx, key, pre, change, r)
	}
	var sent attempt
	if pre.UID != "" && pre.Version != "" {
		sent.ops = s.guess(c, key, pre, change)
	}
	if sent.ops != nil {
		sent.err = s.write(ctx, r, func() error { return s.client.patch(ctx, r.at, key.Scope, key.Name, sent.ops) })
		if !unapplicable(sent.err) {
			return s.answer(ctx, "patch", key, r, sent.err)
		}
	}
	for range triesWithoutVersion {
		err = s.patchRead(ctx, key, pre, change, r, c, sent)
		if pre.Version != "" || !errors.Is(err, errMoved) {
			break
		}
	}
	return err
}

// attempt is a patch that was sent, and what the server said of it.
type attempt struct {
	ops []operation
	err error
}

// errMoved is a conflict of a patch with what was read just before it.
var errMoved = errors.New("written by somebody else meanwhile")

// patchRead reads the object and patches exactly that. A patch that was refused
// although it was exact is refused for good, in the server's words.
func (s *Store) patchRead(ctx context.Context, key graph.Key, pre graph.Precondition, change graph.Change, r resource, c *catalog, sent attempt) error {
	m, err := s.read(ctx, "patch", key, r)
	if err != nil {
		return err
	}
	o := c.objectOf(key.Kind, m)
	if !pre.Holds(o) {
		return fmt.Errorf("patch %s: version %s of %s is there: %w", key, o.Version, o.UID, graph.ErrConflict)
	}
	s.hints.learn(o, m)
	ops, err := c.exact(o, m, change)
	if err != nil || len(ops) == 0 {
		return err
	}
	if reflect.DeepEqual(sent.ops, ops) {
		return s.answer(ctx, "patch", key, r, sent.err)
	}
	err = s.write(ctx, r, func() error { return s.client.patch(ctx, r.at, key.Scope, key.Name, ops) })
	if apierrors.IsConflict(err) {
		return fmt.Errorf("patch %s: %w: %w: %w", key, graph.ErrConflict, errMoved, err)
	}
	return s.answer(ctx, "patch", key, r, err)
}

// unapplicable reports whether a server could not apply a JSON patch, or found
// its outcome invalid: it does not say which.
func unapplicable(err error) bool {
	var status apierrors.APIStatus
	return errors.As(err, &status) && status.Status().Code == http.StatusUnprocessableEntity
}
