package replica

import (
	"testing"

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

// TestStateAliasesNothing: a state shares no memory with its arguments or results.
func TestStateAliasesNothing(t *testing.T) {
	s := newState(t, "rs/ns/r@r1#1")
	in := fresh(t, "pod/ns/a[x,y] -> rs/ns/r@r1")
	e, out, err := apart(s.Create(in))
	spoil(in, out, e.Object)
	equals(t, s, "pod/ns/a@u1#2[x,y]%1/0 -> rs/ns/r@r1; rs/ns/r@r1#1")

	got, err2 := s.Get(out.Key)
	spoil(got)
	spoil(s.Objects()...)
	in = fresh(t, "pod/ns/a[x,y] -> rs/ns/r@r1!")
	e, out, err3 := apart(s.Update(in))
	spoil(in, out, e.Object)
	equals(t, s, "pod/ns/a@u1#3[x,y]%1/0 -> rs/ns/r@r1!; rs/ns/r@r1#1")

	owner := graph.Owner{Key: graph.Key{Kind: "rs", Name: "q", UID: "q1"}}
	e, out, err4 := apart(s.Patch(out.Key, graph.Precondition{}, graph.Change{AddOwner: &owner}))
	if owner.Scope != "" {
		t.Error("Patch changed the writer's reference")
	}
	owner.Name = "spoilt"
	spoil(out, e.Object)
	e, out, err5 := apart(s.Delete(out.Key, graph.DeleteOptions{}))
	spoil(out, e.Object)
	e, out, err6 := apart(s.Delete(out.Key, graph.DeleteOptions{}))
	spoil(out, e.Object)
	equals(t, s, "pod/ns/a@u1#5~[x,y]%2/0 -> rs/ns/r@r1!, rs/ns/q@q1; rs/ns/r@r1#1")
	for _, err := range []error{err, err2, err3, err4, err5, err6} {
		if err != nil {
			t.Error(err)
		}
	}
}
