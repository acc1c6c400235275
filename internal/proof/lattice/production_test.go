package lattice

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// testOnly names the packages that production code never links.
var testOnly = []string{"testing", "pgregory.net/rapid", "github.com/google/go-cmp"}

// checkProduction finds imports of the test packages by production files.
func checkProduction(f *file) []finding {
	if f.test() || f.harness() {
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

func TestProduction(t *testing.T) { passes(t, checkProduction) }

func TestProductionCanFail(t *testing.T) { fails(t, "production.txt", checkProduction) }

// production returns the directories of the root module's production packages.
func (r *repository) production() []string {
	var dirs []string
	for dir, files := range r.packages() {
		if slices.ContainsFunc(files, func(f *file) bool { return f.mod == "." && f.shipped() }) {
			dirs = append(dirs, dir)
		}
	}
	slices.Sort(dirs)
	return dirs
}

// TestProductionLinksNoTestPackages checks the rule for other modules, too: the
// go command lists the packages that production code links through them.
func TestProductionLinksNoTestPackages(t *testing.T) {
	args := []string{"list", "-e", "-deps"}
	for _, dir := range repo(t).production() {
		args = append(args, "./"+dir)
	}
	deps := goCommand(t, args...)
	if !slices.Contains(deps, module) {
		t.Fatalf("go %s does not list the root package", strings.Join(args, " "))
	}
	for _, dep := range deps {
		if isTestOnly(dep) {
			t.Errorf("production links %s: see go mod why -m, go list -deps", dep)
		}
	}
}

// TestLinkedCanFail shows that the go command lists the test packages where a
// program links them. This test is such a program.
func TestLinkedCanFail(t *testing.T) {
	deps := goCommand(t, "list", "-e", "-deps", "-test", "./"+here())
	if !slices.ContainsFunc(deps, isTestOnly) {
		t.Error("the dependencies of a test have no test package")
	}
}

// goCommand runs the go command in the repository's root. It returns the lines
// of the output.
func goCommand(t *testing.T, args ...string) []string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", args...)
	cmd.Dir = root()
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go %s: %v", strings.Join(args, " "), err)
	}
	return strings.Split(strings.TrimSpace(string(out)), "\n")
}
