package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestPages: each subcommand has a page under both names, with its flags and an example.
func TestPages(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "man1")
	if err := write(dir); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ file, want, reason string }{
		{"ownergraph.1", "ownergraph-plan(1)", "the page of the program leads to those of its subcommands"},
		{"ownergraph-plan.1", "ownergraph plan -f all.json", "an example of the command"},
		{"kubectl-ownergraph-plan.1", "kubectl ownergraph plan deploy/cart", "an example of the plugin"},
		{"ownergraph-archive-reseal.1", "--recipients", "a subcommand of a subcommand"},
		{"ownergraph-top.1", `\fB--watch\fP`, "the flags"},
	} {
		text, err := os.ReadFile(filepath.Join(dir, c.file))
		if plain := strings.ReplaceAll(string(text), `\-`, "-"); err != nil || !strings.Contains(plain, c.want) {
			t.Errorf("%s: %v, want %q: %s\n%.400s", c.file, err, c.want, c.reason, plain)
		}
	}
}
