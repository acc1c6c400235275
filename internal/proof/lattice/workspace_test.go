package lattice

import (
	"encoding/json"
	"maps"
	"path"
	"slices"
	"strings"
	"testing"
)

// goWork is the output of go work edit -json.
type goWork struct {
	Use []struct{ DiskPath string }
}

func parseWork(lines []string) (goWork, error) {
	var w goWork
	return w, json.Unmarshal([]byte(strings.Join(lines, "\n")), &w)
}

// lacks compares the workspace with the directories of modules.
func (w goWork) lacks(mods map[string]bool) (missing []string) {
	used := map[string]bool{}
	for _, u := range w.Use {
		used[path.Clean(u.DiskPath)] = true
	}
	for _, dir := range slices.Sorted(maps.Keys(mods)) {
		if !used[dir] && !slices.Contains(strings.Split(dir, "/"), "testdata") {
			missing = append(missing, dir)
		}
	}
	return missing
}

// TestWorkspace checks that go.work.all has every module, so an editor follows a name
// through all of them.
func TestWorkspace(t *testing.T) {
	w, err := parseWork(goCommand(t, "work", "edit", "-json", "go.work.all"))
	if err != nil {
		t.Fatal(err)
	}
	if missing := w.lacks(repo(t).mods); len(missing) > 0 {
		t.Errorf("go.work.all lacks the modules %q", missing)
	}
}

func TestWorkspaceCanFail(t *testing.T) {
	w, err := parseWork([]string{`{"Use": [{"DiskPath": "."}, {"DiskPath": "./a"}]}`})
	if err != nil {
		t.Fatal(err)
	}
	missing := w.lacks(map[string]bool{".": true, "a": true, "b": true, "b/testdata/old": true})
	if !slices.Equal(missing, []string{"b"}) {
		t.Errorf("%q, want b alone: a module in testdata is input", missing)
	}
}
