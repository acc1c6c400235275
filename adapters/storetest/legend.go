package storetest

import (
	"regexp"
	"strings"
)

// legend explains the notation of package graph, as far as the text has it, in a line. It
// returns "" for a text without objects.
//
//test:by TestLegend
func legend(text string) string {
	var parts []string
	for _, x := range []struct{ mark, meaning string }{
		{`[\w"]/[\w"][^ ]*@`, "kind/scope/name@UID"},
		{`[\w"@/]#\w`, "#v version v"},
		{`[\w"]~`, "~ marked for deletion (~30 with a grace period of 30 seconds)"},
		{`[\w"~]\[[^\] ]*\]`, "[x] finalizers"},
		{`%-?\d+/-?\d+`, "%2/1 generation 2, of which its controller has observed 1"},
		{` -> `, "a -> b owner b of a"},
		{` [\w"][^ ,;]*!`, "b! its foreground deletion waits for a"},
		{` [\w"][^ ,;]*\^`, "b^ it is the controller of a"},
		{` [\w"][^ ,;]*\?`, "b? unresolved, its place is unknown"},
	} {
		if regexp.MustCompile(x.mark).MatchString(text) {
			parts = append(parts, x.meaning)
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return "\nthe notation: " + strings.Join(parts, "; ")
}
