package lattice

import (
	"go/ast"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// logForwarders are the files that hand lines of others on.
var logForwarders = []string{"engine/effects.go", "collector_step.go", "internal/core/effect/log.go", "adapters/clientgo/log.go"}

// logLine is one line of the log in the source.
type logLine struct {
	at    token.Pos
	level string     // Debug, Info, Warn or Error, "" if a variable has it
	text  ast.Expr   // nil without a text
	args  []ast.Expr // pairs
}

// logLines returns the lines of the log that a node writes, if any: a call of a logger, of the
// list of effects or of the Collector's say, or a record of package effect.
func logLines(n ast.Node) (l logLine, ok bool) {
	switch n := n.(type) {
	case *ast.CallExpr:
		sel, ok := n.Fun.(*ast.SelectorExpr)
		if !ok || len(n.Args) == 0 {
			return l, false
		}
		switch name := sel.Sel.Name; name {
		case "Debug", "Info", "Warn":
			return logLine{n.Pos(), name, n.Args[0], n.Args[1:]}, true
		case "Error":
			return logLine{n.Pos(), name, n.Args[0], n.Args[1:]}, len(n.Args) > 1
		case "say", "sayNow":
			if _, text := literal(n.Args[0]); text || len(n.Args) < 2 {
				return l, false
			}
			return logLine{n.Pos(), selected(n.Args[0]), n.Args[1], n.Args[2:]}, true
		}
	case *ast.CompositeLit:
		sel, ok := n.Type.(*ast.SelectorExpr)
		if !ok || sel.Sel.Name != "Record" {
			return l, false
		}
		return recordLine(n)
	}
	return l, false
}

// recordLine returns the line of a record of package effect with a level.
func recordLine(n *ast.CompositeLit) (l logLine, ok bool) {
	l.at = n.Pos()
	for _, e := range n.Elts {
		field, isField := e.(*ast.KeyValueExpr)
		if !isField {
			continue
		}
		switch name, _ := field.Key.(*ast.Ident); {
		case name == nil:
		case name.Name == "Level":
			l.level, ok = selected(field.Value), true
		case name.Name == "Text":
			l.text = field.Value
		case name.Name == "Args":
			if list, isList := field.Value.(*ast.CompositeLit); isList {
				l.args = list.Elts
			}
		}
	}
	return l, ok
}

// selected returns the name of a selector such as effect.Warn, "" for another expression.
func selected(e ast.Expr) string {
	if sel, ok := e.(*ast.SelectorExpr); ok {
		return sel.Sel.Name
	}
	return ""
}

// literal returns the value of a string literal.
func literal(e ast.Expr) (string, bool) {
	lit, ok := e.(*ast.BasicLit)
	if !ok || lit.Kind != token.STRING {
		return "", false
	}
	s, err := strconv.Unquote(lit.Value)
	return s, err == nil
}

// checkLogWords finds lines of the log whose text is not constant, or whose attributes are not
// of the vocabulary. It also finds lines of level info about one object.
func checkLogWords(vocabulary func(dir string) []string) func(*file) []finding {
	return func(f *file) (list []finding) {
		if f.test() || f.below("adapters/storetest", "internal/proof", "internal/fault", "internal/probe") || slices.Contains(logForwarders, f.path) {
			return nil
		}
		words := vocabulary(f.dir())
		ast.Inspect(f.ast, func(n ast.Node) bool {
			l, ok := logLines(n)
			if !ok {
				return true
			}
			if _, constant := literal(l.text); !constant && selected(l.text) != "text" {
				if id, isName := l.text.(*ast.Ident); !isName || id.Name != "text" {
					list = append(list, f.found(l.at, "the text of a line of the log is constant"))
				}
			}
			for i := 0; i < len(l.args); i += 2 {
				word, constant := literal(l.args[i])
				switch {
				case !constant || !slices.Contains(words, word):
					list = append(list, f.found(l.at, "attribute %d (%q) is not of the vocabulary: see engine/doc.go, Logs", i/2, word))
				case l.level == "Info" && word == "key":
					list = append(list, f.found(l.at, "a line of level info is not about one object"))
				}
			}
			return true
		})
		return list
	}
}

// attrLine is a line of the table of attributes in a package comment.
var attrLine = regexp.MustCompile(`(?m)^//\tattr ((?:[a-z]+, )*[a-z]+)(?:  .*)?$`)

// logVocabulary returns the words in the lines of attributes of the engine's package comment, and
// of the comment of the directory.
func logVocabulary(t *testing.T) func(dir string) []string {
	known := map[string][]string{}
	return func(dir string) []string {
		if words, ok := known[dir]; ok {
			return words
		}
		words := []string{}
		for _, d := range []string{"engine", dir} {
			text, err := os.ReadFile(filepath.Join(root(), filepath.FromSlash(d), "doc.go"))
			if err != nil && !os.IsNotExist(err) {
				t.Error(err)
			}
			for _, m := range attrLine.FindAllSubmatch(text, -1) {
				words = append(words, strings.Split(string(m[1]), ", ")...)
			}
		}
		known[dir] = words
		return words
	}
}

// TestLogWords: the lines of the log have a fixed vocabulary of attributes, which the engine's
// package comment lists.
func TestLogWords(t *testing.T) {
	words := logVocabulary(t)
	for _, w := range []string{"key", "kind", "reason", "root", "err"} {
		if !slices.Contains(words("engine"), w) {
			t.Errorf("%s is not documented", w)
		}
	}
	lines := 0
	for _, f := range repo(t).files {
		if !f.test() {
			ast.Inspect(f.ast, func(n ast.Node) bool {
				if _, ok := logLines(n); ok {
					lines++
				}
				return true
			})
		}
	}
	if lines < 30 {
		t.Errorf("%d lines of the log found: the check sees too few", lines)
	}
	passes(t, checkLogWords(words))
}

func TestLogWordsCanFail(t *testing.T) {
	fails(t, "logwords.txt", checkLogWords(func(string) []string { return []string{"key", "err", "count"} }))
}
