package sqlstore

import (
	"context"
	"fmt"

	"github.com/ownergraph/ownergraph/graph"
)

// kindRow is a kind that the database knows. Its number never changes.
type kindRow struct {
	id     int64
	info   graph.KindInfo
	served bool
}

// kindSet is an immutable set of kinds. The stamp is random, and changes with the set and with
// the server (stampText). So a set that was read before is valid if the database has its stamp.
type kindSet struct {
	stamp   int64
	version int64 // of the tables: an upgrade to policySchema changes the stamp
	start   int64 // of the server
	system  int64 // the system identifier of the server, 0 if it is unknown
	byName  map[graph.Kind]kindRow
	byID    map[int64]kindRow
}

// policies reports whether the tables have what the policies of references need.
func (k *kindSet) policies() bool { return k.version >= policySchema }

func (k *kindSet) add(r kindRow) {
	k.byName[r.info.Kind] = r
	k.byID[r.id] = r
}

// number returns the number of the kind, 0 for an unknown one. No row has the number 0.
func (k *kindSet) number(kind graph.Kind) int64 { return k.byName[kind].id }

func (k *kindSet) serves(kind graph.Kind) bool { return k.byName[kind].served }

// infos returns the served kinds in the order of their names.
func (k *kindSet) infos() []graph.KindInfo {
	var out []graph.KindInfo
	for _, r := range k.byName {
		if r.served {
			out = append(out, r.info)
		}
	}
	sortKinds(out)
	return out
}

// knownKinds returns the set that was read last, or reads it for the first time.
func (s *Store) knownKinds(ctx context.Context, c *conn) (*kindSet, error) {
	if kinds := s.kinds.Load(); kinds != nil {
		c.policies = kinds.policies()
		return kinds, nil
	}
	return s.readKinds(ctx, c)
}

func (s *Store) readKinds(ctx context.Context, c *conn) (*kindSet, error) {
	kinds, err := s.checkedKinds(ctx, c)
	if err == nil {
		s.kinds.Store(kinds)
	}
	return kinds, err
}

// checkedKinds reads the kinds of the server of this store.
func (s *Store) checkedKinds(ctx context.Context, c *conn) (*kindSet, error) {
	kinds, err := s.tables.kinds(ctx, c)
	if err == nil {
		err = s.primary.check(kinds.system)
	}
	if err != nil {
		return nil, err
	}
	c.policies = kinds.policies()
	return kinds, nil
}

// maxKindText bounds the name of a kind, which has an index.
const maxKindText = 1024

func checkKind(info graph.KindInfo) error {
	key := graph.Key{Kind: info.Kind}
	switch err := graph.Validate(graph.Object{Key: graph.Key{Kind: info.Kind, Name: "x"}}, graph.Limits{Text: maxKindText}); {
	case err != nil:
		return fmt.Errorf("kind %s: %w: %w", name(key), graph.ErrRefused, err)
	case info.Unwatched:
		return fmt.Errorf("kind %s: Unwatched: the store watches all its kinds: %w", name(key), graph.ErrRefused)
	case info.Container != graph.Container{} || info.Definition != "":
		return fmt.Errorf("kind %s: Container, Definition: the database does not keep them: %w", name(key), graph.ErrRefused)
	}
	return nil
}

// AddKind serves a kind, for all processes, or changes NoOwner of a served kind. A kind
// that was removed has its former objects again. Errors: ErrRefused for unsound text, and
// for a kind that was scoped and would be global, or the other way round.
//
//test:by TestKit
func (s *Store) AddKind(ctx context.Context, info graph.KindInfo) error {
	if err := checkKind(info); err != nil {
		return fmt.Errorf("add: %w", err)
	}
	err := s.transact(ctx, func(ses *session) error {
		kinds, err := s.checkedKinds(ctx, &ses.c)
		if err != nil {
			return err
		}
		return ses.addKind(ctx, kinds, info)
	})
	s.announce()
	return s.failed("add kind", string(info.Kind), err)
}

func (ses *session) addKind(ctx context.Context, kinds *kindSet, info graph.KindInfo) error {
	old, known := kinds.byName[info.Kind]
	switch {
	case known && old.info.Scoped != info.Scoped:
		return fmt.Errorf("add kind %s: scoped: it was %t: %w", info.Kind, old.info.Scoped, graph.ErrRefused)
	case known && old.served && old.info == info:
		return nil
	}
	return ses.s.tables.setKind(ctx, &ses.c, info, true)
}

// RemoveKind stops serving a kind, for all processes. The store keeps the objects of the
// kind and hides them. Errors: ErrKindUnknown.
//
//test:by TestKit
func (s *Store) RemoveKind(ctx context.Context, kind graph.Kind) error {
	err := s.transact(ctx, func(ses *session) error {
		kinds, err := s.checkedKinds(ctx, &ses.c)
		switch {
		case err != nil:
			return err
		case !kinds.serves(kind):
			return fmt.Errorf("remove kind %s: %w", kind, graph.ErrKindUnknown)
		}
		return s.tables.setKind(ctx, &ses.c, kinds.byName[kind].info, false)
	})
	s.announce()
	return s.failed("remove kind", string(kind), err)
}
