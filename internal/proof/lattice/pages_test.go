package lattice

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// maxPage bounds the lines of a page in docs, which a reader in a hurry reads whole.
const maxPage = 60

var (
	// shows names the source of the fence below it: a file, and a function of it.
	shows = regexp.MustCompile(`^<!-- (code|output): (\S+)(?: (\S+))? -->$`)
	links = regexp.MustCompile(`\]\(([^)#\s]+)(?:#[^)]*)?\)`)
)

// fence is a block of code on a page.
type fence struct {
	line     int
	language string
	lines    []string
	// what is "code" or "output", with the file and the function that have the text.
	what, file, function string
}

// fences returns the blocks of a page, each with the directive above it.
func fences(text string) (list []fence) {
	var now *fence
	before := ""
	for i, line := range strings.Split(text, "\n") {
		switch {
		case now == nil && strings.HasPrefix(line, "```"):
			now = &fence{line: i + 1, language: line[len("```"):]}
			if m := shows.FindStringSubmatch(before); m != nil {
				now.what, now.file, now.function = m[1], m[2], m[3]
			}
		case now != nil && line == "```":
			list = append(list, *now)
			now = nil
		case now != nil:
			now.lines = append(now.lines, line)
		}
		before = line
	}
	return list
}

// fault returns the reason why the block is not what its source has, "" for a right one.
func (f fence) fault(read func(name string) (string, error)) string {
	if f.what == "" {
		return "no <!-- code: FILE FUNC --> or <!-- output: FILE FUNC --> above it, so no test runs it"
	}
	text, err := read(f.file)
	if err != nil {
		return err.Error()
	}
	source := strings.Split(text, "\n")
	if f.function != "" {
		if source, err = body(f.file, text, f.function); err != nil {
			return err.Error()
		}
	}
	switch {
	case f.what == "output":
		if want := output(source); !slices.Equal(want, f.lines) {
			return fmt.Sprintf("%s of %s prints\n%s", f.function, f.file, strings.Join(want, "\n"))
		}
	case strings.HasSuffix(f.file, "_test.go") && !ran(f.function, text, source):
		return fmt.Sprintf("%s of %s has no comment Output, so no test runs it", f.function, f.file)
	case !contains(source, f.lines):
		return fmt.Sprintf("its lines are not in %s of %s", f.function, f.file)
	}
	return ""
}

// body returns the lines of a function of a Go file, with those of its comment.
func body(name, text, function string) ([]string, error) {
	set := token.NewFileSet()
	parsed, err := parser.ParseFile(set, name, text, parser.ParseComments)
	if err != nil {
		return nil, err
	}
	for _, d := range parsed.Decls {
		if f, is := d.(*ast.FuncDecl); is && f.Name.Name == function {
			return strings.Split(text, "\n")[set.Position(f.Pos()).Line-1 : set.Position(f.End()).Line], nil
		}
	}
	return nil, fmt.Errorf("no function %s in %s", function, name)
}

// ran reports whether a test runs a function of a test file. An Example needs an output. Any other
// function is called by a test of its file.
func ran(function, file string, source []string) bool {
	has := func(lines []string) bool {
		return slices.ContainsFunc(lines, func(s string) bool {
			return strings.Contains(s, "// Output:") || strings.Contains(s, "// Unordered output:")
		})
	}
	if strings.HasPrefix(function, "Example") {
		return has(source)
	}
	return strings.Contains(file, "\nfunc Test") || has(strings.Split(file, "\n"))
}

// output returns the output that an Example has to print.
func output(source []string) (list []string) {
	at := slices.IndexFunc(source, func(s string) bool { return strings.TrimSpace(s) == "// Output:" })
	if at < 0 {
		return nil
	}
	for _, line := range source[at+1:] {
		if comment, is := strings.CutPrefix(strings.TrimSpace(line), "//"); is {
			list = append(list, strings.TrimPrefix(comment, " "))
		}
	}
	return list
}

