package cli

import (
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph/internal/printing"
)

// TestPluginHelp: each command has an example, and its texts say "kubectl ownergraph".
func TestPluginHelp(t *testing.T) {
	root := newApp(Plugin, nil, nil, nil).command()
	for _, cmd := range append(root.Commands(), root) {
		if cmd.Name() == "help" || cmd.Name() == "completion" {
			continue
		}
		if !strings.Contains(cmd.Example, "kubectl ownergraph "+strings.TrimPrefix(cmd.Name(), "kubectl-ownergraph")) {
			t.Errorf("%s: the example is %q", cmd.Name(), cmd.Example)
		}
		if usage := cmd.UsageString(); strings.Contains(usage, "kubectl-ownergraph") || !strings.Contains(usage, "kubectl ownergraph") {
			t.Errorf("%s: the usage is\n%s", cmd.Name(), usage)
		}
		if lines := strings.Split(cmd.Long, "\n"); len(lines) > 25 {
			t.Errorf("%s: %d lines", cmd.Name(), len(lines))
		}
	}
}

// TestPluginExitCodes: wrong usage is 2, and a failure is 1. TestGolden has 0 and 3.
func TestPluginExitCodes(t *testing.T) {
	flags := newCluster().serve(t)
	for _, c := range []struct {
		args   []string
		code   int
		want   string
		reason string
	}{
		{[]string{}, 0, "", "the help"},
		{[]string{"--version"}, 0, "", "the version"},
		{[]string{"completion", "bash"}, 0, "", "completion"},
		{[]string{"trees"}, 2, "unknown command", "no such subcommand"},
		{[]string{"tree", "--nope"}, 2, "unknown flag", "no such flag"},
		{[]string{"tree", "deploy/cart", "-o", "yaml"}, 2, "want text, json, dot, mermaid or svg", "no such format"},
		{[]string{"explain", "deploy/cart", "--try-removal", "-o", "svg"}, 2, "--try-removal: a picture has no dry run", "a picture of an answer"},
		{[]string{"lint", "-o", "svg"}, 2, "no picture", "a picture of findings"},
		{[]string{"plan", "deploy/cart", "--cascade", "none"}, 2, "want background, foreground or orphan", "no such propagation"},
		{[]string{"tree", "deploy/cart", "--request-timeout", "soon"}, 1, "Invalid timeout value", "no such time"},
		{[]string{"tree", "deploy/cart", "--context", "none"}, 1, "context", "no such context"},
		{[]string{"pause", "-A"}, 2, "--record is missing", "a pause without a record"},
		{[]string{"pause", "--record", "a/ownergraph-b"}, 2, "want one of --all or -A", "a pause without a range"},
		{[]string{"pause", "--record", "a/ownergraph-b", "-n", ""}, 2, "the namespace is empty", "an unset variable of a shell is not the objects without a namespace"},
		{[]string{"gc", "--act", "-n", "shop"}, 2, "gc has no -n", "it would act outside of the namespace"},
		{[]string{"pause", "--record", "b", "-A"}, 2, "want NAMESPACE/ownergraph-NAME", "no name of a record"},
		{[]string{"approve"}, 2, "want OBJECT for a guard", "an approval of nothing"},
		{[]string{"approve", "deploy/cart"}, 2, "want --fingerprint, or --at-most", "an approval without a bound"},
		{[]string{"approve", "deploy/cart", "--record", "a/ownergraph-b"}, 2, "want one of them", "two approvals"},
		{[]string{"approve", "--record", "a/ownergraph-b", "--all"}, 2, "want --at-most", "a brake without a bound"},
		{[]string{"gc", "--retire", "x"}, 2, "unknown flag", "a command of another program"},
		{[]string{"lint", "--ignore", "/nowhere"}, 1, "/nowhere", "no such file"},
	} {
		got := callPlugin(t, append(c.args, flags...)...)
		if got.code != c.code || !strings.Contains(got.stderr, c.want) {
			t.Errorf("%v: exit %d, want %d and %q: %s\n%s", c.args, got.code, c.code, c.want, c.reason, got.stderr)
		}
	}
}

// TestTimeout: --request-timeout bounds a read, and its error says so.
func TestTimeout(t *testing.T) {
	a := newCluster()
	flags := a.serve(t)
	if got := callPlugin(t, append([]string{"tree", "deploy/cart"}, flags...)...); got.code != printing.ExitDone { // discovery is cached now
		t.Fatal(got.stderr)
	}
	got := callPlugin(t, append([]string{"tree", "deploy/cart", "--request-timeout", "1ns"}, flags...)...)
	if got.code != printing.ExitFailed || !strings.Contains(got.stderr, "--request-timeout 1ns") {
		t.Errorf("exit %d\n%s", got.code, got.stderr)
	}
}
