package lattice

import (
	"go/ast"
	"go/token"
	"go/types"
	"iter"
	"slices"
	"strings"
	"testing"
)

// constants lists package-level variables that never change, and that Go cannot
// declare constant. It maps "directory.name" to the reason. An array of strings
// called xNames spells an enum, and needs no entry. checkGlobals finds
// assignments to these variables.
var constants = map[string]string{
	"policy.articles":      "the documentation of the reasons, in structs",
	"policy.doubtArticles": "the documentation of the doubts, in structs",
	"adapters/web.files":   "the files of the pages, which go:embed puts into the binary",
}

// checkGlobals finds init functions and changes of a constant in the files of
// one package. It also finds package-level variables other than sentinel errors
// and constants.
func checkGlobals(files []*file, listed map[string]string) []finding {
	var list []finding
	constant := map[string]bool{}
	for _, f := range files {
		for spec := range f.variables() {
			for i, name := range spec.Names {
				constant[name.Name] = listed[f.dir()+"."+name.Name] != "" || spelling(spec, i)
				if !constant[name.Name] && name.Name != "_" && !sentinel(spec, i) {
					list = append(list, f.found(name.Pos(), "package-level variable %s: neither a sentinel error nor a constant", name.Name))
				}
			}
		}
	}
	for _, f := range files {
		for _, d := range f.ast.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok {
				if fn.Recv == nil && fn.Name.Name == "init" {
					list = append(list, f.found(fn.Pos(), "init function: an import has no effect"))
				}
				list = append(list, f.changes(fn, constant)...)
			}
		}
	}
	return list
}

// variables yields the file's package-level variable declarations.
func (f *file) variables() iter.Seq[*ast.ValueSpec] {
	return func(yield func(*ast.ValueSpec) bool) {
		for _, d := range f.ast.Decls {
			g, ok := d.(*ast.GenDecl)
			if !ok || g.Tok != token.VAR {
				continue
			}
			for _, s := range g.Specs {
				if !yield(s.(*ast.ValueSpec)) {
					return
				}
			}
		}
	}
}

// spelling reports whether the i-th variable of spec spells an enum: an array of
// strings.
func spelling(spec *ast.ValueSpec, i int) bool {
	name := spec.Names[i].Name
	if !strings.HasSuffix(name, "Names") || ast.IsExported(name) || i >= len(spec.Values) {
		return false
	}
	lit, ok := spec.Values[i].(*ast.CompositeLit)
	if !ok {
		return false
	}
	array, ok := lit.Type.(*ast.ArrayType)
	return ok && array.Len != nil && types.ExprString(array.Elt) == "string"
}

// sentinel reports whether the i-th variable of spec is an error made by
// errors.New, another name for one, or one that wraps another one alone.
func sentinel(spec *ast.ValueSpec, i int) bool {
	if !errName(spec.Names[i].Name) || i >= len(spec.Values) {
		return false
	}
	switch v := spec.Values[i].(type) {
	case *ast.SelectorExpr:
		return errName(v.Sel.Name)
	case *ast.CallExpr:
		fun := types.ExprString(v.Fun)
		return fun == "errors.New" || fun == "fmt.Errorf" && len(v.Args) == 2 && errName(types.ExprString(v.Args[1]))
	}
	return false
}

func errName(s string) bool { return strings.HasPrefix(s, "Err") || strings.HasPrefix(s, "err") }

// changes finds assignments to a constant or to a part of one, and pointers to it.
func (f *file) changes(d *ast.FuncDecl, constant map[string]bool) []finding {
	var list []finding
	change := func(e ast.Expr) {
		if x := base(e); x != nil && constant[x.Name] {
			list = append(list, f.found(e.Pos(), "%s is a constant: no function may change it", x.Name))
		}
	}
	ast.Inspect(d, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for _, e := range n.Lhs {
				change(e)
			}
		case *ast.IncDecStmt:
			change(n.X)
		case *ast.UnaryExpr:
			if n.Op == token.AND {
				change(n.X)
			}
		}
		return true
	})
	return list
}

// base returns the variable x of an expression such as x[i].f.
func base(e ast.Expr) *ast.Ident {
	for {
		switch x := e.(type) {
		case *ast.Ident:
			return x
		case *ast.IndexExpr:
			e = x.X
		case *ast.SelectorExpr:
			e = x.X
		case *ast.ParenExpr:
			e = x.X
		default:
			return nil
		}
	}
}

func TestGlobals(t *testing.T) {
	for _, files := range repo(t).packages() {
		report(t, checkGlobals(pick(files, (*file).shipped), constants))
	}
}

func TestGlobalsCanFail(t *testing.T) {
	listed := map[string]string{"graph.primes": "for this test"}
	fails(t, "globals.txt", func(f *file) []finding { return checkGlobals([]*file{f}, listed) })
}

// stale returns the listed constants that their package does not declare.
func stale(listed map[string]string, packages map[string][]*file) []string {
	var gone []string
	for name := range listed {
		at := strings.LastIndex(name, ".")
		if files := packages[name[:at]]; len(files) > 0 && !declared(files, name[at+1:]) {
			gone = append(gone, name)
		}
	}
	slices.Sort(gone)
	return gone
}

// TestConstantsAreThere checks that the list has no entry for a removed variable.
func TestConstantsAreThere(t *testing.T) {
	for _, name := range stale(constants, repo(t).packages()) {
		t.Errorf("listed constant %s does not exist", name)
	}
}

func TestConstantsAreThereCanFail(t *testing.T) {
	f := mustParse(t, "package p\nvar a, b = 1, 2\nfunc f() { var c int }\n")
	listed := map[string]string{"p.a": "is there", "p.b": "is there", "p.c": "is local", "later.d": "its package is not there yet"}
	if got := stale(listed, map[string][]*file{"p": {f}}); !slices.Equal(got, []string{"p.c"}) {
		t.Errorf("stale: %v, want p.c alone", got)
	}
}

// declared reports whether the package has a package-level variable of the name.
func declared(files []*file, name string) bool {
	for _, f := range files {
		for spec := range f.variables() {
			if slices.ContainsFunc(spec.Names, func(id *ast.Ident) bool { return id.Name == name }) {
				return true
			}
		}
	}
	return false
}
