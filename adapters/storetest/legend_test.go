package storetest

import (
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph/graph"
)

// TestLegend checks that each mark of a printed object is explained, and no other one.
func TestLegend(t *testing.T) {
	const marks = "@ # ~ [ % -> ! ^ ?"
	for _, tc := range []struct{ text, want, reason string }{
		{"it succeeded", "", "no object is printed"},
		{`panic: boom [recovered]! 100%`, "", "a text of the store's own is no object"},
		{"there is app/one/a@u1#4%1/0", "@ # %", "a new object of a store with generations"},
		{`app/one/a@u1#7[example.org/hold]%1/0 -> app/one/b@u2!`, "@ # [ % -> !", "a dependent that blocks"},
		{`node/b@u1#2~30[foreground]`, "@ # ~ [", "a marked object"},
		{`pod/one/a@u1#2 -> node/b@u2^, node/c@u3?`, "@ # -> ^ ?", "a controller and an unresolved owner"},
	} {
		got := legend(tc.text)
		for _, mark := range strings.Fields(marks) {
			sign := map[string]string{"@": "@UID", "#": "#v ", "~": "~ marked", "[": "[x] ", "%": "%2/1 ", "->": "a -> b ", "!": "b! ", "^": "b^ ", "?": "b? "}[mark]
			if wants := strings.Contains(" "+tc.want+" ", " "+mark+" "); wants != strings.Contains(got, sign) {
				t.Errorf("%s: the legend of %q explains %s: %v, want %v: %s", got, tc.text, mark, !wants, wants, tc.reason)
			}
		}
	}
	objects, err := graph.Parse(`app/one/a@u1#4~[example.org/hold]%1/0 -> app/one/b@u2!`)
	if err != nil {
		t.Fatal(err)
	}
	text := Result{Law: "a/b", Outcome: Broken, Detail: "seen: " + objects[0].String(), Why: "w"}.String()
	if !strings.HasSuffix(text, legend(text)) || !strings.Contains(text, "%2/1 generation 2") {
		t.Errorf("a red line does not end with its legend:\n%s", text)
	}
}
