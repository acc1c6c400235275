package offline

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ownergraph/ownergraph/graph"
)

// TestContainers: each container with members has all of them, by scope or by definition.
func TestContainers(t *testing.T) {
	list, err := graph.Parse("def/gadgets#1; def/widgets#1; ns/r#1; ns/s#1; pod/s/a#1; widget/s/b#1; widget/t/c#1")
	if err != nil {
		t.Fatal(err)
	}
	c := Content{Objects: list, Kinds: []graph.KindInfo{
		{Kind: "ns", Container: graph.Container{Members: graph.ScopeMembers, Actor: "the janitor"}}, {Kind: "pod", Scoped: true},
		{Kind: "def", Container: graph.Container{Members: graph.KindMembers, Actor: "the server"}}, {Kind: "widget", Scoped: true, Definition: "widgets"},
	}}
	want := []Container{
		{list[1].Key, "the server", []graph.Key{list[5].Key, list[6].Key}},
		{list[3].Key, "the janitor", []graph.Key{list[4].Key, list[5].Key}},
	}
	if diff := cmp.Diff(want, c.Index().Containers()); diff != "" {
		t.Errorf("containers (-want +got):\n%s", diff)
	}
	if got := c.Index().JSONContainers(list[3:]); len(got) != 1 || got[0].Members != 2 || got[0].Actor != "the janitor" {
		t.Errorf("containers among a part: %+v", got)
	}
}
