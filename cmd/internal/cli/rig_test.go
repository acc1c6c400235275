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
