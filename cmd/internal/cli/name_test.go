package cli

import (
	"errors"
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/printing"
	"github.com/ownergraph/ownergraph/internal/spell"
)

// TestNameOf checks that a file's name decides between the command and the plugin.
func TestNameOf(t *testing.T) {
	for _, c := range []struct {
		file   string
		want   Name
		reason string
	}{
		{"ownergraph", Command, "the command"},
		{"/usr/local/bin/kubectl-ownergraph", Plugin, "kubectl runs it by its path"},
		{"kubectl-ownergraph.exe", Plugin, "a file of Windows"},
		{"/opt/kubectl-tools/ownergraph", Command, "a directory does not count"},
		{"og", Command, "any other name"},
	} {
		if got := NameOf(c.file); got != c.want {
			t.Errorf("%s: %s, want %s: %s", c.file, got, c.want, c.reason)
		}
	}
}

// TestOrigin checks which place the objects come from. The two names differ without a flag alone.
func TestOrigin(t *testing.T) {
	for _, c := range []struct {
		name   Name
		flags  []string
		want   origin
		reason string
	}{
		{Command, []string{"-f", "x"}, ofDump, "a dump"},
		{Plugin, []string{"-f", "x"}, ofDump, "a dump, for the plugin too"},
		{Command, []string{"--store", "sqlite:x"}, ofStore, "a store"},
		{Plugin, []string{"--store", "sqlite:x"}, ofStore, "a store, for the plugin too"},
		{Command, []string{"--context", "dev"}, ofCluster, "a cluster by its context"},
		{Command, []string{"--kubeconfig", "k"}, ofCluster, "a cluster by its file"},
		{Command, []string{"-s", "http://localhost"}, ofCluster, "a cluster by its address"},
		{Command, nil, 0, "the command takes no cluster by chance"},
		{Command, []string{"-n", "shop"}, 0, "a namespace names no cluster"},
		{Plugin, nil, ofCluster, "the plugin of kubectl takes the cluster of kubectl"},
	} {
		a := newApp(c.name, nil, nil, nil)
		root := a.command()
		cmd, _, err := root.Find([]string{"tree"})
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.ParseFlags(c.flags); err != nil {
			t.Fatal(err)
		}
		if got, err := a.origin(); got != c.want || (err == nil) != (c.want != 0) {
			t.Errorf("%s %v: origin %d, error %v, want %d: %s", c.name, c.flags, got, err, c.want, c.reason)
		}
	}
}

// TestSuggestions checks that a misspelt subcommand has a hint.
func TestSuggestions(t *testing.T) {
	for _, c := range []struct{ typed, want, reason string }{
		{"paln", "Do you mean plan?", "two letters are swapped"},
		{"roots-of", "", "nothing comes near"},
		{"expl", "Do you mean explain?", "the beginning of a name"},
	} {
		got := call(t, "", c.typed)
		if got.code != printing.ExitUsage || !strings.Contains(got.stderr, "unknown command") || !strings.Contains(got.stderr, c.want) || c.want == "" && strings.Contains(got.stderr, "Do you mean") {
			t.Errorf("%s: exit %d, %q, want %q: %s", c.typed, got.code, got.stderr, c.want, c.reason)
		}
	}
}

// TestNamed checks the spellings of objects on a command line.
func TestNamed(t *testing.T) {
	for _, c := range []struct {
		args   []string
		want   string
		reason string
	}{
		{[]string{"deploy/cart"}, "deploy/cart", "TYPE/NAME"},
		{[]string{"Deployment.apps/shop/cart"}, "Deployment.apps/shop/cart", "as the output shows it"},
		{[]string{"deploy", "cart", "web"}, "deploy/cart deploy/web", "TYPE NAME..."},
		{[]string{"pod/a", "pod/b"}, "pod/a pod/b", "several"},
		{[]string{`"a b"/c`}, `"a b"/c`, "an exact name"},
		{nil, "", "nothing"},
		{[]string{"deploy"}, "", "a type alone"},
		{[]string{"deploy/"}, "", "an empty name"},
		{[]string{"a//b"}, "", "an empty scope"},
		{[]string{"a/b/c/d"}, "", "too many parts"},
		{[]string{"deploy", "a/b"}, "", "a name with a slash"},
		{[]string{"deploy", ""}, "", "an empty name of a type"},
	} {
		list, err := namedIn(c.args)
		var texts []string
		for _, n := range list {
			texts = append(texts, n.String())
		}
		got := strings.Join(texts, " ")
		if err != nil {
			got = ""
		}
		if got != c.want || (err == nil) != (c.want != "") || err != nil && !errors.As(err, new(printing.UsageError)) {
			t.Errorf("%q: %q, error %v, want %q: %s", c.args, got, err, c.want, c.reason)
		}
	}
}

// TestFindInScope checks that -n chooses among objects of one name, and that an object without a scope
// is found all the same.
func TestFindInScope(t *testing.T) {
	key := func(kind graph.Kind, scope, name string) graph.Object {
		return graph.Object{Key: graph.Key{Kind: kind, Scope: scope, Name: name, UID: graph.UID(scope + name)}}
	}
	c := content{}
	c.Objects = []graph.Object{key("Pod", "a", "x"), key("Pod", "b", "x"), key("Node", "", "n")}
	for _, at := range []struct {
		arg, scope string
		want       graph.UID
		err        error
		reason     string
	}{
		{"pod/x", "b", "bx", nil, "the scope chooses"},
		{"pod/x", "", "", spell.ErrAmbiguous, "without a scope both are meant"},
		{"pod/a/x", "b", "ax", nil, "the scope of the name comes first"},
		{"node/n", "b", "n", nil, "an object without a scope"},
		{"pod/x", "c", "", graph.ErrNotFound, "a scope without the object"},
	} {
		list, err := c.find([]string{at.arg}, at.scope)
		if !errors.Is(err, at.err) || err == nil && list[0].UID != at.want {
			t.Errorf("%s -n %q: %v, error %v, want %q: %s", at.arg, at.scope, list, err, at.want, at.reason)
		}
	}
}
