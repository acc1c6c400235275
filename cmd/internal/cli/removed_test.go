package cli

import (
	"strings"
	"testing"
)

// TestRemovedByKubernetes: the controllers of Kubernetes take their finalizers off, and the plan names
// that. Any other finalizer stays.
func TestRemovedByKubernetes(t *testing.T) {
	claim := `{"apiVersion":"v1","kind":"PersistentVolumeClaim","metadata":{"name":"data","namespace":"n","uid":"u","finalizers":["kubernetes.io/pvc-protection"]}}`
	other := strings.Replace(claim, "kubernetes.io/pvc-protection", "x.io/y", 1)
	for _, c := range []struct {
		input  string
		args   []string
		code   int
		want   string
		reason string
	}{
		{claim, nil, 0, "kubernetes.io/pvc-protection", "the assumption has a line"},
		{claim, []string{"--stay", "kubernetes.io/pvc-protection"}, 3, "kubernetes.io/pvc-protection", "the user knows that it stays"},
		{claim, []string{"--stay", "kubernetes.io/pvc-protecton"}, 2, "", "a misspelt finalizer"},
		{other, nil, 3, "x.io/y", "a foreign finalizer stays"},
		{other, []string{"--removed", "x.io/y"}, 0, "x.io/y", "its controller takes it off"},
	} {
		got := call(t, c.input, append([]string{"plan", "pvc/data", "-f", "-"}, c.args...)...)
		if got.code != c.code || !strings.Contains(got.stdout, c.want) || c.code == 0 && strings.Contains(got.stdout, "service-cidr") {
			t.Errorf("%v: exit %d, want %d: %s\n%s%s", c.args, got.code, c.code, c.reason, got.stdout, got.stderr)
		}
	}
}
