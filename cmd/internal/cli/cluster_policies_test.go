package cli

import (
	"encoding/json"
	"strings"
	"testing"
)

// annotatedWith returns the annotation with one reference to the Deployment cart, as metadata of the
// ConfigMap with the name.
func annotatedWith(t *testing.T, name, onDelete string) string {
	value, err := json.Marshal(`{"dependent":{"kind":"ConfigMap","namespace":"shop","name":"` + name + `"},"references":[
		{"apiVersion":"apps/v1","kind":"Deployment","name":"cart","uid":"uid-cart","onDelete":"` + onDelete + `"}]}`)
	if err != nil {
		t.Fatal(err)
	}
	return `"annotations":{"example.org/note":"x","ownergraph.github.io/owner-references":` + string(value) + `}`
}

// TestClusterPolicies: the answers about a cluster have the policies of its annotations as stored. The
// flag --policies lets them act, as in the collectors of the cluster.
func TestClusterPolicies(t *testing.T) {
	a := newCluster()
	a.put("configmaps", "shop/cascades", annotatedWith(t, "cascades", "cascade"))
	a.put("configmaps", "shop/released", annotatedWith(t, "released", "release"))
	a.put("configmaps", "shop/copied", annotatedWith(t, "cascades", "cascade"))
	a.put("configmaps", "shop/unread", annotatedWith(t, "unread", "later"))
	flags := a.serve(t)
	for _, c := range []struct {
		args   []string
		want   []string
		never  []string
		reason string
	}{
		{[]string{"plan", "--policies", "deploy/cart"}, []string{"ConfigMap/shop/cascades"}, []string{"copied", "unread"}, "a cascade deletes"},
		{[]string{"tree", "deploy/cart"}, []string{"ConfigMap/shop/cascades", "cascade", "ConfigMap/shop/released", "release"}, []string{"copied"}, "the policies are shown"},
		{[]string{"explain", "--policies", "cm/unread"}, []string{"owner-references: references[0].onDelete: \"later\" is unknown"}, []string{"whether "}, "the fault has its field"},
		{[]string{"explain", "cm/cascades"}, []string{"owners[0].onDelete: cascade, and Config.Policies is off"}, nil, "without the flag it is held"},
		{[]string{"explain", "--policies", "cm/cascades"}, []string{"cascade"}, []string{"Config.Policies is off"}, "with it the owner decides"},
		{[]string{"lint", "-A", "--policies"}, []string{"OG016", "owner-references: references[0].onDelete"}, []string{"kept until Kubernetes' collector can resolve the owner"}, "a finding names the fault"},
	} {
		got := callPlugin(t, append(c.args, flags...)...)
		for _, want := range c.want {
			if !strings.Contains(got.stdout, want) {
				t.Errorf("%v: %s: %q is missing, exit %d\n%s%s", c.args, c.reason, want, got.code, got.stdout, got.stderr)
			}
		}
		for _, never := range c.never {
			if strings.Contains(got.stdout, never) {
				t.Errorf("%v: %s: %q is there\n%s", c.args, c.reason, never, got.stdout)
			}
		}
	}
}
