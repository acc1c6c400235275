package lattice

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	moduleRow = regexp.MustCompile("(?m)^\\| (`[^`|]+`(?:, `[^`|]+`)*) \\| Go ([0-9.]+) \\|")
	goLine    = regexp.MustCompile(`(?m)^go ([0-9]+\.[0-9]+)(\.[0-9]+)?$`)
)

// moduleFaults compares the Go versions in a README with the versions of the
// modules. The directory identifies a module, and a row names one or more.
func moduleFaults(readme string, modules map[string]string) []string {
	var list []string
	named := map[string]bool{}
	for _, row := range moduleRow.FindAllStringSubmatch(readme, -1) {
		for dir := range strings.SplitSeq(strings.ReplaceAll(row[1], "`", ""), ", ") {
			named[dir] = true
			if want := modules[dir]; want != row[2] {
				list = append(list, fmt.Sprintf("%s needs Go %s, not %s", dir, row[2], want))
			}
		}
	}
	for dir := range modules {
		if !named[dir] {
			list = append(list, dir+" is not named")
		}
	}
	slices.Sort(list)
	return list
}

// modulesToImport returns the Go version of each module that users may import.
func modulesToImport(t *testing.T) map[string]string {
	t.Helper()
	list := map[string]string{}
	err := walk(func(p string) error {
		dir := path.Dir(p)
		if path.Base(p) != "go.mod" || within(dir, "internal") || slices.ContainsFunc(manuals, func(m string) bool { return within(dir, m) }) {
			return nil
		}
		text, err := os.ReadFile(filepath.Join(root(), filepath.FromSlash(p)))
		if version := goLine.FindStringSubmatch(string(text)); version != nil {
			list[dir] = version[1]
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// TestReadmeNamesGo checks that the README names the Go version of every module.
func TestReadmeNamesGo(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root(), "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, fault := range moduleFaults(string(text), modulesToImport(t)) {
		t.Errorf("README.md: %s", fault)
	}
}

func TestReadmeNamesGoCanFail(t *testing.T) {
	readme := "| `.` | Go 1.24 | x |\n| `gone`, `a/b` | Go 1.26 | x |\n"
	got := strings.Join(moduleFaults(readme, map[string]string{".": "1.25", "a/b": "1.26", "c": "1.26"}), "\n")
	if want := ". needs Go 1.24, not 1.25\nc is not named\ngone needs Go 1.26, not "; got != want {
		t.Errorf("faults:\n%s\nwant:\n%s", got, want)
	}
}
