package cli

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/ownergraph/ownergraph/internal/printing"
)

// checkText runs a command and demands an exit code, texts, and the absence of one text.
func checkText(t *testing.T, reason string, flags, args []string, code int, want []string, never string) {
	t.Helper()
	got := callPlugin(t, append(args, flags...)...)
	text := steadyAges(got.stdout)
	if got.code != code || got.stderr != "" || never != "" && strings.Contains(text, never) {
		t.Errorf("%v: exit %d, want %d without %q: %s\n%s%s", args, got.code, code, never, reason, text, got.stderr)
	}
	for _, w := range want {
		if !strings.Contains(text, w) {
			t.Errorf("%v: %q is missing: %s\n%s", args, w, reason, text)
		}
	}
}

// whole adds fields beside the metadata to an object of the fake.
func (a *api) whole(plural, at, fields string) {
	o := a.of(plural).objects[at]
	if err := json.Unmarshal([]byte("{"+fields+"}"), &o); err != nil {
		panic(err)
	}
}

// TestPluginEndingNamespace: an object in a namespace that does not terminate has the mark of the
// namespace with its conditions. Without the right to list namespaces a read of the one suffices.
func TestPluginEndingNamespace(t *testing.T) {
	const mark = "its namespace old: marked for deletion AGE ago; finalizers: spec.finalizers:kubernetes\nconditions:\n  NamespaceContentRemaining (SomeResourcesRemain): "
	a := newCluster()
	a.put("configmaps", "old/alone", "")
	a.put("namespaces", "odd", marked)
	a.put("configmaps", "odd/below", "")
	flags := a.serve(t)
	checkText(t, "no owner, and no user keeps it", flags, []string{"explain", "cm/alone", "-n", "old"}, 3, []string{"the namespace controller", mark}, "a user")
	checkText(t, "with a mark", flags, []string{"explain", "backup/a", "-n", "old"}, 3, []string{mark}, "")
	checkText(t, "in JSON too", flags, []string{"explain", "cm/alone", "-n", "old", "-o", "json"}, 3, []string{`"ending": {`, `"type": "NamespaceContentRemaining"`}, "")
	checkText(t, "a namespace without conditions", flags, []string{"explain", "cm/below", "-n", "odd"}, 3, []string{"its namespace odd: marked", "finalizers: none\nconditions: none\n"}, "")
	checkText(t, "a namespace in use", flags, []string{"explain", "deploy/cart"}, 0, nil, "its namespace")
	checkText(t, "an object outside of namespaces", flags, []string{"explain", "ns/old"}, 3, nil, "its namespace")

	a.fault = failing("list", "namespaces", forbidden("", "namespaces"))
	checkText(t, "the right to get one is enough", flags, []string{"explain", "cm/alone", "-n", "old"}, 3, []string{"the namespace controller", "its namespace old: marked for deletion; finalizers: spec.finalizers:kubernetes\nconditions:\n  NamespaceContentRemaining "}, "a user")
	a.fault = func(verb, plural string, q *http.Request) http.HandlerFunc {
		if plural == "namespaces" {
			return failing(verb, plural, forbidden("", plural))(verb, plural, q)
		}
		return nil
	}
	checkText(t, "neither list nor get", flags, []string{"explain", "cm/alone", "-n", "old"}, 0, []string{"not known:\n  whether the namespace old is marked for deletion, and takes the object along\n"}, "")
	a.fault = failing("get", "namespaces", forbidden("", "namespaces"))
	checkText(t, "the conditions are not known", flags, []string{"explain", "cm/alone", "-n", "old"}, 3, []string{"its namespace old: marked", "conditions: not known: namespaces is forbidden"}, "")
}

