package mutants

import (
	"crypto/sha256"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"slices"
	"strings"
)

// Mutant is one small change of the syntax of one file. It is a value.
type Mutant struct {
	// ID has eight hex digits. They are made of the declaration, the lines that change,
	// and the changed lines. Other changes of the source leave the ID alone. "-2" and
	// so on tells equal mutants apart.
	ID string
	// Decl is the declaration that the mutant is in.
	Decl Decl
	// File and Line are the mutant's place. Operator is the kind of the change.
	File, Operator string
	Line           int
	// Before and After are the whole lines that change.
	Before, After string

	at, end int // bytes of the file that text takes the place of
	text    string
}

// Span returns the bytes of the file that the mutant changes.
func (m Mutant) Span() (from, to int) { return m.at, m.end }

// Edit returns the file as the mutant leaves it.
func (m Mutant) Edit(src []byte) Edit {
	return Edit{File: m.File, Content: slices.Concat(src[:m.at], []byte(m.text), src[m.end:])}
}

// Diff returns the lines before and after the change.
func (m Mutant) Diff() string {
	return "-" + strings.ReplaceAll(m.Before, "\n", "\n-") + "\n+" + strings.ReplaceAll(m.After, "\n", "\n+")
}

// Mutate returns the mutants of a file in the order of the file. Some of them do not
// compile. Log statements have no mutants. A source that does not parse is an error.
func Mutate(file string, src []byte) ([]Mutant, error) {
	fset := token.NewFileSet()
	tree, err := parser.ParseFile(fset, file, src, parser.SkipObjectResolution)
	if err != nil {
		return nil, fmt.Errorf("mutate: %w", err)
	}
	f := &finder{fset: fset, src: src, file: file}
	for _, d := range tree.Decls {
		f.declaration(d)
	}
	slices.SortStableFunc(f.found, func(a, b Mutant) int { return a.at - b.at })
	seen := map[string]int{}
	for i := range f.found {
		m := &f.found[i]
		if seen[m.ID]++; seen[m.ID] > 1 {
			m.ID = fmt.Sprintf("%s-%d", m.ID, seen[m.ID])
		}
	}
	return f.found, nil
}

// finder collects the mutants of one file.
type finder struct {
	fset  *token.FileSet
	src   []byte
	file  string
	decl  Decl
	found []Mutant
}

// declaration notes the mutants of a declaration, or of each line of one in
// parentheses.
func (f *finder) declaration(d ast.Decl) {
	f.decl.Dir = path.Dir(f.file)
	switch d := d.(type) {
	case *ast.FuncDecl:
		f.decl.Name = funcName(d)
		f.walk(d, nil)
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch s := spec.(type) {
			case *ast.TypeSpec:
				f.decl.Name = s.Name.Name
			case *ast.ValueSpec:
				f.decl.Name = s.Names[0].Name
			}
			f.walk(spec, nil)
		}
	}
}

// offset returns the offset of a position in the file.
func (f *finder) offset(p token.Pos) int { return f.fset.Position(p).Offset }

// source returns the text of a node.
func (f *finder) source(n ast.Node) string { return string(f.src[f.offset(n.Pos()):f.offset(n.End())]) }

// replace notes that text may take the place of a node.
func (f *finder) replace(operator string, n ast.Node, text string) {
	f.change(operator, n.Pos(), n.End(), text)
}

func (f *finder) change(operator string, from, to token.Pos, text string) {
	m := Mutant{Decl: f.decl, File: f.file, Operator: operator, Line: f.fset.Position(from).Line, at: f.offset(from), end: f.offset(to), text: text}
	first := strings.LastIndexByte(string(f.src[:m.at]), '\n') + 1
	last := len(f.src)
	if i := strings.IndexByte(string(f.src[m.end:]), '\n'); i >= 0 {
		last = m.end + i
	}
	m.Before = string(f.src[first:last])
	m.After = string(f.src[first:m.at]) + text + string(f.src[m.end:last])
	sum := sha256.Sum256([]byte(f.decl.String() + "\n" + m.Before + "\n" + m.After))
	m.ID = fmt.Sprintf("%x", sum[:4])
	f.found = append(f.found, m)
}

// walk visits a node and all nodes below it. The node is within a function with the
// given results.
func (f *finder) walk(n ast.Node, results *ast.FieldList) {
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			if n.Body != nil {
				f.walk(n.Body, n.Type.Results)
			}
			return false
		case *ast.FuncLit:
			f.walk(n.Body, n.Type.Results)
			return false
		case *ast.ImportSpec, *ast.ArrayType:
			return false
		case *ast.ExprStmt:
			if f.logs(n) {
				return false
			}
			f.replace("remove call", n, "")
		case *ast.ReturnStmt:
			f.returns(n, results)
		case ast.Stmt:
			f.statement(n)
		case ast.Expr:
			f.expression(n)
		}
		return true
	})
}

// logs reports whether a statement only writes a log.
func (f *finder) logs(n ast.Stmt) bool { return strings.Contains(f.source(n), "Logger.") }
