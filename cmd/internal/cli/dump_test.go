package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph/internal/printing"
)

// TestDump runs each subcommand on real input, with text and JSON, and with pictures where
// there are some.
func TestDump(t *testing.T) {
	pictures := map[string]bool{"tree": true, "plan-orphan": true, "explain-misplaced": true}
	for _, c := range []struct {
		name, reason string
		code         int
		args         []string
	}{
		{"tree", "references of three sorts", 0, []string{"tree", "deployment/shop/cart"}},
		{"plan-background", "the default", 0, []string{"plan", "deployment/shop/frontend"}},
		{"plan-foreground", "a wrong reference is held", 3, []string{"plan", "Deployment.apps/shop/cart", "--cascade", "Foreground"}},
		{"plan-orphan", "the dependents stay", 0, []string{"plan", "statefulset/data/kafka", "--cascade=orphan"}},
		{"plan-two", "two objects, and a finalizer whose controller is there", 0, []string{"plan", "job/batch/reindex", "deployment/shop/search", "--removed", "batch.kubernetes.io/job-tracking"}},
		{"plan-due", "the writes that are due", 3, []string{"plan"}},
		{"explain-kept", "a chain of owners", 0, []string{"explain", "pod/shop/frontend-7bf546966-49h49"}},
		{"explain-garbage", "its owner is gone", 3, []string{"explain", "configmap/left-behind"}},
		{"explain-misplaced", "its owner is in another namespace", 3, []string{"explain", "configmap/payments/cart-settings-copy"}},
		{"lint", "three references are wrong", 3, []string{"lint"}},
		{"run-held", "finalizers hold pods", 3, []string{"run", "job/batch/reindex", "--cascade", "foreground"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			formats := []string{"text", "json"}
			if pictures[c.name] {
				formats = append(formats, "dot", "mermaid", "svg")
			}
			for _, format := range formats {
				got := call(t, "", append(c.args, "-f", cluster, "-o", format)...)
				if got.code != c.code || got.stderr != "" {
					t.Errorf("exit %d, want %d: %s\n%s", got.code, c.code, c.reason, got.stderr)
				}
				if format == "json" && !json.Valid([]byte(got.stdout)) {
					t.Errorf("no JSON: %.200s", got.stdout)
				}
				if c.name == "run-held" && format == "json" { // 285 objects remain: their text says nothing
					checkRun(t, got.stdout)
					continue
				}
				checkGolden(t, c.name+"-"+format, steady(got.stdout))
			}
		})
	}
}

func checkRun(t *testing.T, text string) {
	var r jsonRun
	if err := json.Unmarshal([]byte(text), &r); err != nil {
		t.Fatal(err)
	}
	if r.Schema != "run/v1" || r.Before != 287 || len(r.Gone) != 1 || len(r.Remaining) != 286 || len(r.Held) != 9 || len(r.Deletions) != 1 {
		t.Errorf("%s: %d before, %d gone, %d remain, %d held", r.Schema, r.Before, len(r.Gone), len(r.Remaining), len(r.Held))
	}
}

