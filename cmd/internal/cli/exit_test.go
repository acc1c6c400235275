package cli

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/ownergraph/ownergraph/internal/printing"
)

// TestExitCodes: 0 done, 1 failed, 2 wrong usage, 3 findings or held objects. A run that
// fails writes nothing to standard output, and gives a reason.
func TestExitCodes(t *testing.T) {
	dir := t.TempDir()
	ignore := filepath.Join(dir, "ignore")
	if err := os.WriteFile(ignore, []byte("OG001\nOG006 # moved\nOG011\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	missing := filepath.Join(dir, "missing")
	for _, c := range []struct {
		reason string
		code   int
		stderr string
		args   []string
	}{
		{"no finding", 0, "", []string{"lint", "-f", cluster, "--ignore", ignore}},
		{"findings", 3, "", []string{"lint", "-f", cluster}},
		{"a held object", 3, "", []string{"plan", "-f", cluster}},
		{"help is no mistake", 0, "", []string{"--help"}},
		{"no file", 1, "missing", []string{"lint", "-f", missing}},
		{"no database, and none is made", 1, "missing", []string{"lint", "--store", "sqlite:" + missing}},
		{"no list", 1, "missing", []string{"lint", "-f", cluster, "--ignore", missing}},
		{"a directory", 1, "document 1", []string{"tree", "-f", dir, "pod/a"}},
		{"no object", 1, "find pod/none: not found", []string{"tree", "-f", cluster, "pod/none"}},
		{"several objects", 1, "ambiguous: ServiceAccount/batch/default", []string{"plan", "-f", cluster, "serviceaccount/default"}},
		{"no input", 2, "want a dump with -f, or a store with --store", []string{"lint"}},
		{"two inputs", 2, "want one of them", []string{"lint", "-f", cluster, "--store", "sqlite:x"}},
		{"no object on the line", 2, "want an object: TYPE/NAME", []string{"tree", "-f", cluster}},
		{"no name", 2, "want KIND[.GROUP]/[SCOPE/]NAME", []string{"tree", "-f", cluster, "pod"}},
		{"an unknown subcommand", 2, "unknown command", []string{"paln"}},
		{"an unknown flag", 2, "unknown flag", []string{"lint", "--x"}},
		{"an unknown format", 2, "want text or json", []string{"lint", "-f", cluster, "-o", "xml"}},
		{"an unknown format", 2, "want text, json, dot, mermaid or svg", []string{"tree", "-f", cluster, "pod/a", "-o", "png"}},
		{"lint has no picture", 2, "this subcommand has no picture: want text or json", []string{"lint", "-f", cluster, "-o", "dot"}},
		{"run has no picture", 2, "this subcommand has no picture", []string{"run", "-f", cluster, "-o", "svg"}},
		{"delete has no picture", 2, "this subcommand has no picture", []string{"delete", "pod/a", "--store", "sqlite:x", "-o", "mermaid"}},
		{"an unknown propagation", 2, "want background, foreground or orphan", []string{"plan", "-f", cluster, "--cascade", "all"}},
		{"an unset propagation", 2, "want background, foreground or orphan", []string{"plan", "-f", cluster, "--cascade", "unset"}},
		{"an unknown store", 2, "want sqlite:FILE", []string{"lint", "--store", "mysql://x"}},
		{"as package flag spells it", 2, "want sqlite:FILE", []string{"lint", "-store", "mysql://x"}},
		{"as package flag spells it", 2, "want sqlite:FILE", []string{"lint", "-store=mysql://x"}},
		{"etcd without kinds", 2, "--kind or --global-kind is missing", []string{"lint", "--store", "etcd://localhost:1"}},
		{"kinds of a database", 2, "the database has the kinds itself", []string{"lint", "--store", "sqlite:x", "--kind", "a"}},
		{"a wrong time", 2, "want a time", []string{"lint", "-f", cluster, "--at", "noon"}},
		{"an unknown partial kind", 2, "no object has that kind", []string{"lint", "-f", cluster, "--partial", "Nothing"}},
		{"a store does not need it", 2, "a store tells itself", []string{"lint", "--store", "sqlite:x", "--partial", "all"}},
		{"delete works on a store", 2, "--store is missing", []string{"delete", "pod/a"}},
		{"an act without a wait", 2, "if any flags in the group [act no-wait] are set", []string{"delete", "pod/a", "--store", "sqlite:x", "--act", "--no-wait"}},
		{"a record that nothing would obey", 2, "--record belongs to --act", []string{"delete", "pod/a", "--store", "sqlite:x", "--record", "r"}},
		{"a pause of nothing", 2, "want one of --all", []string{"pause", "--store", "sqlite:x", "--record", "r"}},
		{"a pause of two extents", 2, "want one of --all", []string{"pause", "--store", "sqlite:x", "--record", "r", "--all", "--global"}},
		{"a pause without a record", 2, "--record is missing", []string{"pause", "--store", "sqlite:x", "--all"}},
		{"an approval of anything", 2, "want --fingerprint, or --at-most", []string{"approve", "--store", "sqlite:x", "pod/a"}},
		{"an answer for a guard and a brake", 2, "OBJECT and --record: want one of them", []string{"approve", "--store", "sqlite:x", "pod/a", "--record", "r"}},
		{"an answer for nothing", 2, "want OBJECT for a guard, or --record for a brake", []string{"refuse", "--store", "sqlite:x"}},
		{"a cascade without a record", 2, "--uid belongs to --record", []string{"refuse", "--store", "sqlite:x", "pod/a", "--uid", "u"}},
		{"a time without a record", 2, "--for belongs to --record", []string{"approve", "--store", "sqlite:x", "pod/a", "--at-most", "1", "--for", "1h"}},
		{"a fingerprint for a brake", 2, "--fingerprint belongs to OBJECT", []string{"approve", "--store", "sqlite:x", "--record", "r", "--fingerprint", "f"}},
		{"a bound without a cascade", 2, "an approval needs --uid or --all", []string{"approve", "--store", "sqlite:x", "--record", "r", "--at-most", "1"}},
		{"an approval without a bound", 2, "want --at-most with a number from 1", []string{"approve", "--store", "sqlite:x", "--record", "r", "--all"}},
		{"an approval of no delete", 2, "want --at-most with a number from 1", []string{"approve", "--store", "sqlite:x", "--record", "r", "--all", "--at-most", "0"}},
		{"one cascade and all", 2, "if any flags in the group [uid all] are set none of the others can be", []string{"approve", "--store", "sqlite:x", "--record", "r", "--all", "--uid", "u", "--at-most", "1"}},
		{"a refusal without a word", 2, "want one of --keep and --orphan", []string{"refuse", "--store", "sqlite:x", "--record", "r", "--all"}},
		{"a refusal with two", 2, "want one of --keep and --orphan", []string{"refuse", "--store", "sqlite:x", "--record", "r", "--all", "--keep", "--orphan"}},
		{"a refusal without a cascade", 2, "a refusal needs --uid or --all", []string{"refuse", "--store", "sqlite:x", "--record", "r", "--keep"}},
		{"two approvals", 2, "want --fingerprint, or --at-most", []string{"approve", "--store", "sqlite:x", "pod/a", "--at-most", "1", "--fingerprint", "f"}},
	} {
		got := call(t, "", c.args...)
		if got.code != c.code || !strings.Contains(got.stderr, c.stderr) {
			t.Errorf("%v: exit %d, want %d and %q: %s\n%s%s", c.args, got.code, c.code, c.stderr, c.reason, got.stdout, got.stderr)
		}
		if (c.code == printing.ExitFailed || c.code == printing.ExitUsage) && got.stdout != "" {
			t.Errorf("%v: a failed run wrote %q", c.args, got.stdout)
		}
	}
}

// TestExitOfEach: each subcommand exits with 2 without arguments and for an unknown flag, and
// with 1 for a database that is not there. The tests of a subcommand check its exit codes 0 and
// 3.
func TestExitOfEach(t *testing.T) {
	store := "sqlite:" + filepath.Join(t.TempDir(), "missing")
	needs := map[string][]string{
		"plan": nil, "lint": nil, "run": nil, "tree": {"pod/a"}, "explain": {"pod/a"}, "delete": {"pod/a", "--yes"}, "follow": {"pod/a"}, "wait": {"pod/a"}, "top": nil, "ls": nil, "roots": nil,
		"approve": {"pod/a", "--at-most", "1"}, "refuse": {"pod/a", "--yes"}, "retire": {"x/y", "--yes"},
		"archive": {"ls"}, "restore": {"u"},
		"pause": {"--all", "--record", "r"}, "resume": {"--all", "--record", "r"},
	}
	for _, cmd := range newApp(Command, nil, nil, nil).command().Commands() {
		if slices.Contains([]string{"gc", "reason", "schema", "version"}, cmd.Name()) {
			continue // they open no store
		}
		args, known := needs[cmd.Name()]
		if !known {
			t.Errorf("%s: no arguments are known", cmd.Name())
		}
		for _, c := range []struct {
			args   []string
			code   int
			stderr string
			reason string
		}{
			{nil, printing.ExitUsage, `Run "ownergraph --help"`, "no input"},
			{append(args, "--store", store, "--no-such-flag"), printing.ExitUsage, "unknown flag", "an unknown flag"},
			{append(args, "--store", store, "--timeout", "soon"), printing.ExitUsage, "invalid argument", "a flag of another type"},
			{append(args, "--store", store), printing.ExitFailed, "missing: no such file", "no database"},
		} {
			got := call(t, "", append([]string{cmd.Name()}, c.args...)...)
			if got.code != c.code || !strings.Contains(got.stderr, c.stderr) || got.stdout != "" {
				t.Errorf("%s %v: exit %d, want %d and %q: %s\n%s%s", cmd.Name(), c.args, got.code, c.code, c.stderr, c.reason, got.stdout, got.stderr)
			}
		}
	}
}

// TestHelp: each subcommand has a description, an example, and the exit code 3 if it has one.
// The root documents all exit codes.
func TestHelp(t *testing.T) {
	root := newApp(Command, nil, nil, nil).command()
	seen := 0
	for _, cmd := range root.Commands() {
		seen++
		got := call(t, "", cmd.Name(), "--help")
		if got.code != 0 || cmd.Short == "" || cmd.Long == "" || !strings.Contains(got.stdout, "Examples:\n  ") || !strings.Contains(got.stdout, "ownergraph "+cmd.Name()) {
			t.Errorf("%s --help: exit %d\n%s", cmd.Name(), got.code, got.stdout)
		}
	}
	for _, name := range []string{"plan", "explain", "lint", "run", "delete", "follow", "approve", "refuse", "retire", "restore"} {
		if got := call(t, "", name, "--help"); !strings.Contains(got.stdout, "\nExit code 3: ") {
			t.Errorf("%s --help does not tell when it exits with 3", name)
		}
	}
	if seen != 22 {
		t.Errorf("%d subcommands", seen)
	}
	if got := call(t, ""); got.code != 0 || !strings.Contains(got.stdout, "Exit codes: 0 done, 1 failed or not confirmed, 2 wrong usage, 3 findings or held objects.") {
		t.Errorf("no arguments: exit %d\n%s", got.code, got.stdout)
	}
	if got := call(t, "", "--version"); got.code != 0 || !strings.HasPrefix(got.stdout, "ownergraph version ") {
		t.Errorf("--version: exit %d\n%s", got.code, got.stdout)
	}
}

// TestCompletion: the shells complete subcommands, formats and propagations.
func TestCompletion(t *testing.T) {
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		if got := call(t, "", "completion", shell); got.code != 0 || !strings.Contains(got.stdout, "ownergraph") {
			t.Errorf("completion %s: exit %d\n%.200s", shell, got.code, got.stdout)
		}
	}
	for args, want := range map[string]string{"pl": "plan\t", "plan --cascade f": "foreground", "plan -o j": "json", "tree -o ": "svg", "explain -o m": "mermaid", "lint -o ": "json", "plan --output t": "text"} {
		line := append([]string{cobra.ShellCompRequestCmd}, strings.Fields(args)...)
		if got := call(t, "", line...); got.code != 0 || !strings.Contains(got.stdout, want) {
			t.Errorf("complete %q = %q, want %q", args, got.stdout, want)
		}
	}
}

// TestRunOfGarbage: an object may be in the dump and gone at its deletion.
func TestRunOfGarbage(t *testing.T) {
	got := call(t, "", "run", "-f", cluster, "configmap/left-behind")
	if got.code != printing.ExitFailed || !strings.Contains(got.stderr, "it has gone before: all owners are gone") {
		t.Errorf("exit %d\n%s", got.code, got.stderr)
	}
}
