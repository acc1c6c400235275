package droppatch

import (
	"encoding/json"
	"os/exec"
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/lint"
)

func drop() lint.Drop {
	owner := func(name string, uid graph.UID) graph.Owner {
		return graph.Owner{Key: graph.Key{Kind: "x.io/CSV", Name: name, UID: uid}}
	}
	return lint.Drop{
		Object: graph.Key{Kind: "x.io/Widget", Scope: "team", Name: "sa", UID: "u"}, Version: "12",
		Owners: []graph.Owner{owner("a", "u1"), owner("b", "u3")}, Indexes: []int{1, 3},
	}
}

// TestPatch: the tests come before the removals, and the last reference goes first.
func TestPatch(t *testing.T) {
	text, err := json.Marshal(Operations(drop()))
	const want = `[{"op":"test","path":"/metadata/uid","value":"u"},{"op":"test","path":"/metadata/resourceVersion","value":"12"},` +
		`{"op":"test","path":"/metadata/ownerReferences/3/uid","value":"u3"},{"op":"remove","path":"/metadata/ownerReferences/3"},` +
		`{"op":"test","path":"/metadata/ownerReferences/1/uid","value":"u1"},{"op":"remove","path":"/metadata/ownerReferences/1"}]`
	if err != nil || string(text) != want {
		t.Errorf("error %v\n%s, want\n%s", err, text, want)
	}
}

// TestCommandInShell: a shell gives kubectl exactly the words of a command.
func TestCommandInShell(t *testing.T) {
	for _, name := range []string{"sa", "system:admin", "it's", `$(touch x) "; rm`, "-n", "a\\b", "%s*?[a]~#!", "ü"} {
		d := drop()
		d.Object.Name, d.Object.UID = name, graph.UID(name)
		line, err := Command(d, []string{"--context=my cluster"})
		if err != nil {
			t.Fatal(err)
		}
		out, err := exec.CommandContext(t.Context(), "sh", "-c", `kubectl() { printf '%s\n' "$@"; }; `+line).CombinedOutput()
		patch, wrong := json.Marshal(Operations(d))
		if wrong != nil {
			t.Fatal(wrong)
		}
		want := strings.Join([]string{"patch", "--context=my cluster", "--namespace=team", "Widget.x.io/" + name, "--type=json", "--patch=" + string(patch)}, "\n") + "\n"
		if err != nil || string(out) != want {
			t.Errorf("%q: error %v\n%s\nwant\n%s", line, err, out, want)
		}
	}
	d := drop()
	d.Object.Kind, d.Object.Scope = "Node", ""
	if line, err := Command(d, nil); err != nil || !strings.HasPrefix(line, "kubectl patch Node/sa --type=json '--patch=[") {
		t.Errorf("a global object: %s, error %v", line, err)
	}
}

// TestQuote: a word without special characters stays as it is.
func TestQuote(t *testing.T) {
	for _, c := range []struct{ text, want, reason string }{
		{"Pod/a", "Pod/a", "plain"}, {"", "''", "an empty word"}, {"a b", "'a b'", "a blank"}, {"it's", `'it'\''s'`, "a quote"}, {"~", "'~'", "a home"},
	} {
		if got := Quote(c.text); got != c.want {
			t.Errorf("Quote(%q) = %s, want %s: %s", c.text, got, c.want, c.reason)
		}
	}
}

// TestText: each patch and each reference that stays has a line.
func TestText(t *testing.T) {
	x, err := New(lint.Drops{Objects: []lint.Drop{drop()}, Left: []lint.LeftReference{{Object: drop().Object, Index: 2, Cause: "not listed"}}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := x.Text(); strings.Count(got, "\n") != 3 || !strings.HasPrefix(got, "patches: 1\nkubectl patch --namespace=team ") || !strings.HasSuffix(got, "left: Widget.x.io/team/sa: owners[2]: not listed\n") {
		t.Errorf("text:\n%s", got)
	}
}
