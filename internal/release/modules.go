package main

import (
	"cmp"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
)

// goModule is a module of the repository.
type goModule struct {
	dir  string // from the root, "." for the root
	path string
	file *modfile.File
	// kept says that no user takes the module by a version. It keeps its replace lines.
	kept bool
	// needs are the paths of the modules of the repository that it requires.
	needs []string
	sums  sums
	size  int64 // of the zip, in bytes
}

// readModules returns the modules of the tree in an order in which each stands behind those that it
// requires. A module in a directory testdata is input of tests, and is left out.
//
//test:by TestModules
func readModules(dir string, files []string) ([]*goModule, error) {
	byPath := map[string]*goModule{}
	for _, name := range files {
		if path.Base(name) != "go.mod" || slices.Contains(strings.Split(name, "/"), "testdata") {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
		if err != nil {
			return nil, fmt.Errorf("read module: %w", err)
		}
		f, err := modfile.Parse(name, text, nil)
		if err != nil {
			return nil, fmt.Errorf("read module: %w", err)
		}
		if f.Module == nil {
			return nil, fmt.Errorf("read module: %s: module: missing", name)
		}
		m := &goModule{dir: path.Dir(name), path: f.Module.Mod.Path, file: f}
		m.kept = slices.Contains(strings.Split(m.dir, "/"), "internal")
		if other := byPath[m.path]; other != nil {
			return nil, fmt.Errorf("read module: %s: module %s: %s has it too", name, m.path, other.dir)
		}
		byPath[m.path] = m
	}
	for _, m := range byPath {
		for _, r := range m.file.Require {
			if byPath[r.Mod.Path] != nil {
				m.needs = append(m.needs, r.Mod.Path)
			}
		}
	}
	return ordered(byPath)
}

// ordered sorts modules by their directories, and puts each behind those that it requires.
func ordered(byPath map[string]*goModule) ([]*goModule, error) {
	var all, out []*goModule
	for _, m := range byPath {
		all = append(all, m)
	}
	slices.SortFunc(all, func(a, b *goModule) int { return cmp.Compare(a.dir, b.dir) })
	done := map[string]bool{}
	for len(out) < len(all) {
		before := len(out)
		for _, m := range all {
			if !done[m.path] && !slices.ContainsFunc(m.needs, func(p string) bool { return !done[p] }) {
				done[m.path] = true
				out = append(out, m)
			}
		}
		if len(out) == before {
			return nil, fmt.Errorf("order modules: modules require each other")
		}
	}
	return out, nil
}

// tag returns the tag of a version of the module, as the Go command reads it.
func (m *goModule) tag(version string) string {
	if m.dir == "." {
		return version
	}
	return m.dir + "/" + version
}
