package script

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the output of the scenarios into their files")

// TestScenariosAtLevel3 runs the scenarios of level 2 with engines of level 3. The store
// refuses nothing, so each output is the same. An engine works at level 3 as at level 2.
func TestScenariosAtLevel3(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d scenarios, error %v", len(files), err)
	}
	const level = " level=3 lax"
	for _, path := range files {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		want := strings.Split(string(text), "\n")
		for i, line := range want {
			if (line == "world" || strings.HasPrefix(line, "world ")) && !strings.Contains(line, "level=") {
				want[i] += level
			}
		}
		if i := firstCommand(want); !strings.HasPrefix(want[i], "world") {
			want = slices.Insert(want, i, "world"+level)
		}
		got, err := Run(strings.Join(want, "\n"))
		if err != nil || got != strings.Join(want, "\n") {
			t.Errorf("%s: error %v, and the output at level 3 differs:\n%s", path, err, got)
		}
	}
}

// firstCommand returns the number of the first line that is no comment.
func firstCommand(lines []string) int {
	return slices.IndexFunc(lines, func(line string) bool { return line != "" && !strings.HasPrefix(line, "#") })
}

// TestScenarios runs every scenario and compares its output.
func TestScenarios(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d scenarios, error %v", len(files), err)
	}
	for _, path := range files {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txt"), func(t *testing.T) {
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			got, err := Run(string(want))
			if *update && got != "" && got != string(want) {
				if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
				want = []byte(got)
			}
			if err != nil {
				t.Error(err)
			}
			if got != "" && got != string(want) {
				t.Errorf("the output differs; -update writes it:\n%s", got)
			}
		})
	}
}
