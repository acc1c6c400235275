package cli

import (
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph/internal/printing"
)

// TestReason: a code has an article, in each case of its letters. A misspelt one has similar codes.
func TestReason(t *testing.T) {
	for _, c := range []struct {
		code   string
		exit   int
		first  string
		want   string
		reason string
	}{
		{"NeedFinalizers", printing.ExitDone, "NeedFinalizers: finalizers hold it\nMeaning: ", "\nRemedy: Look at the controller of the finalizer.", "a reason"},
		{"needfinalizers", printing.ExitDone, "NeedFinalizers: finalizers hold it\nMeaning: ", "\nRemedy: ", "case does not count"},
		{"og001", printing.ExitDone, "OG001: owner missing\nImportance: ", "\nRemedy: Keep the object by dropping the reference", "a finding"},
		{"NeedFinalizer", printing.ExitFailed, "", `"NeedFinalizer": no such code, similar: NeedFinalizers, `, "a misspelt reason"},
		{"OG999", printing.ExitFailed, "", `"OG999": want OG001 to OG`, "no such finding"},
	} {
		got := call(t, "", "reason", c.code)
		if got.code != c.exit || !strings.HasPrefix(got.stdout, c.first) || !strings.Contains(got.stdout+got.stderr, c.want) || c.exit == printing.ExitFailed && got.stdout != "" {
			t.Errorf("%s: exit %d, want %d, %q and %q: %s\n%s%s", c.code, got.code, c.exit, c.first, c.want, c.reason, got.stdout, got.stderr)
		}
	}
	if got := call(t, "", "reason"); got.code != printing.ExitUsage {
		t.Errorf("no code: exit %d\n%s", got.code, got.stderr)
	}
}
