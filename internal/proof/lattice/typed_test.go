package lattice

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/importer"
	"go/token"
	"go/types"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
)

// program is the engine's packages with their types, from the sources. Other
// packages come from the go command's export data.
type program struct {
	packages map[string]*types.Package
	declarations
}

// declarations are declared functions, by their objects.
type declarations struct {
	info  *types.Info
	decls map[*types.Func]*definition
}

// definition is one function with a body.
type definition struct {
	fn   *types.Func
	decl *ast.FuncDecl
	file *file
}

// name is the function's name, with its package and type.
func (d *definition) name() string {
	name := d.fn.Name()
	if d.decl.Recv != nil {
		name = receiver(d.decl) + "." + name
	}
	return d.file.packagePath() + "." + name
}

func newInfo() *types.Info {
	return &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{},
		Uses: map[*ast.Ident]types.Object{}, Selections: map[*ast.SelectorExpr]*types.Selection{},
	}
}

// Import returns a checked package, or the package of the export data.
func (p *program) Import(path string) (*types.Package, error) {
	if pkg := p.packages[path]; pkg != nil {
		return pkg, nil
	}
	return nil, fmt.Errorf("package %s is not loaded", path)
}

// check types the files of one package, in one set of positions.
func (p *program) check(path string, files []*file, fset *token.FileSet) error {
	config := types.Config{Importer: p}
	var trees []*ast.File
	for _, f := range files {
		trees = append(trees, f.ast)
	}
	pkg, err := config.Check(path, fset, trees, p.info)
	if err != nil {
		return err
	}
	p.packages[path] = pkg
	for _, f := range files {
		for _, d := range f.ast.Decls {
			if d, ok := d.(*ast.FuncDecl); ok && d.Body != nil {
				fn := p.info.Defs[d.Name].(*types.Func)
				p.decls[fn] = &definition{fn, d, f}
			}
		}
	}
	return nil
}

// typed returns the program of the root package and its dependencies.
func typed(t *testing.T) *program {
	t.Helper()
	typedOnce.Do(func() { loaded = loadTyped(t) })
	if loaded == nil {
		t.Fatal("the root package has no types: see the test that failed first")
	}
	return loaded
}

var (
	typedOnce sync.Once
	loaded    *program
)

func loadTyped(t *testing.T) *program {
	t.Helper()
	p := &program{map[string]*types.Package{}, declarations{newInfo(), map[*types.Func]*definition{}}}
	exports := map[string]string{}
	fset := token.NewFileSet()
	gc := importer.ForCompiler(fset, "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })
	for _, line := range goCommand(t, "list", "-export", "-deps", "-f", "{{.ImportPath}} {{.Export}}", ".") {
		path, export, _ := strings.Cut(line, " ")
		exports[path] = export
		dir, ours := target(path)
		if !ours {
			pkg, err := gc.Import(path)
			if err != nil && path != "unsafe" {
				t.Fatal(err)
			}
			p.packages[path] = pkg
			continue
		}
		if err := p.check(path, reparsed(t, fset, repo(t).packages()[dir]), fset); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

// reparsed parses the files of a package without tests into one set of
// positions, as the types need it.
func reparsed(t *testing.T, fset *token.FileSet, files []*file) []*file {
	t.Helper()
	var list []*file
	for _, f := range pick(files, func(f *file) bool { return !f.test() }) {
		own, err := parseIn(fset, f.path, f.src)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, own)
	}
	return list
}

// sorted returns the functions in the order of their names and positions.
func (p declarations) sorted() []*definition {
	return slices.SortedFunc(maps.Values(p.decls), func(a, b *definition) int {
		return cmp.Or(strings.Compare(a.name(), b.name()), strings.Compare(a.file.path, b.file.path), cmp.Compare(a.decl.Pos(), b.decl.Pos()))
	})
}

// callee returns the function that a call names, or nil for a function value.
func (p declarations) callee(call *ast.CallExpr) *types.Func {
	e := ast.Unparen(call.Fun)
	switch x := e.(type) {
	case *ast.IndexExpr:
		e = x.X
	case *ast.IndexListExpr:
		e = x.X
	}
	var id *ast.Ident
	switch x := e.(type) {
	case *ast.Ident:
		id = x
	case *ast.SelectorExpr:
		id = x.Sel
	default:
		return nil
	}
	if fn, ok := p.info.Uses[id].(*types.Func); ok {
		return fn.Origin()
	}
	return nil
}
