package lattice

import (
	"go/ast"
	"maps"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// testedBy begins the line of a comment that names the tests of the promises before it.
// Documentation does not show such a line, because it is a directive.
const testedBy = "//test:by "

var (
	// testRef is a test in a promise: an optional directory, the name, and an optional scenario, or
	// the beginning of the names of several.
	testRef = regexp.MustCompile(`^(?:([a-z][\w/-]*)\.)?((?:Test|Fuzz|Benchmark)[A-Z]\w*)(?:/([\w-]+))?$`)
	// inText is a promise that documentation would show.
	inText = regexp.MustCompile(`(?i)\b(?:held|tested) by (?:Test|Fuzz|Benchmark)[A-Z]`)
	// testName is the name of a test in a text.
	testName = regexp.MustCompile(`\b(?:Test|Fuzz|Benchmark)[A-Z]\w*`)
)

// testDirs returns the directories that have a test, by the test's name.
func (r *repository) testDirs() map[string][]string {
	out := map[string][]string{}
	for _, f := range r.files {
		for _, d := range f.ast.Decls {
			if d, ok := d.(*ast.FuncDecl); ok && f.test() && testName.MatchString(d.Name.Name) {
				out[d.Name.Name] = append(out[d.Name.Name], f.dir())
			}
		}
	}
	return out
}

// checkTestNames finds promises whose test does not exist. The test is in the package of the
// comment, or in the directory before its name. A scenario is among the given ones. A promise ends
// its comment, and each word of it is a test.
func checkTestNames(tests map[string][]string, scenarios []string) func(*file) []finding {
	return func(f *file) (list []finding) {
		for _, c := range f.ast.Comments {
			if !f.test() && inText.MatchString(strings.Join(strings.Fields(c.Text()), " ")) {
				list = append(list, f.found(c.Pos(), "a promise in running text"))
			}
			ended := false
			for _, line := range c.List {
				words, ok := strings.CutPrefix(line.Text, testedBy)
				switch {
				case ok && f.test():
					list = append(list, f.found(line.Pos(), "a promise in a test file"))
				case ended && !ok:
					list = append(list, f.found(line.Pos(), "text follows the promise of a comment"))
				}
				if ended = ok; ok && !f.test() {
					list = append(list, f.checkPromise(line, words, tests, scenarios)...)
				}
			}
		}
		return list
	}
}

func (f *file) checkPromise(line *ast.Comment, words string, tests map[string][]string, scenarios []string) (list []finding) {
	words, _, _ = strings.Cut(words, " //")
	for _, word := range strings.Fields(words) {
		m := testRef.FindStringSubmatch(word)
		if m == nil {
			list = append(list, f.found(line.Pos(), "%q is no test", word))
			continue
		}
		dir := m[1]
		switch dir {
		case "":
			dir = f.dir()
		case path.Base(module):
			dir = "."
		}
		if !slices.Contains(tests[m[2]], dir) {
			list = append(list, f.found(line.Pos(), "the test %s does not exist here (a test of this name is in %q)", word, tests[m[2]]))
		}
		if m[3] != "" && m[2] == "TestScenarios" && !slices.ContainsFunc(scenarios, func(s string) bool { return strings.HasPrefix(s, m[3]) }) {
			list = append(list, f.found(line.Pos(), "the scenario %s does not exist", m[3]))
		}
	}
	return list
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

func TestPromisesHaveTests(t *testing.T) {
	tests := repo(t).testDirs()
	if len(tests) < 500 {
		t.Fatalf("%d tests found: the check sees too few", len(tests))
	}
	passes(t, checkTestNames(tests, scenarios(t)))
	n := 0
	for _, f := range repo(t).files {
		n += strings.Count(string(f.src), testedBy)
	}
	if n < 500 {
		t.Errorf("%d promises found: the check sees too few", n)
	}
}

func TestPromisesHaveTestsCanFail(t *testing.T) {
	tests := map[string][]string{"TestRoot": {"."}, "TestHere": {"graph"}, "TestElsewhere": {"internal/proof/sim", "policy"}, "TestScenarios": {"internal/proof/script"}}
	fails(t, "testby.txt", checkTestNames(tests, []string{"r1-a-rule"}))
	if found := (&repository{files: []*file{mustParse(t, "package p\n\nfunc TestX() {}\n")}}).testDirs(); len(found) > 0 {
		t.Errorf("found %v in a file that is no test", slices.Sorted(maps.Keys(found)))
	}
}

// TestDocsNameNoTests counts the names of tests in the comments that documentation shows: those
// of public packages. A reader of the manual has no test at hand.
func TestDocsNameNoTests(t *testing.T) {
	n := 0
	for _, f := range repo(t).files {
		if f.test() || !f.public() {
			continue
		}
		for _, c := range shown(f) {
			if m := len(testName.FindAllString(c.Text(), -1)); m > 0 {
				n += m
				t.Logf("%s:%d", f.path, f.line(c.Pos()))
			}
		}
	}
	onlyFalls(t, "names of tests in the manual", n)
}

// shown returns the comments of a file that documentation shows: those of the package and of
// exported names.
func shown(f *file) (list []*ast.CommentGroup) {
	add := func(c *ast.CommentGroup, name string) {
		if c != nil && ast.IsExported(name) {
			list = append(list, c)
		}
	}
	if f.ast.Doc != nil {
		list = append(list, f.ast.Doc)
	}
	for _, d := range f.ast.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			add(d.Doc, d.Name.Name)
		case *ast.GenDecl:
			for _, s := range d.Specs {
				switch s := s.(type) {
				case *ast.TypeSpec:
					add(d.Doc, s.Name.Name)
					add(s.Doc, s.Name.Name)
					ast.Inspect(s, func(n ast.Node) bool {
						if field, ok := n.(*ast.Field); ok && len(field.Names) > 0 {
							add(field.Doc, field.Names[0].Name)
						}
						return true
					})
				case *ast.ValueSpec:
					add(d.Doc, s.Names[0].Name)
					add(s.Doc, s.Names[0].Name)
				}
			}
		}
	}
	return list
}

func TestShown(t *testing.T) {
	f := mustParse(t, "// Package p is a package.\npackage p\n\n// A is a type.\ntype A struct {\n\t// B is a field.\n\tB int\n\t// c is hidden.\n\tc int\n}\n\n// d is hidden.\nfunc d() {}\n\n// E is a constant.\nconst E = 1\n")
	var got []string
	for _, c := range shown(f) {
		got = append(got, strings.TrimSpace(c.Text()))
	}
	if want := []string{"Package p is a package.", "A is a type.", "B is a field.", "E is a constant."}; !slices.Equal(got, want) {
		t.Errorf("shown are %q, want %q", got, want)
	}
}
