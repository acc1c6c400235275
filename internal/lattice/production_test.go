package lattice

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// harness names the directories whose code exists for tests. Everything else is
// production: no _test.go file of it, and nothing that it links, may need the
// test machinery.
var harness = []string{"internal", "adapters/storetest", "adapters/clientgo/fakegc"}

// testOnly names the packages that production never links.
var testOnly = []string{"testing", "pgregory.net/rapid", "github.com/google/go-cmp"}

// checkProduction finds imports of the test machinery by production files.
func checkProduction(f *file) []finding {
	if f.test() || f.below(harness...) {
		return nil
	}
	var list []finding
	for _, s := range f.ast.Imports {
		if isTestOnly(imported(s)) {
			list = append(list, f.found(s.Pos(), "production may not import %s", imported(s)))
		}
	}
	return list
}

func isTestOnly(p string) bool {
	return slices.ContainsFunc(testOnly, func(dir string) bool { return within(p, dir) })
}

func TestProduction(t *testing.T) { hold(t, checkProduction) }

func TestProductionCanFail(t *testing.T) { fails(t, "production.txt", checkProduction) }

// TestProductionLinksNoTestMachinery holds the rule for what production links
// through other modules, which parsing our own files cannot see.
func TestProductionLinksNoTestMachinery(t *testing.T) {
	args := []string{"list", "-e", "-deps", "."}
	for _, dir := range []string{"graph", "queue", "policy", "finalizer", "adapters/memory"} {
		if hasGo(t, dir) {
			args = append(args, "./"+dir)
		}
	}
	deps := goCommand(t, args...)
	if !slices.Contains(deps, module) {
		t.Fatalf("go %s lists nothing of ours", strings.Join(args, " "))
	}
	for _, dep := range deps {
		if isTestOnly(dep) {
			t.Errorf("production links %s: see go mod why -m, go list -deps", dep)
		}
	}
}

// TestLinkedCanFail shows that the go command's list has the test machinery
// where it is linked: in this test.
func TestLinkedCanFail(t *testing.T) {
	deps := goCommand(t, "list", "-e", "-deps", "-test", "./internal/lattice")
	if !slices.ContainsFunc(deps, isTestOnly) {
		t.Error("the test machinery is not seen in a test's own dependencies")
	}
}

// hasGo reports whether the root module has Go files in dir.
func hasGo(t *testing.T, dir string) bool {
	t.Helper()
	return slices.ContainsFunc(repo(t).packages()[dir], func(f *file) bool { return !f.test() })
}

// goCommand runs the go command in the repository's root and returns its
// output's lines.
func goCommand(t *testing.T, args ...string) []string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", args...)
	cmd.Dir = filepath.FromSlash(root)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go %s: %v", strings.Join(args, " "), err)
	}
	return strings.Split(strings.TrimSpace(string(out)), "\n")
}
