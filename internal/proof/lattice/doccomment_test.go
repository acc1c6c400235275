package lattice

import (
	"go/ast"
	"maps"
	"slices"
	"strings"
	"testing"
)

// public reports whether outsiders can import the file's package.
func (f *file) public() bool {
	return !f.test() && !slices.Contains(strings.Split(f.dir(), "/"), "internal") && f.ast.Name.Name != "main"
}

// checkDocs finds exported declarations of public packages without a doc
// comment. For constants, variables and aliases, the comment of their group is
// enough.
func checkDocs(f *file) []finding {
	if !f.public() {
		return nil
	}
	var list []finding
	for _, d := range f.ast.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Doc.Text() == "" && d.Name.IsExported() && ast.IsExported(receiver(d)) {
				list = append(list, f.found(d.Pos(), "exported function %s has no doc comment", d.Name.Name))
			}
		case *ast.GenDecl:
			for _, s := range d.Specs {
				list = append(list, f.undocumented(d, s)...)
			}
		}
	}
	return list
}

// receiver returns the name of a method's type. For a function it returns the
// function's name.
func receiver(d *ast.FuncDecl) string {
	if d.Recv == nil {
		return d.Name.Name
	}
	e := d.Recv.List[0].Type
	for {
		switch x := e.(type) {
		case *ast.StarExpr:
			e = x.X
		case *ast.IndexExpr:
			e = x.X
		case *ast.IndexListExpr:
			e = x.X
		case *ast.Ident:
			return x.Name
		default:
			return ""
		}
	}
}

func (f *file) undocumented(d *ast.GenDecl, s ast.Spec) []finding {
	group := d.Doc.Text() != ""
	var list []finding
	switch s := s.(type) {
	case *ast.TypeSpec:
		inherits := group && (s.Assign.IsValid() || !d.Lparen.IsValid())
		if s.Name.IsExported() && s.Doc.Text() == "" && !inherits {
			list = append(list, f.found(s.Pos(), "exported type %s has no doc comment", s.Name.Name))
		}
	case *ast.ValueSpec:
		if group || s.Doc.Text() != "" || s.Comment.Text() != "" {
			return nil
		}
		for _, name := range s.Names {
			if name.IsExported() {
				list = append(list, f.found(s.Pos(), "exported %s %s has no doc comment", d.Tok, name.Name))
			}
		}
	}
	return list
}

// checkPackageDoc finds public packages, and commands, without a package comment.
func checkPackageDoc(files []*file) []finding {
	for _, f := range files {
		if f.ast.Doc.Text() != "" {
			return nil
		}
	}
	for _, f := range files {
		if f.public() || f.ast.Name.Name == "main" {
			return []finding{f.found(f.ast.Name.Pos(), "package %s has no package comment in any file", f.dir())}
		}
	}
	return nil
}

func TestDocs(t *testing.T) { passes(t, checkDocs) }

func TestPackageDocs(t *testing.T) {
	packages := repo(t).packages()
	for _, dir := range slices.Sorted(maps.Keys(packages)) {
		report(t, checkPackageDoc(packages[dir]))
	}
}

func TestDocsCanFail(t *testing.T) { fails(t, "docs.txt", checkDocs) }

func TestPackageDocsCanFail(t *testing.T) {
	for _, c := range []struct {
		src    string
		want   int
		reason string
	}{
		{"package p\n", 1, "no comment"},
		{"// Not of the package.\n\npackage p\n", 1, "a comment apart from it"},
		{"// Package p is documented.\npackage p\n", 0, "a package comment"},
	} {
		if got := checkPackageDoc([]*file{mustParse(t, c.src)}); len(got) != c.want {
			t.Errorf("findings %v, want %d: %s", got, c.want, c.reason)
		}
	}
}
