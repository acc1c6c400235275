package mutants

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const twoBugs = `# heading

m001 the rule
source: R1
decl: graph Graph.Apply
killers: unit
<<<
m002 is no heading here
===
new
>>>

m002 another rule
decl: . F
killers: unit
<<<
old
===
>>>
`

// TestRewrite: a changed bug gets its lines, and all others stay.
func TestRewrite(t *testing.T) {
	root := t.TempDir()
	file := filepath.Join(root, filepath.FromSlash(filepath.Dir(bugsGlob)), "a.txt")
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(twoBugs), 0o644); err != nil {
		t.Fatal(err)
	}
	bugs, err := Load(root)
	if err != nil || len(bugs) != 2 {
		t.Fatalf("%d bugs, %v", len(bugs), err)
	}
	b := bugs[1]
	b.Decl, b.Old, b.New, b.Killers = Decl{"core", "T.F"}, "old\nolder", "new", []Method{Root, Scripts}
	if err := Rewrite(root, []Bug{b}); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	want := strings.NewReplacer(". F\nkillers: unit", "core T.F\nkillers: root, scripts", "old\n===\n", "old\nolder\n===\nnew\n").Replace(twoBugs)
	if string(got) != want {
		t.Errorf("rewritten\n%s\nwant\n%s", got, want)
	}
}
