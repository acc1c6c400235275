package view_test

import (
	"flag"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

var graphviz = flag.Bool("graphviz", false, "let Graphviz read the pictures, too")

// dotLine is the form of each line of a graph. Text is in quotes, and a name cannot end it.
var dotLine = func() *regexp.Regexp {
	const (
		attr  = `[a-z]+=(?:"(?:[^"\\&]|&amp;|\\["\\n])*"|[A-Za-z0-9.]+)`
		attrs = ` \[` + attr + `(?:, ` + attr + `)*\]`
	)
	return regexp.MustCompile(`^ *(?:digraph ownership \{|subgraph cluster_\d+ \{|\}|(?:graph|node|edge)` + attrs + `;|n\d+` + attrs + `;|n\d+ -> n\d+(?:` + attrs + `)?;|` + attr + `;)\n$`)
}()

// checkDOT checks each line of a graph. With -graphviz, Graphviz reads it without a warning,
// and its drawing has the nodes and the edges.
func checkDOT(t fataler, text string) {
	nodes, edges := 0, 0
	for line := range strings.Lines(text) {
		if !dotLine.MatchString(line) {
			t.Fatalf("the line %q in\n%s", line, text)
		}
		switch line = strings.TrimSpace(line); {
		case strings.Contains(line, " -> n") && !strings.Contains(line, "tooltip="):
			edges++
		case strings.HasPrefix(line, "n") && !strings.HasPrefix(line, "node "):
			nodes++
		}
	}
	if !*graphviz {
		return
	}
	cmd := exec.Command("dot", "-Tsvg")
	cmd.Stdin = strings.NewReader(text)
	var errs strings.Builder
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if rest := routing.ReplaceAllString(errs.String(), ""); err != nil || rest != "" {
		t.Fatalf("dot: %v: %s\n%s", err, rest, text)
	}
	if a, b := strings.Count(string(out), `class="node"`), strings.Count(string(out), `class="edge"`); a != nodes || b != edges {
		t.Fatalf("graphviz has %d nodes and %d edges, want %d and %d:\n%s", a, b, nodes, edges, text)
	}
}

// routing is a warning of Graphviz about its own route for an edge beside a label. The drawing has the edge.
var routing = regexp.MustCompile(`(?m)^Warning: Unable to reclaim box space in spline routing for edge .*\n`)

// TestDOTIsRead: each picture is a graph of a few forms of lines. In CI, Graphviz reads them with
// the flag -graphviz.
func TestDOTIsRead(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { checkDOT(t, drawPicture(t).DOT()) })
}
