package relocate

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph/internal/proof/mutants"
)

const bugFile = "internal/proof/mutants/testdata/bugs/a.txt"

const bugs = `m001 a known node is searched
source: R1
decl: . engine.step
killers: unit
<<<
	if m.known > e.rewound && budget > 0 {
===
	if budget > 0 {
>>>

m002 a node counts twice
source: R1
decl: . engine.count
killers: unit
<<<
	return e.counts + n
===
	return e.counts + 2*n
>>>

m003 it is gone
source: R1
decl: . engine.gone
killers: unit
<<<
	e.counts = n << 3
===
>>>
`

const engine = `package m

type mind struct{ known int }

type engine struct{ counts, rewound int; minds map[int]*mind }

func (e *engine) step(id int, budget int) bool {
	m := e.minds[id]
	if m.known > e.rewound && budget > 0 {
		e.counts += budget
		return true
	}
	m.known = e.count(1)
	return false
}

func (e *engine) count(n int) int {
	return e.counts + n
}

func (e *engine) gone(n int) {
	e.counts = n << 3
}
`

const machine = `package search

// State is the state of a node.
type State struct{ Known int }

// Search is the machine.
type Search struct{ steps, rewound int; states map[int]*State }

// Step makes a step.
func (s *Search) Step(id int, budget int) bool {
	st := s.states[id]
	if st.Known > s.rewound && budget > 0 {
		s.steps += budget
		return true
	}
	st.Known = s.Add(1)
	return false
}

// Add adds.
func (s *Search) Add(n int) int {
	return s.steps + n
}
`

func write(t *testing.T, root, name, text string) {
	t.Helper()
	path := filepath.Join(root, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// commit makes a repository of a directory, with one commit.
func commit(t *testing.T, root string) {
	t.Helper()
	for _, args := range [][]string{
		{"init", "-q"},
		{"add", "-A"},
		{"-c", "user.name=x", "-c", "user.email=x@example.com", "-c", "commit.gpgsign=false", "commit", "-q", "-m", "x"},
	} {
		cmd := exec.Command("git", args...)
		cmd.Dir = root
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %q: %v: %s", args, err, out)
		}
	}
}

// TestRun: bugs and survivors follow a move before its commit. A second run changes
// nothing.
func TestRun(t *testing.T) {
	root := t.TempDir()
	write(t, root, "go.mod", "module example.com/m\n\ngo 1.25.0\n")
	write(t, root, "engine.go", engine)
	write(t, root, bugFile, bugs)
	all, err := mutants.Mutate("engine.go", []byte(engine))
	if err != nil {
		t.Fatal(err)
	}
	const survivors = "internal/proof/mutants/testdata/survivors.txt"
	for _, m := range all {
		if m.Decl.Name == "engine.step" && m.Operator == "right alone" {
			write(t, root, survivors, "# why\n"+m.ID+" . engine.step the budget\n  is large\n")
		}
	}
	commit(t, root)
	write(t, root, "engine.go", "package m\n")
	write(t, root, "internal/core/search/search.go", machine)

	var out strings.Builder
	if err := Run(t.Context(), &out, Options{Root: root}); !errors.Is(err, ErrLeft) {
		t.Fatalf("error %v, want one bug left\n%s", err, &out)
	}
	for _, want := range []string{
		"m001 rewritten", ". engine.step -> internal/core/search Search.Step", "m003 BY HAND: . engine.gone: it is gone",
		"0 fit, 0 with a new declaration, 2 with new texts, 1 by hand", "survivors: 0 fit, 1 with a new id, 0 by hand",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the output has no %q:\n%s", want, &out)
		}
	}
	text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(bugFile)))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"decl: internal/core/search Search.Step\nkillers: root\n<<<\n\tif st.Known > s.rewound && budget > 0 {\n===\n\tif budget > 0 {\n>>>",
		"decl: internal/core/search Search.Add\nkillers: root\n<<<\n\treturn s.steps + n\n===\n\treturn s.steps + 2*n\n>>>",
		bugs[strings.Index(bugs, "m003"):],
	} {
		if !strings.Contains(string(text), want) {
			t.Errorf("the bugs have no %q:\n%s", want, text)
		}
	}
	out.Reset()
	if err := Run(t.Context(), &out, Options{Root: root}); !errors.Is(err, ErrLeft) ||
		!strings.Contains(out.String(), "2 fit, 0 with a new declaration, 0 with new texts, 1 by hand") ||
		!strings.Contains(out.String(), "survivors: 1 fit, 0 with a new id, 0 by hand") {
		t.Errorf("a second run: error %v\n%s", err, &out)
	}
}
