package storetest

import (
	"context"
	"errors"
	"fmt"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
)

// reading replaces the answer of the store's Get.
func reading(get func(key ownergraph.Key, o ownergraph.Object, err error) (ownergraph.Object, error)) func(TB, Subject) Subject {
	return func(_ TB, s Subject) Subject {
		sound := s.Store
		s.Store = &wrapper{Store: sound, get: func(ctx context.Context, key ownergraph.Key) (ownergraph.Object, error) {
			o, err := sound.Get(ctx, key)
			return get(key, o, err)
		}}
		return s
	}
}

func mutantsOfReads() []mutant {
	return []mutant{
		{name: "stale read", law: readFresh, reason: "a cache that serves each answer once more", plant: staleRead},
		{name: "an absent object is read as empty", law: readAbsent, reason: "no row, no error", plant: reading(
			func(key ownergraph.Key, o ownergraph.Object, err error) (ownergraph.Object, error) {
				if errors.Is(err, graph.ErrNotFound) && key.UID == "" {
					return ownergraph.Object{Key: key}, nil
				}
				return o, err
			})},
		{name: "another UID is not found", law: "read/any-uid", reason: "a lookup by place and UID",
			plant: reading(func(key ownergraph.Key, o ownergraph.Object, err error) (ownergraph.Object, error) {
				if err == nil && key.UID != "" && key.UID != o.UID {
					return ownergraph.Object{}, fmt.Errorf("get %s: %w", key, graph.ErrNotFound)
				}
				return o, err
			})},
		{name: "marked objects are hidden", law: readMarked, reason: "a soft deletion that filters marked objects",
			plant: reading(func(key ownergraph.Key, o ownergraph.Object, err error) (ownergraph.Object, error) {
				if err == nil && o.Deleting {
					return ownergraph.Object{}, fmt.Errorf("get %s: %w", key, graph.ErrNotFound)
				}
				return o, err
			})},
		{name: "scopes are mixed up", law: "read/scopes", reason: "a lookup that falls back to another scope", plant: fallback(scopes)},
		{name: "kinds are mixed up", law: "read/kinds", reason: "a lookup that falls back to another kind", plant: fallback(kinds)},
	}
}

func staleRead(_ TB, s Subject) Subject {
	sound := s.Store
	var cache guarded[map[ownergraph.Key]ownergraph.Object]
	s.Store = &wrapper{Store: sound, get: func(ctx context.Context, key ownergraph.Key) (ownergraph.Object, error) {
		o, err := sound.Get(ctx, key)
		if err != nil {
			return o, err
		}
		cache.with(func(last *map[ownergraph.Key]ownergraph.Object) {
			old, cached := (*last)[key.Place()]
			if *last == nil {
				*last = map[ownergraph.Key]ownergraph.Object{}
			}
			if (*last)[key.Place()] = o.Clone(); cached && old.UID == o.UID {
				o = old
			}
		})
		return o, nil
	}}
	return s
}

// fallback looks at other places for an object that is not found.
func fallback(others func(infos []ownergraph.KindInfo, key ownergraph.Key) []ownergraph.Key) func(TB, Subject) Subject {
	return func(tb TB, s Subject) Subject {
		sound, infos := s.Store, servedBy(tb, s.Store)
		s.Store = &wrapper{Store: sound, get: func(ctx context.Context, key ownergraph.Key) (ownergraph.Object, error) {
			o, err := sound.Get(ctx, key)
			if !errors.Is(err, graph.ErrNotFound) {
				return o, err
			}
			for _, other := range others(infos, key.Place()) {
				if o, found := sound.Get(ctx, other); found == nil {
					return o, nil
				}
			}
			return o, err
		}}
		return s
	}
}

func scopes(_ []ownergraph.KindInfo, key ownergraph.Key) (list []ownergraph.Key) {
	for _, scope := range []string{scopeOne, scopeTwo} {
		if key.Scope != "" {
			list = append(list, ownergraph.Key{Kind: key.Kind, Scope: scope, Name: key.Name})
		}
	}
	return list
}

func kinds(infos []ownergraph.KindInfo, key ownergraph.Key) (list []ownergraph.Key) {
	for _, info := range infos {
		if info.Kind == key.Kind {
			continue
		}
		list = append(list, keyOf(info, key.Name))
	}
	return list
}

var errServed = errors.New("the kinds are known")

// servedBy returns the kinds that a store serves.
func servedBy(tb TB, s ownergraph.Store) (infos []ownergraph.KindInfo) {
	err := watchEach(tb.Context(), s, func(e ownergraph.Event) error {
		infos = e.Kinds
		if e.Type != graph.KindsKnown {
			return nil
		}
		return errServed
	})
	if !errors.Is(err, errServed) {
		tb.Fatalf("learn the kinds: %v", err)
	}
	return infos
}
