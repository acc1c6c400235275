package storetest

import (
	"context"
	"math"
	"slices"
	"strings"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
)

func mutantsOfText() []mutant {
	return []mutant{
		{name: "UIDs are counted", law: "uid/unforeseeable", reason: "a primary key that counts up", plant: func(tb TB, s Subject) Subject {
			c := &counter{made: map[graph.UID]graph.UID{}, plain: true}
			return everywhere(renaming(func(n *renamed) { n.uid = c.uid }))(tb, s)
		}},
		{name: "names fold case", law: textNames, reason: "a collation", plant: spelling(func(key ownergraph.Key) ownergraph.Key {
			key.Name = strings.ToLower(key.Name)
			return key
		})},
		{name: "scopes fold case", law: "text/scopes", reason: "a collation", plant: spelling(func(key ownergraph.Key) ownergraph.Key {
			key.Scope = strings.ToLower(key.Scope)
			return key
		})},
		{name: "kinds are trimmed", law: "text/kinds", reason: "a collation", plant: spelling(func(key ownergraph.Key) ownergraph.Key {
			key.Kind = ownergraph.Kind(strings.TrimSpace(string(key.Kind)))
			return key
		})},
		{name: "a global place is taken twice", law: "text/places", reason: "the empty scope is NULL", plant: takenTwice},
		{name: "references are found by their names", law: "text/references", reason: "a primary key without the UID", plant: updating(func(o ownergraph.Object) ownergraph.Object {
			seen := map[ownergraph.Key]bool{}
			o.Owners = slices.DeleteFunc(slices.Clone(o.Owners), func(r ownergraph.Owner) bool {
				twice := seen[r.Place()]
				seen[r.Place()] = true
				return twice
			})
			return o
		})},
		{name: "a large object is cut", law: "text/sizes", reason: "a column of fixed size", plant: func(_ TB, s Subject) Subject {
			u := &wrappedClient{Client: s.Client}
			u.create = func(ctx context.Context, o ownergraph.Object) (ownergraph.Object, error) {
				o.Owners = o.Owners[:min(len(o.Owners), 256)]
				return u.Client.Create(ctx, o)
			}
			s.Client = u
			return s
		}},
		{name: "numbers are floating", law: "text/grace", reason: "JSON without a type", plant: func(_ TB, s Subject) Subject {
			sound := s.Store
			s.Store = &wrapper{Store: sound, delete: func(ctx context.Context, key ownergraph.Key, opts ownergraph.DeleteOptions) error {
				if opts.GraceSeconds != nil && *opts.GraceSeconds < math.MaxInt64 {
					grace := int64(float64(*opts.GraceSeconds))
					opts.GraceSeconds = &grace
				}
				return sound.Delete(ctx, key, opts)
			}}
			return s
		}},
		{name: "a compaction forgets fences", law: "fence/compacted", reason: "they are in the log", plant: compactedFences},
	}
}

// spelling makes reads find an object under another spelling of the key.
func spelling(spell func(ownergraph.Key) ownergraph.Key) func(TB, Subject) Subject {
	return func(_ TB, s Subject) Subject {
		sound := s.Store
		s.Store = &wrapper{Store: sound, get: func(ctx context.Context, key ownergraph.Key) (ownergraph.Object, error) {
			if o, err := sound.Get(ctx, key); err == nil {
				return o, nil
			}
			return sound.Get(ctx, spell(key))
		}}
		return s
	}
}

// updating makes users store another object than the one they asked for. The answer
// hides that.
func updating(stored func(ownergraph.Object) ownergraph.Object) func(TB, Subject) Subject {
	return func(_ TB, s Subject) Subject {
		u := &wrappedClient{Client: s.Client}
		u.update = func(ctx context.Context, o ownergraph.Object) (ownergraph.Object, error) {
			asked := o.Clone()
			now, err := u.Client.Update(ctx, stored(o))
			if err == nil {
				now.Owners = asked.Owners
			}
			return now, err
		}
		s.Client = u
		return s
	}
}

// takenTwice answers that a second object was made at a global place.
func takenTwice(_ TB, s Subject) Subject {
	u := &wrappedClient{Client: s.Client}
	u.create = func(ctx context.Context, o ownergraph.Object) (ownergraph.Object, error) {
		now, err := u.Client.Create(ctx, o)
		if err != nil && o.Scope == "" && o.Kind == "node" {
			o.UID, o.Version = hashed(len(o.Name)), "1"
			return o, nil
		}
		return now, err
	}
	s.Client = u
	return s
}

// compactedFences drops the fences that began before a compaction and were not
// reported then.
func compactedFences(tb TB, s Subject) Subject {
	f := &fences{}
	var lost guarded[map[uint64]bool]
	var reported guarded[map[uint64]bool]
	lost.v, reported.v = map[uint64]bool{}, map[uint64]bool{}
	compact := s.Compact
	s.Compact = func(ctx context.Context) error {
		for _, id := range f.pending() {
			reported.with(func(t *map[uint64]bool) {
				if !(*t)[id] {
					lost.with(func(l *map[uint64]bool) { (*l)[id] = true })
				}
			})
		}
		return compact(ctx)
	}
	s.Store = reporting(s.Store, func() func(ownergraph.Event, sinkFunc) error {
		return func(e ownergraph.Event, sink sinkFunc) error {
			if e.Type != graph.FencePassed {
				return sink(e)
			}
			gone := false
			lost.with(func(l *map[uint64]bool) { gone = (*l)[e.Fence] })
			if gone {
				return nil
			}
			reported.with(func(t *map[uint64]bool) { (*t)[e.Fence] = true })
			return sink(e)
		}
	})
	s.Store = notingFences(tb, s.Store, f)
	return s
}
