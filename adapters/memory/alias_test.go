package memory

import (
	"context"
	"testing"
	"testing/synctest"

	"github.com/ownergraph/ownergraph/graph"
)

// spoil changes everything that can be reached through an object.
func spoil(list ...graph.Object) {
	for _, o := range list {
		for i := range o.Owners {
			o.Owners[i] = graph.Owner{}
		}
		for i := range o.Finalizers {
			o.Finalizers[i] = "spoilt"
		}
	}
}

// TestStateAliasesNothing: what goes in and what comes out is nobody else's.
func TestStateAliasesNothing(t *testing.T) {
	s := newState(t, "rs/ns/r@r1#1")
	in := fresh(t, "pod/ns/a[x,y] -> rs/ns/r@r1")
	e, out, err := s.Create(in)
	spoil(in, out, e.Object)
	holds(t, s, "pod/ns/a@u1#2[x,y]%1/0 -> rs/ns/r@r1; rs/ns/r@r1#1")

	got, err2 := s.Get(out.Key)
	spoil(got)
	spoil(s.Objects()...)
	in = fresh(t, "pod/ns/a[x,y] -> rs/ns/r@r1!")
	e, out, err3 := s.Update(in)
	spoil(in, out, e.Object)
	holds(t, s, "pod/ns/a@u1#3[x,y]%1/0 -> rs/ns/r@r1!; rs/ns/r@r1#1")

	owner := graph.Owner{Key: graph.Key{Kind: "rs", Name: "q", UID: "q1"}}
	e, out, err4 := s.Patch(out.Key, graph.Precondition{}, graph.Change{AddOwner: &owner})
	if owner.Scope != "" {
		t.Error("Patch changed the writer's reference")
	}
	owner.Name = "spoilt"
	spoil(out, e.Object)
	e, out, err5 := s.Delete(out.Key, graph.DeleteOptions{})
	spoil(out, e.Object)
	e, out, err6 := s.Delete(out.Key, graph.DeleteOptions{})
	spoil(out, e.Object)
	holds(t, s, "pod/ns/a@u1#5~[x,y]%2/0 -> rs/ns/r@r1!, rs/ns/q@q1; rs/ns/r@r1#1")
	for _, err := range []error{err, err2, err3, err4, err5, err6} {
		if err != nil {
			t.Error(err)
		}
	}
}

// TestStoreAliasesNothing: the same of a store, of its events, and of two
// watches that report the same.
func TestStoreAliasesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStore(t, "node/n@n1#1[x] -> node/m@m1", 0)
		spoiler := func(e graph.Event) error {
			spoil(e.Object)
			for i := range e.Kinds {
				e.Kinds[i].Kind = "spoilt"
			}
			return nil
		}
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		go s.Watch(ctx, spoiler)
		synctest.Wait()
		in := fresh(t, "node/o[x,y] -> node/m@m1")
		out, err := s.Create(ctx, in)
		if err != nil {
			t.Fatal(err)
		}
		spoil(in, out)
		spoil(s.Objects()...)
		got, err := s.Get(ctx, key(t, "node/o"))
		if err != nil {
			t.Fatal(err)
		}
		spoil(got)
		synctest.Wait()
		r := record(t, s)
		r.wants(t, "kinds node pod", "list node", "put node/n@n1#1[x] -> node/m@m1",
			"put node/o@u1#2[x,y]%1/0 -> node/m@m1", "ended node 2", "list pod", "ended pod 2")
		if _, err := s.Update(ctx, fresh(t, "node/o[x]")); err != nil {
			t.Fatal(err)
		}
		r.wants(t, "put node/o@u1#3[x]%1/0")
	})
}
