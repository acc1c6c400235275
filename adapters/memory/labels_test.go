package memory

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
)

// TestSelectPages: a page has at most Limit objects, and More names the last object of the
// page if another object matches.
func TestSelectPages(t *testing.T) {
	s := newStore(t, `pod/a/p@1#1; pod/a/q@2#2; pod/b/p@3#3; pod/b/"x y"@4#4; node/n@5#5`, 0)
	for _, k := range []string{"pod/a/p", "pod/a/q", `pod/b/"x y"`, "node/n"} {
		if _, err := s.Label(t.Context(), key(t, k), graph.Precondition{}, map[string]string{"of": "a"}); err != nil {
			t.Fatal(err)
		}
	}
	for _, tc := range []struct {
		limit       int
		after, want string
		reason      string
	}{
		{0, "", `pod/a/p@1#6=a pod/a/q@2#7=a pod/b/"x y"@4#8=a>`, "all at once"},
		{2, "", "pod/a/p@1#6=a pod/a/q@2#7=a>pod/a/q@2", "a page of two"},
		{2, "pod/a/q@2", `pod/b/"x y"@4#8=a>`, "the next page"},
		{3, "", `pod/a/p@1#6=a pod/a/q@2#7=a pod/b/"x y"@4#8=a>`, "a page that has them all"},
	} {
		page, err := s.Select(t.Context(), ownergraph.SelectRequest{Kind: "pod", Selector: "of in (a,b)", Label: "of", Limit: tc.limit, After: tc.after})
		if err != nil {
			t.Fatal(err)
		}
		var out []string
		for _, o := range page.Objects {
			out = append(out, fmt.Sprintf("%s#%s=%s", o.Key, o.Version, o.Value))
		}
		if got := strings.Join(out, " ") + ">" + page.More; got != tc.want {
			t.Errorf("a page of %d after %q: %s, want %s: %s", tc.limit, tc.after, got, tc.want, tc.reason)
		}
	}
}
