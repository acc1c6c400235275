package upstream

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/ginkgo/v2/types"
	"github.com/onsi/gomega"
	_ "k8s.io/kubernetes/test/e2e/apimachinery" // registers the specs
	"k8s.io/kubernetes/test/e2e/framework"
)

// childVariable names the environment variable that makes the test program a run of one spec.
const childVariable = "OWNERGRAPH_UPSTREAM_SPEC"

// childTask is the work of a child.
type childTask struct {
	Spec       string // full text
	Kubeconfig string
	Report     string // file
}

// runChild runs one spec as upstream's program of all end-to-end tests does, and returns the exit
// status.
func runChild(text string) int {
	var task childTask
	if err := json.Unmarshal([]byte(text), &task); err != nil {
		fmt.Fprintf(os.Stderr, "read the task of a child: %q: %v\n", text, err)
		return 2
	}
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(2) // the parent has ended
	}()
	flags := flag.NewFlagSet("e2e", flag.ContinueOnError)
	framework.RegisterCommonFlags(flags)
	framework.RegisterClusterFlags(flags)
	if err := flags.Parse([]string{"--provider=local", "--kubeconfig=" + task.Kubeconfig}); err != nil {
		return 2
	}
	framework.AfterReadingAllFlags(&framework.TestContext)
	gomega.RegisterFailHandler(framework.Fail)
	suite, reporter := focused(regexp.QuoteMeta(task.Spec) + "$")
	reporter.JSONReport, reporter.Verbose, reporter.NoColor = task.Report, true, true
	if !ginkgo.RunSpecs(failing{}, "Kubernetes e2e suite", suite, reporter) {
		return 1
	}
	return 0
}

// failing is a test for Ginkgo, whose report has the failures.
type failing struct{}

func (failing) Fail() {}

// focused returns upstream's configuration for the specs whose full text the pattern matches.
func focused(pattern string) (types.SuiteConfig, types.ReporterConfig) {
	suite, reporter := framework.CreateGinkgoConfig()
	suite.FocusStrings, suite.SkipStrings = []string{pattern}, nil
	return suite, reporter
}

// outcome runs a spec on the cluster in a child. It returns the report of the spec and the child's
// output.
func (c *cluster) outcome(t *testing.T, spec string) (types.SpecReport, []byte) {
	t.Helper()
	report := filepath.Join(t.TempDir(), "report.json")
	task, err := json.Marshal(childTask{spec, c.kubeconfig, report})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, os.Args[0])
	cmd.Env = append(os.Environ(), childVariable+"="+string(task))
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	output, ended := cmd.CombinedOutput()
	found, err := read(report, spec)
	if err == nil && (ended == nil) != (found.State == types.SpecStatePassed) {
		err = fmt.Errorf("the spec has %s", found.State)
	}
	if err != nil {
		t.Fatalf("%v; the child ended with %v\n%s", err, errors.Join(ended, context.Cause(ctx)), output)
	}
	return found, output
}

// read returns the report of a spec from a file.
func read(file, spec string) (types.SpecReport, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return types.SpecReport{}, fmt.Errorf("read report: %w", err)
	}
	var suites []types.Report
	if err := json.Unmarshal(text, &suites); err != nil {
		return types.SpecReport{}, fmt.Errorf("read report: %w", err)
	}
	for _, s := range suites {
		for _, r := range s.SpecReports {
			if r.FullText() == spec {
				return r, nil
			}
		}
	}
	return types.SpecReport{}, fmt.Errorf("read report: it lacks the spec %q", spec)
}
