package lattice

import (
	"go/ast"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	heldBy = regexp.MustCompile(`(?i)\bheld by ((?:[^.]|\.\S)*)`)
	holder = regexp.MustCompile(`\b(?:Test|Fuzz|Benchmark)[A-Z]\w*`)
)

// holders returns the directories that have a test, by the test's name.
func (r *repository) holders() map[string][]string {
	out := map[string][]string{}
	for _, f := range r.files {
		for _, d := range f.ast.Decls {
			if d, ok := d.(*ast.FuncDecl); ok && f.test() && holder.MatchString(d.Name.Name) {
				out[d.Name.Name] = append(out[d.Name.Name], f.dir())
			}
		}
	}
	return out
}

// checkHolders finds promises in comments whose test does not exist. The test is
// in the package of the comment, or in a directory that the sentence names.
func checkHolders(tests map[string][]string) func(*file) []finding {
	return func(f *file) (list []finding) {
		if f.test() {
			return nil
		}
		for _, c := range f.ast.Comments {
			for _, sentence := range heldBy.FindAllString(strings.Join(strings.Fields(c.Text()), " "), -1) {
				for _, name := range holder.FindAllString(sentence, -1) {
					there := func(dir string) bool { return dir == f.dir() || dir != "." && strings.Contains(sentence, dir) }
					if !slices.ContainsFunc(tests[name], there) {
						list = append(list, f.found(c.Pos(), "held by %s, which does not exist here (a test of this name is in %q)", name, tests[name]))
					}
				}
			}
		}
		return list
	}
}

func TestHolders(t *testing.T) {
	tests := repo(t).holders()
	if len(tests) < 500 {
		t.Fatalf("%d tests found: the check sees too few", len(tests))
	}
	hold(t, checkHolders(tests))
}

func TestHoldersCanFail(t *testing.T) {
	tests := map[string][]string{"TestRoot": {"."}, "TestHere": {"graph"}, "TestElsewhere": {"internal/sim", "policy"}}
	fails(t, "holders.txt", checkHolders(tests))
	if found := (&repository{files: []*file{mustParse(t, "package p\n\nfunc TestX() {}\n")}}).holders(); len(found) > 0 {
		t.Errorf("found %v in a file that is no test", slices.Sorted(maps.Keys(found)))
	}
}
