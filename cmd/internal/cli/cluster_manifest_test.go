package cli

import (
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph/internal/printing"
)

// manifest is an object of a file with an owner that has no UID.
func manifest(namespace, kind, owner string) string {
	return "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n" + namespace + "  ownerReferences: [{apiVersion: apps/v1, kind: " + kind + ", name: " + owner + "}]\n"
}

// TestPluginLintManifests: files are judged beside the cluster before they are applied.
func TestPluginLintManifests(t *testing.T) {
	for _, c := range []struct {
		text, want, reason string
		code               int
		args               []string
	}{
		{text: manifest("", "Deployment", "cart"), want: "no findings in 1 object\nowner references without a uid, judged by kind and name: 1\n", reason: "the cluster has the owner in the namespace of the flags"},
		{text: manifest("  namespace: old\n", "Deployment", "cart"), want: `OG006 error ConfigMap/old/a: owners[0].scope: The owner Deployment.apps/cart is in the scope "shop"`, code: 3, reason: "another namespace"},
		{text: manifest("", "Deployment", "none"), want: `OG001 error ConfigMap/shop/a: owners[0].name: Neither the files nor the store have`, code: 3, reason: "no such owner"},
		{text: manifest("", "Deployment", "late"), want: "no findings in 1 object\n", reason: "the owner is newer than its listing"},
		{text: manifest("", "Gadget", "a"), want: `OG009 error ConfigMap/shop/a: owners[0].kind`, code: 3, reason: "the server does not serve the kind"},
		{text: manifest("  namespace: none\n", "Deployment", "cart"), want: `OG031 error ConfigMap/none/a: scope: No Namespace has`, code: 3, reason: "no such namespace"},
		{text: "# only a comment\n---\n" + manifest("", "Deployment", "none"), want: "OG001", code: 3, reason: "documents"},
		{text: `{"apiVersion":"v1","kind":"Pod","metadata":{"finalizers":["x"]}}`, want: "OG016 error Pod/shop/\"\": name: ", code: 3, reason: "JSON"},
		{text: "kind: Pod\nkind: Pod\n", want: "given twice", code: 1, reason: "a field twice"},
		{text: manifest("", "Deployment", "cart"), want: "-A and -f: want one of them", code: 2, reason: "no namespace of the flags", args: []string{"-A"}},
	} {
		a := newCluster()
		hidden := true
		a.fault = func(verb, plural string, q *http.Request) http.HandlerFunc {
			if verb != "list" || plural != "deployments" || !hidden {
				return nil
			}
			return func(w http.ResponseWriter, q *http.Request) {
				a.list(w, q, a.of("deployments"), "")
				a.put("deployments", "shop/late", "")
				a.mu.Lock()
				hidden = false
				a.mu.Unlock()
			}
		}
		file := filepath.Join(t.TempDir(), "a.yaml")
		if err := os.WriteFile(file, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		got := callPlugin(t, slices.Concat([]string{"lint", "-f", file}, c.args, a.serve(t))...)
		if got.code != c.code || !strings.Contains(reported(got.stdout)+got.stdout+got.stderr, c.want) {
			t.Errorf("exit %d, want %d and %q: %s\n%s%s", got.code, c.code, c.want, c.reason, got.stdout, got.stderr)
		}
	}
}

// TestLintManifestsWithoutRights: an owner of a kind that is not listed may exist.
func TestLintManifestsWithoutRights(t *testing.T) {
	a := newCluster()
	a.fault = func(verb, plural string, _ *http.Request) http.HandlerFunc {
		if verb == "list" && plural == "deployments" {
			return func(w http.ResponseWriter, _ *http.Request) { writeError(w, forbidden("", plural)) }
		}
		return nil
	}
	file := filepath.Join(t.TempDir(), "a.yaml")
	if err := os.WriteFile(file, []byte(manifest("", "Deployment", "none")), 0o600); err != nil {
		t.Fatal(err)
	}
	got := callPlugin(t, append([]string{"lint", "-f", file}, a.serve(t)...)...)
	if got.code != printing.ExitFound || !strings.Contains(reported(got.stdout), "OG002 warning ConfigMap/shop/a: ") || !strings.Contains(got.stdout, "cannot list deployments.apps: forbidden") || strings.Contains(got.stdout, "OG001") {
		t.Errorf("exit %d\n%s%s", got.code, got.stdout, got.stderr)
	}
}

// TestManifestDocuments: each document of a file is judged, for every mark of its end. A decoder
// that reads one document drops the text behind it.
func TestManifestDocuments(t *testing.T) {
	pods := []string{"apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n", "apiVersion: v1\nkind: Pod\nmetadata: {name: b}\n"}
	for _, end := range []string{"---\n", "---\t# the next\n", "...\n", "...\t# the next\n", "...\n---\n"} {
		for _, line := range []string{"\n", "\r\n", "\r"} {
			text := "\ufeff" + strings.ReplaceAll(pods[0]+end+pods[1], "\n", line)
			a := newApp(Plugin, strings.NewReader(text), nil, nil)
			got, err := a.readManifests("-")
			if err != nil || len(got.Objects) != 2 || got.Objects[1].Name != "b" {
				t.Errorf("%q, lines end with %q: %v, error %v, want two pods", end, line, got.Objects, err)
			}
		}
	}
	a := newApp(Plugin, strings.NewReader(pods[0]+"... b: 2\n"), nil, nil)
	if got, err := a.readManifests("-"); err == nil {
		t.Errorf("text behind the end of a document: %v", got)
	}
}
