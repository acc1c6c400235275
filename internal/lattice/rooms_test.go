package lattice

import (
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

// checkRooms finds imports against the order and packages without a room.
func (o order) checkRooms(f *file) []finding {
	if o.room(f.dir()) == "" {
		return []finding{f.found(f.ast.Name.Pos(), "package %s has no room in the import order", f.dir())}
	}
	var list []finding
	for _, s := range f.ast.Imports {
		if dir, ours := target(imported(s)); ours && !o.allows(f.dir(), dir, f.test()) {
			list = append(list, f.found(s.Pos(), "%s may not import %s", f.dir(), dir))
		}
	}
	return list
}

// checkNested finds imports of a nested module by the root module: they would
// build in the workspace, and nowhere else.
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

func TestRooms(t *testing.T) {
	o, err := parseOrder(rooms)
	if err != nil {
		t.Fatal(err)
	}
	hold(t, o.checkRooms)
	hold(t, repo(t).checkNested)
}

func TestRoomsCanFail(t *testing.T) {
	o, err := parseOrder(rooms)
	if err != nil {
		t.Fatal(err)
	}
	fails(t, "rooms.txt", o.checkRooms)
	fails(t, "noroom.txt", o.checkRooms)
	nested := &repository{mods: map[string]bool{".": true, "adapters/clientgo": true}}
	fails(t, "nested.txt", nested.checkNested)
}
