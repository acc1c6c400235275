package lattice

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"path"
	"slices"
	"strings"
	"testing"
)

// exports returns one line for each exported name of the file. The line has
// package, kind, name and signature. It leaves out the names of parameters and
// the values of constants.
func (f *file) exports() []string {
	var list []string
	add := func(format string, args ...any) {
		list = append(list, f.packagePath()+" "+fmt.Sprintf(format, args...))
	}
	for _, d := range f.ast.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			exportFunc(d, add)
		case *ast.GenDecl:
			exportGroup(d, add)
		}
	}
	return list
}

// packagePath returns the package's directory, or the root package's name.
func (f *file) packagePath() string {
	if f.dir() == "." {
		return path.Base(module)
	}
	return f.dir()
}

type adder func(format string, args ...any)

func exportFunc(d *ast.FuncDecl, add adder) {
	switch {
	case !d.Name.IsExported():
	case d.Recv == nil:
		add("func %s%s%s", d.Name.Name, typeParams(d.Type.TypeParams), signature(d.Type))
	case ast.IsExported(receiver(d)):
		add("method (%s) %s%s", types.ExprString(d.Recv.List[0].Type), d.Name.Name, signature(d.Type))
	}
}

// exportGroup adds the specs of one declaration. A constant without a type and
// without a value has the type of the constant before it.
func exportGroup(d *ast.GenDecl, add adder) {
	inherited := ""
	for _, s := range d.Specs {
		switch s := s.(type) {
		case *ast.TypeSpec:
			if s.Name.IsExported() {
				exportType(s, add)
			}
		case *ast.ValueSpec:
			if s.Type != nil || len(s.Values) > 0 || d.Tok == token.VAR {
				inherited = typeOf(s.Type)
			}
			for _, name := range s.Names {
				if name.IsExported() {
					add("%s %s%s", d.Tok, name.Name, inherited)
				}
			}
		}
	}
}

func typeOf(e ast.Expr) string {
	if e == nil {
		return ""
	}
	return " " + types.ExprString(e)
}

func exportType(s *ast.TypeSpec, add adder) {
	name := s.Name.Name
	head := name + typeParams(s.TypeParams)
	if s.Assign.IsValid() {
		add("type %s = %s", head, types.ExprString(s.Type))
		return
	}
	switch x := s.Type.(type) {
	case *ast.StructType:
		add("type %s struct", head)
		exportFields(name, "field", x.Fields, add)
	case *ast.InterfaceType:
		add("type %s interface", head)
		exportFields(name, "interface", x.Methods, add)
	case *ast.FuncType:
		add("type %s func%s", head, signature(x))
	default:
		add("type %s %s", head, types.ExprString(s.Type))
	}
}

// exportFields adds the exported fields of a struct, or the methods of an
// interface. Both may embed a type.
func exportFields(owner, kind string, fields *ast.FieldList, add adder) {
	for _, field := range fields.List {
		if len(field.Names) == 0 {
			add("%s %s embeds %s", kind, owner, types.ExprString(field.Type))
		}
		for _, name := range field.Names {
			fn, method := field.Type.(*ast.FuncType)
			switch {
			case !name.IsExported() && kind == "field":
			case method && kind == "interface":
				add("%s %s.%s%s", kind, owner, name.Name, signature(fn))
			default:
				add("%s %s.%s%s", kind, owner, name.Name, typeOf(field.Type))
			}
		}
	}
}

func typeParams(list *ast.FieldList) string {
	if list == nil {
		return ""
	}
	var all []string
	for _, field := range list.List {
		for _, name := range field.Names {
			all = append(all, name.Name+typeOf(field.Type))
		}
	}
	return "[" + strings.Join(all, ", ") + "]"
}

// signature prints parameters and results without their names.
func signature(t *ast.FuncType) string {
	s := "(" + strings.Join(unnamed(t.Params), ", ") + ")"
	switch results := unnamed(t.Results); len(results) {
	case 0:
		return s
	case 1:
		return s + " " + results[0]
	default:
		return s + " (" + strings.Join(results, ", ") + ")"
	}
}

func unnamed(list *ast.FieldList) []string {
	if list == nil {
		return nil
	}
	var all []string
	for _, field := range list.List {
		for range max(1, len(field.Names)) {
			all = append(all, types.ExprString(field.Type))
		}
	}
	return all
}

// TestExports reads a sample with every form of declaration. The last lines of
// the sample are its API.
func TestExports(t *testing.T) {
	src, want, ok := strings.Cut(readSample(t, "exports.txt"), "-- api --\n")
	if !ok {
		t.Fatal("testdata/exports.txt has no line -- api --")
	}
	got := mustParse(t, src).exports()
	if wants := strings.Split(strings.TrimSuffix(want, "\n"), "\n"); !slices.Equal(got, wants) {
		t.Errorf("exports:\n%s", strings.Join(difference(wants, got), "\n"))
	}
}
