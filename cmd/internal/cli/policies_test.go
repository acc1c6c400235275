package cli

import (
	"strings"
	"testing"
)

// TestPoliciesFlag: each subcommand that judges objects has the flag, and lint takes it.
func TestPoliciesFlag(t *testing.T) {
	for _, c := range []struct {
		args   []string
		reason string
	}{
		{[]string{"lint", "-f", "-", "--policies"}, "lint counts no dormant policy then"},
		{[]string{"plan", "-f", "-", "--policies", "deploy/shop/web"}, "a plan follows the policies"},
		{[]string{"explain", "-f", "-", "--policies", "pod/shop/one"}, "an explanation does so, too"},
	} {
		if got := call(t, shopDump, c.args...); strings.Contains(got.stderr, "unknown flag") || got.stdout == "" {
			t.Errorf("%v: exit %d: %s\n%s%s", c.args, got.code, c.reason, got.stdout, got.stderr)
		}
	}
}
