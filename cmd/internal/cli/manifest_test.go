package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph/internal/printing"
)

const manifests = `apiVersion: v1
kind: ConfigMap
metadata:
  name: settings
  namespace: shop
  ownerReferences:
  - apiVersion: apps/v1
    kind: Deployment
    name: cart
    blockOwnerDeletion: true
---
apiVersion: v1
kind: List
items:
- apiVersion: rbac.authorization.k8s.io/v1
  kind: ClusterRole
  metadata:
    name: cart
    ownerReferences:
    - {apiVersion: apps/v1, kind: Deployment, name: cart, uid: ""}
- apiVersion: v1
  kind: Secret
  metadata:
    name: token
    finalizers: [cleanup]
`

const cartManifest = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: cart, namespace: NAMESPACE}\n"

// TestLintManifests: files are judged before they are applied, alone and beside a dump.
func TestLintManifests(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	web := write("web.yaml", manifests)
	near, far := write("near.yaml", strings.ReplaceAll(cartManifest, "NAMESPACE", "shop")), write("far.yaml", strings.ReplaceAll(cartManifest, "NAMESPACE", "other"))
	all := write("all.json", `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"cart","namespace":"shop","uid":"u"}}`)
	none := write("none.json", `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web","namespace":"shop","uid":"u"}}`)
	strange := write("strange.yaml", "apiVersion: v1\nkind: Pod\nmetadata: {name: a, namespace: shop, ownerReferences: [{apiVersion: x.io/v1, kind: Y, name: y}]}\n")
	const role = "OG011 error ClusterRole.rbac.authorization.k8s.io/cart: owners[0].scope"
	for _, c := range []struct {
		args   []string
		want   string
		not    string
		code   int
		reason string
	}{
		{[]string{web}, "OG002 warning ConfigMap/shop/settings: owners[0].name: The files do not have the owner", "OG001", 3, "the owner may exist"},
		{[]string{web, near}, role, "settings", 3, "the owner is in another file"},
		{[]string{web}, "OG032 warning Secret/token: finalizers[0]", "", 3, "an item of a list"},
		{[]string{web, "--namespace", "shop"}, "OG032 warning Secret/shop/token: finalizers[0]", "", 3, "the namespace of objects without one"},
		{[]string{web, far}, "OG006 error ConfigMap/shop/settings: owners[0].scope", "", 3, "the owner is in another namespace"},
		{[]string{web, "-f", all}, role, "settings", 3, "the dump has the owner"},
		{[]string{web, "-f", none}, "OG001 error ConfigMap/shop/settings: owners[0].name: Neither the files nor the store have", "", 3, "the dump lists the kind"},
		{[]string{web, "-f", none, "--partial", "apps/Deployment"}, "OG002 warning ConfigMap/shop/settings", "OG001", 3, "the dump may lack the owner"},
		{[]string{web}, "\n1 error, 2 warnings in 3 objects\nowner references without a uid, judged by kind and name: 2\n", "", 3, "no reference has a UID"},
		{[]string{strange, "-f", none}, "OG002 warning Pod/shop/a: owners[0].kind", "OG009", 3, "a dump does not tell the served kinds"},
		{[]string{strange, "-f", none, "--kind", "x.io/Y"}, "OG001 error Pod/shop/a: owners[0].name", "", 3, "the caller tells that there is none"},
		{[]string{near}, "no findings in 1 object\n", "", 0, "no fault"},
		{[]string{"-o", "json", near}, `"findings": []`, "", 0, "JSON"},
		{[]string{near, near}, "name: a second object at the place of", "", 1, "a file given twice"},
		{[]string{filepath.Join(dir, "no.yaml")}, "no such file", "", 1, "no file"},
		{[]string{near, "--store", "sqlite:x.db"}, "MANIFEST and --store", "", 2, "a store has other kinds"},
		{[]string{near, "--partial", "all"}, "--partial: want a dump", "", 2, "no dump"},
		{[]string{"--namespace", "shop", "-f", all}, "no findings", "", 0, "the namespace of a dump is that of the question"},
		{[]string{"-", "-f", "-"}, "stands for standard input once", "", 2, "one input"},
		{[]string{"-"}, role, "", 3, "standard input"},
	} {
		got := call(t, manifests, append([]string{"lint"}, c.args...)...)
		out := reported(got.stdout) + got.stdout + got.stderr
		if got.code != c.code || !strings.Contains(out, c.want) || c.not != "" && strings.Contains(out, c.not) {
			t.Errorf("%v: exit %d, want %d and %q without %q: %s\n%s", c.args, got.code, c.code, c.want, c.not, c.reason, out)
		}
	}
	for _, command := range []string{"plan", "run"} {
		if got := call(t, cartManifest, command, "-f", "-"); got.code != printing.ExitFailed || !strings.Contains(got.stderr, "metadata.uid: missing") {
			t.Errorf("%s: exit %d, %s: it needs UIDs", command, got.code, got.stderr)
		}
	}
}
