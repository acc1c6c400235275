package etcdstore

import (
	"context"
	"crypto/rand"
	"fmt"
	"maps"

	"github.com/ownergraph/ownergraph/finalizer"
	"github.com/ownergraph/ownergraph/graph"
)

// Create adds an object with its labels and its payload, by the rules of finalizer.Create.
// It returns the record as stored, with its UID, its version and its resolved references.
//
// Errors:
//   - ErrKindUnknown.
//   - ErrConflict if the place is taken.
//   - those of finalizer.Create.
//   - ErrRefused and ErrInvalid for a scope that contradicts the kind, for an owner whose
//     kind may not own, and for a value that is too large.
//
//test:by TestCreate TestKit
func (s *Store) Create(ctx context.Context, r Record) (Record, error) {
	it := &item{verb: "create", key: r.Object.Place()}
	if err := s.locate(ctx, it); err != nil {
		return Record{}, err
	}
	if info := s.kinds[it.key.Kind].info; info.Scoped != (it.key.Scope != "") {
		return Record{}, it.invalid("scope", scopeRule(info))
	}
	out, err := finalizer.Create(s.resolveAll(r.Object), s.conf.Limits)
	if err == nil {
		err = s.checkOwners(it.verb, nil, out.Object)
	}
	if err == nil {
		err = checkLabels(it, r.Labels)
	}
	if err != nil {
		return Record{}, err
	}
	out.Object.UID = graph.UID(rand.Text())
	it.next.record = Record{out.Object, maps.Clone(r.Labels), append([]byte(nil), r.Payload...)}
	if s.encode(it); it.done {
		return Record{}, it.err
	}
	if s.swap(ctx, []*item{it}); it.live == nil {
		return s.answer(ctx, it)
	}
	live := it.live.record
	if live.Object.UID == out.Object.UID { // an answer was lost on the way, and the request came twice
		return live, nil
	}
	return Record{}, fmt.Errorf("%s: name: taken by uid %q: %w", it, live.Object.UID, graph.ErrConflict)
}

// answer returns the record after a write, for its caller.
func (s *Store) answer(ctx context.Context, it *item) (Record, error) {
	if it.err != nil {
		return Record{}, it.err
	}
	if err := s.correct(ctx, it); err != nil {
		return Record{}, fmt.Errorf("%s: %w", it, err)
	}
	return it.next.record, nil
}

func scopeRule(info graph.KindInfo) string {
	if info.Scoped {
		return "empty, the kind is scoped"
	}
	return "given, the kind is global"
}
