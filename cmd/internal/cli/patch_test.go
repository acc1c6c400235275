package cli

import (
	"encoding/json"
	"strings"
	"testing"
)

// leftOver is a dump with a reference to another namespace beside a right one, and with a global
// object of a namespaced owner. Operators leave such references.
const leftOver = `{"apiVersion":"x.io/v1","kind":"CSV","metadata":{"name":"op","uid":"c","resourceVersion":"1","namespace":"olm"}}
{"apiVersion":"x.io/v1","kind":"Group","metadata":{"name":"g","uid":"g","resourceVersion":"1","namespace":"team"}}
{"apiVersion":"v1","kind":"ServiceAccount","metadata":{"name":"sa","uid":"s","resourceVersion":"8","namespace":"team","ownerReferences":[
	{"apiVersion":"x.io/v1","kind":"Group","name":"g","uid":"g"},{"apiVersion":"x.io/v1","kind":"CSV","name":"op","uid":"c"}]}}
{"apiVersion":"rbac.authorization.k8s.io/v1","kind":"ClusterRole","metadata":{"name":"op-role","uid":"r","resourceVersion":"9","ownerReferences":[
	{"apiVersion":"x.io/v1","kind":"CSV","name":"op","uid":"c"}]}}`

// TestLintPatch: exactly the wrong references have a patch, as a line for a shell.
func TestLintPatch(t *testing.T) {
	const account = `kubectl patch --namespace=team ServiceAccount/sa --type=json '--patch=[{"op":"test","path":"/metadata/uid","value":"s"},{"op":"test","path":"/metadata/resourceVersion","value":"8"},` +
		`{"op":"test","path":"/metadata/ownerReferences/1/uid","value":"c"},{"op":"remove","path":"/metadata/ownerReferences/1"}]'` + "\n"
	const role = `kubectl patch ClusterRole.rbac.authorization.k8s.io/op-role --type=json '--patch=[{"op":"test","path":"/metadata/uid","value":"r"},{"op":"test","path":"/metadata/resourceVersion","value":"9"},` +
		`{"op":"test","path":"/metadata/ownerReferences/0/uid","value":"c"},{"op":"remove","path":"/metadata/ownerReferences/0"}]'` + "\n"
	for _, c := range []struct {
		args   []string
		want   string
		code   int
		reason string
	}{
		{[]string{"-f", "-", "--patch"}, "2 errors in 4 objects\npatches: 2\n" + account + role, 3, "both kinds of left-over references"},
		{[]string{"-f", "-", "--patch", "--partial", "x.io/CSV"}, "2 errors in 4 objects\npatches: 0\nleft: ServiceAccount/team/sa: owners[1]: the owner's kind is not listed in full\n" +
			"left: ClusterRole.rbac.authorization.k8s.io/op-role: owners[0]: the owner's kind is not listed in full\n", 3, "the dump may lack owners"},
		{[]string{"--store", "sqlite:" + t.TempDir() + "/a.db", "--patch"}, "--patch: want a dump with -f", 2, "only Kubernetes takes the patch"},
		{[]string{"-f", "-", "--patch", "x.yaml"}, "--patch and --apply: want no MANIFEST", 2, "files have no version"},
	} {
		got := call(t, leftOver, append([]string{"lint"}, c.args...)...)
		if got.code != c.code || !strings.Contains(got.stdout+got.stderr, c.want) {
			t.Errorf("%v: exit %d, want %d: %s\n%s%s, want\n%s", c.args, got.code, c.code, c.reason, got.stdout, got.stderr, c.want)
		}
	}
	got := call(t, leftOver, "lint", "-f", "-", "--patch", "-o", "json")
	var out struct {
		Schema  string
		Report  struct{ Findings []json.RawMessage }
		Patches []struct {
			Object, Command string
			Patch           []struct{ Op, Path, Value string }
		}
		Left []json.RawMessage
	}
	if err := json.Unmarshal([]byte(got.stdout), &out); err != nil || out.Schema != "ownergraph.lint-patches/v1" || len(out.Report.Findings) != 2 || len(out.Patches) != 2 || len(out.Patches[1].Patch) != 4 || out.Left == nil {
		t.Errorf("error %v, exit %d:\n%s%s", err, got.code, got.stdout, got.stderr)
	}
}
