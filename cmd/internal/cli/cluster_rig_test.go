package cli

import (
	"bytes"
	"regexp"
	"strings"
	"testing"
)

// callPlugin runs the program as the plugin.
func callPlugin(t testing.TB, args ...string) result {
	t.Helper()
	var stdout, stderr bytes.Buffer
	code := Run(t.Context(), Plugin, args, strings.NewReader(""), &stdout, &stderr)
	return result{code, stdout.String(), stderr.String()}
}

// The ages of a run differ.
var (
	oldAges = regexp.MustCompile(`[0-9]+ (d|h|min|s)( [0-9]+ (h|min|s))? old`)
	ages    = regexp.MustCompile(`[0-9]+[ydhms][0-9ydhms]* ago`)
	config  = regexp.MustCompile(`--kubeconfig=\S+`) // in a directory of the run
)

// steadyAges returns text without the parts that differ between runs.
func steadyAges(text string) string {
	text = instant.ReplaceAllString(text, "TIME")
	text = oldAges.ReplaceAllString(text, "AGE old")
	text = ages.ReplaceAllString(text, "AGE ago")
	text = config.ReplaceAllString(text, "--kubeconfig=FILE")
	return fences.ReplaceAllString(text, "N fences")
}

// owned returns a reference as metadata.
func owned(apiVersion, kind, name string) string {
	return `"ownerReferences":[{"apiVersion":"` + apiVersion + `","kind":"` + kind + `","name":"` + name + `","uid":"uid-` + name + `","controller":true,"blockOwnerDeletion":true}]`
}

const marked = `"deletionTimestamp":"2026-01-02T03:04:05Z","deletionGracePeriodSeconds":0`

// newCluster returns a server with a namespace that does not terminate, and with one that is
// in use.
func newCluster() *api {
	a := newAPI()
	a.put("namespaces", "shop", "")
	a.put("namespaces", "old", marked)
	for _, o := range a.of("namespaces").objects {
		o["spec"] = map[string]any{"finalizers": []string{"kubernetes"}}
	}
	a.of("namespaces").objects["/old"]["status"] = map[string]any{"conditions": []map[string]string{
		{"type": "NamespaceContentRemaining", "status": "True", "reason": "SomeResourcesRemain", "message": "Some resources are remaining: backups.example.org has 2 resource instances", "lastTransitionTime": "2026-01-02T03:04:05Z"},
		{"type": "NamespaceDeletionDiscoveryFailure", "status": "False", "reason": "ResourcesDiscovered", "message": "ok", "lastTransitionTime": "2026-01-02T03:04:05Z"},
		{"type": "NamespaceFinalizersRemaining", "status": "True", "reason": "SomeFinalizersRemain", "message": "Some content in the namespace has finalizers remaining: example.org/backup in 2 resource instances", "lastTransitionTime": "2026-01-02T03:04:05Z"},
	}}
	a.put("backups", "old/a", marked+`,"finalizers":["example.org/backup"]`)
	a.put("backups", "old/b", marked+`,"finalizers":["example.org/backup"]`)
	a.put("configmaps", "old/of-a", owned("example.org/v1", "Backup", "a"))
	a.put("deployments", "shop/cart", "")
	a.put("replicasets", "shop/cart-1", owned("apps/v1", "Deployment", "cart"))
	a.put("pods", "shop/cart-1-x", owned("apps/v1", "ReplicaSet", "cart-1"))
	a.put("pods", "shop/cart-1-y", owned("apps/v1", "ReplicaSet", "cart-1")+`,"finalizers":["example.org/drain"]`)
	a.put("configmaps", "shop/of-secret", owned("v1", "Secret", "token"))
	a.put("configmaps", "shop/left-behind", owned("apps/v1", "Deployment", "former"))
	a.put("deployments", "shop/web", marked+`,"finalizers":["foregroundDeletion"]`)
	a.put("pods", "shop/web-x", owned("apps/v1", "Deployment", "web")+","+marked+`,"finalizers":["example.org/drain"]`)
	return a
}
