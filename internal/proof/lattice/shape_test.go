package lattice

import (
	"bytes"
	"go/ast"
	"testing"
)

// shape is the size of a package and of its main type.
type shape struct{ files, lines, fields, methods int }

// shapeOf measures the files of a package, without tests. The type's embedded
// fields count too.
func shapeOf(files []*file, typeName string) shape {
	var s shape
	for _, f := range files {
		if f.test() {
			continue
		}
		s.files++
		s.lines += bytes.Count(f.src, []byte("\n"))
		ast.Inspect(f.ast, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				if n.Recv != nil && receiver(n) == typeName {
					s.methods++
				}
			case *ast.TypeSpec:
				if x, ok := n.Type.(*ast.StructType); ok && n.Name.Name == typeName {
					s.fields += count(x.Fields)
				}
			}
			return true
		})
	}
	return s
}

func count(list *ast.FieldList) int {
	n := 0
	for _, f := range list.List {
		n += max(1, len(f.Names))
	}
	return n
}

// TestShape checks the sizes of the root package and of package engine, of Engine, and of what this
// module may do with an Engine beside its methods. None of them grows.
func TestShape(t *testing.T) {
	p := repo(t).packages()
	root, engine := shapeOf(p["."], "Collector"), shapeOf(p["engine"], "Engine")
	onlyFalls(t, "root files", root.files)
	onlyFalls(t, "root lines", root.lines)
	onlyFalls(t, "Collector methods", root.methods)
	onlyFalls(t, "engine files", engine.files)
	onlyFalls(t, "engine lines", engine.lines)
	onlyFalls(t, "Engine fields", engine.fields)
	onlyFalls(t, "Engine methods", engine.methods)
	rights := 0
	for _, name := range []string{"driver", "fork", "insider"} {
		rights += shapeOf(p["engine"], name).methods
	}
	onlyFalls(t, "rights of this module on an Engine", rights)
}

func TestShapeCanFail(t *testing.T) {
	f := mustParse(t, `package p

type Engine struct {
	a, b int
	other
}

type Other struct{ c int }

func (e *Engine) one() {}
func (e Engine) two()  {}
func (o Other) three() {}
`)
	test := *f
	test.path = "p/p_test.go"
	if got, want := shapeOf([]*file{f, &test}, "Engine"), (shape{1, 12, 3, 2}); got != want {
		t.Errorf("shape %v, want %v", got, want)
	}
}
