// Package steps measures the work of each step of an engine, and of each question that is asked
// under the lock of a Collector. It counts the turns of every loop, so a loop counts without its
// author's help.
//
// Overlay edits the engine for one build: each loop counts its turns, and so does each call that
// loops in the standard library. Each exported method of the Engine is a step, and each lock
// of the Collector's mutex is one. No other build has a counter. Command worlds runs worlds that
// are large in one dimension. Any other program can be built with the overlay, too:
//
//	go run ./internal/proof/steps/cmd/steps -o DIR
//	go build -overlay DIR/overlay.json -o sim ./internal/proof/sim/cmd/sim
//	OWNERGRAPH_STEP_BOUND=4096 ./sim -seeds 100 -workers 1
//	go run -overlay DIR/overlay.json ./internal/proof/steps/worlds
//
// The count misses the growth of lists and maps, and the walk over a map that has lost most of
// its entries.
package steps

import (
	"bytes"
	"encoding/json"
	"fmt"
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
)

const (
	module = "github.com/ownergraph/ownergraph"
	self   = "internal/proof/steps"
	// alias is the name of package meter in an edited file.
	alias = "stepmeter"
)

// metered are the directories whose loops count, with all below them.
var metered = []string{"graph", "policy", "queue", "finalizer", "engine", "internal/core"}

// Overlay writes the edited files of the module at root to an absolute directory. It returns the
// file for the -overlay flag of the go command, and the number of loops that count.
//
//test:by TestEdit TestLoopsCount
func Overlay(root, dir string) (file string, loops int, err error) {
	e := editor{dir: dir, replace: map[string]string{}}
	if e.root, err = filepath.Abs(root); err != nil {
		return "", 0, fmt.Errorf("meter the steps: %w", err)
	}
	if err := e.editAll(); err != nil {
		return "", 0, fmt.Errorf("meter the steps: %w", err)
	}
	text := fmt.Sprintf("package meter\n\nvar sites = [...]string{\n%s}\n", e.list())
	if err := e.write(self+"/meter/sites.go", []byte(text)); err != nil {
		return "", 0, fmt.Errorf("meter the steps: %w", err)
	}
	list, err := json.Marshal(map[string]map[string]string{"Replace": e.replace})
	if err != nil {
		return "", 0, fmt.Errorf("meter the steps: %w", err)
	}
	file = filepath.Join(dir, "overlay.json")
	return file, len(e.sites), os.WriteFile(file, list, 0o600)
}

// editor edits the files of a module.
type editor struct {
	root, dir string
	replace   map[string]string // of the overlay
	sites     []string
}

func (e *editor) list() string {
	var b strings.Builder
	for _, s := range e.sites {
		fmt.Fprintf(&b, "\t%q,\n", s)
	}
	return b.String()
}

