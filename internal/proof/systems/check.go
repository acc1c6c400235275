package main

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// mode reads dependencies from their sources too, so that none is compiled.
const mode = packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports | packages.NeedDeps |
	packages.NeedTypes | packages.NeedTypesSizes | packages.NeedSyntax | packages.NeedModule

// check reads all packages of the module in a directory for a system, and returns their number and their errors.
func check(ctx context.Context, dir, system, arch string) (int, error) {
	list, err := packages.Load(&packages.Config{
		Context: ctx, Mode: mode, Dir: dir, Tests: true,
		Env: append(os.Environ(), "GOWORK=off", "CGO_ENABLED=0", "GOOS="+system, "GOARCH="+arch),
		ParseFile: func(fset *token.FileSet, name string, src []byte) (*ast.File, error) {
			return parse(fset, dir, name, src)
		},
	}, "./...")
	if err != nil {
		return 0, err
	}
	if len(list) == 0 {
		return 0, errors.New("no packages")
	}
	var lines []string
	packages.Visit(list, nil, func(p *packages.Package) {
		for _, e := range p.Errors {
			if e.Kind == packages.ListError || slices.ContainsFunc(p.GoFiles, func(name string) bool { return inside(dir, name) }) {
				lines = append(lines, e.Error())
			}
		}
	})
	slices.Sort(lines)
	if lines = slices.Compact(lines); len(lines) > 0 {
		return len(list), errors.New(strings.Join(lines, "\n"))
	}
	return len(list), nil
}

// parse parses a file. A file outside of the module has no bodies of functions then, because the types of its names suffice.
func parse(fset *token.FileSet, dir, name string, src []byte) (*ast.File, error) {
	f, err := parser.ParseFile(fset, name, src, parser.SkipObjectResolution)
	if f == nil {
		return nil, fmt.Errorf("parse %s: %w", name, err)
	}
	if !inside(dir, name) {
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok {
				fn.Body = nil
			}
		}
	}
	return f, err
}

func inside(dir, name string) bool {
	rel, err := filepath.Rel(dir, name)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}
