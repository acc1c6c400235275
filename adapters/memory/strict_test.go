package memory

import (
	"errors"
	"testing"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
)

// embedding embeds a store, as users do.
type embedding struct{ *Store }

// unwrapped wraps a store.
type unwrapped struct{ ownergraph.Store }

func (u unwrapped) Unwrap() ownergraph.Store { return u.Store }

// TestLevel: a store has level 2, and with Strict level 3. It then refuses a reference by
// every call that writes one.
func TestLevel(t *testing.T) {
	for _, strict := range []bool{false, true} {
		s, err := New(Config{Kinds: []graph.KindInfo{{Kind: "a"}}, Strict: strict})
		if err != nil {
			t.Fatal(err)
		}
		want := map[bool]ownergraph.Level{false: ownergraph.Level2, true: ownergraph.Level3}[strict]
		for _, store := range []ownergraph.Store{s, embedding{s}, unwrapped{s}, unwrapped{embedding{s}}} {
			if got := ownergraph.LevelOf(store); got != want {
				t.Errorf("%T with Strict %t: level %s, want %s", store, strict, got, want)
			}
		}
		o, err := s.Create(t.Context(), graph.Object{Key: graph.Key{Kind: "a", Name: "o"}})
		if err != nil {
			t.Fatal(err)
		}
		ref := graph.Owner{Key: graph.Key{Kind: "a", Name: "gone", UID: "1"}}
		change := graph.Change{AddOwner: &ref}
		for name, write := range map[string]func() error{
			"create": func() error {
				_, err := s.Create(t.Context(), graph.Object{Key: graph.Key{Kind: "a", Name: "p"}, Owners: []graph.Owner{ref}})
				return err
			},
			"update": func() error {
				_, err := s.Update(t.Context(), graph.Object{Key: o.Key, Owners: []graph.Owner{ref}})
				s.reset(t, o.Key)
				return err
			},
			"patch": func() error {
				err := s.Patch(t.Context(), o.Key, graph.Precondition{}, change)
				s.reset(t, o.Key)
				return err
			},
			"batch": func() error {
				results, err := s.Batch(t.Context(), []graph.Write{{Type: graph.WritePatch, Key: o.Key, Change: change}})
				s.reset(t, o.Key)
				return errors.Join(append(results, err)...)
			},
		} {
			if err := write(); errors.Is(err, graph.ErrRefused) != strict || !strict && err != nil {
				t.Errorf("%s of a reference to an absent owner, with Strict %t: %v", name, strict, err)
			}
		}
	}
}

// reset takes the references of an object.
func (s *Store) reset(t *testing.T, key graph.Key) {
	t.Helper()
	if _, err := s.Update(t.Context(), graph.Object{Key: key}); err != nil {
		t.Fatal(err)
	}
}

// TestRestrictedDeletion: a store with Strict refuses the deletion of a restricted object by every
// call that deletes. The error names the dependents. Without Strict the store refuses none.
func TestRestrictedDeletion(t *testing.T) {
	owner := graph.Key{Kind: "a", Name: "o", UID: "1"}
	dependent := graph.Object{Key: graph.Key{Kind: "a", Name: "d", UID: "2"}, Owners: []graph.Owner{{Key: owner, OnDelete: graph.OnDeleteRestrict}}}
	for _, strict := range []bool{false, true} {
		for name, remove := range map[string]func(*Store) error{
			"delete": func(s *Store) error { return s.Delete(t.Context(), owner, graph.DeleteOptions{}) },
			"batch": func(s *Store) error {
				results, err := s.Batch(t.Context(), []graph.Write{{Type: graph.WriteDelete, Key: owner}})
				return errors.Join(append(results, err)...)
			},
		} {
			s, err := New(Config{Kinds: []graph.KindInfo{{Kind: "a"}}, Strict: strict, Objects: []graph.Object{{Key: owner}, dependent}})
			if err != nil {
				t.Fatal(err)
			}
			err = remove(s)
			var restricted *graph.RestrictedError
			if errors.As(err, &restricted) != strict || !strict && err != nil {
				t.Errorf("%s, Strict %t: %v, want a RestrictedError: %t", name, strict, err, strict)
			}
			if strict && (len(restricted.Dependents) != 1 || restricted.Dependents[0] != dependent.Key || len(s.Objects()) != 2) {
				t.Errorf("%s: %v, want the dependent named and both objects left", name, err)
			}
		}
	}
}
