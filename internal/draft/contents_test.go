package draft

import (
	"slices"
	"testing"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/excerpt"
)

// TestContents: the actor deletes the members of a container that is marked or gone. Once the last
// of them is gone, the actor looks at the container again.
func TestContents(t *testing.T) {
	kinds := []graph.KindInfo{
		{Kind: "ns", Container: graph.Container{Members: graph.ScopeMembers, Actor: "the janitor", Finalizer: "janitor"}},
		{Kind: "def", Container: graph.Container{Members: graph.KindMembers, Actor: "the server"}},
		{Kind: "pod", Scoped: true, Definition: "pods"}, {Kind: "node"},
	}
	none := func(graph.KindInfo) bool { return false }
	objects, err := graph.Parse("def/pods; node/n; ns/shop; pod/other/c; pod/shop/a; pod/shop/b")
	if err != nil {
		t.Fatal(err)
	}
	parts := make([]excerpt.Part, len(objects))
	for i, o := range objects {
		parts[i] = excerpt.Part{Object: o, State: excerpt.Exists, Member: true}
	}
	of := func(name string) int32 {
		return int32(slices.IndexFunc(parts, func(p excerpt.Part) bool { return p.Object.PlaceString() == name }))
	}
	c := NewContents(parts, kinds, none)
	if got := c.With(nil); len(got[of("ns/shop")]) != 2 || len(got[of("def/pods")]) != 3 || len(got[of("node/n")]) != 0 {
		t.Errorf("the members are %v", got)
	}
	if c.ContainerOf(of("pod/other/c")) != of("def/pods") || c.ContainerOf(of("node/n")) != -1 {
		t.Error("the container of a member is wrong")
	}
	if _, _, ok := c.Next(); ok {
		t.Error("an actor acts before a container is marked")
	}
	c.Note(of("ns/shop"), false)
	if h, members, ok := c.Next(); !ok || h != of("ns/shop") || len(members) != 2 || c.IsEmpty(h) {
		t.Errorf("container %d, members %v, %v", h, members, ok)
	}
	c.Note(of("pod/shop/a"), true)
	if _, _, ok := c.Next(); ok {
		t.Error("the container is looked at again before its last member is gone")
	}
	c.Note(of("pod/shop/b"), true)
	if h, _, ok := c.Next(); !ok || h != of("ns/shop") || !c.IsEmpty(h) {
		t.Errorf("container %d, %v: its last member is gone", h, ok)
	}
	c.Note(of("def/pods"), true)
	if h, members, ok := c.Next(); !ok || h != of("def/pods") || len(members) != 3 {
		t.Errorf("container %d, members %v, %v: a container without a finalizer goes first", h, members, ok)
	}
	if NewContents(parts, kinds[2:], none) != nil || NewContents(parts, kinds, func(graph.KindInfo) bool { return true }) != nil {
		t.Error("contents without a container")
	}
}