// TestPluginWritersOfFinalizers: the managed fields name the last writer of each finalizer of a marked
// object.
func TestPluginWritersOfFinalizers(t *testing.T) {
	const managed = `"managedFields":[{"manager":"backup-operator","operation":"Update","apiVersion":"example.org/v1","time":"2026-01-02T03:04:05Z","fieldsType":"FieldsV1","fieldsV1":{"f:metadata":{"f:finalizers":{".":{},"v:\"example.org/backup\"":{}}}}}]`
	const writer = "last writer of the finalizer example.org/backup: backup-operator (Update), AGE ago\n"
	a := newCluster()
	a.put("backups", "old/a", marked+`,"finalizers":["example.org/backup"],`+managed)
	a.put("backups", "shop/used", `"finalizers":["example.org/backup"],`+managed)
	flags := a.serve(t)
	checkText(t, "a marked object", flags, []string{"explain", "backup/a", "-n", "old"}, 3, []string{writer}, "")
	checkText(t, "in JSON too", flags, []string{"explain", "backup/a", "-n", "old", "-o", "json"}, 3, []string{`"manager": "backup-operator"`}, "")
	checkText(t, "no managed fields", flags, []string{"explain", "backup/b", "-n", "old"}, 3, nil, "last writer")
	checkText(t, "no client waits for the finalizer", flags, []string{"explain", "backup/used"}, 0, nil, "last writer")

	a.fault = func(verb, plural string, q *http.Request) http.HandlerFunc {
		if plural == "backups" && (verb == "get" || q.URL.Query().Has("fieldSelector")) {
			return failing(verb, plural, forbidden("example.org", "backups"))(verb, plural, q)
		}
		return nil
	}
	checkText(t, "the object cannot be read again", flags, []string{"explain", "backup/a", "-n", "old"}, 3, []string{"last writers of the finalizers: not known: cannot list backups.example.org: forbidden\n"}, "")
}

// TestDeadServices: an API service that is not available is named with its reason and its service,
// also one whose kinds take no part in ownership.
func TestDeadServices(t *testing.T) {
	const failure = `"status":{"conditions":[{"type":"NamespaceDeletionDiscoveryFailure","status":"True","reason":"DiscoveryFailed","message":"metrics.k8s.io/v1beta1: stale"}]}`
	a := newCluster()
	a.whole("namespaces", "/old", failure)
	a.put("apiservices", "v1.example.org", "")
	a.whole("apiservices", "/v1.example.org", `"status":{"conditions":[{"type":"Available","status":"True","reason":"Local"}]}`)
	a.put("apiservices", "v1beta1.metrics.k8s.io", "")
	a.whole("apiservices", "/v1beta1.metrics.k8s.io", `"spec":{"group":"metrics.k8s.io","version":"v1beta1","service":{"namespace":"kube-system","name":"metrics-server","port":8443}},"status":{"conditions":[{"type":"Available","status":"False","reason":"MissingEndpoints","message":"no endpoints"}]}`)
	a.put("apiservices", "v1alpha1.stats.example.org", "")
	a.whole("apiservices", "/v1alpha1.stats.example.org", `"spec":{"group":"stats.example.org","version":"v1alpha1","service":{"namespace":"kube-system","name":"stats"}}`)
	flags := a.serve(t)
	want := []string{
		"API services that are not available:\n" +
			"  v1alpha1.stats.example.org (Unknown): it has no condition Available; its service: kube-system/stats:443\n" +
			"  v1beta1.metrics.k8s.io (MissingEndpoints): no endpoints; its service: kube-system/metrics-server:8443\n",
	}
	const next = "the operators of 2 API services have to make them available, or to delete them: v1alpha1.stats.example.org (service kube-system/stats:443), v1beta1.metrics.k8s.io (service kube-system/metrics-server:8443)"
	checkText(t, "the namespace", flags, []string{"explain", "ns/old"}, 3, append(want, next), "v1.example.org (")
	checkText(t, "an object in it", flags, []string{"explain", "cm/of-a", "-n", "old"}, 3, want, "v1.example.org (")
	checkText(t, "a namespace in use", flags, []string{"explain", "ns/shop"}, 0, nil, "API services")

	a.fault = failing("list", "apiservices", forbidden("apiregistration.k8s.io", "apiservices"))
	checkText(t, "the right is missing", flags, []string{"explain", "ns/old"}, 3, []string{"API services that are not available: not known: cannot list apiservices.apiregistration.k8s.io: forbidden\n"}, "")
	a.whole("namespaces", "/old", `"status":{"conditions":[]}`)
	checkText(t, "the right is missing, and no discovery has failed", flags, []string{"explain", "ns/old"}, 3, nil, "not known: cannot list apiservices.apiregistration.k8s.io: forbidden\nremaining")
	a.fault = failing("list", "apiservices", apierrors.NewServiceUnavailable("down"))
	if got := callPlugin(t, append([]string{"explain", "ns/old"}, flags...)...); got.code != printing.ExitFound {
		t.Errorf("the server fails: exit %d\n%s", got.code, got.stderr)
	}
}
