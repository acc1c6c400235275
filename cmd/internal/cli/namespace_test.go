package cli

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
)

// old is the namespace of the plugin's golden files as kubectl prints it.
const old = `{"apiVersion":"v1","kind":"List","items":[
{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"old","uid":"uid-old",` + dead + `},"spec":{"finalizers":["kubernetes"]},"status":{"conditions":[
{"type":"NamespaceFinalizersRemaining","status":"True","reason":"SomeFinalizersRemain","message":"Some content in the namespace has finalizers remaining: example.org/backup in 2 resource instances","lastTransitionTime":"2026-01-02T03:04:05Z"},
{"type":"NamespaceDeletionDiscoveryFailure","status":"False","reason":"ResourcesDiscovered","message":"ok"},
{"type":"NamespaceContentRemaining","status":"True","reason":"SomeResourcesRemain","message":"Some resources are remaining: backups.example.org has 2 resource instances","lastTransitionTime":"2026-01-02T03:04:05Z"}]}},
{"apiVersion":"example.org/v1","kind":"Backup","metadata":{"name":"a","namespace":"old","uid":"uid-a","finalizers":["example.org/backup"],` + dead + `}},
{"apiVersion":"example.org/v1","kind":"Backup","metadata":{"name":"b","namespace":"old","uid":"uid-b","finalizers":["example.org/backup"],` + dead + `}},
{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"of-a","namespace":"old","uid":"uid-of-a",
"ownerReferences":[{"apiVersion":"example.org/v1","kind":"Backup","name":"a","uid":"uid-a","controller":true,"blockOwnerDeletion":true}]}}]}`

const dead = `"deletionTimestamp":"2026-01-02T03:04:05Z","deletionGracePeriodSeconds":0`

// TestTerminatingNamespace: a namespace of a dump has the explanation that the plugin has of the
// same namespace in a cluster.
func TestTerminatingNamespace(t *testing.T) {
	golden, err := os.ReadFile("testdata/cluster-explain-namespace-text.golden")
	if err != nil {
		t.Fatal(err)
	}
	got := call(t, old, "explain", "namespace/old", "-f", "-")
	// The plugin has two more lines: the mark of the namespace, and the number of dependents.
	want, rest, found := strings.Cut(string(golden), "marked for deletion ")
	found = found && strings.Count(rest, "\n") == 2 && strings.Contains(rest, "\ndependents: ")
	want = strings.ReplaceAll(want, "AGE ago", "at 2026-01-02T03:04:05Z")
	want = strings.ReplaceAll(want, "kubectl --kubeconfig=FILE ", "kubectl ")
	if got.code != 3 || !found || got.stdout != want {
		t.Errorf("exit %d:\n%s%swant\n%s", got.code, got.stdout, got.stderr, want)
	}
	got = call(t, old, "explain", "namespace/old", "-f", "-", "-o", "json")
	var out struct {
		Schema    string
		Namespace struct {
			Conditions []struct{ Type string }
			Next       []string
		}
	}
	if err := json.Unmarshal([]byte(got.stdout), &out); err != nil || got.code != 3 || out.Schema != "ownergraph.explain-namespace/v1" ||
		len(out.Namespace.Conditions) != 2 || len(out.Namespace.Next) != 2 {
		t.Errorf("JSON: exit %d, %v, %+v", got.code, err, out)
	}
	for _, c := range []struct {
		args   []string
		code   int
		want   string
		never  string
		reason string
	}{
		{[]string{"lint"}, 3, `It keeps the finalizer "spec.finalizers:kubernetes".`, "no finalizer", "lint knows the finalizer"},
		{[]string{"plan", "namespace/old"}, 3, "! Namespace/old stays: the finalizer spec.finalizers:kubernetes holds it\n  - ConfigMap/old/of-a\n", "grace period", "the content goes along"},
		{[]string{"tree", "namespace/old"}, 0, "3 members end with it, by the namespace controller", "0 objects below", "the tree has the content"},
		{[]string{"run", "namespace/old"}, 3, "1  ConfigMap: deleted by the namespace controller", "grace period", "a run does the work of the controller"},
	} {
		got := call(t, old, append(c.args, "-f", "-")...)
		if got.code != c.code || !strings.Contains(got.stdout, c.want) || strings.Contains(got.stdout, c.never) {
			t.Errorf("%v: exit %d, want %d, %q and no %q: %s\n%s%s", c.args, got.code, c.code, c.want, c.never, c.reason, got.stdout, got.stderr)
		}
	}
}

// TestEndingNamespace: an object in a namespace of a dump that does not terminate has the mark of the
// namespace with its conditions.
func TestEndingNamespace(t *testing.T) {
	const mark = "its namespace old: marked for deletion at 2026-01-02T03:04:05Z; finalizers: spec.finalizers:kubernetes\nconditions:\n  NamespaceContentRemaining (SomeResourcesRemain): "
	alone := strings.Replace(old, `"items":[`, `"items":[{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"alone","namespace":"old","uid":"uid-alone"}},`, 1)
	for _, c := range []struct {
		dump, object, want, never string
		code                      int
		reason                    string
	}{
		{alone, "configmap/old/alone", mark, "a user", 3, "no owner, and no user keeps it"},
		{alone, "backup/old/a", mark, "", 3, "with a mark"},
		{strings.ReplaceAll(alone, `"uid":"uid-old",`+dead, `"uid":"uid-old"`), "configmap/old/alone", "a user", "its namespace", 0, "a namespace in use"},
	} {
		got := call(t, c.dump, "explain", c.object, "-f", "-")
		if got.code != c.code || !strings.Contains(got.stdout, c.want) || c.never != "" && strings.Contains(got.stdout, c.never) {
			t.Errorf("%s: exit %d, want %d, %q and no %q: %s\n%s%s", c.object, got.code, c.code, c.want, c.never, c.reason, got.stdout, got.stderr)
		}
	}
}

// TestWritersOfFinalizers: the managed fields of a dump name the last writer of each finalizer of a
// marked object.
func TestWritersOfFinalizers(t *testing.T) {
	const managed = `"managedFields":[{"manager":"backup-operator","operation":"Apply","subresource":"status","time":"2026-01-02T03:04:05Z","fieldsV1":{"f:metadata":{"f:finalizers":{"v:\"example.org/backup\"":{}}}}}],`
	const writer = "last writer of the finalizer example.org/backup: backup-operator (Apply of status), at 2026-01-02T03:04:05Z\n"
	text := strings.Replace(old, `"uid":"uid-a",`, `"uid":"uid-a",`+managed, 1)
	got := call(t, text, "explain", "backup/old/a", "-f", "-")
	if got.code != 3 || !strings.Contains(got.stdout, writer) {
		t.Errorf("exit %d, want %q\n%s%s", got.code, writer, got.stdout, got.stderr)
	}
	got = call(t, old, "explain", "backup/old/a", "-f", "-")
	if got.code != 3 || strings.Contains(got.stdout, "last writer") {
		t.Errorf("no managed fields: exit %d\n%s%s", got.code, got.stdout, got.stderr)
	}
	got = call(t, strings.ReplaceAll(old, `"uid":"uid-old",`, `"uid":"uid-old","finalizers":["example.org/backup"],`+managed), "explain", "namespace/old", "-f", "-")
	if got.code != 3 || !strings.Contains(got.stdout, writer) {
		t.Errorf("a namespace: exit %d, want %q\n%s%s", got.code, writer, got.stdout, got.stderr)
	}
}
