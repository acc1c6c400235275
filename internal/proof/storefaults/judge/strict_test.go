package judge

import (
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph/graph"
)

// TestStrictOrder: the rule strict follows the commits. The log may have another order, if the
// transaction of the deletion has the earlier number.
func TestStrictOrder(t *testing.T) {
	owner := graph.Object{Key: graph.Key{Kind: "team", Name: "o", UID: "o"}}
	ends := owner
	ends.Deleting, ends.Finalizers = true, []string{graph.FinalizerOrphan}
	refers := graph.Object{Key: graph.Key{Kind: "team", Name: "d", UID: "d"}, Owners: []graph.Owner{{Key: owner.Key}}}
	marked := owner
	marked.Deleting, marked.Finalizers = true, []string{"x"}
	restricts := refers.Clone()
	restricts.Owners[0].OnDelete = graph.OnDeleteRestrict
	for _, c := range []struct {
		changes []Change
		want    bool
		reason  string
	}{
		{[]Change{{Object: owner, Drawn: 1}, {Object: refers, Drawn: 2}, {Object: ends, Drawn: 3}}, false, "the reference is first in both orders"},
		{[]Change{{Object: owner, Drawn: 1}, {Object: ends, Drawn: 3}, {Object: refers, Drawn: 2}}, false, "the reference was committed first"},
		{[]Change{{Object: owner, Drawn: 1}, {Gone: true, Object: owner, Drawn: 3}, {Object: refers, Drawn: 2}}, false, "so it was before the end"},
		{[]Change{{Object: owner, Drawn: 1}, {Object: refers, Drawn: 3}, {Object: ends, Drawn: 2}}, true, "the mark was committed first"},
		{[]Change{{Object: owner, Drawn: 1}, {Object: refers, Drawn: 3}, {Gone: true, Object: owner, Drawn: 2}}, true, "the end was committed first"},
		{[]Change{{Object: owner}, {Object: ends}, {Object: refers}}, true, "without numbers the log has the order"},
		{[]Change{{Object: refers}}, true, "there is no such owner"},
		{[]Change{{Object: owner}, {Object: marked}, {Object: refers}}, false, "an owner with another finalizer takes references"},
		{[]Change{{Object: owner}, {Object: marked}, {Object: restricts}}, true, "it takes none with restrict"},
		{[]Change{{Object: owner}, {Object: restricts}, {Object: marked}}, true, "a restricted object gets no mark"},
		{[]Change{{Object: owner}, {Object: restricts}, {Gone: true, Object: owner}}, true, "and no end"},
		{[]Change{{Object: owner, Drawn: 1}, {Object: restricts, Drawn: 3}, {Object: marked, Drawn: 2}}, true, "the mark was committed first"},
	} {
		found := Text(Judge(&History{}, &Content{Changes: c.changes, Strict: true}))
		if got := strings.Contains(found, "strict: "); got != c.want {
			t.Errorf("breach %v, want %v: %s\n%s", got, c.want, c.reason, found)
		}
	}
}
