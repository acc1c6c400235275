package cli

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden files instead of comparing with them")

// cluster is the recorded cluster of the quickstart: the objects of a real one.
const cluster = "../../../examples/quickstart/cluster.json"

// result is the result of one run of the command.
type result struct {
	code           int
	stdout, stderr string
}

// call runs the command with an input.
func call(t *testing.T, stdin string, args ...string) result {
	t.Helper()
	var stdout, stderr bytes.Buffer
	code := Run(t.Context(), Command, args, strings.NewReader(stdin), &stdout, &stderr)
	return result{code, stdout.String(), stderr.String()}
}

// The instants and times of a run differ, and so does the number of fences: one fence may
// serve several needs.
var (
	instant   = regexp.MustCompile(`[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+Z`)
	durations = regexp.MustCompile(`(, |time: )[0-9.hm]*[0-9](s|ms|µs)\n`)
	fences    = regexp.MustCompile(`[0-9]+ fences?\b`)
)

// steady returns text without the parts that differ between runs.
func steady(text string) string {
	text = instant.ReplaceAllString(text, "TIME")
	text = durations.ReplaceAllString(text, "${1}TIME\n")
	return fences.ReplaceAllString(text, "N fences")
}

// checkGolden compares got with testdata/name.golden.
func checkGolden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name+".golden")
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", file, diff)
	}
}

// The lines of a lint report.
var (
	group   = regexp.MustCompile(`^(OG[0-9]+ (?:error|warning)): .* \([0-9]+\)$`)
	columns = regexp.MustCompile(` {2,}`)
)

// reported returns the findings of the text of a lint report, each in a line of its own with its code:
// CODE SEVERITY OBJECT: FIELD: MESSAGE. Fate: FATE.
func reported(text string) string {
	var lines []string
	code := ""
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if m := group.FindStringSubmatch(line); m != nil {
			code = m[1]
			continue
		}
		row, indented := strings.CutPrefix(line, "  ")
		if !indented {
			code = ""
		}
		if code == "" || strings.HasPrefix(row, "Remedy: ") {
			continue
		}
		part := columns.Split(row, 4)
		out := code + " " + strings.Join(part[:min(len(part), 3)], ": ")
		if len(part) > 3 {
			out += ". Fate: " + part[3] + "."
		}
		lines = append(lines, out+"\n")
	}
	return strings.Join(lines, "")
}

// pod is an object in the shortest notation.
func pod(name string) string {
	return `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"` + name + `","namespace":"n","uid":"uid-` + name + `"}}`
}

// items returns the objects of the recorded cluster as JSON.
func items(t testing.TB) []json.RawMessage {
	t.Helper()
	text, err := os.ReadFile(cluster)
	if err != nil {
		t.Fatal(err)
	}
	var list struct{ Items []json.RawMessage }
	if err := json.Unmarshal(text, &list); err != nil {
		t.Fatal(err)
	}
	return list.Items
}
