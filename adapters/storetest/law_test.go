package storetest

import (
	"regexp"
	"strings"
	"testing"
)

// TestLawsAreSound checks that each law has a name, a reason and a function, and
// rests on laws that come before it.
func TestLawsAreSound(t *testing.T) {
	form := regexp.MustCompile(`^[a-z0-9]+/[a-z0-9-]+$`)
	before := map[string]bool{}
	for _, l := range laws() {
		if !form.MatchString(l.name) || before[l.name] {
			t.Errorf("law %q: the name is not of the form subject/rule, or is there twice", l.name)
		}
		if l.why == "" || strings.HasSuffix(l.why, ".") || l.run == nil {
			t.Errorf("law %q: it has no reason, or no function", l.name)
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
