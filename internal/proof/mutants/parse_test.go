package mutants

import (
	"math"
	"strings"
	"testing"
)

func TestParseBugs(t *testing.T) {
	const good = "# comment\n\nm001 the rule\nsource: R1 K1\ndecl: graph Graph.Apply\nkillers: scripts, unit\ntests: ^TestA$|TestB\nexhaustive: 2 objects, 1 crash; graph 7\n<<<\nold\n text\n===\nnew\n>>>\n"
	bugs, err := parseBugs(good)
	if err != nil || len(bugs) != 1 {
		t.Fatalf("%d bugs, %v", len(bugs), err)
	}
	b := bugs[0]
	if b.Name != "m001" || b.Rule != "the rule" || b.Source != "R1 K1" || b.Decl != (Decl{"graph", "Graph.Apply"}) ||
		b.Old != "old\n text" || b.New != "new" || len(b.Killers) != 2 || b.Killers[0] != Scripts || b.Killers[1] != Unit ||
		b.Tests != "^TestA$|TestB" || b.Where != (Where{Row: "2 objects, 1 crash", Graph: 7}) || b.Where.String() != "2 objects, 1 crash; graph 7" {
		t.Errorf("parsed %+v", b)
	}
	for _, c := range []struct{ text, want, reason string }{
		{"m001\n", "want a name and a rule", "a bug needs a rule"},
		{strings.Replace(good, "killers: scripts", "killers: luck", 1), `"luck"`, "the method has to exist"},
		{strings.Replace(good, "decl:", "delc:", 1), `"delc: graph Graph.Apply"`, "a misspelt field is an error"},
		{strings.Replace(good, "decl: graph ", "decl: ", 1), "want a directory and a name", "several packages may declare one name"},
		{strings.Replace(good, "^TestA$", "(TestA", 1), "want a regular expression", "no test could have such a name"},
		{strings.Replace(good, "^TestA$|TestB", "", 1), "want a regular expression", "an empty line would run all tests"},
		{strings.Replace(good, "graph 7", "graph 0", 1), "want a row", "the first graph has the number 1"},
		{strings.Replace(good, "; graph 7", "", 1), "want a row", "a row needs a graph"},
		{strings.Replace(good, "===\n", "", 1), "without ===", "the old text needs an end"},
		{strings.Replace(good, ">>>\n", "", 1), "without >>>", "the new text needs an end"},
		{"m001 the rule\nsource: R1\n", "want source, decl", "a bug needs all of its lines"},
	} {
		if _, err := parseBugs(c.text); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", c.reason, err, c.want)
		}
	}
}

func TestParseSurvivors(t *testing.T) {
	argued, err := parseSurvivors("# why\n\n01234567 graph T.F it is only\n  faster\n")
	if err != nil || len(argued) != 1 || argued[0] != (Survivor{"01234567", Decl{"graph", "T.F"}, "it is only faster"}) {
		t.Errorf("argued %+v, %v", argued, err)
	}
	for _, c := range []struct{ text, want, reason string }{
		{"01234567 graph T.F\n", "line 1", "a survivor needs an argument"},
		{"1 a F x\n1 a F y\n", "line 2: 1 is argued twice", "a survivor has one argument"},
	} {
		if _, err := parseSurvivors(c.text); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", c.reason, err, c.want)
		}
	}
}

// TestSurvivorsAreThere: each argument is about a mutant of the declaration that it names.
// The source may have changed since.
func TestSurvivorsAreThere(t *testing.T) {
	argued, err := LoadSurvivors(root)
	if err != nil {
		t.Fatal(err)
	}
	all, _, err := Draw(root, 1)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]Decl{}
	for _, m := range all {
		found[m.ID] = m.Decl
	}
	for _, s := range argued {
		if d, ok := found[s.ID]; !ok || d != s.Decl {
			t.Errorf("survivor %s is no longer a mutant of %s: %s", s.ID, s.Decl, s.Argument)
		}
	}
}

func TestRatio(t *testing.T) {
	for _, c := range []struct {
		killed, n    int
		p, low, high float64
		reason       string
	}{
		{0, 0, 0, 0, 1, "no mutant gives no knowledge"},
		{380, 400, 0.95, 0.924, 0.967, "Wilson's interval of a common case"},
		{10, 10, 1, 0.722, 1, "the interval stays within 0 and 1"},
	} {
		p, low, high := Ratio(c.killed, c.n)
		if math.Abs(p-c.p) > 0.001 || math.Abs(low-c.low) > 0.001 || math.Abs(high-c.high) > 0.001 {
			t.Errorf("%s: %.3f, %.3f to %.3f; want %.3f, %.3f to %.3f", c.reason, p, low, high, c.p, c.low, c.high)
		}
	}
}
