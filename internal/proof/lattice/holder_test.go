package lattice

import (
	"go/ast"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	heldBy = regexp.MustCompile(`(?i)\bheld by ((?:[^.]|\.\S)*)`)
	holder = regexp.MustCompile(`\b(?:Test|Fuzz|Benchmark)[A-Z]\w*`)
	// scenario is a text scenario, or the beginning of the names of several.
	scenario = regexp.MustCompile(`\bTestScenarios/([\w-]+)`)
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
// in the package of the comment, or in a directory that the sentence names. A scenario
// is among the given ones.
func checkHolders(tests map[string][]string, scenarios []string) func(*file) []finding {
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
				for _, m := range scenario.FindAllStringSubmatch(sentence, -1) {
					if !slices.ContainsFunc(scenarios, func(s string) bool { return strings.HasPrefix(s, m[1]) }) {
						list = append(list, f.found(c.Pos(), "held by the scenario %s, which does not exist", m[1]))
					}
				}
			}
		}
		return list
	}
}

// scenarios returns the names of the text scenarios.
func scenarios(t *testing.T) (names []string) {
	t.Helper()
	files, err := os.ReadDir("../script/testdata")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d scenarios, error %v", len(files), err)
	}
	for _, f := range files {
		names = append(names, strings.TrimSuffix(f.Name(), ".txt"))
	}
	return names
}

func TestHolders(t *testing.T) {
	tests := repo(t).holders()
	if len(tests) < 500 {
		t.Fatalf("%d tests found: the check sees too few", len(tests))
	}
	hold(t, checkHolders(tests, scenarios(t)))
}

func TestHoldersCanFail(t *testing.T) {
	tests := map[string][]string{"TestRoot": {"."}, "TestHere": {"graph"}, "TestElsewhere": {"internal/proof/sim", "policy"}, "TestScenarios": {"internal/proof/script"}}
	fails(t, "holders.txt", checkHolders(tests, []string{"r1-a-rule"}))
	if found := (&repository{files: []*file{mustParse(t, "package p\n\nfunc TestX() {}\n")}}).holders(); len(found) > 0 {
		t.Errorf("found %v in a file that is no test", slices.Sorted(maps.Keys(found)))
	}
}

var (
	promised = regexp.MustCompile(`(?i)\bheld by (?:Test|Fuzz|Benchmark)[A-Z]`)
	// place is the only place of a promise: the last line of the comment.
	place = regexp.MustCompile(`(?:^|\n)Held by ((?:[^.]|\.\S)*)\.\n?$`)
)

// misplaced counts the promises of a comment that do not stand on a line of
// their own at its end. A package comment has no place for one.
func misplaced(text string, packageDoc bool) int {
	n := len(promised.FindAllString(strings.Join(strings.Fields(text), " "), -1))
	if n > 0 && !packageDoc && place.MatchString(text) {
		n--
	}
	return n
}

// TestPromisesHaveTheirPlace holds the place of "Held by TestX." in comments.
func TestPromisesHaveTheirPlace(t *testing.T) {
	n := 0
	for _, f := range repo(t).files {
		if f.test() {
			continue
		}
		for _, c := range f.ast.Comments {
			if m := misplaced(c.Text(), c == f.ast.Doc); m > 0 {
				n += m
				t.Logf("%s:%d", f.path, f.line(c.Pos()))
			}
		}
	}
	onlyFalls(t, "promises out of their place", n)
}

func TestPromisesCanBeMisplaced(t *testing.T) {
	for _, c := range []struct {
		text   string
		want   int
		reason string
	}{
		{"Next returns a call.\nHeld by TestNext.\n", 0, "a line of its own, at the end"},
		{"Next returns a call.\nHeld by TestNext and TestDone of internal/proof/sim.\n", 0, "a line may name two tests"},
		{"Next returns a call.\nHeld by TestNext, TestDone and\nTestObserve.\n", 0, "a long list of tests takes two lines"},
		{"Next returns a call. Held by TestNext.\n", 1, "running text"},
		{"Next returns a call (held by\nTestNext).\n", 1, "a bracket over two lines"},
		{"Next returns a call.\nHeld by TestNext.\nIt may return none.\n", 1, "text follows"},
		{"The lock is held by the caller.\n", 0, "no promise"},
	} {
		if got := misplaced(c.text, false); got != c.want {
			t.Errorf("%q: %d misplaced, want %d: %s", c.text, got, c.want, c.reason)
		}
	}
	if misplaced("Package p is pure.\nHeld by TestPure.\n", true) != 1 {
		t.Error("a promise in a package comment is not found")
	}
}
