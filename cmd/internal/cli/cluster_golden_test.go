package cli

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"
)

var topAge = regexp.MustCompile(`(ground|orphan) [0-9ydhms]+`)

// TestGolden runs each subcommand that reads, with text and JSON.
func TestGolden(t *testing.T) {
	flags := newCluster().serve(t)
	for _, c := range []struct {
		name, reason string
		code         int
		args         []string
	}{
		{"tree", "owners above and dependents below", 0, []string{"tree", "rs/cart-1"}},
		{"plan-background", "the default, with a finalizer that holds", 3, []string{"plan", "deploy/cart"}},
		{"plan-foreground", "the finalizer goes in time", 0, []string{"plan", "deployments.apps", "cart", "--cascade", "foreground", "--removed", "example.org/drain"}},
		{"plan-orphan", "the dependents stay", 0, []string{"plan", "Deployment.v1.apps/cart", "--cascade=orphan"}},
		{"plan-namespace", "its content goes along, and a finalizer holds a part", 3, []string{"plan", "ns/shop"}},
		{"explain-kept", "a chain of owners", 0, []string{"explain", "po/cart-1-x"}},
		{"explain-held", "a dependent blocks the deletion", 3, []string{"explain", "deploy/web"}},
		{"explain-garbage", "its owner is gone", 3, []string{"explain", "cm/left-behind"}},
		{"explain-namespace", "a namespace that does not terminate", 3, []string{"explain", "namespace/old"}},
		{"lint", "the faults of a namespace", 3, []string{"lint", "-n", "shop"}},
		{"top", "the cascades of all namespaces", 0, []string{"top", "-A"}},
	} {
		for _, format := range []string{"text", "json"} {
			got := callPlugin(t, append(append(c.args, "-o", format), flags...)...)
			if got.code != c.code || got.stderr != "" {
				t.Errorf("%s: exit %d, want %d: %s\n%s", c.name, got.code, c.code, c.reason, got.stderr)
			}
			if format == "json" && !json.Valid([]byte(got.stdout)) {
				t.Errorf("%s: no JSON: %.200s", c.name, got.stdout)
			}
			text := steadyAges(got.stdout)
			if c.name == "top" && format == "text" { // its ages have no word behind them
				text = strings.Join(strings.Fields(text), " ") + "\n"
				text = topAge.ReplaceAllString(text, "$1 AGE")
			}
			checkGolden(t, "cluster-"+c.name+"-"+format, text)
		}
	}
}