// editAll edits the production files of the engine and of the Collector.
func (e *editor) editAll() error {
	files, err := filepath.Glob(filepath.Join(e.root, "*.go"))
	if err != nil {
		return err
	}
	for _, dir := range metered {
		err := filepath.WalkDir(filepath.Join(e.root, filepath.FromSlash(dir)), func(p string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() && strings.HasSuffix(p, ".go") {
				files = append(files, p)
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	for _, p := range files {
		if strings.HasSuffix(p, "_test.go") {
			continue
		}
		if err := e.editFile(p); err != nil {
			return err
		}
	}
	return nil
}

func (e *editor) editFile(file string) error {
	name, err := filepath.Rel(e.root, file)
	if err != nil {
		return err
	}
	src, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	name = filepath.ToSlash(name)
	out, err := e.edit(name, src)
	if err != nil || out == nil {
		return err
	}
	return e.write(name, out)
}

func (e *editor) write(name string, text []byte) error {
	to := filepath.Join(e.dir, strings.ReplaceAll(name, "/", "+"))
	e.replace[filepath.Join(e.root, filepath.FromSlash(name))] = to
	return os.WriteFile(to, text, 0o600)
}

// insertion is text that goes before a byte of a file, in place of some bytes there.
type insertion struct {
	at, drop int
	text     string
}

// edit returns a file whose loops and steps count, nil for a file without them. Each line
// keeps its number.
func (e *editor) edit(name string, src []byte) ([]byte, error) {
	fset := token.NewFileSet()
	tree, err := parser.ParseFile(fset, name, src, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	f := edited{editor: e, fset: fset}
	ast.Inspect(tree, func(n ast.Node) bool {
		f.visit(n)
		return true
	})
	if d := path.Dir(name); d == "." || d == "engine" {
		f.steps(tree)
	}
	if len(f.list) == 0 {
		return nil, nil
	}
	f.insert(tree.Name.End(), 0, fmt.Sprintf("; import %s %q", alias, module+"/"+self+"/meter"))
	slices.SortStableFunc(f.list, func(a, b insertion) int { return a.at - b.at })
	var out bytes.Buffer
	last := 0
	for _, i := range f.list {
		out.Write(src[last:i.at])
		out.WriteString(i.text)
		last = i.at + i.drop
	}
	out.Write(src[last:])
	return out.Bytes(), nil
}

// edited is a file under edit.
type edited struct {
	*editor
	fset *token.FileSet
	list []insertion
	in   string // the function under edit, with its type
}

func (f *edited) insert(at token.Pos, drop int, text string) {
	f.list = append(f.list, insertion{f.fset.Position(at).Offset, drop, text})
}

// site returns the number of a new place that counts.
func (f *edited) site(at token.Pos, what string) string {
	p := f.fset.Position(at)
	f.sites = append(f.sites, fmt.Sprintf("%s:%d %s (%s)", p.Filename, p.Line, f.in, what))
	return strconv.Itoa(len(f.sites) - 1)
}

// visit makes a loop count, and a call of a function that loops.
func (f *edited) visit(n ast.Node) {
	switch n := n.(type) {
	case *ast.FuncDecl:
		if f.in = n.Name.Name; receiver(n) != "" {
			f.in = receiver(n) + "." + f.in
		}
	case *ast.ForStmt:
		f.insert(n.Body.Lbrace+1, 0, alias+".At("+f.site(n.For, "for")+");")
	case *ast.RangeStmt:
		f.insert(n.Body.Lbrace+1, 0, alias+".At("+f.site(n.For, "for")+");")
	case *ast.CallExpr:
		f.call(n)
	}
}

// steps makes each exported method of an engine count as a step, and each lock of the
// Collector's mutex.
func (f *edited) steps(tree *ast.File) {
	for _, d := range tree.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if receiver(d) == "Engine" && isStep(d.Name.Name) && d.Body != nil {
				f.insert(d.Body.Lbrace+1, 0, fmt.Sprintf("defer %s.Step(%q)();", alias, "Engine."+d.Name.Name))
			}
		case *ast.GenDecl:
			for _, s := range d.Specs {
				if t, ok := s.(*ast.TypeSpec); ok && t.Name.Name == "Collector" {
					f.mutex(t)
				}
			}
		}
	}
}

// isStep reports whether a method of the engine is a step. Inside and Judge are none: one
// begins no work, and the other works on a copy without the lock.
func isStep(method string) bool {
	return ast.IsExported(method) && method != "Inside" && method != "Judge" && method != "Revision" ||
		method == "applyEvent" || method == "nextInto"
}

// receiver returns the type whose method a function is, "" for none.
func receiver(d *ast.FuncDecl) string {
	if d.Recv == nil || len(d.Recv.List) != 1 {
		return ""
	}
	x := d.Recv.List[0].Type
	for {
		switch t := x.(type) {
		case *ast.StarExpr:
			x = t.X
		case *ast.IndexExpr:
			x = t.X
		case *ast.IndexListExpr:
			x = t.X
		case *ast.Ident:
			return t.Name
		default:
			return ""
		}
	}
}

// mutex replaces the mutex of the Collector.
func (f *edited) mutex(t *ast.TypeSpec) {
	fields, ok := t.Type.(*ast.StructType)
	if !ok {
		return
	}
	for _, x := range fields.Fields.List {
		if len(x.Names) == 1 && x.Names[0].Name == "mu" {
			f.insert(x.Type.Pos(), int(x.Type.End()-x.Type.Pos()), alias+".Mutex")
		}
	}
}
