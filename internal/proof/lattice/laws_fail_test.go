package lattice

import (
	"slices"
	"strings"
	"testing"
)

// sampleLaws is a small RULES.md without a fault.
const sampleLaws = "# The rules\n\nText.\n\n## Words\n\n| word | meaning |\n|---|---|\n| a | b |\n\n" +
	"## Evidence\n\n### R1 writes\n\nA write.\n\nPackage `a`. Tests: `TestA`, `b.TestB`. Scenarios: `one`.\n\n" +
	"## Work\n\nWork.\n\nPackages `a`, `b`. Tests: `TestB`.\n\n" +
	"## Former numbers\n\n## Index\n\n| number | name | defined in | package | test |\n|---|---|---|---|---|\n" +
	"| R1 | writes | RULES.md | `a` | `TestA` |\n| Work | all | RULES.md | `b` | `TestB` |\n" +
	"| S1 | steps | `b/doc.go` | `b` | scenario `one` |\n| S2 | more | `b/doc.go` | `b` | waits: the archive |\n"

func TestLawsCanFail(t *testing.T) {
	doc := "//\tS1 a step\n//\tS2 another\n"
	w := world{
		tests:    map[string][]string{"a": {"TestA"}, "b": {"TestB"}},
		scenario: func(name string) bool { return name == "one" },
		text:     func(string) string { return doc },
	}
	for _, c := range []struct {
		old, new, want, reason string
	}{
		{"", "", "", "the sample has no fault"},
		{"Package `a`. Tests: `TestA`", "Here: `TestA`", `R1 writes has no place; the index has the laws ["R1 writes" "Work"], want ["Work"]`, "a law without a place"},
		{"Package `a`.", "Package `c`.", "R1 names the package c, which does not exist; R1 names the test TestA, which does not exist", "a package that has gone"},
		{"`b.TestB`", "`b.TestC`", "R1 names the test b.TestC, which does not exist", "a test that has gone"},
		{"Tests: `TestA`", "Tests: `TestB`", "R1 names the test TestB, which does not exist", "a test of another package"},
		{"Scenarios: `one`", "Scenarios: `two`", "R1 names the scenario two, which does not exist", "a scenario that has gone"},
		{"### R1 writes", "### R2 writes", `the index has the laws ["R1 writes" "Work"], want ["R2 writes" "Work"]`, "a law that the index lacks"},
		{"| Work | all", "| Cost | all", `the index has the laws ["R1 writes" "Cost"], want ["R1 writes" "Work"]`, "a row without a law"},
		{"| S2 | more", "| S1 | more", "the index has S1 twice; the index lacks S2 of b/doc.go", "a number of a list that the index lacks"},
		{"| S2 | more", "| S3 | more", "b/doc.go does not define S3; the index lacks S2 of b/doc.go", "a number that no list has"},
		{"| S2 | more", "| E2 | more", "E2 of b/doc.go has the letter of a law; b/doc.go does not define E2; the index lacks S2 of b/doc.go", "a letter of the laws"},
		{"`b` | `TestB` |", "`b` | `TestA` |", "the index names the test `TestA` for Work, which does not exist", "a wrong test in the index"},
		{"`b` | scenario `one`", "`c` | scenario `two`", "the index names the package c for S1, which does not exist; the index names the test scenario `two` for S1, which does not exist", "a wrong package and scenario"},
		{" | waits: the archive", "", "the index has a row of 4 cells: S2 | more | `b/doc.go` | `b`; the index lacks S2 of b/doc.go", "a short row"},
	} {
		l, faults := readLaws(strings.Replace(sampleLaws, c.old, c.new, 1))
		got := strings.Join(slices.Concat(faults, w.checkLaws(l), w.checkIndex(l)), "; ")
		if got != c.want {
			t.Errorf("%s:\n got  %s\n want %s", c.reason, got, c.want)
		}
	}
}
