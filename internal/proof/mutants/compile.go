package mutants

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// ErrCompile is the error of an edited source that does not compile.
var ErrCompile = errors.New("does not compile")

// Checker checks the types of edited sources. It takes the imports from the build
// cache, so that a check costs some milliseconds instead of a build. It checks the
// edited package, and not the packages that import it. It is not safe for concurrent
// use.
type Checker struct {
	fset     *token.FileSet
	packages map[string]*checked // by directory
}

// checked is a package as the go command lists it.
type checked struct {
	ImportPath, Dir, Export string
	GoFiles                 []string
	Module                  *struct{ Path, Dir, GoVersion string }

	imports types.Importer
	files   map[string]*parsed // by base name, filled at first use
}

// parsed is one file of the source without an edit.
type parsed struct {
	skeleton string
	whole    *ast.File
	bare     *ast.File // without the bodies of functions
}

// NewChecker compiles the packages in some directories below root, and their imports. A module outside of the
// workspace of the root has imports of its own.
func NewChecker(ctx context.Context, root string, dirs []string) (*Checker, error) {
	root, err := filepath.Abs(root)
	if err != nil {
		return nil, fmt.Errorf("list packages: %w", err)
	}
	c := &Checker{fset: token.NewFileSet(), packages: map[string]*checked{}}
	packages := map[home][]string{}
	for _, d := range dirs {
		at := homeOf(root, d)
		packages[at] = append(packages[at], at.argument(d))
	}
	for _, at := range slices.SortedFunc(maps.Keys(packages), func(x, y home) int { return strings.Compare(x.dir, y.dir) }) {
		if err := c.list(ctx, root, at, packages[at]); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// list adds packages of one home. A package of another home is no more than an import there.
func (c *Checker) list(ctx context.Context, root string, at home, packages []string) error {
	args := append([]string{"list", "-e", "-export", "-deps", "-json=ImportPath,Dir,Export,GoFiles,Module"}, packages...)
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir, cmd.Env = filepath.Join(root, filepath.FromSlash(at.dir)), at.environ()
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("list packages: %w: %s", err, tail(stderr.Bytes()))
	}
	exports := map[string]string{}
	imports := importer.ForCompiler(c.fset, "gc", func(name string) (io.ReadCloser, error) {
		return os.Open(exports[name])
	})
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		p := checked{imports: imports}
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return fmt.Errorf("list packages: %w", err)
		}
		exports[p.ImportPath] = p.Export
		dir, err := filepath.Rel(root, p.Dir)
		if err != nil || strings.HasPrefix(dir, "..") || homeOf(root, filepath.ToSlash(dir)) != at {
			continue
		}
		c.packages[filepath.ToSlash(dir)] = &p
	}
}

// Check checks the types of an edited file's package. An error wraps ErrCompile and
// has the first complaint. A package that does not compile without the edit is an
// error, too.
func (c *Checker) Check(e Edit) error {
	p, err := c.load(path.Dir(e.File))
	if err != nil {
		return err
	}
	tree, err := parser.ParseFile(c.fset, e.File, e.Content, parser.SkipObjectResolution)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrCompile, err)
	}
	base := path.Base(e.File)
	before, ok := p.files[base]
	if !ok {
		return fmt.Errorf("check %s: %w", e.File, os.ErrNotExist)
	}
	// An edit within a function leaves the other functions as they are.
	inside := before.skeleton == skeleton(c.fset, tree, e.Content)
	files := []*ast.File{tree}
	for name, f := range p.files {
		switch {
		case name == base:
		case inside:
			files = append(files, f.bare)
		default:
			files = append(files, f.whole)
		}
	}
	var first error
	config := types.Config{Importer: p.imports, Error: func(err error) {
		var at types.Error
		if first == nil && (!inside || errors.As(err, &at) && c.fset.File(at.Pos) == c.fset.File(tree.Pos())) {
			first = err
		}
	}}
	if p.Module != nil && p.Module.GoVersion != "" {
		config.GoVersion = "go" + p.Module.GoVersion
	}
	config.Check(p.ImportPath, c.fset, files, nil) //nolint:errcheck // Error has it
	if first != nil {
		return fmt.Errorf("%w: %w", ErrCompile, first)
	}
	return nil
}

// load parses the files of a package at its first use.
func (c *Checker) load(dir string) (*checked, error) {
	p, ok := c.packages[dir]
	if !ok {
		return nil, fmt.Errorf("check package %s: %w", dir, os.ErrNotExist)
	}
	if p.Export == "" {
		return nil, fmt.Errorf("check package %s: without any edit, it %w", dir, ErrCompile)
	}
	if p.files != nil {
		return p, nil
	}
	p.files = map[string]*parsed{}
	for _, name := range p.GoFiles {
		src, err := os.ReadFile(filepath.Join(p.Dir, name))
		if err != nil {
			return nil, fmt.Errorf("check package %s: %w", dir, err)
		}
		var trees [2]*ast.File
		for i := range trees {
			if trees[i], err = parser.ParseFile(c.fset, path.Join(dir, name), src, parser.SkipObjectResolution); err != nil {
				return nil, fmt.Errorf("check package %s: %w", dir, err)
			}
		}
		p.files[name] = &parsed{skeleton: skeleton(c.fset, trees[0], src), whole: trees[0], bare: trees[1]}
		for _, d := range trees[1].Decls {
			if f, ok := d.(*ast.FuncDecl); ok {
				f.Body = nil
			}
		}
	}
	return p, nil
}

// skeleton returns a file's text without the bodies of its functions.
func skeleton(fset *token.FileSet, tree *ast.File, src []byte) string {
	var out strings.Builder
	at := 0
	for _, d := range tree.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && f.Body != nil {
			out.Write(src[at:fset.Position(f.Body.Pos()).Offset])
			at = fset.Position(f.Body.End()).Offset
		}
	}
	out.Write(src[at:])
	return out.String()
}
