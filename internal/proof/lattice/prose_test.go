package lattice

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The limits of prose, per 1,000 words and in words. The figures of etcd's raft,
// river and net/http are at or below these limits.
const (
	maxClauses  = 1.0 // clauses that stand for a noun: "what is known", "who waits"
	maxPersons  = 0.3 // indefinite persons: nobody, whoever
	maxSentence = 25  // words of a sentence, 90th percentile
)

var (
	clause = regexp.MustCompile(`(?i)\b(what|who|whom|which of them) (is|was|are|were|it|they|he|she|has|had|have|` +
		`comes|came|goes|holds|waits|rests|may|must|can|cannot|has been|the|a|an|nobody|somebody)\b`)
	person    = regexp.MustCompile(`(?i)\b(nobody|somebody|whoever|whatever|anybody|whichever|everybody)\b`)
	word      = regexp.MustCompile(`[A-Za-z][A-Za-z'’-]*`)
	quoted    = regexp.MustCompile("`[^`]*`")
	paragraph = regexp.MustCompile(`\n\s*\n|\n#`)
	stop      = regexp.MustCompile("[.!?] [A-Z`\\[]")
	item      = regexp.MustCompile(`^\s*([-*]|\d+\.)\s+`)
)

// figures counts the prose of one folder.
type figures struct {
	words    []int // of each sentence
	clauses  int
	persons  int
	hardest  string
	hardness float64
}

func (g *figures) add(text string) {
	for _, s := range sentences(text) {
		n := len(word.FindAllString(s, -1))
		if n < 4 {
			continue
		}
		clauses, persons := len(clause.FindAllString(s, -1)), len(person.FindAllString(s, -1))
		g.words = append(g.words, n)
		g.clauses += clauses
		g.persons += persons
		if h := float64(n)/25 + 1.2*float64(clauses+persons); h > g.hardness {
			g.hardest, g.hardness = s, h
		}
	}
}

// sentences splits a text into paragraphs, and these at full stops before a
// capital letter. Quoted code counts as one word.
func sentences(text string) []string {
	var list []string
	for _, p := range paragraph.Split(text, -1) {
		p = quoted.ReplaceAllString(strings.Join(strings.Fields(p), " "), "X")
		for at := stop.FindStringIndex(p); at != nil; at = stop.FindStringIndex(p) {
			list, p = append(list, p[:at[0]+1]), p[at[0]+2:]
		}
		list = append(list, p)
	}
	return list
}

// fault returns the figure that is above its limit, with the hardest sentence.
func (g *figures) fault() string {
	total := 0
	for _, n := range g.words {
		total += n
	}
	if total == 0 {
		return ""
	}
	slices.Sort(g.words)
	long := g.words[len(g.words)*9/10]
	clauses, persons := 1000*float64(g.clauses)/float64(total), 1000*float64(g.persons)/float64(total)
	if clauses <= maxClauses && persons <= maxPersons && long <= maxSentence {
		return ""
	}
	return fmt.Sprintf("%.1f clauses that stand for a noun (at most %.1f) and %.1f indefinite persons (at most %.1f) per 1,000 words, "+
		"%d words a sentence at the 90th percentile (at most %d). The hardest sentence: %s",
		clauses, maxClauses, persons, maxPersons, long, maxSentence, g.hardest)
}

// comments returns the blocks of line comments of a Go source, without code. The
// output of an example ends a block.
func comments(src string) []string {
	var list, block []string
	output := false
	for line := range strings.Lines(src + "\n") {
		text, ok := strings.CutPrefix(strings.TrimSpace(line), "//")
		if ok && !strings.HasPrefix(text, "go:") && !strings.HasPrefix(text, "nolint") {
			if strings.HasPrefix(text, "\t") || strings.HasPrefix(text, "    ") {
				text = ""
			}
			if output = output || strings.HasSuffix(strings.ToLower(text), "output:"); !output {
				block = append(block, strings.TrimSpace(text))
			}
			continue
		}
		if output = false; len(block) > 0 {
			list, block = append(list, strings.Join(block, "\n")), nil
		}
	}
	return list
}

