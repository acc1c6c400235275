package lint_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/lint"
)

// TestCodes: each code has a description, and a planted fault or a row of TestChecks, TestManifests or
// TestConstraints, or a test of ondelete_test.go.
func TestCodes(t *testing.T) {
	list := lint.Codes()
	for i, c := range list {
		if c.Code != lint.Code(i+1) || c.Title == "" || !strings.HasSuffix(c.Importance, ".") || !strings.HasSuffix(c.Remedy, ".") {
			t.Errorf("codes[%d] is %+v", i, c)
		}
		if got, err := lint.ParseCode(c.Code.String()); err != nil || got != c.Code {
			t.Errorf("ParseCode(%s) = %s, error %v", c.Code, got, err)
		}
	}
	if last := list[len(list)-1].Code; last != lint.DormantPolicy || last.String() != "OG039" {
		t.Errorf("the last description is of %s", last)
	}
	var planted []string
	for _, f := range faults() {
		for _, want := range f.want {
			planted = append(planted, want[:5])
		}
	}
	for _, c := range list {
		if c.Code != lint.UnresolvedOwner && c.Code < lint.UnqualifiedFinalizer && !slices.Contains(planted, c.Code.String()) {
			t.Errorf("no planted fault has the code %s", c.Code)
		}
	}
}

// TestDescribe: each code has a text with an example, also in small letters. Another code is an error.
func TestDescribe(t *testing.T) {
	for _, c := range lint.Codes() {
		for _, typed := range []string{c.Code.String(), strings.ToLower(c.Code.String())} {
			text, err := lint.Describe(typed)
			lines := strings.Split(text, "\n")
			if err != nil || len(lines) != 5 || lines[0] != c.Code.String()+": "+c.Title || !strings.HasSuffix(lines[2], ".") || lines[3] != "Remedy: "+c.Remedy {
				t.Errorf("describe %s: %q, error %v", typed, text, err)
			}
		}
	}
	for _, c := range []struct{ typed, want, reason string }{
		{"OG1", `describe code "OG1": want OG001 to OG039: invalid`, "digits are missing"},
		{"unset", `describe code "unset": want OG001 to OG039: invalid`, "the zero value has no text"},
		{"\x1b[2J", `describe code "\x1b[2J": want OG001 to OG039: invalid`, "the error controls no terminal"},
	} {
		if text, err := lint.Describe(c.typed); text != "" || !errors.Is(err, graph.ErrInvalid) || err.Error() != c.want {
			t.Errorf("describe %q: %q, error %v, want %s: %s", c.typed, text, err, c.want, c.reason)
		}
	}
}

// TestPage checks LINT.md. go test ./lint -run TestPage -update writes it.
func TestPage(t *testing.T) { checkGolden(t, "LINT.md", lint.Page()) }

// TestNames: the zero value of an enum is "unset", and a value out of range has a name.
func TestNames(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{lint.CodeUnset.String(), "unset"}, {lint.MissingOwner.String(), "OG001"},
		{lint.SeverityUnset.String(), "unset"}, {lint.Severity(99).String(), "severity(99)"},
		{lint.FateUnset.String(), "unset"}, {lint.Fate(99).String(), "fate(99)"},
	} {
		if c.got != c.want {
			t.Errorf("%q, want %q", c.got, c.want)
		}
	}
}
