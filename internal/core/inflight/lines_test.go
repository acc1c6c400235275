package inflight

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/effect"
	"github.com/ownergraph/ownergraph/policy"
)

// TestLines: a cause has one line a minute, with the number of the others. The error of each
// write names its object, and that is no cause of its own.
func TestLines(t *testing.T) {
	var l Lines
	var out effect.List
	note := func(i int, cause string, after time.Duration) {
		k := graph.Key{Kind: "p", Name: fmt.Sprint("object-", i), UID: graph.UID(fmt.Sprint("uid-", i))}
		err := fmt.Errorf("delete %s: %s of %s", k, cause, k.UID)
		l.Note("write refused", CauseOf(k, err), policy.StoreRefused, k, err, start.Add(after), &out)
	}
	taken := func() (lines []string) {
		for _, e := range out.Items() {
			lines = append(lines, fmt.Sprintf("%v", e.Record.Args))
		}
		out.Reset()
		return lines
	}
	for i := range 500 {
		note(i, "foreign key", time.Duration(i)*time.Millisecond)
	}
	note(500, "trigger", time.Second)
	if got := taken(); len(got) != 2 || !strings.Contains(got[0], "foreign key") || !strings.Contains(got[1], "trigger") {
		t.Errorf("lines %q, want one for each of two causes", got)
	}
	note(501, "foreign key", time.Minute)
	if got := taken(); len(got) != 1 || !strings.HasSuffix(got[0], "others 499]") {
		t.Errorf("lines %q, want one that counts 499 others", got)
	}
}

// TestCauseOf: the text of a cause has no name of the object.
func TestCauseOf(t *testing.T) {
	k := graph.Key{Kind: "p", Scope: "s", Name: "a1", UID: "u1"}
	for _, c := range []struct{ text, want, reason string }{
		{"delete " + k.String() + ": no", "delete *: no", "the key"},
		{"row u1 is locked", "row * is locked", "the UID, as in the words of a database"},
		{`pods "a1" is forbidden`, `pods "*" is forbidden`, "the name, as in the words of a server"},
		{"no right", "no right", "no name"},
		{"batch of 64 writes: late", "batch of  writes: late", "a number"},
	} {
		if got := CauseOf(k, errors.New(c.text)); got != c.want {
			t.Errorf("%s: cause %q, want %q", c.reason, got, c.want)
		}
	}
}
