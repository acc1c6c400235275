package cli

import (
	"strings"
	"testing"
)

// TestFactsOfOneNamespace: the facts that stay unknown are those of the namespace. An output has a
// bound, and the facts of other namespaces would displace them.
func TestFactsOfOneNamespace(t *testing.T) {
	a := newCluster()
	a.put("configmaps", "aaa/strange", owned("nosuch.example.org/v1", "Strange", "other"))
	a.put("configmaps", "shop/strange", owned("nosuch.example.org/v1", "Strange", "ours"))
	flags := a.serve(t)
	for _, command := range []string{"lint", "top"} {
		text := callPlugin(t, append([]string{command, "-n", "shop"}, flags...)...).stdout
		if !strings.Contains(text, "whether Strange.nosuch.example.org/ours exists") || strings.Contains(text, "Strange.nosuch.example.org/other") {
			t.Errorf("%s: the facts are those of other namespaces:\n%s", command, text)
		}
	}
}
