package mutants

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
)

// ErrNoPlace is the error of a seeded bug that has no place in the source. Either
// the source has no such declaration, or the old text does not occur in it exactly
// once.
var ErrNoPlace = errors.New("no place in the source")

// Decl names one top-level declaration of the module. It is a value.
type Decl struct {
	// Dir is the directory of the package, from the module's root. "." is the root.
	Dir string
	// Name is "New" for a function, "Engine.Next" for a method, and the plain name
	// of a type. A constant or variable has the first name of its line.
	Name string
}

// String returns the directory and the name.
func (d Decl) String() string { return d.Dir + " " + d.Name }

// ParseDecl reads the result of String.
func ParseDecl(text string) (Decl, error) {
	words := strings.Fields(text)
	if len(words) != 2 {
		return Decl{}, fmt.Errorf("declaration %q: want a directory and a name", text)
	}
	return Decl{Dir: words[0], Name: words[1]}, nil
}

// Place is a declaration and its place in a file. The text runs from the first
// line of the doc comment to the end of the declaration.
type Place struct {
	Decl
	File     string // from the module's root, with slashes
	Src      []byte // the whole file
	From, To int    // bytes of Src
}

// Text returns the declaration with its doc comment.
func (p Place) Text() string { return string(p.Src[p.From:p.To]) }

// At returns the offsets in Src of each occurrence of a text that begins within
// the declaration. The occurrence may end in a later declaration.
func (p Place) At(text string) []int {
	var all []int
	for at := p.From; at < p.To; {
		i := bytes.Index(p.Src[at:], []byte(text))
		if i < 0 || at+i >= p.To {
			break
		}
		all = append(all, at+i)
		at += i + max(len(text), 1)
	}
	return all
}

// Source finds declarations in the production files of a module. It parses each
// package once. It is not safe for concurrent use.
type Source struct {
	files  fs.FS
	parsed map[string][]Place
}

// NewSource returns the source of the module whose root is the root of files.
func NewSource(files fs.FS) *Source { return &Source{files: files, parsed: map[string][]Place{}} }

// SourceAt returns the source of the module in a directory.
func SourceAt(root string) *Source { return NewSource(os.DirFS(root)) }

// Places returns the declarations of a package in the order of files and lines.
// Files of tests are left out.
func (s *Source) Places(dir string) ([]Place, error) {
	if places, ok := s.parsed[dir]; ok {
		return places, nil
	}
	entries, err := fs.ReadDir(s.files, dir)
	if err != nil {
		return nil, fmt.Errorf("read package %s: %w", dir, err)
	}
	var all []Place
	for _, e := range entries {
		if e.IsDir() || !production(e.Name()) {
			continue
		}
		places, err := s.placesOf(dir, e.Name())
		if err != nil {
			return nil, fmt.Errorf("read package %s: %w", dir, err)
		}
		all = append(all, places...)
	}
	s.parsed[dir] = all
	return all, nil
}

func production(name string) bool {
	return strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go")
}

func (s *Source) placesOf(dir, name string) ([]Place, error) {
	file := path.Join(dir, name)
	src, err := fs.ReadFile(s.files, file)
	if err != nil {
		return nil, err
	}
	fset := token.NewFileSet()
	tree, err := parser.ParseFile(fset, file, src, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	var all []Place
	add := func(name string, n ast.Node, doc *ast.CommentGroup) {
		from := n.Pos()
		if doc != nil {
			from = doc.Pos()
		}
		at := fset.Position(from).Offset
		all = append(all, Place{Decl: Decl{Dir: dir, Name: name}, File: file, Src: src,
			From: bytes.LastIndexByte(src[:at], '\n') + 1, To: fset.Position(n.End()).Offset})
	}
	for _, d := range tree.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			add(funcName(d), d, d.Doc)
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				addSpec(add, d, spec)
			}
		}
	}
	return all, nil
}

// addSpec adds one line of a declaration. A line without parentheses around it
// takes the keyword and the doc comment of the declaration along.
func addSpec(add func(string, ast.Node, *ast.CommentGroup), d *ast.GenDecl, spec ast.Spec) {
	var name string
	var doc *ast.CommentGroup
	switch s := spec.(type) {
	case *ast.TypeSpec:
		name, doc = s.Name.Name, s.Doc
	case *ast.ValueSpec:
		name, doc = s.Names[0].Name, s.Doc
	default:
		return
	}
	if d.Lparen.IsValid() {
		add(name, spec, doc)
		return
	}
	add(name, d, d.Doc)
}

// funcName returns "F", or "T.F" for a method of T or *T.
func funcName(d *ast.FuncDecl) string {
	if d.Recv == nil || len(d.Recv.List) == 0 {
		return d.Name.Name
	}
	t := d.Recv.List[0].Type
	for {
		switch x := t.(type) {
		case *ast.StarExpr:
			t = x.X
		case *ast.IndexExpr:
			t = x.X
		case *ast.IndexListExpr:
			t = x.X
		case *ast.Ident:
			return x.Name + "." + d.Name.Name
		default:
			return d.Name.Name
		}
	}
}

// Find returns the places of a declaration. Files for different systems may
// declare the same name. An error wraps ErrNoPlace.
func (s *Source) Find(d Decl) ([]Place, error) {
	all, err := s.Places(d.Dir)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNoPlace, err)
	}
	found := slices.DeleteFunc(slices.Clone(all), func(p Place) bool { return p.Decl != d })
	if len(found) == 0 {
		return nil, fmt.Errorf("%w: no declaration %s", ErrNoPlace, d)
	}
	return found, nil
}

// Locate returns the place of a declaration and the offset of a text that begins
// in it. An error wraps ErrNoPlace.
func (s *Source) Locate(d Decl, text string) (Place, int, error) {
	places, err := s.Find(d)
	if err != nil {
		return Place{}, 0, err
	}
	var found Place
	at, n := 0, 0
	for _, p := range places {
		if all := p.At(text); len(all) > 0 {
			found, at, n = p, all[0], n+len(all)
		}
	}
	if n != 1 {
		return Place{}, 0, fmt.Errorf("%w: %s: the old text occurs %d times, want once:\n%s", ErrNoPlace, d, n, text)
	}
	return found, at, nil
}

// Dirs returns the packages at and below some directories, sorted. Each package
// has at least one production file.
func (s *Source) Dirs(roots ...string) ([]string, error) {
	found := map[string]bool{}
	for _, root := range roots {
		err := fs.WalkDir(s.files, root, func(name string, e fs.DirEntry, err error) error {
			switch {
			case errors.Is(err, fs.ErrNotExist):
				return nil
			case err != nil:
				return err
			case e.IsDir() && (e.Name() == "testdata" || strings.HasPrefix(e.Name(), ".") && name != "."):
				return fs.SkipDir
			case !e.IsDir() && production(e.Name()):
				found[path.Dir(name)] = true
			}
			return nil
		})
		if err != nil {
			return nil, fmt.Errorf("list packages: %w", err)
		}
	}
	all := make([]string, 0, len(found))
	for dir := range found {
		all = append(all, dir)
	}
	slices.SortFunc(all, cmp.Compare[string])
	return all, nil
}
