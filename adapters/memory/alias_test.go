package memory

import (
	"context"
	"testing"
	"testing/synctest"

	"github.com/ownergraph/ownergraph/graph"
)

// spoil overwrites all memory that is reachable through the objects.
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

// TestStoreAliasesNothing: a store, its events and its listings share no memory with a
// caller. Two watches of the same changes share none either.
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
		go s.Watch(ctx, oneByOne(spoiler))
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
