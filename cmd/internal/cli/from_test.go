package cli

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/adapters/web"
	"github.com/ownergraph/ownergraph/graph"
)

// TestFrom: a running program answers why an object stays, and why it is gone, and lists its deletions.
func TestFrom(t *testing.T) {
	d := newSQLite(t)
	c := d.program(t, ownergraph.Config{})
	pages, err := web.New(c, web.Config{})
	if err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.Handle("/ownergraph/", pages)
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	from := server.URL + "/ownergraph"

	if got := call(t, "", "explain", "--from", from, "projects/site"); got.code != 0 || !strings.Contains(got.stdout, "project/s/site") {
		t.Errorf("an object by its name alone: exit %d\n%s%s", got.code, got.stdout, got.stderr)
	}
	if got := call(t, "", "top", "--from", from); got.code != 0 || got.stdout != "no deletion is under way\n" {
		t.Errorf("no deletion: exit %d\n%s%s", got.code, got.stdout, got.stderr)
	}
	if err := d.Patch(t.Context(), d.made["todo"].Key, graph.Precondition{}, graph.Change{AddFinalizer: "example.com/x"}); err != nil {
		t.Fatal(err)
	}
	if err := d.Delete(t.Context(), d.made["blue"].Key, graph.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	eventually(t, "site is gone, and the deletion has come to the note", func() bool {
		gone := call(t, "", "explain", "--from", from, "project/s/site", "-o", "json")
		held := call(t, "", "explain", "--from", from, "note/s/todo", "-o", "json")
		return strings.Contains(gone.stdout, `"state": "gone"`) && strings.Contains(held.stdout, `"NeedFinalizers"`)
	})
	for _, c := range []struct {
		args   []string
		code   int
		want   string
		reason string
	}{
		{[]string{"explain", "project/s/site", "-o", "json"}, 0, `"state": "gone"`, "why did it vanish?"},
		{[]string{"explain", "note/todo"}, 3, "example.com/x", "why is it still here?"},
		{[]string{"top"}, 0, "example.com/x on note/s/todo", "who blocks?"},
		{[]string{"top", "-o", "json"}, 0, `"left": 1`, "the same as JSON"},
		{[]string{"explain", "pillow/a"}, 1, `no kind "pillow"`, "a misspelt kind"},
		{[]string{"explain", "note/s/none"}, 1, "not found", "a name that never was"},
		{[]string{"explain", "note/todo", "-f", "x"}, 2, "want no other place", "two places"},
	} {
		got := call(t, "", append(c.args, "--from", from)...)
		if got.code != c.code || !strings.Contains(got.stdout+got.stderr, c.want) {
			t.Errorf("%v: exit %d, want %d and %q: %s\n%s%s", c.args, got.code, c.code, c.want, c.reason, got.stdout, got.stderr)
		}
	}
}

// TestFromErrors: an address that answers otherwise has an error without the password.
func TestFromErrors(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<html>")) }))
	t.Cleanup(server.Close)
	address := strings.Replace(server.URL, "http://", "http://user:geheim@", 1)
	for _, c := range []struct {
		from   string
		code   int
		want   string
		reason string
	}{
		{address, 1, "no page of ownergraph", "another program"},
		{"http://user:geheim@127.0.0.1:1", 1, "refused", "no program"},
		{"ftp://x", 2, "want the address of a page", "another scheme"},
		{"localhost", 2, "want the address of a page", "no scheme"},
	} {
		got := call(t, "", "top", "--from", c.from)
		if got.code != c.code || !strings.Contains(got.stderr, c.want) || strings.Contains(got.stderr, "geheim") {
			t.Errorf("%s: exit %d, want %d: %s\n%s", c.want, got.code, c.code, c.reason, got.stderr)
		}
	}
}
