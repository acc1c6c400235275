package cli

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph/internal/printing"
)

// TestEmptyPlaces: a flag of a place without a value takes no other place, and neither do two places.
func TestEmptyPlaces(t *testing.T) {
	flags := newCluster().serve(t) // the cluster of the plugin
	for _, c := range []struct {
		name   Name
		args   []string
		want   string
		reason string
	}{
		{Plugin, []string{"delete", "deploy/cart", "--yes", "--store", ""}, "--store is empty", "an unset variable of a shell must not delete in the cluster"},
		{Plugin, []string{"tree", "deploy/cart", "-f", ""}, "--filename is empty", "a dump"},
		{Plugin, []string{"lint", "-f", ""}, "--filename is empty", "a manifest"},
		{Command, []string{"top", "--from", ""}, "--from is empty", "a program"},
		{Command, []string{"tree", "deploy/cart", "--context", ""}, "--context is empty", "a cluster"},
		{Plugin, append([]string{"delete", "deploy/cart", "--yes", "--store", "sqlite:x"}, flags...), "want it, or --store", "a store and a cluster"},
		{Command, append([]string{"tree", "deploy/cart", "-f", "x"}, flags...), "want it, or -f, or --store", "a dump and a cluster"},
		{Plugin, []string{"lint", "-f", "x", "--store", "sqlite:x"}, "-f and --store", "a manifest beside a store"},
		{Command, []string{"lint", "x", "--apply"}, "want no MANIFEST", "a file has no version to test"},
	} {
		var stdout, stderr strings.Builder
		code := Run(t.Context(), c.name, c.args, strings.NewReader(""), &stdout, &stderr)
		if code != printing.ExitUsage || !strings.Contains(stderr.String(), c.want) || stdout.String() != "" {
			t.Errorf("%s %v: exit %d, want %q: %s\n%s%s", c.name, c.args, code, c.want, c.reason, &stdout, &stderr)
		}
	}
}

// TestScopeOfQuestion: -A wins over -n, and a scope that no object has is an error, and no clean answer.
func TestScopeOfQuestion(t *testing.T) {
	for _, c := range []struct {
		args   []string
		code   int
		want   string
		reason string
	}{
		{[]string{"ls", "-n", "shop", "-A"}, 0, "3 kinds          4 ", "-A is everything"},
		{[]string{"top", "-n", "nope"}, 1, "-n nope: no object has this scope", "a misspelt scope"},
		{[]string{"lint", "-n", "nope"}, 1, "-n nope: no object has this scope", "a misspelt scope"},
		{[]string{"lint", "-n", "shop"}, 0, "no findings\n", "the findings of one scope"},
	} {
		got := call(t, shopDump, append(c.args, "-f", "-")...)
		if got.code != c.code || !strings.Contains(got.stdout+got.stderr, c.want) {
			t.Errorf("%v: exit %d, want %d and %q: %s\n%s%s", c.args, got.code, c.code, c.want, c.reason, got.stdout, got.stderr)
		}
	}
}

// TestManifestBesideCluster: the command looks the owners of a file up in the cluster of its flags, as the
// plugin does.
func TestManifestBesideCluster(t *testing.T) {
	flags := newCluster().serve(t)
	file := filepath.Join(t.TempDir(), "a.json")
	text := `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","namespace":"shop","ownerReferences":[{"apiVersion":"apps/v1","kind":"Deployment","name":"cart"}]}}`
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := call(t, "", append([]string{"lint", file}, flags...)...); got.code != 0 || !strings.HasPrefix(got.stdout, "no findings") {
		t.Errorf("exit %d\n%s%s", got.code, got.stdout, got.stderr)
	}
}

// TestFromAnotherForm: an answer in another form is an error, and not an empty list.
func TestFromAnotherForm(t *testing.T) {
	for _, c := range []struct{ body, reason string }{
		{"null", "JSON without a form"},
		{`{"schema":"explain/v1"}`, "another form"},
		{`[]`, "no object"},
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(c.body)) }))
		if got := call(t, "", "top", "--from", server.URL); got.code != 1 || !strings.Contains(got.stderr, "no page of ownergraph") {
			t.Errorf("%s: exit %d: %s\n%s%s", c.body, got.code, c.reason, got.stdout, got.stderr)
		}
		server.Close()
	}
}