// markdown returns the text of a Markdown file, without code, tables and titles.
func markdown(src string) string {
	var list []string
	code := false
	for line := range strings.SplitSeq(src, "\n") {
		if strings.HasPrefix(line, "```") {
			code = !code
			line = ""
		}
		if code || strings.HasPrefix(line, "    ") || strings.HasPrefix(strings.TrimSpace(line), "|") || strings.HasPrefix(line, "#") {
			line = ""
		}
		list = append(list, item.ReplaceAllString(line, "\n"))
	}
	return strings.Join(list, "\n")
}

// deep lists the directories whose subdirectories are groups of their own.
var deep = []string{"internal/core", "internal/proof"}

// folder returns the group of a file: its directory, cut after two elements, or
// after three below a deep one. Tests and Markdown are groups of their own.
func folder(p string) string {
	dir, n := strings.Split(path.Dir(p), "/"), 2
	if slices.ContainsFunc(deep, func(d string) bool { return within(p, d) }) {
		n = 3
	}
	name := strings.Join(dir[:min(n, len(dir))], "/")
	switch {
	case strings.HasSuffix(p, ".md"):
		return "*.md"
	case strings.HasSuffix(p, "_test.go"):
		return name + " tests"
	}
	return name
}

// prose returns the figures of each folder.
func prose() (map[string]*figures, error) {
	groups := map[string]*figures{}
	err := walk(func(p string) error {
		isGo := strings.HasSuffix(p, ".go")
		if !isGo && !strings.HasSuffix(p, ".md") || slices.Contains(strings.Split(p, "/"), "testdata") {
			return nil
		}
		src, err := os.ReadFile(filepath.Join(root(), filepath.FromSlash(p)))
		if err != nil {
			return err
		}
		g := groups[folder(p)]
		if g == nil {
			g = &figures{}
			groups[folder(p)] = g
		}
		if !isGo {
			g.add(markdown(string(src)))
			return nil
		}
		for _, text := range comments(string(src)) {
			g.add(text)
		}
		return nil
	})
	return groups, err
}

// TestProse checks the figures of comments and Markdown in every folder. A figure
// points to a place to look at, and the reader is the judge.
func TestProse(t *testing.T) {
	groups, err := prose()
	if err != nil || len(groups) == 0 {
		t.Fatalf("%d folders, error %v", len(groups), err)
	}
	breaches := map[string]string{}
	for name, g := range groups {
		if fault := g.fault(); fault != "" {
			breaches[name] = name + ": " + fault
		}
	}
	sameBase := func(from, to string) bool { return path.Base(from) == path.Base(to) }
	onlyShrinks(t, "prose.txt", breaches, sameBase)
}

func TestProseCanFail(t *testing.T) {
	plain := "// The store keeps the object.\n"
	for _, c := range []struct {
		src    string
		fault  bool
		reason string
	}{
		{plain, false, "subject, verb, object"},
		{plain + "// It keeps what is known.\n", true, "a clause stands for a noun"},
		{plain + "// And nobody else reads it.\n", true, "an indefinite person"},
		{"// " + strings.Repeat("word ", maxSentence+1) + "\n", true, "a sentence is too long"},
		{"// " + strings.Repeat("word ", maxSentence) + "\n", false, "a sentence has the greatest length"},
		{plain + "//\n//\twhat is in code does not count\n", false, "code is not prose"},
		{plain + "\n// Output:\n// nobody knows what is here\n", false, "the output of an example is not prose"},
		{"//go:build nobody else may read this\n\nvar x = `what is`\n", false, "only comments are prose"},
	} {
		var g figures
		for _, text := range comments(c.src) {
			g.add(text)
		}
		if got := g.fault(); (got != "") != c.fault {
			t.Errorf("%q: fault %q, want one: %v: %s", c.src, got, c.fault, c.reason)
		}
	}
}

func TestMarkdownProse(t *testing.T) {
	text := "# What is a title\n\nOne fact a sentence. Another fact follows it.\n\n- first item of a list\n- second item of a list\n\n" +
		"```\nwhat is code\n```\n| what is a table |\n"
	var g figures
	g.add(markdown(text))
	if want := []int{4, 4, 5, 5}; !slices.Equal(g.words, want) || g.clauses > 0 {
		t.Errorf("words of the sentences %v, want %v; %d clauses, want none", g.words, want, g.clauses)
	}
}
