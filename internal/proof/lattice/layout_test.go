package lattice

import (
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
)

// This file is the only place that names the parts of the repository, apart
// from the import order. The other rules use these parts.
var (
	// machines are the directories whose packages are the engine's state machines.
	machines = []string{"internal/core", "queue"}
	// machinery is the production code below internal.
	machinery = append([]string{"internal/run", "internal/lines", "internal/replica", "internal/terminal", "internal/spell", "internal/live", "internal/offline", "internal/printing"}, machines...)
	// harness is the code that exists for tests. Everything else is production:
	// neither it nor its dependencies need the test packages.
	harness = []string{"internal", "adapters/storetest", "adapters/clientgo/fakegc", "adapters/clientgo/envtestgc"}
	// manuals are the directories of programs that show the library to its users.
	manuals = []string{"examples"}
)

// inHarness reports whether the code of a directory exists for tests.
func inHarness(dir string) bool {
	below := func(part string) bool { return within(dir, part) }
	return slices.ContainsFunc(harness, below) && !slices.ContainsFunc(machinery, below)
}

// harness reports whether the file's code exists for tests.
func (f *file) harness() bool { return inHarness(f.dir()) }

// shipped reports whether the file is code that the library's users link.
func (f *file) shipped() bool { return !f.test() && !f.harness() && !f.below(manuals...) }

// pick returns the files that meet the condition.
func pick(files []*file, meets func(*file) bool) []*file {
	var list []*file
	for _, f := range files {
		if meets(f) {
			list = append(list, f)
		}
	}
	return list
}

// root is the path of the repository's root. The search for go.work goes up, so
// that this package may move.
var root = sync.OnceValue(func() string {
	dir := "."
	for range 10 {
		if _, err := os.Stat(filepath.Join(dir, "go.work")); err == nil {
			return dir
		}
		dir = filepath.Join(dir, "..")
	}
	panic("no go.work above " + dir)
})

// here is the slash path of this package from the repository's root.
func here() string {
	abs := func(p string) string {
		p, err := filepath.Abs(p)
		if err != nil {
			panic(err)
		}
		return p
	}
	rel, err := filepath.Rel(abs(root()), abs("."))
	if err != nil {
		panic(err)
	}
	return filepath.ToSlash(rel)
}

func TestLayout(t *testing.T) {
	for _, c := range []struct {
		dir     string
		harness bool
		reason  string
	}{
		{".", false, "the root is the library"},
		{"graph", false, "a public package"},
		{"internal/core/kinds", false, "a machine is a part of the engine"},
		{"internal/run", false, "the Collector links it"},
		{"internal/terminal", false, "commands link it"},
		{"hook", false, "the adapters for metrics and traces link it"},
		{"internal/proof/oracle", true, "only tests use the specification"},
		{"adapters/memory", false, "users link the reference store"},
		{"adapters/storetest/fault", true, "the kit is for tests"},
		{"examples/quickstart", false, "an example is a program of a user"},
	} {
		if got := inHarness(c.dir); got != c.harness {
			t.Errorf("inHarness(%s) = %v, want %v: %s", c.dir, got, c.harness, c.reason)
		}
	}
}
