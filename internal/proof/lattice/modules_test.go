package lattice

import (
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"
	"testing"
)

// requirement is one module that the core may require.
type requirement struct {
	path string
	// packages lists the packages below path that may be imported, also by tests.
	// Without one every package may be.
	packages []string
	// places lists directories whose production files may import the module. The
	// form "x/..." includes all directories below x, and "x*.go" is files of the root.
	// Tests may import every module.
	places []string
	reason string
}

// required is the exact list of the modules that the root module requires,
// directly and indirectly. RATIONALE.md has the long reasons.
var required = []requirement{
	{"github.com/google/go-cmp", nil, nil, "readable differences, in tests"},
	{"github.com/hashicorp/golang-lru/v2", []string{"simplelru"}, []string{"internal/core/brake"}, "a bounded memory with an order and without a lock"},
	{"golang.org/x/sync", []string{"errgroup", "semaphore"}, []string{"collector*.go"}, "goroutines and bounds of the Collector"},
	{"pgregory.net/rapid", nil, []string{"adapters/storetest/...", "internal/..."}, "random histories that shrink"},
}

// checkModules finds imports by the root module. It reports modules that are not
// on the list, and imports outside a module's places.
func checkModules(f *file) []finding {
	var list []finding
	for _, s := range f.ast.Imports {
		p := imported(s)
		if _, ours := target(p); ours || f.mod != "." || !thirdParty(p) {
			continue
		}
		if why := refused(f, p); why != "" {
			list = append(list, f.found(s.Pos(), "%s: %s", p, why))
		}
	}
	return list
}

// thirdParty reports whether the import is of another module. The first element
// of such a path has a dot.
func thirdParty(p string) bool {
	first, _, _ := strings.Cut(p, "/")
	return strings.Contains(first, ".")
}

func refused(f *file, p string) string {
	i := slices.IndexFunc(required, func(r requirement) bool { return within(p, r.path) })
	if i < 0 {
		return "not on the list of required modules"
	}
	r := required[i]
	if !r.has(p) {
		return fmt.Sprintf("of this module only %s may be imported", strings.Join(r.packages, ", "))
	}
	if !f.test() && !slices.ContainsFunc(r.places, f.placed) {
		return fmt.Sprintf("%s may not import it (its purpose: %s)", f.dir(), r.reason)
	}
	return ""
}

func (r requirement) has(p string) bool {
	return len(r.packages) == 0 || slices.ContainsFunc(r.packages, func(name string) bool { return p == r.path+"/"+name })
}

func (f *file) placed(place string) bool {
	if ok, _ := path.Match(place, f.path); ok {
		return true
	}
	base, deep := strings.CutSuffix(place, "/...")
	return f.dir() == base || deep && within(f.dir(), base)
}

// goMod is the output of go mod edit -json for a go.mod.
type goMod struct {
	Module  struct{ Path string }
	Go      string
	Require []struct{ Path, Version string }
	Replace []struct{ Old struct{ Path string } }
	Tool    []struct{ Path string }
}

// faults compares the root's go.mod with the list.
func (m goMod) faults() []string {
	var list []string
	have := map[string]bool{}
	for _, r := range m.Require {
		have[r.Path] = true
		if !slices.ContainsFunc(required, func(q requirement) bool { return q.path == r.Path }) {
			list = append(list, "requires "+r.Path+", which is not on the list")
		}
	}
	for _, q := range required {
		if !have[q.path] {
			list = append(list, "does not require "+q.path+", which is on the list")
		}
	}
	if m.Module.Path != module {
		list = append(list, "is module "+m.Module.Path)
	}
	if m.Go != "1.25.0" {
		list = append(list, "says go "+m.Go+", not 1.25.0")
	}
	if len(m.Replace)+len(m.Tool) > 0 {
		list = append(list, "has replace or tool lines, which its users would not share")
	}
	return list
}

func parseMod(lines []string) (goMod, error) {
	var m goMod
	return m, json.Unmarshal([]byte(strings.Join(lines, "\n")), &m)
}

func TestModules(t *testing.T) {
	passes(t, checkModules)
	m, err := parseMod(goCommand(t, "mod", "edit", "-json", "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	for _, fault := range m.faults() {
		t.Errorf("go.mod %s", fault)
	}
}

func TestModulesCanFail(t *testing.T) {
	fails(t, "modules.txt", checkModules)
	fails(t, "moduleplace.txt", checkModules)
	fails(t, "modulemachine.txt", checkModules)
	fails(t, "moduletest.txt", checkModules)
	fails(t, "moduleengine.txt", checkModules)
	m, err := parseMod(goCommand(t, "mod", "edit", "-json", path.Join(here(), "testdata/bad/gomod.txt")))
	if err != nil {
		t.Fatal(err)
	}
	got := strings.Join(m.faults(), "\n")
	want := `requires k8s.io/client-go, which is not on the list
does not require github.com/google/go-cmp, which is on the list
does not require github.com/hashicorp/golang-lru/v2, which is on the list
does not require golang.org/x/sync, which is on the list
is module example.com/other
says go 1.26.0, not 1.25.0
has replace or tool lines, which its users would not share`
	if got != want {
		t.Errorf("faults of the bad go.mod:\n%s\nwant:\n%s", got, want)
	}
}
