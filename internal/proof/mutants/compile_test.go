package mutants

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// module writes a module's files into a scratch directory.
func module(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestChecker: an edit is checked as the compiler would check it.
func TestChecker(t *testing.T) {
	const good = "package p\n\nimport \"strings\"\n\nfunc F(s string) int {\n\tn := len(s)\n\treturn n + strings.Count(s, g())\n}\n"
	root := module(t, map[string]string{
		"go.mod":        "module example.com/m\n\ngo 1.25.0\n",
		"p/f.go":        good,
		"p/g.go":        "package p\n\nimport \"strconv\"\n\ntype T int\n\nfunc g() string { return strconv.Itoa(int(T(1))) }\n",
		"broken/b.go":   "package broken\n\nfunc F() { undefined() }\n",
		"p/p_test.go":   "package p\n\nfunc g() int { return 1 }\n",
		"p/f_plan9.go":  "package p\n\nfunc g() int { return 1 }\n",
		"other/o.go":    "package other\n",
		"other/sub/o.x": "",
	})
	c, err := NewChecker(t.Context(), root, []string{"p", "broken"})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range []struct{ from, to, want, reason string }{
		{"n + ", "n - ", "", "another operator is fine"},
		{"n := len(s)", "", "undefined: n", "a name may be missing"},
		{"n + ", "", "declared and not used", "or unused"},
		{" + strings.Count(s, g())", "", "imported and not used", "so may an import"},
		{"g()", "g() + 1", "mismatched types", "types of other files count"},
		{"{\n\tn", "{{\n\tn", "expected", "the syntax counts"},
		{"func F(s string) int", "func F(s []byte) int", "cannot use s", "a signature may change"},
		{"func F(s string) int", "func g() {}\n\nfunc F(s string) int", "redeclared", "and then all files count"},
	} {
		err := c.Check(Edit{File: "p/f.go", Content: []byte(strings.Replace(good, e.from, e.to, 1))})
		switch {
		case e.want == "" && err != nil:
			t.Errorf("%s: %v", e.reason, err)
		case e.want != "" && (!errors.Is(err, ErrCompile) || !strings.Contains(err.Error(), e.want)):
			t.Errorf("%s: error %v, want %q", e.reason, err, e.want)
		}
	}
	if err := c.Check(Edit{File: "broken/b.go", Content: []byte("package broken\n")}); !errors.Is(err, ErrCompile) {
		t.Errorf("a package that does not compile without an edit: error %v", err)
	}
	for _, file := range []string{"p/none.go", "other/o.go"} {
		if err := c.Check(Edit{File: file, Content: []byte("package p\n")}); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s is not checked: error %v", file, err)
		}
	}
}
