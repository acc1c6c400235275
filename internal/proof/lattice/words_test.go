package lattice

import (
	"fmt"
	"go/ast"
	"path"
	"strings"
	"testing"
	"unicode"
)

// replaced maps the words that an identifier may not have to their replacements.
// Each mechanism has one name, which is the name that its field uses. The table
// leaves out words that are common in English, such as line or next.
var replaced = map[string]string{
	"mind": "node state, kind state", "minds": "state table",
	"awake": "dirty", "glance": "fast path",
	"sight": "read result, read state", "sights": "read results",
	"tide": "watermark", "tides": "watermarks", "ebb": "reset",
	"clearing": "sweep run", "clearings": "sweep runs", "swept": "pruned",
	"ghost": "detached run", "ghosts": "detached runs", "haunt": "detach", "stir": "mark dirty",
	"lapsed": "proof stale", "veiled": "hidden holder kind",
	"told": "labels known", "refute": "drop stale matches",
	"sought": "proof wanted after", "outlived": "stale since rewind",
	"greet": "add object", "absorb": "apply delta",
	"parted": "node gone", "buried": "gone observed",
	"flight": "call in flight", "flights": "calls in flight", "landing": "completion",
	"unsure": "outcome unknown", "settle": "set held, record decision",
	"ill": "reported sick", "spoilt": "listing invalid", "heal": "finish rewind", "healing": "relisting after rewind",
	"shelf": "prefetch", "labor": "work loop", "kick": "wakeup",
	"twin": "duplicate UID", "twins": "duplicate UIDs", "kin": "same-UID group",
	"hub": "owner record", "hubs": "owner records",
	"island": "isolated cycle", "islands": "isolated cycles",
	"nobody": "a noun", "somebody": "a noun", "whoever": "a noun",
}

// parts returns the words of an identifier or file name, in lower case.
func parts(name string) []string {
	var list []string
	runes := []rune(name)
	begun := 0
	for i := 1; i <= len(runes); i++ {
		if i == len(runes) || boundary(runes, i) {
			if w := strings.Trim(strings.ToLower(string(runes[begun:i])), "_"); w != "" {
				list = append(list, w)
			}
			begun = i
		}
	}
	return list
}

// boundary reports whether a word begins at i: after an underscore, at a capital
// after a small letter, and at the last capital of several.
func boundary(runes []rune, i int) bool {
	now, before := runes[i], runes[i-1]
	switch {
	case before == '_' || now == '_':
		return true
	case !unicode.IsUpper(now):
		return false
	case !unicode.IsUpper(before):
		return true
	}
	return i+1 < len(runes) && unicode.IsLower(runes[i+1])
}

// oldWord returns the replaced word in a name, or "". The prefix most stands for
// an upper limit, and max replaces it. A call may be in flight.
func oldWord(name string) string {
	list := parts(name)
	if len(list) > 1 && list[0] == "most" {
		return "most"
	}
	for i, w := range list {
		if replaced[w] != "" && (w != "flight" || i == 0 || list[i-1] != "in") {
			return w
		}
	}
	return ""
}

// checkWords finds replaced words in the declared names of a file.
func checkWords(f *file) []finding {
	var list []finding
	ast.Inspect(f.ast, func(n ast.Node) bool {
		for _, id := range declares(n) {
			if w := oldWord(id.Name); w != "" {
				list = append(list, f.found(id.Pos(), "%s has the word %q: %s", id.Name, w, instead(w)))
			}
		}
		return true
	})
	return list
}

func instead(w string) string {
	if w == "most" {
		return "use max"
	}
	return "use " + replaced[w]
}

// declares returns the names that a node declares.
func declares(n ast.Node) []*ast.Ident {
	var list []*ast.Ident
	switch n := n.(type) {
	case *ast.FuncDecl:
		list = append(list, n.Name)
	case *ast.TypeSpec:
		list = append(list, n.Name)
	case *ast.ValueSpec:
		list = n.Names
	case *ast.Field:
		list = n.Names
	case *ast.AssignStmt:
		for _, e := range n.Lhs {
			if id, ok := e.(*ast.Ident); ok && n.Tok.String() == ":=" {
				list = append(list, id)
			}
		}
	case *ast.RangeStmt:
		for _, e := range []ast.Expr{n.Key, n.Value} {
			if id, ok := e.(*ast.Ident); ok && n.Tok.String() == ":=" {
				list = append(list, id)
			}
		}
	}
	return list
}

// TestWords checks the table of words for identifiers and file names. An exception
// is a directory and a word.
func TestWords(t *testing.T) {
	breaches := map[string]string{}
	for _, f := range repo(t).files {
		if w := oldWord(strings.TrimSuffix(path.Base(f.path), ".go")); w != "" {
			breaches[f.dir()+" "+w] = fmt.Sprintf("%s: the file name has the word %q: %s", f.path, w, instead(w))
		}
		for _, found := range checkWords(f) {
			w := strings.Split(found.text, `"`)[1]
			breaches[f.dir()+" "+w] = found.String()
		}
	}
	sameWord := func(from, to string) bool { return strings.Fields(from)[1] == strings.Fields(to)[1] }
	onlyShrinks(t, "words.txt", breaches, sameWord)
}

func TestWordsCanFail(t *testing.T) { fails(t, "words.txt", checkWords) }

func TestOldWord(t *testing.T) {
	for _, c := range []struct {
		name, want, reason string
	}{
		{"kindMind", "mind", "a word of the table"},
		{"mostNames", "most", "the prefix of an upper limit"},
		{"most", "", "the word alone is English"},
		{"flights", "flights", "the engine's word for a call under way"},
		{"inFlight", "", "the field's word for a call under way"},
		{"remind", "", "no word of the table"},
	} {
		if got := oldWord(c.name); got != c.want {
			t.Errorf("oldWord(%s) = %q, want %q: %s", c.name, got, c.want, c.reason)
		}
	}
}

func TestParts(t *testing.T) {
	for _, c := range []struct {
		name, want, reason string
	}{
		{"kindMind", "kind mind", "a capital begins a word"},
		{"collector_shelf_inner_test", "collector shelf inner test", "an underscore ends a word"},
		{"UIDMind", "uid mind", "a name of capitals is one word"},
		{"mindUID", "mind uid", "a name of capitals may end the identifier"},
		{"inFlight", "in flight", "a capital begins each word"},
		{"remind", "remind", "a part of a word is no word"},
		{"_", "", "the blank identifier has no word"},
	} {
		if got := strings.Join(parts(c.name), " "); got != c.want {
			t.Errorf("parts(%s) = %q, want %q: %s", c.name, got, c.want, c.reason)
		}
	}
}