// contains reports whether the source has the lines one after another, with any indentation. A
// line "..." on a page stands for lines that it leaves out.
func contains(source, lines []string) bool {
	source, lines = trimmed(source), trimmed(lines)
	for len(lines) > 0 {
		part, rest := lines, []string(nil)
		if i := slices.Index(lines, "..."); i >= 0 {
			part, rest = lines[:i], lines[i+1:]
		}
		for len(part) <= len(source) && !slices.Equal(source[:len(part)], part) {
			source = source[1:]
		}
		if len(part) > len(source) {
			return false
		}
		source, lines = source[len(part):], rest
	}
	return true
}

func trimmed(lines []string) []string {
	out := make([]string, len(lines))
	for i, line := range lines {
		out[i] = strings.TrimSpace(line)
	}
	return out
}

// pageFaults returns the faults of a page.
func pageFaults(name, text string, read func(name string) (string, error)) (list []string) {
	if n := strings.Count(text, "\n"); n > maxPage {
		list = append(list, fmt.Sprintf("%d lines, more than %d", n, maxPage))
	}
	for _, f := range fences(text) {
		if fault := f.fault(read); fault != "" {
			list = append(list, fmt.Sprintf("line %d: %s", f.line, fault))
		}
	}
	for _, m := range links.FindAllStringSubmatch(text, -1) {
		if strings.Contains(m[1], "://") {
			continue
		}
		if _, err := os.Stat(filepath.Join(root(), path.Dir(name), m[1])); err != nil {
			list = append(list, fmt.Sprintf("link %s: no such file", m[1]))
		}
	}
	return list
}

func readOurs(name string) (string, error) {
	text, err := os.ReadFile(filepath.Join(root(), filepath.FromSlash(name)))
	return string(text), err
}

// TestPages checks the pages in docs: their length, their links, and that a test runs their code.
func TestPages(t *testing.T) {
	pages, err := filepath.Glob(filepath.Join(root(), "docs", "*.md"))
	if err != nil || len(pages) == 0 {
		t.Fatalf("%d pages, %v", len(pages), err)
	}
	for _, p := range pages {
		name := "docs/" + filepath.Base(p)
		text, err := readOurs(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, fault := range pageFaults(name, text, readOurs) {
			t.Errorf("%s: %s", name, fault)
		}
	}
}

func TestPagesCanFail(t *testing.T) {
	const source = "package x\n\nfunc Example() {\n\ta()\n\tb()\n\tc()\n\t// Output:\n\t// 1\n\t// 2\n}\n\nfunc ExampleSilent() {\n\ta()\n}\n"
	read := func(name string) (string, error) { return source, nil }
	const at = "<!-- code: x_test.go Example -->\n"
	for _, c := range []struct{ page, want, reason string }{
		{at + "```go\na()\nb()\n```\n", "", "two lines of the function, without its indentation"},
		{at + "```go\na()\n...\nc()\n```\n", "", "lines may be left out"},
		{"<!-- output: x_test.go Example -->\n```text\n1\n2\n```\n", "", "the whole output"},
		{"```go\na()\n```\n", "line 1: no <!-- code", "no test runs it"},
		{at + "```go\na()\nc()\n```\n", "line 2: its lines are not in Example", "a line is left out in silence"},
		{at + "```go\nd()\n```\n", "line 2: its lines are not in Example", "the code has changed"},
		{"<!-- code: x_test.go ExampleSilent -->\n```go\na()\n```\n", "has no comment Output", "it compiles and never runs"},
		{"<!-- code: x_test.go ExampleNone -->\n```go\na()\n```\n", "no function ExampleNone", "it was renamed"},
		{"<!-- output: x_test.go Example -->\n```text\n1\n```\n", "prints\n1\n2", "a part of the output"},
		{strings.Repeat("x\n", maxPage+1), "61 lines, more than 60", "a reader in a hurry stops"},
		{"[x](none.md#part)\n", "link none.md: no such file", "the link is dead"},
		{"[x](https://example.org/none)\n", "", "no test asks another server"},
	} {
		got := strings.Join(pageFaults("docs/x.md", c.page, read), "\n")
		if (c.want == "") != (got == "") || !strings.Contains(got, c.want) {
			t.Errorf("%q: %q, want %q: %s", c.page, got, c.want, c.reason)
		}
	}
}
