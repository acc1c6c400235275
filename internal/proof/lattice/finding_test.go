package lattice

import (
	"fmt"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// finding is one breach of a rule.
type finding struct {
	path string
	line int
	text string
}

func (f finding) String() string { return fmt.Sprintf("%s:%d: %s", f.path, f.line, f.text) }

func (f *file) found(p token.Pos, format string, args ...any) finding {
	return finding{f.path, f.line(p), fmt.Sprintf(format, args...)}
}

// passes reports every finding of the check over the repository as an error.
func passes(t *testing.T, check func(*file) []finding) {
	t.Helper()
	files := repo(t).files
	if len(files) == 0 {
		t.Fatal("no Go file found")
	}
	for _, f := range files {
		report(t, check(f))
	}
}

func report(t *testing.T, list []finding) {
	t.Helper()
	for _, f := range list {
		t.Error(f)
	}
}

var (
	samplePath = regexp.MustCompile(`^// file: (\S+)\n`)
	sampleWant = regexp.MustCompile(`// want "([^"]+)"`)
)

// readSample returns the text of a file in testdata.
func readSample(t *testing.T, name string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// fails compares the findings of the check with a sample, testdata/bad/name. The
// first line of the sample is the path that it stands for. A comment
// // want "text" expects a finding with that text on its line.
func fails(t *testing.T, name string, check func(*file) []finding) {
	t.Helper()
	src := readSample(t, filepath.Join("bad", name))
	head := samplePath.FindStringSubmatch(src)
	if head == nil {
		t.Fatalf("%s: first line is not a file comment", name)
	}
	f, err := parse(head[1], []byte(sampleWant.ReplaceAllString(src, "")))
	if err != nil {
		t.Fatal(err)
	}
	wants := wanted(src)
	if len(wants) == 0 {
		t.Fatalf("%s has no comment // want", name)
	}
	for _, g := range check(f) {
		want, ok := wants[g.line]
		if !ok || !strings.Contains(g.text, want) {
			t.Errorf("%s: unwanted finding: %v", name, g)
		}
		delete(wants, g.line)
	}
	for line, want := range wants {
		t.Errorf("%s:%d: no finding, want %q", name, line, want)
	}
}

func wanted(src string) map[int]string {
	wants := map[int]string{}
	for i, line := range strings.Split(src, "\n") {
		if m := sampleWant.FindStringSubmatch(line); m != nil {
			wants[i+1] = m[1]
		}
	}
	return wants
}
