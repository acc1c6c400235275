package cli

import (
	"encoding/json"
	"strings"
	"testing"
)

// tenancy is a tenant that owns a namespace with content, and a definition with instances there.
// An object of an instance has a finalizer.
const tenancy = `{"apiVersion":"x.io/v1","kind":"Tenant","metadata":{"name":"blue","uid":"t","resourceVersion":"1"}}
{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"app","uid":"n","resourceVersion":"1","ownerReferences":[{"apiVersion":"x.io/v1","kind":"Tenant","name":"blue","uid":"t"}]},"spec":{"finalizers":["kubernetes"]}}
{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web","namespace":"app","uid":"d","resourceVersion":"1"}}
{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"certs.y.io","uid":"c","resourceVersion":"1"},"spec":{"group":"y.io","scope":"Namespaced","names":{"kind":"Cert","plural":"certs"}}}
{"apiVersion":"y.io/v1","kind":"Cert","metadata":{"name":"a","namespace":"other","uid":"a","resourceVersion":"1"}}
{"apiVersion":"v1","kind":"Secret","metadata":{"name":"tls","namespace":"other","uid":"s","resourceVersion":"1","ownerReferences":[{"apiVersion":"y.io/v1","kind":"Cert","name":"a","uid":"a"}]}}`

// TestRunOfContainers: a run does the work of the actors of containers, so it ends as planned. The
// tree has the same objects as the plan.
func TestRunOfContainers(t *testing.T) {
	held := strings.Replace(tenancy, `"name":"web",`, `"name":"web","finalizers":["x.io/drain"],`, 1)
	for _, c := range []struct {
		input, target string
		code          int
		plan, run     string
		below         string
		reason        string
	}{
		{tenancy, "tenant/blue", 0, "assumed: the namespace controller deletes 1 member of containers that go\n", "1  Deployment.apps: deleted by the namespace controller\n", "2 objects below it\n", "a namespace below the target"},
		{tenancy, "namespace/app", 0, "- Namespace/app\n  - Deployment.apps/app/web\nassumed: the namespace controller deletes 1 member of containers that go\n", "of the actors of containers: 2 writes\n", "1 object below it\n", "a namespace"},
		{tenancy, "customresourcedefinition/certs.y.io", 0, "assumed: the API server deletes 1 member of containers that go\n", "1  Cert.y.io: deleted by the API server\n", "2 objects below it\n", "a definition, with an object below an instance"},
		{held, "tenant/blue", 3, "! Namespace/app stays: the finalizer spec.finalizers:kubernetes holds it\n", "Deployment.apps/app/web: finalizers hold it (x.io/drain)\n", "2 objects below it\n", "a member that stays"},
	} {
		for _, q := range []struct {
			command, want string
			code          int
		}{{"plan", c.plan, c.code}, {"run", c.run, c.code}, {"run", "  as planned\n", c.code}, {"tree", c.below, 0}} {
			got := call(t, c.input, q.command, c.target, "-f", "-")
			if got.code != q.code || !strings.Contains(got.stdout, q.want) {
				t.Errorf("%s %s: exit %d, want %d and %q: %s\n%s%s", q.command, c.target, got.code, q.code, q.want, c.reason, got.stdout, got.stderr)
			}
		}
	}
	got := call(t, tenancy, "tree", "tenant/blue", "-f", "-", "-o", "json")
	var out struct {
		Objects    []struct{ Name string }
		Containers []struct {
			Key     struct{ Kind, Name string }
			Actor   string
			Members int
		}
	}
	if err := json.Unmarshal([]byte(got.stdout), &out); err != nil || len(out.Objects) != 3 || out.Objects[0].Name != "blue" || len(out.Containers) != 1 || out.Containers[0].Actor != "the namespace controller" || out.Containers[0].Members != 1 {
		t.Errorf("JSON: error %v\n%s%s", err, got.stdout, got.stderr)
	}
}
