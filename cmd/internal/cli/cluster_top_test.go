package cli

import (
	"regexp"
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph/internal/printing"
)

// TestTop: a ring of marked objects is a cascade, and so is one in the namespace with a root
// outside. An object below two dependents of an owner that is gone counts once.
func TestTop(t *testing.T) {
	a := newAPI()
	a.put("namespaces", "shop", "")
	a.put("configmaps", "shop/one", owned("v1", "ConfigMap", "two")+","+marked+`,"finalizers":["x/y"]`)
	a.put("configmaps", "shop/two", owned("v1", "ConfigMap", "one")+","+marked+`,"finalizers":["x/y"]`)
	a.put("configmaps", "shop/of-global", owned("apiregistration.k8s.io/v1", "APIService", "former"))
	a.put("pods", "shop/left", owned("apps/v1", "Deployment", "former-too"))
	a.put("pods", "shop/right", owned("apps/v1", "Deployment", "former-too"))
	both := `{"apiVersion":"v1","kind":"Pod","name":"left","uid":"uid-left"},{"apiVersion":"v1","kind":"Pod","name":"right","uid":"uid-right"}`
	a.put("pods", "shop/below", `"ownerReferences":[`+both+`]`)
	a.put("configmaps", "shop/kept", marked+`,"finalizers":["orphan"]`)
	a.put("pods", "shop/stays", owned("v1", "ConfigMap", "kept"))
	a.put("pods", "shop/stays-too", owned("v1", "ConfigMap", "kept"))
	got := callPlugin(t, append([]string{"top", "-n", "shop"}, a.serve(t)...)...)
	for _, c := range []struct{ want, reason string }{
		{`ConfigMap/shop/one +background +\S+ +2 +2 +2 +x/y on ConfigMap/shop/one`, "the first object of the ring stands for it"},
		{`APIService.apiregistration.k8s.io/former +gone +- +1 +0 +0 +-`, "the root is outside of the namespace"},
		{`ConfigMap/shop/kept +orphan +\S+ +1, 2 references +1 +0 +-`, "an orphan deletion leaves its dependents"},
		{`Deployment.apps/shop/former-too +gone +- +3 +0 +0 +-`, "the pod below two others counts once"},
	} {
		if got.code != printing.ExitDone || !regexp.MustCompile(c.want).MatchString(got.stdout) {
			t.Errorf("want %q: exit %d: %s\n%s%s", c.want, got.code, c.reason, got.stdout, got.stderr)
		}
	}
	if strings.Contains(got.stdout, "ConfigMap/shop/two") {
		t.Errorf("the ring is there twice:\n%s", got.stdout)
	}
}

// TestTopOnce: an object has one row. A dependent with a mark belongs to the owner that is gone,
// and two references to one owner in different words lead to one row.
func TestTopOnce(t *testing.T) {
	a := newAPI()
	a.put("namespaces", "shop", "")
	a.put("configmaps", "shop/one", owned("apps/v1", "Deployment", "former")+","+marked+`,"finalizers":["x/y"]`)
	a.put("configmaps", "shop/two", `"ownerReferences":[{"apiVersion":"apps/v1","kind":"ReplicaSet","name":"former","uid":"uid-former"}]`)
	got := callPlugin(t, append([]string{"top", "-n", "shop"}, a.serve(t)...)...)
	if got.code != printing.ExitDone || strings.Count(got.stdout, "\n") != 2 || !regexp.MustCompile(`/shop/former +gone +- +2 +1 +1 +x/y on ConfigMap/shop/one\n`).MatchString(got.stdout) {
		t.Errorf("exit %d\n%s%s", got.code, got.stdout, got.stderr)
	}
}
