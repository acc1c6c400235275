package exhaustive

import (
	"testing"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/proof/oracle"
)

// TestArchives: no rule breaks in the scopes of stores with entries, whose users delete and restore. Without -whole each has a
// share of its graphs.
func TestArchives(t *testing.T) {
	for _, c := range []struct {
		oneIn  int
		stage  Stage
		reason string
	}{
		{1, Stage{Objects: 2, Scope: Scope{Actions: 3, Users: Undeleting}}, "two objects"},
		{2, Stage{Objects: 2, Scope: Scope{Actions: 2, Users: Undeleting, Policies: true, Strict: true, Late: true}}, "policies, and a late engine"},
		{2, Stage{Objects: 2, Foreign: true, Scope: Scope{Actions: 2, Users: Undeleting, Policies: true}}, "objects that stay marked for a while"},
		{2, Stage{Objects: 2, Scope: Scope{Actions: 2, Users: Undeleting, Policies: true, Crashes: 1}}, "a crash"},
		{20, Stage{Objects: 3, Scope: Scope{Actions: 2, Users: Undeleting}}, "three objects"},
	} {
		row := some(c.oneIn, c.stage).run(2, time.Time{})
		if row.Broken != nil {
			short := Shorten(*row.Broken)
			t.Errorf("%s, graph %d, %s (%s): %v\n%s", short.Graph, row.Number, row.Stage, c.reason, short.Broken, short.History)
		}
		t.Log("\n" + row.String())
	}
}

// TestUndone: after the restore of all that users deleted, an object may stay away only for a reason of A7.
func TestUndone(t *testing.T) {
	for _, c := range []struct {
		start, actions string
		began          string // the objects at the start, as the judge is told
		broken         bool
		reason         string
	}{
		{"a; b -> a", "bg a; bg b", "a; b -> a", false, "both come back"},
		{"a; b -> a", "bg a; bg b", "a; b", true, "an object has an owner that it never had"},
		{"a; b", "bg a; bg b", "a; b -> a", false, "fewer references are a case of A7"},
		{"a; b", "bg a", "a", true, "an object that was not there at the start"},
	} {
		start, began := parse(t, c.start), parse(t, c.began)
		x, err := begin(start, Scope{Users: Undeleting})
		if err != nil {
			t.Fatal(err)
		}
		w := *x.w
		w.Sides = nil
		actions, err := oracle.ParseActions(c.actions)
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range actions {
			w.Do(a)
		}
		if got := judgeUndone(&w, began, oracle.Config{Archives: true}); (got != nil) != c.broken {
			t.Errorf("%s | %s: %v: %s", c.start, c.actions, got, c.reason)
		}
	}
}

func parse(t *testing.T, text string) []graph.Object {
	t.Helper()
	objects, err := graph.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return objects
}
