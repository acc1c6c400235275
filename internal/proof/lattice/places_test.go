package lattice

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// placeLine is a line of the list of places in the comment of package policy.
var placeLine = regexp.MustCompile(`(?m)^\t(R[1-8])\b.*?\s(the root|internal/\S+)$`)

// ruleRange is a mention of many rules, which names none of them.
var ruleRange = regexp.MustCompile(`R\d\s+to\s+R\d`)

// checkPlaces returns the faults in the list of the places of the rules. Each rule has a
// place, and the package comment there names the rule. The map has the package comments by
// directory.
func checkPlaces(list string, comments map[string]string) (faults []string) {
	found := placeLine.FindAllStringSubmatch(list, -1)
	for i := range 8 {
		rule := fmt.Sprint("R", i+1)
		if !slices.ContainsFunc(found, func(line []string) bool { return line[1] == rule }) {
			faults = append(faults, rule+" has no place")
		}
	}
	for _, line := range found {
		dir := strings.Replace(line[2], "the root", ".", 1)
		if !regexp.MustCompile(`\b` + line[1] + `\b`).MatchString(ruleRange.ReplaceAllString(comments[dir], "")) {
			faults = append(faults, "the package comment of "+dir+" does not name "+line[1])
		}
	}
	return faults
}

// TestRulesHavePlaces holds that a reader finds the code of each rule.
func TestRulesHavePlaces(t *testing.T) {
	comments := map[string]string{}
	for _, f := range repo(t).files {
		if f.ast.Doc != nil && !f.test() {
			comments[f.dir()] += f.ast.Doc.Text()
		}
	}
	for _, fault := range checkPlaces(comments["policy"], comments) {
		t.Error(fault)
	}
}

func TestRulesHavePlacesCanFail(t *testing.T) {
	const list = "\tR1   the root\n\tR2 absence   internal/b\n\tR3 internal/b\n\tR4 internal/b\n\tR5 internal/b\n\tR6 internal/b\n\tR7 internal/b\n\tR8 internal/b\n"
	const all = "R2, R3, R4, R5, R6, R7, R8."
	for _, c := range []struct {
		list, root, other, want, reason string
	}{
		{list, "R1", all, "", "each place names its rules"},
		{strings.Replace(list, "\tR5", "\t", 1), "R1", all, "R5 has no place", "a rule without a place is found"},
		{list, "R1 to R8", all, "the package comment of . does not name R1", "a range names no rule"},
		{list, "", all, "the package comment of . does not name R1", "a silent root is found"},
		{list, "R1", strings.Replace(all, "R8", "", 1), "the package comment of internal/b does not name R8", "a silent package is found"},
	} {
		if got := strings.Join(checkPlaces(c.list, map[string]string{".": c.root, "internal/b": c.other}), "; "); got != c.want {
			t.Errorf("%q, want %q: %s", got, c.want, c.reason)
		}
	}
}
