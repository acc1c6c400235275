package lattice

import (
	"slices"
	"strings"
	"testing"
)

// target returns the directory of an import of this repository.
func target(importPath string) (dir string, ours bool) {
	if importPath == module {
		return ".", true
	}
	return strings.CutPrefix(importPath, module+"/")
}

// checkLayers finds imports against the order. It also finds packages that the
// order does not name. A machine needs a name of its own there.
func (o order) checkLayers(f *file) []finding {
	at := f.ast.Name.Pos()
	if o[f.dir()] == nil && f.below(machines...) {
		return []finding{f.found(at, "the import order does not name the machine %s", f.dir())}
	}
	if o.layer(f.dir()) == "" {
		return []finding{f.found(at, "package %s has no layer in the import order", f.dir())}
	}
	var list []finding
	for _, s := range f.ast.Imports {
		if dir, ours := target(imported(s)); ours && !o.allows(f.dir(), dir, f.test()) {
			list = append(list, f.found(s.Pos(), "%s may not import %s", f.dir(), dir))
		}
	}
	return list
}

// checkNested finds imports of a nested module by the root module. They build
// in the workspace, and fail everywhere else.
func (r *repository) checkNested(f *file) []finding {
	var list []finding
	for _, s := range f.ast.Imports {
		dir, ours := target(imported(s))
		if f.mod == "." && ours && r.home(dir) != "." {
			list = append(list, f.found(s.Pos(), "the root module may not import %s, of a nested module", dir))
		}
	}
	return list
}

// checkShared finds imports of another module's internal package by a module that users import. The
// user may take a newer version of the other module, which has another internal package.
func (r *repository) checkShared(f *file) []finding {
	here := r.home(f.dir())
	if f.test() || !within(here, "adapters") {
		return nil
	}
	var list []finding
	for _, s := range f.ast.Imports {
		dir, ours := target(imported(s))
		if ours && r.home(dir) != here && slices.Contains(strings.Split(dir, "/"), "internal") {
			list = append(list, f.found(s.Pos(), "module %s may not import %s, which is internal to module %s", here, dir, r.home(dir)))
		}
	}
	return list
}

func TestLayers(t *testing.T) {
	o, err := parseOrder(layers)
	if err != nil {
		t.Fatal(err)
	}
	passes(t, o.checkLayers)
	passes(t, repo(t).checkNested)
	passes(t, repo(t).checkShared)
}

func TestLayersCanFail(t *testing.T) {
	o, err := parseOrder(layers)
	if err != nil {
		t.Fatal(err)
	}
	fails(t, "layers.txt", o.checkLayers)
	fails(t, "nolayer.txt", o.checkLayers)
	fails(t, "machine.txt", o.checkLayers)
	fails(t, "nomachine.txt", o.checkLayers)
	nested := &repository{mods: map[string]bool{".": true, "adapters/clientgo": true}}
	fails(t, "nested.txt", nested.checkNested)
	fails(t, "shared.txt", nested.checkShared)
}

// TestMachinesAreBelowTheRoot checks that the engine may use each machine, and
// that no machine may use the engine.
func TestMachinesAreBelowTheRoot(t *testing.T) {
	o, err := parseOrder(layers)
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for name := range o {
		if !slices.ContainsFunc(machines, func(dir string) bool { return within(name, dir) }) {
			continue
		}
		seen++
		if !o.allows(".", name, false) || o.allows(name, ".", false) {
			t.Errorf("machine %s is not below the root in the import order", name)
		}
	}
	if seen == 0 {
		t.Error("the import order has no machine")
	}
}
