package lattice

import (
	"bytes"
	"cmp"
	"fmt"
	"go/ast"
	"maps"
	"slices"
	"strings"
	"testing"
)

const (
	fileLines = 500 // no file is longer
	funcLines = 35  // nine functions of ten are shorter
)

// checkFileSize finds files that are too long for one subject.
func checkFileSize(f *file) []finding {
	if n := bytes.Count(f.src, []byte("\n")); n > fileLines {
		return []finding{f.found(f.ast.Package, "file has %d lines, more than %d", n, fileLines)}
	}
	return nil
}

// function is one declared function and its length in lines.
type function struct {
	name  string
	file  *file
	node  *ast.FuncDecl
	lines int
}

// functions returns the functions of the files, the longest first. It leaves out
// test files.
func functions(files []*file) []function {
	var list []function
	for _, f := range files {
		for _, d := range f.ast.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && !f.test() {
				lines := f.line(fn.End()) - f.line(fn.Type.Func) + 1
				list = append(list, function{fn.Name.Name, f, fn, lines})
			}
		}
	}
	slices.SortStableFunc(list, func(a, b function) int { return cmp.Compare(b.lines, a.lines) })
	return list
}

// checkFuncSize finds the long functions of a package, if they are more than one
// tenth of all its functions, rounded up. Test functions contain tables, and do not
// count.
func checkFuncSize(files []*file) []finding {
	all := functions(files)
	var list []finding
	for _, fn := range all {
		if fn.lines >= funcLines {
			list = append(list, fn.file.found(fn.node.Pos(), "function %s has %d lines", fn.name, fn.lines))
		}
	}
	if len(list) <= (len(all)+9)/10 {
		return nil
	}
	return list
}

func TestFileSize(t *testing.T) { passes(t, checkFileSize) }

func TestFuncSize(t *testing.T) {
	packages := repo(t).packages()
	for _, dir := range slices.Sorted(maps.Keys(packages)) {
		report(t, checkFuncSize(packages[dir]))
		if all := functions(packages[dir]); len(all) > 0 {
			t.Logf("%s: %d functions, the longest %s with %d lines", dir, len(all), all[0].name, all[0].lines)
		}
	}
}

func TestFileSizeCanFail(t *testing.T) {
	for _, c := range []struct {
		lines, want int
		reason      string
	}{
		{fileLines, 0, "the longest that is allowed"},
		{fileLines + 1, 1, "one line more"},
	} {
		f := mustParse(t, "package p\n"+strings.Repeat("\n", c.lines-1))
		if got := checkFileSize(f); len(got) != c.want {
			t.Errorf("%d lines: findings %v, want %d: %s", c.lines, got, c.want, c.reason)
		}
	}
}

func TestFuncSizeCanFail(t *testing.T) {
	short := func(n int) string { return strings.Repeat("func f() {}\n", n) }
	long := "func g() {" + strings.Repeat("\n", funcLines-1) + "}\n"
	almost := "func h() {" + strings.Repeat("\n", funcLines-2) + "}\n"
	for _, c := range []struct {
		src    string
		want   int
		reason string
	}{
		{short(19) + long, 0, "one of twenty is long"},
		{short(18) + long + long, 0, "two of twenty are long: the tenth part"},
		{short(17) + long + long + long, 3, "three of twenty are long, and all are named"},
		{short(2) + long, 0, "a small package may have one"},
		{short(2) + long + long, 2, "but not two"},
		{almost + almost + almost, 0, "none is as long as the limit"},
	} {
		if got := checkFuncSize([]*file{mustParse(t, "package p\n"+c.src)}); len(got) != c.want {
			t.Errorf("findings %v, want %d: %s", got, c.want, c.reason)
		}
	}
}

func mustParse(t *testing.T, src string) *file {
	t.Helper()
	f, err := parse("p/p.go", []byte(src))
	if err != nil {
		t.Fatal(fmt.Errorf("sample: %w", err))
	}
	return f
}
