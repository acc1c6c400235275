package storetest

import (
	"context"
	"slices"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
)

// placing is the moment at which a store resolves a new reference.
type placing struct {
	verb         string // create, update, patch or batch
	dep          ownergraph.Key
	ref          ownergraph.Owner
	served, sick []ownergraph.Kind
}

// placed keeps references of its choice as their writer gave them, and as resolved.
func placed(choose func(placing) bool) func(TB, Subject) Subject {
	return placedAt(func(p placing) (string, bool) { return p.ref.Scope, choose(p) })
}

// misplaced is one reference that a store shows in its own place. The key is the place of the
// dependent, and the UID of the owner.
type misplaced = map[ownergraph.Key]string

// placedAt shows references of its choice in the scope that it chooses.
func placedAt(choose func(placing) (string, bool)) func(TB, Subject) Subject {
	return func(tb TB, s Subject) Subject {
		var refs guarded[misplaced]
		var state guarded[placing]
		refs.v = misplaced{}
		for _, info := range memoryKinds() {
			state.v.served = append(state.v.served, info.Kind)
		}
		note := func(verb string, dep ownergraph.Key, list ...ownergraph.Owner) {
			state.with(func(p *placing) {
				for _, ref := range list {
					if scope, yes := choose(placing{verb, dep, ref, p.served, p.sick}); yes {
						refs.with(func(m *misplaced) { (*m)[placedKey(dep, ref.UID)] = scope })
					}
				}
			})
		}
		without := func(kind ownergraph.Kind) func(ownergraph.Kind) bool {
			return func(x ownergraph.Kind) bool { return x == kind }
		}
		s.Vanish = around(s.Vanish, func(kind ownergraph.Kind, on bool) {
			state.with(func(p *placing) {
				if p.served = slices.DeleteFunc(slices.Clone(p.served), without(kind)); !on {
					p.served = append(p.served, kind)
				}
			})
		})
		s.Sicken = around(s.Sicken, func(kind ownergraph.Kind, on bool) {
			state.with(func(p *placing) {
				if p.sick = slices.DeleteFunc(slices.Clone(p.sick), without(kind)); on {
					p.sick = append(p.sick, kind)
				}
			})
		})
		return notedPlaces(tb, s, &refs, note)
	}
}

func placedKey(dep ownergraph.Key, uid graph.UID) ownergraph.Key {
	dep.UID = uid
	return dep
}

// notedPlaces shows the noted references in their own places, and notes every new reference.
func notedPlaces(tb TB, s Subject, refs *guarded[misplaced], note func(verb string, dep ownergraph.Key, list ...ownergraph.Owner)) Subject {
	single := s.Store
	shown := renaming(func(n *renamed) {
		n.object = func(o ownergraph.Object) ownergraph.Object { return showPlaces(refs, o) }
	})
	back := func(key ownergraph.Key, c ownergraph.Change) ownergraph.Change {
		live, err := single.Get(context.Background(), key)
		if err != nil {
			return c
		}
		real := func(list []ownergraph.Owner) (out []ownergraph.Owner) {
			for _, r := range list {
				for i, shown := range showPlaces(refs, live).Owners {
					if r.Same(shown) {
						r.Scope, r.Unresolved = live.Owners[i].Scope, live.Owners[i].Unresolved
					}
				}
				out = append(out, r)
			}
			return out
		}
		c.DropOwners, c.Unblock = real(c.DropOwners), real(c.Unblock)
		return c
	}
	s = patching(func(sound ownergraph.Store) patchFunc {
		return func(ctx context.Context, key ownergraph.Key, pre ownergraph.Precondition, c ownergraph.Change) error {
			c = back(key, c)
			if c.AddOwner != nil {
				note("patch", key.Place(), *c.AddOwner)
			}
			return sound.Patch(ctx, key, pre, c)
		}
	})(tb, s)
	s = shown(tb, s)
	client := s.Client
	s.Client = &wrappedClient{Client: client,
		create: func(ctx context.Context, o ownergraph.Object) (ownergraph.Object, error) {
			note("create", o.Key.Place(), o.Owners...)
			return client.Create(ctx, o)
		},
		update: func(ctx context.Context, o ownergraph.Object) (ownergraph.Object, error) {
			live, _ := single.Get(ctx, o.Key)
			for _, r := range o.Owners {
				if !slices.ContainsFunc(live.Owners, func(had ownergraph.Owner) bool { return had.UID == r.UID }) {
					note("update", o.Key.Place(), r)
				}
			}
			return client.Update(ctx, o)
		}}
	s.Store = withBatch(tb, s.Store, single, func(sound batchFunc) batchFunc {
		return func(ctx context.Context, writes []ownergraph.Write) ([]error, error) {
			real := slices.Clone(writes)
			for i, w := range real {
				if real[i].Change = back(w.Key, w.Change); w.Change.AddOwner != nil {
					note("batch", w.Key.Place(), *w.Change.AddOwner)
				}
			}
			return sound(ctx, real)
		}
	})
	return s
}

func showPlaces(refs *guarded[misplaced], o ownergraph.Object) ownergraph.Object {
	o = o.Clone()
	refs.with(func(m *misplaced) {
		for i, r := range o.Owners {
			if scope, noted := (*m)[placedKey(o.Place(), r.UID)]; noted {
				o.Owners[i].Scope, o.Owners[i].Unresolved = scope, false
			}
		}
	})
	return o
}
