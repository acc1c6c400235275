package lattice

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// ruleRange is a mention of many rules, which names none of them.
var ruleRange = regexp.MustCompile(`R\d\s+to\s+R\d`)

// checkPlaces returns the faults in the places of the rules of evidence. Each rule has a
// package in RULES.md, and the package comment there names the rule. The map has the package
// comments by directory.
func checkPlaces(list []law, comments map[string]string) (faults []string) {
	for i := range 8 {
		rule := fmt.Sprint("R", i+1)
		if !slices.ContainsFunc(list, func(x law) bool { return x.number == rule }) {
			faults = append(faults, rule+" has no place")
		}
	}
	for _, x := range list {
		for _, dir := range x.packages {
			if x.number[0] == 'R' && x.name != "" && !regexp.MustCompile(`\b`+x.number+`\b`).MatchString(ruleRange.ReplaceAllString(comments[dir], "")) {
				faults = append(faults, "the package comment of "+dir+" does not name "+x.number)
			}
		}
	}
	return faults
}

// TestRulesHavePlaces checks that a reader finds the code of each rule.
func TestRulesHavePlaces(t *testing.T) {
	comments := map[string]string{}
	for _, f := range repo(t).files {
		if f.ast.Doc != nil && !f.test() {
			comments[f.dir()] += f.ast.Doc.Text()
		}
	}
	l, _ := readLaws(repositoryWorld(t).text(lawsFile))
	for _, fault := range checkPlaces(l.list, comments) {
		t.Error(fault)
	}
}

func TestRulesHavePlacesCanFail(t *testing.T) {
	list := []law{{number: "R1", name: "writes", packages: []string{"."}}}
	for i := 2; i <= 8; i++ {
		list = append(list, law{number: fmt.Sprint("R", i), name: "a rule", packages: []string{"internal/b"}})
	}
	list = append(list, law{number: "Root", packages: []string{"internal/c"}})
	const all = "R2, R3, R4, R5, R6, R7, R8."
	for _, c := range []struct {
		list                      []law
		root, other, want, reason string
	}{
		{list, "R1", all, "", "each place names its rules, and a heading is no number"},
		{slices.Delete(slices.Clone(list), 4, 5), "R1", all, "R5 has no place", "a rule without a place is found"},
		{list, "R1 to R8", all, "the package comment of . does not name R1", "a range names no rule"},
		{list, "", all, "the package comment of . does not name R1", "a silent root is found"},
		{list, "R1", strings.Replace(all, "R8", "", 1), "the package comment of internal/b does not name R8", "a silent package is found"},
	} {
		if got := strings.Join(checkPlaces(c.list, map[string]string{".": c.root, "internal/b": c.other}), "; "); got != c.want {
			t.Errorf("%q, want %q: %s", got, c.want, c.reason)
		}
	}
}
