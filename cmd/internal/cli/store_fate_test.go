package cli

import (
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph/graph"
)

// TestFateInStore: lint of a live store names the fate by the engine, as explain does.
func TestFateInStore(t *testing.T) {
	d := newSQLite(t)
	site := d.made["site"].Key
	for _, c := range []struct {
		name, explain, lint, reason string
		owner                       graph.Key
	}{
		{"renamed", "note/s/renamed is kept because of its owner project/s/old-name: the object with the UID of the reference is project/s/site.\n", "Fate: kept while an owner lives.", "the name is wrong",
			graph.Key{Kind: "project", Scope: "s", Name: "old-name", UID: site.UID}},
		{"left", "note/s/left is garbage: its only owner project/s/gone is gone.", "Fate: the collector deletes this now.", "the owner is gone",
			graph.Key{Kind: "project", Scope: "s", Name: "gone", UID: "uid-of-gone"}},
	} {
		if _, err := d.Create(t.Context(), graph.Object{Key: graph.Key{Kind: "note", Scope: "s", Name: c.name}, Owners: []graph.Owner{{Key: c.owner}}}); err != nil {
			t.Fatal(err)
		}
		if got := call(t, "", "explain", "note/s/"+c.name, "--store", d.flag); !strings.Contains(got.stdout, c.explain) {
			t.Errorf("explain: exit %d, want %q: %s\n%s%s", got.code, c.explain, c.reason, got.stdout, got.stderr)
		}
		got := call(t, "", "lint", "--store", d.flag)
		report := reported(got.stdout)
		i := strings.Index(report, " note/s/"+c.name)
		line, _, _ := strings.Cut(report[max(i, 0):], "\n")
		if got.code != 3 || i < 0 || !strings.HasSuffix(line, c.lint) || strings.Contains(got.stdout, "Kubernetes") {
			t.Errorf("lint: exit %d, want %q: %s\n%s%s", got.code, c.lint, c.reason, got.stdout, got.stderr)
		}
	}
}
