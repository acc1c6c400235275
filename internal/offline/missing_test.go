package offline

import (
	"slices"
	"testing"

	"github.com/ownergraph/ownergraph/graph"
)

// TestMissingContainers: the scopes without a container are those to read again.
func TestMissingContainers(t *testing.T) {
	house := graph.KindInfo{Kind: "house", Container: graph.Container{Members: graph.ScopeMembers, Actor: "the keeper"}}
	for _, tc := range []struct {
		objects string
		kinds   []graph.KindInfo
		partial map[graph.Kind]string
		want    []graph.Key
		reason  string
	}{
		{"house/s#1; pod/t/a#1; pod/s/a#1; pod/t/b#1; pod/r/b#1; node/n#1", []graph.KindInfo{house}, nil, []graph.Key{{Kind: "house", Name: "r"}, {Kind: "house", Name: "t"}}, "two scopes have none"},
		{"pod/t/a#1", nil, nil, nil, "no kind is a container"},
		{"pod/t/a#1", []graph.KindInfo{house}, map[graph.Kind]string{"house": "forbidden"}, nil, "the list of the containers is not complete"},
	} {
		list, err := graph.Parse(tc.objects)
		if err != nil {
			t.Fatal(err)
		}
		c := Content{Kinds: tc.kinds, Objects: list, Partial: tc.partial}
		if got := c.MissingContainers(); !slices.Equal(got, tc.want) {
			t.Errorf("%s: %v, want %v", tc.reason, got, tc.want)
		}
	}
}
