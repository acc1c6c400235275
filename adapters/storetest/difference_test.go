package storetest

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
)

func TestDifference(t *testing.T) {
	parse := func(text string) []ownergraph.Object {
		t.Helper()
		list, err := graph.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		return list
	}
	var many []string
	for i := range 1000 {
		many = append(many, fmt.Sprintf("pod/one/p%d#1", i))
	}
	long := strings.Join(many, "; ")
	for _, c := range []struct {
		want, seen, out, reason string
	}{
		{"", "", "", "both lists are empty"},
		{"a#1; b#1", "b#1; a#1", "", "the order does not count"},
		{"a#1; b#1", "a#1", "missing: b#1", "one is missing"},
		{"a#1", "a#1; b#1", "surplus: b#1", "one is surplus"},
		{"a#2", "a#1", "differs: a#1, want a#2", "one is in another state"},
		{"a@1#1", "a@2#1", "missing: a@1#1\nsurplus: a@2#1", "an incarnation is another object"},
		{long, "", "missing: pod/one/p0#1; pod/one/p1#1; pod/one/p2#1; pod/one/p3#1; pod/one/p4#1; and 995 more", "a line is no dump"},
		{long, strings.ReplaceAll(long, "#1", "#2"), "differs: pod/one/p0#2, want pod/one/p0#1\ndiffers: pod/one/p1#2, want pod/one/p1#1\n" +
			"differs: pod/one/p2#2, want pod/one/p2#1\ndiffers: pod/one/p3#2, want pod/one/p3#1\n" +
			"differs: pod/one/p4#2, want pod/one/p4#1\ndiffers: 995 more", "nor are many lines"},
	} {
		if got := difference(parse(c.want), parse(c.seen)); got != c.out {
			t.Errorf("difference:\n%s\nwant:\n%s\n%s", got, c.out, c.reason)
		}
	}
}

// TestMissingObjects checks that a law that compares sets of objects names the
// missing ones, and does not dump events.
func TestMissingObjects(t *testing.T) {
	plant := losing(func() func(ownergraph.Event) bool {
		return func(e ownergraph.Event) bool { return e.Type == graph.Put && e.Object.Name == "new" }
	})
	var red []Result
	synctest.Test(t, func(t *testing.T) {
		red = Judge(t.Context(), Config{New: func(tb TB) Subject { return plant(tb, memorySubject(tb)) }, Search: shortSearch}).red()
	})
	if len(red) == 0 || red[0].Law != "watch/break" {
		t.Fatalf("red: %q, want watch/break first", lawsIn(red))
	}
	for i, x := range red {
		if i == 0 && !strings.Contains(x.Detail, "\nseen:     missing: app/one/new@") {
			t.Errorf("it does not name the missing objects:\n%s", x)
		}
		if strings.Contains(x.Detail, "list-begun") {
			t.Errorf("it dumps events:\n%s", x)
		}
	}
}
