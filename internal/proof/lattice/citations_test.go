package lattice

import (
	"go/ast"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	citation = regexp.MustCompile(`\bRULES, ([^()"“”.;:]+)`)
	clauseOf = regexp.MustCompile(`^([A-Z]\d) [a-e]$`) // clause b of G5, cited as "G5 b"
	between  = regexp.MustCompile(`, | and | to `)
)

// testsOf returns the names of the test functions, fuzz targets, benchmarks and examples of a file.
func testsOf(f *file) (out []string) {
	if !f.test() {
		return nil
	}
	for _, d := range f.ast.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil && regexp.MustCompile(`^(Test|Fuzz|Benchmark|Example)`).MatchString(fn.Name.Name) {
			out = append(out, fn.Name.Name)
		}
	}
	return out
}

// undefined returns the citations of a text that RULES.md does not define.
func undefined(text string, defined map[string]bool) (out []string) {
	for _, m := range citation.FindAllStringSubmatch(strings.Join(strings.Fields(text), " "), -1) {
		for _, item := range between.Split(strings.TrimSpace(m[1]), -1) {
			if c := clauseOf.FindStringSubmatch(item); c != nil {
				item = c[1]
			}
			if !defined[item] {
				out = append(out, item)
			}
		}
	}
	return out
}

// texts returns the texts of a file that may cite laws: the comments of a Go file or of test
// data, or the paragraphs of Markdown.
func texts(p, src string) (list []string) {
	switch {
	case strings.HasSuffix(p, ".go"):
		var block []string
		for line := range strings.Lines(src + "\n") {
			code, text, ok := strings.Cut(line, "//")
			if strings.TrimSpace(code) != "" || !ok { // a comment behind code is a block of its own
				list, block = append(list, strings.Join(block, "\n"), text), nil
				continue
			}
			block = append(block, text)
		}
		return append(list, strings.Join(block, "\n"))
	case strings.HasSuffix(p, ".md"):
		return strings.Split(src, "\n\n")
	}
	var block []string
	for line := range strings.Lines(src) {
		if text, ok := strings.CutPrefix(line, "#"); ok {
			block = append(block, text)
		}
	}
	return []string{strings.Join(block, "\n")}
}

// TestCitations checks that RULES.md defines each law that a comment, the manual or a scenario cites.
func TestCitations(t *testing.T) {
	l, _ := readLaws(repositoryWorld(t).text(lawsFile))
	cited := 0
	err := walk(func(p string) error {
		if !slices.Contains([]string{".go", ".md", ".txt"}, filepath.Ext(p)) || p == "internal/proof/lattice/citations_test.go" {
			return nil
		}
		src, err := os.ReadFile(filepath.Join(root(), filepath.FromSlash(p)))
		for _, text := range texts(p, string(src)) {
			cited += len(citation.FindAllString(strings.Join(strings.Fields(text), " "), -1))
			for _, item := range undefined(text, l.names) {
				t.Errorf("%s cites %q, which %s does not define", p, item, lawsFile)
			}
		}
		return err
	})
	if err != nil || cited < 100 {
		t.Errorf("%d citations found, error %v", cited, err)
	}
}

func TestCitationsCanFail(t *testing.T) {
	defined := map[string]bool{"R1": true, "R2": true, "G5": true, "Decisions": true, "Level 3": true}
	for _, c := range []struct {
		path, src, want, reason string
	}{
		{"a.go", "// It is so (RULES, R1 to\n// R2).\nvar x int", "", "a citation goes on in the next line"},
		{"a.go", "// It is so (RULES,\n// R9).\n", "R9", "a number without a law"},
		{"a.go", "// It is so (RULES, R1, R2 and Decisions: trim; Kubernetes).\n", "", "numbers, a heading and more words"},
		{"a.go", "// It counts (RULES, G5 b).\n", "", "a clause of a law"},
		{"a.go", "// It is so (RULES, Sweeps).\n", "Sweeps", "a heading that does not exist"},
		{"a.go", "\tcall() // RULES, R2\n\tother()\n", "", "a comment behind code ends with the line"},
		{"a.go", "\tcall() // RULES, R7\n\tother()\n", "R7", "and it counts"},
		{"a.md", "A law (RULES,\nX9) has a number.\n", "X9", "Markdown cites too"},
		{"a.txt", "# why: RULES, Level 3: it is so\nobjects a\n", "", "a scenario"},
		{"a.txt", "# why: RULES, P7: it is so\nobjects a\n", "P7", "a scenario with a wrong number"},
	} {
		var got []string
		for _, text := range texts(c.path, c.src) {
			got = append(got, undefined(text, defined)...)
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s: %q: %q, want %q: %s", c.path, c.src, got, c.want, c.reason)
		}
	}
}
