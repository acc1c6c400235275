package mutants

import (
	"go/parser"
	"go/token"
	"maps"
	"path"
	"slices"
	"strings"
	"testing"
)

const sample = `package sample

func sample(a, b int, log Logger) (int, bool) {
	total := 0
	for i := 0; i < a; i++ {
		if i == b && a > 1 || !ready() {
			continue
		} else {
			touch(i)
		}
		total += i
	}
	var on = true
	switch {
	case total == 7:
		total = 8
	default:
		log.Logger.Warn("x")
	}
	return total, total != b
}
`

// TestMutate: each operator finds its places, and each mutant parses.
func TestMutate(t *testing.T) {
	found, err := Mutate("sample.go", []byte(sample))
	if err != nil {
		t.Fatal(err)
	}
	got := map[string][]string{}
	for _, m := range found {
		got[m.Operator] = append(got[m.Operator], strings.TrimSpace(m.After))
		if _, err := parser.ParseFile(token.NewFileSet(), "", m.Edit([]byte(sample)).Content, 0); err != nil {
			t.Errorf("%s: %s: %v", m.ID, m.Operator, err)
		}
		if m.Before == m.After {
			t.Errorf("%s: %s changes nothing", m.ID, m.Operator)
		}
	}
	for _, c := range []struct{ operator, after, reason string }{
		{"never loop", "for i := 0; false; i++ {", "a loop may be left out"},
		{"negate", "if !(i == b && a > 1 || !ready()) {", "a condition may be the wrong way round"},
		{"negate", "case !(total == 7):", "the condition of a clause may be the wrong way round"},
		{"negate", "return total, !(total != b)", "a result may be the wrong way round"},
		{"other operator", "for i := 0; i <= a; i++ {", "a bound may be off by one"},
		{"other operator", "if i == b || a > 1 || !ready() {", "a writer may confuse and with or"},
		{"other operator", "if i != b && a > 1 || !ready() {", "a writer may confuse equal with unequal"},
		{"other operator", "total -= i", "a writer may confuse plus with minus"},
		{"left alone", "if i == b || !ready() {", "the right part of a condition may be missing"},
		{"right alone", "if !ready() {", "the left part may be missing"},
		{"drop not", "if i == b && a > 1 || ready() {", "a not may be missing"},
		{"remove branch", "", "a continue may be missing"},
		{"other branch", "break", "a break may stand for a continue"},
		{"remove call", "", "a call may be missing"},
		{"remove assignment", "", "an assignment may be missing"},
		{"count back", "for i := 0; i < a; i-- {", "a counter may count back"},
		{"one more", "case total == 8:", "a constant may be too large"},
		{"one less", "case total == 6:", "a constant may be too small"},
		{"zero result", "return *new(int), total != b", "a result may be missing"},
		{"drop else", "}", "an else may be missing"},
		{"flip", "var on = false", "a flag may have the wrong value"},
		{"drop case", "", "a clause may be missing"},
	} {
		if !slices.Contains(got[c.operator], c.after) {
			t.Errorf("%s: no %q makes %q, but %q", c.reason, c.operator, c.after, got[c.operator])
		}
	}
	if left := slices.Sorted(maps.Keys(got)); len(left) != 17 {
		t.Errorf("%d operators, want 17: %q", len(left), left)
	}
	for _, m := range found {
		if strings.Contains(m.Before, "Logger") && m.Operator == "remove call" {
			t.Errorf("logging is mutated: %s", m.Diff())
		}
	}
}

// TestMutantIDs: the ids of a file differ, and a move of a line keeps them.
func TestMutantIDs(t *testing.T) {
	first, err := Mutate("sample.go", []byte(sample))
	if err != nil {
		t.Fatal(err)
	}
	moved, err := Mutate("sample.go", []byte(strings.Replace(sample, "\tfor", "\n\t// moved\n\tfor", 1)))
	if err != nil {
		t.Fatal(err)
	}
	ids := map[string]bool{}
	for i, m := range first {
		if ids[m.ID] {
			t.Errorf("%s is there twice", m.ID)
		}
		ids[m.ID] = true
		if moved[i].ID != m.ID {
			t.Errorf("%s is %s after a line was put before it", m.ID, moved[i].ID)
		}
	}
}

// TestMutateRefuses: a source that does not parse is an error.
func TestMutateRefuses(t *testing.T) {
	if _, err := Mutate("x.go", []byte("package")); err == nil {
		t.Error("no error for half a source")
	}
}

// TestDraw: the order depends on the seed, and every target has mutants.
func TestDraw(t *testing.T) {
	one, sources, err := Draw(root, 1)
	if err != nil {
		t.Fatal(err)
	}
	again, _, _ := Draw(root, 1)
	other, _, _ := Draw(root, 2)
	same := func(a, b Mutant) bool { return a.File == b.File && a.ID == b.ID }
	if !slices.EqualFunc(one, again, same) || slices.EqualFunc(one, other, same) {
		t.Error("a seed does not fix the order, or every seed gives the same")
	}
	drawn := map[string]bool{}
	for i, m := range one[:min(len(one), 2000)] {
		drawn[m.File] = true
		drawn[path.Dir(m.File)] = drawn[path.Dir(m.File)] || i < 1000
	}
	for _, want := range []string{"graph", "policy", "finalizer", "engine/fence.go", "engine/kinds.go", "engine/decide.go", "engine/write.go", "engine/read.go", "internal/core/cycle", "internal/core/evidence"} {
		if !drawn[want] {
			t.Errorf("nothing is drawn from %s", want)
		}
	}
	if len(sources) < 30 {
		t.Errorf("%d sources, want more", len(sources))
	}
}
