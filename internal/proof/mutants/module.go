package mutants

import (
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// home is the place where the go command builds a package.
type home struct {
	dir   string // from the root, with slashes
	alone bool   // the module of the directory is outside of the workspace
}

// homeOf returns the home of the package in a directory. The root's workspace has the packages of its modules. A package
// of any other module is built in that module.
func homeOf(root, dir string) home {
	for at := path.Clean(dir); at != "."; at = path.Dir(at) {
		if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(at), "go.mod")); err == nil {
			if uses(root, at) {
				break
			}
			return home{at, true}
		}
	}
	return home{".", false}
}

// uses reports whether the workspace of the root has a module.
func uses(root, module string) bool {
	text, err := os.ReadFile(filepath.Join(root, "go.work"))
	return err == nil && slices.Contains(strings.Fields(string(text)), "./"+module)
}

// argument returns the package in a directory as an argument of the go command at home.
func (h home) argument(dir string) string {
	if h.dir != "." {
		dir = strings.TrimPrefix(strings.TrimPrefix(path.Clean(dir), h.dir), "/")
	}
	if dir = path.Clean(dir); dir == "." {
		return "."
	}
	return "./" + dir
}

// environ returns the environment of the go command at home.
func (h home) environ() []string {
	if h.alone {
		return append(os.Environ(), "GOWORK=off")
	}
	return os.Environ()
}
