package main

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
	golden, err := os.ReadFile("../kubectl-ownergraph/testdata/explain-namespace-text.golden")
	if err != nil {
		t.Fatal(err)
	}
	got := call(t, old, "explain", "namespace/old", "-f", "-")
	first, conditions, found := strings.Cut(string(golden), "marked for deletion ")
	_, conditions, _ = strings.Cut(conditions, "conditions:")
	want := first + "conditions:" + strings.ReplaceAll(conditions, "marked AGE ago", "marked at 2026-01-02T03:04:05Z")
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
		{[]string{"plan", "namespace/old"}, 3, "its members are not gone (example.org/Backup: 2 left)", "grace period", "the content goes along"},
		{[]string{"run", "namespace/old"}, 3, "its members are not gone (example.org/Backup: 2 left)", "grace period", "a run does the work of the controller"},
	} {
		got := call(t, old, append(c.args, "-f", "-")...)
		if got.code != c.code || !strings.Contains(got.stdout, c.want) || strings.Contains(got.stdout, c.never) {
			t.Errorf("%v: exit %d, want %d, %q and no %q: %s\n%s%s", c.args, got.code, c.code, c.want, c.never, c.reason, got.stdout, got.stderr)
		}
	}
}
