package storetest

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph"
)

// lawsOnPage returns the laws of each section of a page. A code span that begins with a subject
// has the names of its laws: "read/ fresh absent".
func lawsOnPage(text string) map[string][]string {
	span := regexp.MustCompile("`([a-z0-9]+/)((?: [a-z0-9-]+)+)`")
	found := map[string][]string{}
	for _, section := range strings.Split(text, "\n## ")[1:] {
		title, rows, _ := strings.Cut(section, "\n")
		for _, m := range span.FindAllStringSubmatch(rows, -1) {
			for _, rule := range strings.Fields(m[2]) {
				found[title] = append(found[title], m[1]+rule)
			}
		}
	}
	return found
}

// sectionOf returns the section of a law on docs/store-laws.md.
func sectionOf(l law) string {
	optional := func(n need) bool {
		return slices.Contains([]need{needLister, needComparer, needSelector, needBatcher, needRecords, needArchive}, n)
	}
	switch {
	case l.level == ownergraph.Level3:
		return "Level 3"
	case slices.ContainsFunc(l.needs, optional):
		return "Optional powers"
	case l.level == ownergraph.Level2:
		return "Level 2"
	}
	return "Level 1"
}

// lies compares the page with the laws of the kit.
func lies(text string, list []law) (faults []string) {
	found := lawsOnPage(text)
	for _, l := range list {
		section := sectionOf(l)
		i := slices.Index(found[section], l.name)
		if i < 0 {
			faults = append(faults, section+" lacks "+l.name)
			continue
		}
		found[section] = slices.Delete(found[section], i, i+1)
	}
	for section, rest := range found {
		for _, name := range rest {
			faults = append(faults, section+" has "+name+" too often, or the kit has no such law of it")
		}
	}
	slices.Sort(faults)
	return faults
}

// TestPageOfLaws holds docs/store-laws.md against the laws of the kit.
func TestPageOfLaws(t *testing.T) {
	text, err := os.ReadFile("../../docs/store-laws.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, fault := range lies(string(text), laws()) {
		t.Errorf("docs/store-laws.md: %s", fault)
	}
	if n := strings.Count(string(text), "\n"); n > 60 {
		t.Errorf("docs/store-laws.md has %d lines, more than 60", n)
	}
}

func TestPageOfLawsCanFail(t *testing.T) {
	list := []law{{name: "read/fresh"}, {name: "fence/passes", level: ownergraph.Level2}, {name: "list/anew", needs: []need{needLister}}}
	for _, tc := range []struct{ text, want, reason string }{
		{"\n## Level 1\n`read/ fresh`\n## Level 2\n`fence/ passes`\n## Optional powers\n`list/ anew`", "", "each law is in its section"},
		{"\n## Level 1\n`read/ fresh` `fence/ passes`\n## Optional powers\n`list/ anew`",
			"Level 1 has fence/passes too often, or the kit has no such law of it; Level 2 lacks fence/passes", "a law is in another section"},
		{"\n## Level 1\n`read/ fresh old`\n## Level 2\n`fence/ passes`\n## Optional powers\n`list/ anew`",
			"Level 1 has read/old too often, or the kit has no such law of it", "the kit no longer has the law"},
		{"\n## Level 1\n`read/ fresh fresh`\n## Level 2\n`fence/ passes`\n## Optional powers\n",
			"Level 1 has read/fresh too often, or the kit has no such law of it; Optional powers lacks list/anew", "one is there twice, one is missing"},
	} {
		if got := strings.Join(lies(tc.text, list), "; "); got != tc.want {
			t.Errorf("%s, want %s: %s", got, tc.want, tc.reason)
		}
	}
}
