package etcdstore

import (
	"bytes"
	"context"
	"fmt"
	"maps"

	"github.com/ownergraph/ownergraph/finalizer"
	"github.com/ownergraph/ownergraph/graph"
)

// Update replaces the object at wanted's coordinates, by the rules of finalizer.Update. UID
// and Version are preconditions. An empty one is always met. Nil Labels and a nil Payload
// keep the present ones, and empty ones remove them. Update returns the record after the
// write. If the update removes the object, it returns the last state.
//
// Errors: ErrKindUnknown, ErrNotFound, those of finalizer.Update, and Create's for the
// content.
//
//test:by TestUpdate TestKit
func (s *Store) Update(ctx context.Context, wanted Record) (Record, error) {
	it := &item{verb: "update", key: wanted.Object.Key}
	if err := s.locate(ctx, it); err != nil {
		return Record{}, err
	}
	if err := checkLabels(it, wanted.Labels); err != nil {
		return Record{}, err
	}
	wanted.Object = s.resolveAll(wanted.Object)
	it.rule = func(now Record) (finalizer.Effect, Record, error) {
		out, err := finalizer.Update(now.Object, wanted.Object)
		if err != nil {
			return finalizer.EffectUnset, Record{}, err
		}
		effect, next := out.Effect, Record{out.Object, now.Labels, now.Payload}
		if wanted.Labels != nil && !maps.Equal(wanted.Labels, now.Labels) {
			effect, next.Labels = stored(effect), maps.Clone(wanted.Labels)
		}
		if wanted.Payload != nil && !bytes.Equal(wanted.Payload, now.Payload) {
			effect, next.Payload = stored(effect), bytes.Clone(wanted.Payload)
		}
		if effect == finalizer.Stored {
			err = s.check(it.verb, now.Object.Owners, next.Object)
		}
		return effect, next, err
	}
	s.write(ctx, []*item{it})
	return s.answer(ctx, it)
}

// stored is the effect of a write that also changes labels or the payload.
func stored(e finalizer.Effect) finalizer.Effect {
	if e == finalizer.Unchanged {
		return finalizer.Stored
	}
	return e
}

// Patch applies change to the object at key's coordinates, if pre is met, by the rules of
// finalizer.Patch. A change that only removes is always valid, so a caller can free an
// invalid object. Patch costs a read and a transaction.
//
// Errors: ErrKindUnknown, ErrNotFound, those of finalizer.Patch, and Create's for the
// additions of the change.
//
//test:by TestKit
func (s *Store) Patch(ctx context.Context, key graph.Key, pre graph.Precondition, change graph.Change) error {
	it, err := s.patch(ctx, key, pre, change)
	if err != nil {
		return err
	}
	s.write(ctx, []*item{it})
	return it.err
}

func (s *Store) patch(ctx context.Context, key graph.Key, pre graph.Precondition, change graph.Change) (*item, error) {
	it := &item{verb: "patch", key: key}
	if err := s.locate(ctx, it); err != nil {
		return nil, err
	}
	if change.AddOwner != nil {
		owner := s.resolve(key, *change.AddOwner)
		change.AddOwner = &owner
	}
	adds := change.AddOwner != nil || len(change.Relink) > 0 || change.AddFinalizer != ""
	it.rule = func(now Record) (finalizer.Effect, Record, error) {
		out, err := finalizer.Patch(now.Object, pre, change)
		if err == nil && adds && out.Effect == finalizer.Stored {
			err = s.check(it.verb, now.Object.Owners, out.Object)
		}
		now.Object = out.Object
		return out.Effect, now, err
	}
	return it, nil
}

// Delete deletes the object at key's coordinates, by the rules of finalizer.Delete. A nil
// grace means no grace period. A deletion costs one transaction if a watch of this Store
// has reported the object at the version of the precondition, and nothing holds the object.
// Any other deletion costs a read more.
//
// Errors: ErrKindUnknown, ErrNotFound, and those of finalizer.Delete.
//
//test:by TestKit TestDeleteInOneRequest
func (s *Store) Delete(ctx context.Context, key graph.Key, opts graph.DeleteOptions) error {
	it, err := s.deletion(ctx, key, opts)
	if err != nil {
		return err
	}
	s.write(ctx, []*item{it})
	return it.err
}

func (s *Store) deletion(ctx context.Context, key graph.Key, opts graph.DeleteOptions) (*item, error) {
	it := &item{verb: "delete", key: key}
	if err := s.locate(ctx, it); err != nil {
		return nil, err
	}
	def := s.conf.Propagation[key.Kind]
	it.rule = func(now Record) (finalizer.Effect, Record, error) {
		out, err := finalizer.Delete(now.Object, opts, def)
		now.Object = out.Object
		return out.Effect, now, err
	}
	if revision, ok := s.removable(key.Kind, it.at, opts, def); ok {
		it.next = step{revision: revision, remove: true}
	}
	return it, nil
}

// Label replaces the labels of the object at key's coordinates, if pre is met, and returns
// the object with its new version. Equal labels change nothing.
//
// Errors:
//   - ErrKindUnknown, ErrNotFound.
//   - ErrConflict if pre is not met.
//   - ErrRefused and ErrInvalid for more than 256 labels, or for a label that no selector
//     can name.
//
//test:by TestLabel TestKit
func (s *Store) Label(ctx context.Context, key graph.Key, pre graph.Precondition, labels map[string]string) (graph.Object, error) {
	it := &item{verb: "label", key: key}
	if err := s.locate(ctx, it); err != nil {
		return graph.Object{}, err
	}
	if err := checkLabels(it, labels); err != nil {
		return graph.Object{}, err
	}
	it.rule = func(now Record) (finalizer.Effect, Record, error) {
		switch {
		case !pre.Holds(now.Object):
			return finalizer.EffectUnset, Record{}, fmt.Errorf("%s: precondition: uid %q, version %q: %w", it, pre.UID, pre.Version, graph.ErrConflict)
		case maps.Equal(now.Labels, labels):
			return finalizer.Unchanged, now, nil
		}
		now.Labels = maps.Clone(labels)
		return finalizer.Stored, now, nil
	}
	s.write(ctx, []*item{it})
	r, err := s.answer(ctx, it)
	return r.Object, err
}
