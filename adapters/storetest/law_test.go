package storetest

import (
	"regexp"
	"strings"
	"testing"
)

// TestLawsAreSound: each law has a name, a reason and something to run, and
// rests on laws that are tried before it.
func TestLawsAreSound(t *testing.T) {
	form := regexp.MustCompile(`^[a-z]+/[a-z-]+$`)
	before := map[string]bool{}
	for _, l := range laws() {
		if !form.MatchString(l.name) || before[l.name] {
			t.Errorf("law %q: the name is not of the form subject/rule, or is there twice", l.name)
		}
		if l.why == "" || strings.HasSuffix(l.why, ".") || l.run == nil {
			t.Errorf("law %q: it says not why, or runs nothing", l.name)
		}
		for _, name := range l.basis() {
			if !before[name] && !strings.HasPrefix(l.name, "client/") {
				t.Errorf("law %q rests on %q, which is not tried before it", l.name, name)
			}
		}
		before[l.name] = true
	}
	t.Logf("%d laws", len(before))
}
