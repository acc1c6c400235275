package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestComplete checks that a shell gets kinds, and behind the slash objects.
func TestComplete(t *testing.T) {
	file := filepath.Join(t.TempDir(), "dump.json")
	if err := os.WriteFile(file, []byte(shopDump), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args         []string
		want, reason string
	}{
		{[]string{"tree", "-f", file, ""}, "Deployment.apps/ Node/ Pod/", "all kinds"},
		{[]string{"tree", "-f", file, "dep"}, "Deployment.apps/", "a kind in any case"},
		{[]string{"plan", "-f", file, "Pod/"}, "Pod/other/two Pod/shop/one", "the objects of a kind"},
		{[]string{"plan", "-f", file, "Pod/shop/one", "Node/"}, "Node/n", "several objects"},
		{[]string{"tree", "-f", file, "Pod/shop/one", ""}, "", "tree takes one object"},
		{[]string{"tree", "-f", "/nowhere", ""}, "", "no file"},
		{[]string{"delete", ""}, "", "no store"},
	} {
		got := call(t, "", append([]string{"__complete"}, c.args...)...)
		lines := strings.Split(strings.TrimSpace(got.stdout), "\n")
		if list := strings.Join(lines[:len(lines)-1], " "); got.code != 0 || list != c.want {
			t.Errorf("%v: exit %d, %q, want %q: %s\n%s", c.args, got.code, list, c.want, c.reason, got.stderr)
		}
	}
}

// TestPluginComplete checks the same for a cluster.
func TestPluginComplete(t *testing.T) {
	flags := newCluster().serve(t)
	for _, c := range []struct{ typed, want, reason string }{
		{"depl", "deployments.apps/\n", "a type of the server"},
		{"deploy/", "deploy/cart\ndeploy/web\n", "the objects in the namespace, by the name that the user typed"},
		{"nothing/", "", "no such type"},
	} {
		got := callPlugin(t, append(append([]string{"__complete", "tree"}, flags...), c.typed)...)
		if got.code != 0 || !strings.HasPrefix(got.stdout, c.want) || c.want == "" && strings.Contains(got.stdout, "/") {
			t.Errorf("%s: exit %d, %q, want %q: %s\n%s", c.typed, got.code, got.stdout, c.want, c.reason, got.stderr)
		}
	}
}
