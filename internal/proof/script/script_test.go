package script

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the output of the scenarios into their files")

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