// TestRunLeavesTheDump: the subcommand run works on a copy.
func TestRunLeavesTheDump(t *testing.T) {
	file := filepath.Join(t.TempDir(), "pods.json")
	if err := os.WriteFile(file, []byte(pod("a")+pod("b")), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := call(t, "", "run", "-f", file, "pod/a"); got.code != 0 || !strings.Contains(got.stdout, "gone: 1 of 2 objects, 1 stays") {
		t.Errorf("exit %d\n%s%s", got.code, got.stdout, got.stderr)
	}
	if text, err := os.ReadFile(file); err != nil || string(text) != pod("a")+pod("b") {
		t.Errorf("the file is %s, %v", text, err)
	}
}

// TestPartialKindsProveNothing: an owner of a partial kind that the dump does not have is
// unknown, in every subcommand.
func TestPartialKindsProveNothing(t *testing.T) {
	const gone = `{"apiVersion":"v1","kind":"Pod","name":"gone","uid":"gone"}`
	const living = `{"apiVersion":"v1","kind":"Pod","name":"a","uid":"uid-a"}`
	owned := func(name, owners string) string {
		return strings.Replace(pod(name), `"uid"`, `"ownerReferences":[`+owners+`],"uid"`, 1)
	}
	input := pod("a") + owned("b", gone) + owned("c", gone+","+living)
	for _, c := range []struct {
		args               []string
		full, partial      string
		codeFull, codePart int
		reason             string
	}{
		{[]string{"plan", "pod/a"}, "  - Pod/n/c\n", "! Pod/n/c stays: the owner's kind has to be listed (Pod/n/gone)\n", 0, 3, "no plan deletes for an unknown owner"},
		{[]string{"run", "pod/a"}, "gone: 3 of 3", "gone: 1 of 3", 0, 3, "no run does"},
		{[]string{"explain", "pod/b"}, "Pod/n/b is garbage: its only owner Pod/n/gone is gone.", "the owner's kind has to be listed", 3, 3, "no explanation calls it garbage"},
		{[]string{"lint"}, "OG001 error", "OG002 warning", 3, 3, "the finding says that the kind is not listed"},
	} {
		full := call(t, input, append(c.args, "-f", "-")...)
		if full.code != c.codeFull || !strings.Contains(full.stdout, c.full) {
			t.Errorf("%v: exit %d, want %d and %q\n%s%s", c.args, full.code, c.codeFull, c.full, full.stdout, full.stderr)
		}
		part := call(t, input, append(c.args, "-f", "-", "--partial", "Pod")...)
		if part.code != c.codePart || !strings.Contains(part.stdout, c.partial) {
			t.Errorf("%v --partial: exit %d, want %d and %q: %s\n%s%s", c.args, part.code, c.codePart, c.partial, c.reason, part.stdout, part.stderr)
		}
	}
}

// TestPlanOfManyDue: a plan without an object has all garbage, also that of one owner with
// many dependents.
func TestPlanOfManyDue(t *testing.T) {
	for _, n := range []int{1, 10, 3000} {
		var input strings.Builder
		for i := range n {
			const gone = `"ownerReferences":[{"apiVersion":"v1","kind":"Pod","name":"gone","uid":"gone"}],"uid"`
			input.WriteString(strings.Replace(pod(fmt.Sprint("p", i)), `"uid"`, gone, 1))
		}
		got := call(t, input.String(), "plan", "-f", "-")
		want := fmt.Sprintf("\nwithout a deletion %d objects go, all of them in n; 0 are held\n", n)
		if n == 1 {
			want = "\nwithout a deletion 1 object goes in n; 0 are held\n"
		}
		if got.code != printing.ExitDone || !strings.HasSuffix(got.stdout, want) {
			t.Errorf("%d objects of an owner that is gone: exit %d\n%.300s%s", n, got.code, got.stdout, got.stderr)
		}
	}
}

// TestManyBelow: the outputs for an owner of 5,000 objects are bounded, and count them all.
func TestManyBelow(t *testing.T) {
	const n = 5000
	var input strings.Builder
	input.WriteString(pod("root"))
	for i := range n {
		const owner = `"ownerReferences":[{"apiVersion":"v1","kind":"Pod","name":"root","uid":"uid-root"}],"uid"`
		input.WriteString(strings.Replace(pod(fmt.Sprintf("p%04d", i)), `"uid"`, owner, 1))
	}
	for _, c := range []struct{ name, want string }{
		{"tree", "5000 objects below it\n"}, {"plan", "\n5001 objects go, all of them in n; 0 are held\n"}, {"run", "gone: 5001 of 5001 objects, 0 stay\n"}, {"explain", "Pod/n/root has no owner, so it stays until a user deletes it.\n"},
	} {
		got := call(t, input.String(), c.name, "pod/root", "-f", "-")
		if lines := strings.Count(got.stdout, "\n"); got.code != printing.ExitDone || lines > 100 || !strings.Contains(got.stdout, c.want) {
			t.Errorf("%s: exit %d, %d lines, want %q\n%.500s%s", c.name, got.code, lines, c.want, got.stdout, got.stderr)
		}
	}
}

// TestWriteError: an error of the output fails the run.
func TestWriteError(t *testing.T) {
	for _, args := range [][]string{{"tree", "deployment/shop/cart"}, {"plan"}, {"lint", "-o", "json"}, {"run"}} {
		var stderr strings.Builder
		code := Run(t.Context(), Command, append(args, "-f", cluster), nil, brokenWriter("pipe is closed"), &stderr)
		if code != printing.ExitFailed || stderr.String() != "ownergraph: pipe is closed\n" {
			t.Errorf("%v: exit %d, %q", args, code, stderr.String())
		}
	}
}

// brokenWriter fails with its text.
type brokenWriter string

func (w brokenWriter) Write([]byte) (int, error) { return 0, errors.New(string(w)) }
