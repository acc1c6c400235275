package cli

import (
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph/graph"
)

// TestDeleteOrphanByUID: an orphan deletion in a live store keeps the objects that name the UID of
// the owner in another scope or under another name, as the plan says.
func TestDeleteOrphanByUID(t *testing.T) {
	d := newSQLite(t)
	site := d.made["site"].Key
	for _, c := range []struct{ scope, name, owner string }{{"other", "elsewhere", site.Name}, {"s", "renamed", "old-name"}} {
		owner := graph.Key{Kind: "project", Scope: c.scope, Name: c.owner, UID: site.UID}
		made, err := d.Create(t.Context(), graph.Object{Key: graph.Key{Kind: "note", Scope: c.scope, Name: c.name}, Owners: []graph.Owner{{Key: owner}}})
		if err != nil {
			t.Fatal(err)
		}
		d.made[c.name] = made
	}
	got := call(t, "", "delete", "project/s/site", "--store", d.flag, "--cascade", "orphan", "--act", "--yes")
	if got.code != 0 || !strings.Contains(got.stdout, "\n1 object goes; 3 stay and lose an owner; 0 are held\n") {
		t.Errorf("exit %d, wrote\n%s%s", got.code, got.stdout, got.stderr)
	}
	for _, name := range []string{"elsewhere", "renamed", "todo"} {
		if o, exists := d.get(t, name); !exists || len(o.Owners) > 0 {
			t.Errorf("%s: exists %t, %s, want it without an owner", name, exists, o)
		}
	}
}
