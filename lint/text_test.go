package lint_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/lint"
)

// TestReportText: the findings of a code stand together, in columns, with one remedy.
func TestReportText(t *testing.T) {
	const want = `OG012 error: reference to itself (1)
  node/n  owners[0].uid  The object names itself as its owner  kept for ever
  Remedy: Drop the reference.
OG023 error: both finalizers of propagation (1)
  pod/s/<é>  finalizers  The object has the finalizers of both propagations, which contradict each other
  Remedy: Remove the finalizer that is not meant.
OG020 warning: deletion held by a dependent (1)
  pod/s/a  owners[0].block  The dependent is being deleted and keeps the finalizer "f"  blocks the deletion of pod/s/b
  Remedy: Remove the cause that the finding names, or clear the block flag.
OG021 note: old deletion mark (2)
  pod/s/a  deleting  The age of the deletion mark is not known. It keeps the finalizer "f"  is being deleted
  pod/s/b  deleting  The age of the deletion mark is not known. It waits for the blocking references of its dependents (1): pod/s/a  is being deleted
  Remedy: Follow the cause that the finding names: a finalizer, a dependent, an agent or the collector.
OG001: owner missing (0)
  ignored: 1
2 errors, 1 warning, 2 notes in 5 objects
`
	if diff := cmp.Diff(want, sample(t).Text(0, 5)); diff != "" {
		t.Errorf("text (-want +got):\n%s", diff)
	}
	for _, c := range []struct {
		objects      int
		want, reason string
	}{
		{0, "no findings\n", "an empty report, and the number of objects is not known"},
		{1, "no findings in 1 object\n", "an empty report"},
	} {
		if got := (lint.Report{}).Text(0, c.objects); got != c.want {
			t.Errorf("%q, want %q: %s", got, c.want, c.reason)
		}
	}
}

// TestReportTextIsBounded: a code has at most limit lines, and the count of the others. No text of
// an object controls a terminal.
func TestReportTextIsBounded(t *testing.T) {
	const bad = "a\x1b[2J\n"
	var r lint.Report
	for i := range 20 {
		k := graph.Key{Kind: bad, Scope: bad, Name: fmt.Sprint(bad, i), UID: "u"}
		r.Findings = append(r.Findings, lint.Finding{Code: lint.HeldBlocker, Severity: lint.Warning, Object: k, Field: bad, Message: bad, Fate: lint.Blocks, Of: k})
	}
	r.Counts = []lint.Count{{Code: lint.HeldBlocker, Found: 27, Ignored: 3, LeftOut: 4}}
	text := r.Text(5, 0)
	if !strings.HasPrefix(text, "OG020 warning: deletion held by a dependent (24)\n") || !strings.Contains(text, "\n  ... and 19 more\n  ignored: 3\n  Remedy: ") ||
		!strings.HasSuffix(text, "\n24 warnings\n") || strings.Count(text, "\n") != 1+5+3+1 {
		t.Errorf("the text is\n%s", text)
	}
	if i := strings.IndexFunc(strings.ReplaceAll(text, "\n", ""), func(r rune) bool { return !unicode.IsPrint(r) }); i >= 0 {
		t.Errorf("a character of %q is not printable", text)
	}
}
