package mutants

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph/internal/proof/exhaustive"
)

const root = "../../.."

func bugs(t *testing.T) []Bug {
	t.Helper()
	all, err := Load(root)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestBugsApply: each bug has its place in the source, changes it, and describes itself.
func TestBugsApply(t *testing.T) {
	source, all, number := SourceAt(root), bugs(t), regexp.MustCompile(`^m[0-9]{3}$`)
	for i, b := range all {
		if !number.MatchString(b.Name) || i > 0 && all[i-1].Name == b.Name {
			t.Errorf("bug %d is called %s, want m and a number of three digits that no other bug has", i+1, b.Name)
		}
		if b.Rule == "" || b.Source == "" || len(b.Killers) == 0 {
			t.Errorf("%s has no rule, source or killers", b.Name)
		}
		if b.Old == b.New {
			t.Errorf("%s changes nothing", b.Name)
		}
		if _, err := b.Edit(source); err != nil {
			t.Error(err)
		}
	}
}

// TestBugsCompile: each bug leaves a program. A source that does not compile would stop
// every suite, and no suite would have found the bug.
func TestBugsCompile(t *testing.T) {
	source, all := SourceAt(root), bugs(t)
	var dirs []string
	for _, b := range all {
		dirs = append(dirs, b.Decl.Dir)
	}
	slices.Sort(dirs)
	checker, err := NewChecker(t.Context(), root, slices.Compact(dirs))
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range all {
		e, err := b.Edit(source)
		if err != nil {
			continue // TestBugsApply has it
		}
		if err := checker.Check(e); err != nil {
			t.Errorf("%s: %v", b.Name, err)
		}
	}
}

// TestBugsAreMany: there are at least 60 bugs, and each rule has one. Each law of plans and
// explanations has two.
func TestBugsAreMany(t *testing.T) {
	all := bugs(t)
	if len(all) < 60 {
		t.Errorf("%d bugs, want 60 at least", len(all))
	}
	by := sources(all)
	for _, rule := range []string{"decide", "R1", "R2", "instant", "R3", "R4", "R5", "R6", "R7", "R8", "rings", "queue", "listing", "work", "handler"} {
		if len(by[rule]) == 0 {
			t.Errorf("no bug breaks %s", rule)
		}
	}
	for _, law := range []string{"G1", "G2", "G3", "G4", "H1", "H2", "H3", "H4", "P1", "P2", "P3", "P4", "P5", "P6", "X1", "X2", "X3", "X4", "root", "follow", "await", "lint", "batch"} {
		if len(by[law]) < 2 {
			t.Errorf("%d bugs break %s, want 2 at least", len(by[law]), law)
		}
	}
}

// TestTestsAreThere: each method that a bug names has a test that the bug asks for. A suite
// without a test passes, and would not have found the bug.
func TestTestsAreThere(t *testing.T) {
	names := map[string][]string{} // by package
	for _, b := range bugs(t) {
		if b.Tests == "" {
			continue
		}
		asked := regexp.MustCompile(b.Tests)
		for _, m := range b.Killers {
			s := m.suite(b)
			if !s.test || !slices.Contains(s.args, "-test.run="+b.Tests) {
				t.Errorf("%s asks %s for the tests %q, and it runs %s", b.Name, m, b.Tests, s)
				continue
			}
			if names[s.pkg] == nil {
				names[s.pkg] = testsIn(t, s.pkg)
			}
			if !slices.ContainsFunc(names[s.pkg], asked.MatchString) {
				t.Errorf("%s: %s has no test like %q", b.Name, s.pkg, b.Tests)
			}
		}
	}
}

// TestWholeSuites: a suite runs with the flag -whole if its tests know that flag. With a share of
// the cases it would kill fewer bugs, and a suite that refuses a flag would kill all of them.
func TestWholeSuites(t *testing.T) {
	for _, c := range []struct {
		dir    string
		want   bool
		reason string
	}{
		{"internal/core/order", true, "a test has a share of its worlds"},
		{"policy", true, "the tests are of another package than the code"},
		{"internal/core/seq", false, "each test has all cases"},
		{"internal/portion", false, "the package is not imported"},
		{"internal/nothing", false, "there is no such directory"},
	} {
		if got := shares(filepath.Join(root, filepath.FromSlash(c.dir))); got != c.want {
			t.Errorf("%s knows -whole: %t: %s", c.dir, got, c.reason)
		}
	}
}

// testsIn returns the names of the tests of a package.
func testsIn(t *testing.T, pkg string) (names []string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(pkg), "*_test.go"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%s has no tests: %v", pkg, err)
	}
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range regexp.MustCompile(`(?m)^func (Test\w+)\(`).FindAllSubmatch(text, -1) {
			names = append(names, string(found[1]))
		}
	}
	return names
}

