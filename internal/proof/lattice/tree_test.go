package lattice

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

const module = "github.com/ownergraph/ownergraph"

// file is one parsed Go file of the repository. It may be of any module and
// under any build tag.
type file struct {
	path string // from the repository's root, with slashes
	mod  string // the directory of its module, "." for the root module
	src  []byte
	fset *token.FileSet
	ast  *ast.File
}

func (f *file) dir() string { return path.Dir(f.path) }

func (f *file) test() bool { return strings.HasSuffix(f.path, "_test.go") }

// below reports whether the file lies in one of the directories or below it.
func (f *file) below(dirs ...string) bool {
	return slices.ContainsFunc(dirs, func(dir string) bool { return within(f.dir(), dir) })
}

// within reports whether the slash path p is dir or lies below it.
func within(p, dir string) bool { return p == dir || strings.HasPrefix(p, dir+"/") }

func (f *file) line(p token.Pos) int { return f.fset.Position(p).Line }

// imported returns the path of an import.
func imported(s *ast.ImportSpec) string {
	p, err := strconv.Unquote(s.Path.Value)
	if err != nil {
		return s.Path.Value
	}
	return p
}

// localName returns the name by which f uses the package at importPath, or "".
func (f *file) localName(importPath string) string {
	for _, s := range f.ast.Imports {
		switch {
		case imported(s) != importPath:
		case s.Name != nil:
			return s.Name.Name
		default:
			return path.Base(importPath)
		}
	}
	return ""
}

// uses calls yield for every selector on the package at importPath.
func (f *file) uses(importPath string, yield func(*ast.SelectorExpr)) {
	name := f.localName(importPath)
	if name == "" {
		return
	}
	ast.Inspect(f.ast, func(n ast.Node) bool {
		if sel, ok := n.(*ast.SelectorExpr); ok {
			if x, ok := sel.X.(*ast.Ident); ok && x.Name == name {
				yield(sel)
			}
		}
		return true
	})
}

// repository is every Go file and every module of the repository.
type repository struct {
	files []*file
	mods  map[string]bool // directories that have a go.mod
}

// home returns the directory of the module that contains a file or directory.
func (r *repository) home(p string) string {
	for p != "." && !r.mods[p] {
		p = path.Dir(p)
	}
	return p
}

// packages groups the files by directory.
func (r *repository) packages() map[string][]*file {
	byDir := map[string][]*file{}
	for _, f := range r.files {
		byDir[f.dir()] = append(byDir[f.dir()], f)
	}
	return byDir
}

var loadOnce = sync.OnceValues(load)

// repo returns the parsed repository. All tests share it, and no test changes it.
func repo(t *testing.T) *repository {
	t.Helper()
	r, err := loadOnce()
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func load() (*repository, error) {
	r := &repository{mods: map[string]bool{}}
	err := walk(func(p string) error {
		switch {
		case path.Base(p) == "go.mod":
			r.mods[path.Dir(p)] = true
		case strings.HasSuffix(p, ".go") && !slices.Contains(strings.Split(p, "/"), "testdata"):
			src, err := os.ReadFile(filepath.Join(root(), filepath.FromSlash(p)))
			if err != nil {
				return err
			}
			f, err := parse(p, src)
			if err != nil {
				return err
			}
			r.files = append(r.files, f)
		}
		return nil
	})
	for _, f := range r.files {
		f.mod = r.home(f.dir())
	}
	return r, err
}

// walk calls visit with every file below the root, in lexical order. It leaves
// out the directories that the go command ignores by name.
func walk(visit func(slashPath string) error) error {
	return filepath.WalkDir(root(), func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root(), p)
		if err != nil {
			return err
		}
		if d.IsDir() {
			if rel != "." && strings.ContainsAny(d.Name()[:1], "._") {
				return filepath.SkipDir
			}
			return nil
		}
		return visit(filepath.ToSlash(rel))
	})
}

func parse(p string, src []byte) (*file, error) { return parseIn(token.NewFileSet(), p, src) }

func parseIn(fset *token.FileSet, p string, src []byte) (*file, error) {
	tree, err := parser.ParseFile(fset, p, src, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	return &file{path: p, mod: ".", src: src, fset: fset, ast: tree}, nil
}