// TestWhere: if a bug names a graph of CI's exhaustive run, CI searches that graph to the
// end. So the whole run would find the bug, too.
func TestWhere(t *testing.T) {
	placed := 0
	for _, b := range bugs(t) {
		if b.Where == (Where{}) {
			continue
		}
		placed++
		if !slices.Contains(b.Killers, Exhaustive) {
			t.Errorf("%s says where the exhaustive search kills it, and does not name that", b.Name)
		}
		row, ok := exhaustive.Find(b.Where.Row)
		if !ok || !row.Has(b.Where.Graph) {
			t.Errorf("%s: CI has no such row, or does not end it: %s", b.Name, b.Where)
		}
		if args := Exhaustive.suite(b).args; !slices.Contains(args, b.Where.Row) {
			t.Errorf("%s is run with %q, want the row %q", b.Name, args, b.Where.Row)
		}
	}
	if placed < 20 {
		t.Errorf("%d bugs say where, want 20 at least", placed)
	}
}

// TestRulesAreTestedExhaustively: these rules have a bug that one graph of CI's exhaustive
// search kills. The rules of the queue and the handlers have none, because the search has
// no such events. Package exhaustive has the list.
func TestRulesAreTestedExhaustively(t *testing.T) {
	var tested []Bug
	for _, b := range bugs(t) {
		if slices.Contains(b.Killers, Exhaustive) && b.Where != (Where{}) {
			tested = append(tested, b)
		}
	}
	by := sources(tested)
	for _, rule := range []string{"decide", "R1", "R2", "instant", "R3", "R4", "R5", "R6", "R7", "R8", "rings", "listing", "work", "A1", "A2", "A3", "A4"} {
		if len(by[rule]) == 0 {
			t.Errorf("the exhaustive search kills no bug that breaks %s", rule)
		}
	}
}

// waits are the real cases and invariants of features that do not exist yet, each with
// its feature.
func waits() map[string]string {
	return map[string]string{
		"K18": "a restore that knows of backups: restore mode, archive",
		"K22": "a choice of what foreground does with dependents that do not block",
		"S20": "certificates that say why something was deleted",
	}
}

// TestCatalogue: each real case of the catalogue, K1 to K30, is a seeded bug or waits for
// a feature.
func TestCatalogue(t *testing.T) {
	by, cases := sources(bugs(t)), 0
	for i := 1; i <= 30; i++ {
		name := fmt.Sprintf("K%d", i)
		_, waiting := waits()[name]
		switch found := len(by[name]) > 0; {
		case found && waiting:
			t.Errorf("%s has a bug and is said to wait", name)
		case !found && !waiting:
			t.Errorf("%s has no bug and waits for nothing", name)
		case found:
			cases++
		}
	}
	if cases < 20 {
		t.Errorf("%d real cases have a bug, want 20 at least", cases)
	}
}

// sources returns the bugs by each word of their sources.
func sources(all []Bug) map[string][]string {
	by := map[string][]string{}
	for _, b := range all {
		for word := range strings.FieldsSeq(b.Source) {
			by[word] = append(by[word], b.Name)
		}
	}
	return by
}

// TestSourcesAreKnown: each source is spelt right. A wrong one would take its bug out of
// every count.
func TestSourcesAreKnown(t *testing.T) {
	words := "decide sweep adoption instant rings queue listing work handler level store root follow await lint batch guard"
	for _, kind := range []struct {
		letter string
		n      int
	}{{"R", 8}, {"K", 30}, {"S", 25}, {"L", 13}, {"N", 11}, {"I", 9}, {"P", 6}, {"X", 4}, {"G", 8}, {"H", 4}, {"E", 7}, {"A", 7}} {
		for i := 1; i <= kind.n; i++ {
			words += fmt.Sprintf(" %s%d", kind.letter, i)
		}
	}
	known := strings.Fields(words)
	for _, word := range slices.Sorted(maps.Keys(sources(bugs(t)))) {
		if !slices.Contains(known, word) {
			t.Errorf("source %q is not known", word)
		}
	}
}
