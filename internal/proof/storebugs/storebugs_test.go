package main

import (
	"context"
	"flag"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph/adapters/storetest"
)

// TestMain shortens the search of the kit. The command measures the default.
func TestMain(m *testing.M) {
	if err := flag.Set("storetest.search", "200ms"); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

// TestCorrect runs the kit on the store without a bug. It keeps every law, with
// every hook and no excuse.
func TestCorrect(t *testing.T) { storetest.Test(t, config(None)) }

// TestFound checks that bugs of several sorts are found, each by the law that names
// it. The command measures all bugs.
func TestFound(t *testing.T) {
	for _, tc := range []struct {
		bug    Bug
		law    string
		reason string
	}{
		{ListingCut, "large/listing", "a page of the usual size"},
		{EmptyIsNull, "text/places", "an empty text that is NULL"},
		{CommitSwallowed, "commit/failed", "an error that is dropped"},
		{UnansweredIsConflict, "commit/unanswered", "an unknown outcome"},
		{BusyIsNotFound, "outage/reads", "an error that counts as an answer"},
		{CountedUIDs, "uid/unforeseeable", "a counter behind a prefix"},
		{VersionsNotRaised, "rewind/raised", "a delete in flight during a restore"},
		{EndedIsNotFound, "cancel/answer", "a context that ends behind the commit"},
		{EpochOfBackup, "rewind/again", "a backup that is restored twice"},
		{KindsRewritten, "alias/kinds", "a list that was handed out"},
		{FilledInPlace, "argument/create", "a list of the caller"},
		{PatchResolvesUnserved, "reference/unserved", "an owner without a place"},
		{EventsLost, "watch/every-change", "a lost change, which breaks many laws"},
		{OthersUnobserved, "second/observed", "a signal of one process, which breaks the laws of lost answers"},
	} {
		if at := tc.bug - 1; bugs()[at].law != tc.law {
			t.Errorf("%s: its entry declares %s, want %s", tc.bug, bugs()[at].law, tc.law)
		}
		t.Run(tc.bug.String(), func(t *testing.T) {
			t.Parallel()
			report := storetest.Judge(t.Context(), quick(tc.bug))
			broken := report.Of(storetest.Broken)
			if len(broken) == 0 || broken[0].Law != tc.law {
				t.Errorf("%s: %v, want %s broken first: %s", tc.bug, broken, tc.law, tc.reason)
			}
		})
	}
}

// quick is config with a shorter patience, for bugs that need no waiting.
func quick(bug Bug) storetest.Config {
	c := config(bug)
	c.Patience = 5 * time.Second
	return c
}

// TestBugs checks that every bug has its own number, name, reason and law. It also
// counts the bugs that the kit once missed.
func TestBugs(t *testing.T) {
	seen, first := map[string]bool{}, 0
	for i, a := range bugs() {
		if int(a.bug) != i+1 || a.bug.String() != a.name || seen[a.name] || a.what == "" || a.reason == "" || a.law == "" {
			t.Errorf("bug %d: %+v: its number, name or reason is not its own", i+1, a)
		}
		seen[a.name] = true
		if a.first {
			first++
		}
	}
	if own := len(bugs()) - first; first != 9 || own < 30 {
		t.Errorf("%d bugs of the table and %d others, want 9 and at least 30", first, own)
	}
}

// TestReadme checks that the table of the README has each bug in its order, with its present text and
// with its law. The figures of a row are those of a measurement.
func TestReadme(t *testing.T) {
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	var rows []string
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "| ") && !strings.HasPrefix(line, "| bug ") {
			rows = append(rows, strings.TrimSuffix(line, "\n"))
		}
	}
	for i, a := range bugs() {
		if i >= len(rows) {
			t.Fatalf("%s has no row", a.name)
		}
		want := row{info: a}.String()
		first, last := want[:strings.Index(want, "0 of 0")], want[strings.LastIndex(want, " | "+a.what):]
		if !strings.HasPrefix(rows[i], first) || !strings.HasSuffix(rows[i], last) || !strings.Contains(rows[i], "`"+a.law+"`") {
			t.Errorf("row %d is\n%s\nwant %s... `%s` ...%s", i+1, rows[i], first, a.law, last)
		}
	}
	if len(rows) > len(bugs()) {
		t.Errorf("%d rows for %d bugs", len(rows), len(bugs()))
	}
}

// TestFirstRed checks that the first failed subtest names a run.
func TestFirstRed(t *testing.T) {
	for _, tc := range []struct{ text, want, reason string }{
		{"--- FAIL: TestKit (1.2s)\n    --- PASS: TestKit/read/fresh (0.0s)\n    --- FAIL: TestKit/watch/gone (1.0s)\n    --- FAIL: TestKit/model (1.0s)\n", "watch/gone", "two have failed"},
		{"--- PASS: TestKit (1.2s)\n", "", "none has failed"},
	} {
		if got := firstRed(tc.text); got != tc.want {
			t.Errorf("firstRed: %q, want %q: %s", got, tc.want, tc.reason)
		}
	}
}

// TestRow checks the text of a row.
func TestRow(t *testing.T) {
	r := row{info: bugs()[0], laws: map[string]int{}}
	for _, x := range []result{{found: true, took: time.Second, law: "a/b"}, {found: true, took: 3 * time.Second, law: "a/c"}, {late: true, took: time.Minute}} {
		r.add(x)
	}
	const want = "| NoticesOutOfOrder * | 2 of 3 | 3s | `a/b` 1, `a/c` 1 | events are lost while two writers commit together: " +
		"each writer announces its number after its commit, and a watch ignores a lower number that follows a higher one |"
	if got := r.String(); got != want {
		t.Errorf("a row is\n%s\nwant\n%s", got, want)
	}
	if err := (settings{}).measure(context.Background(), nil); err != nil {
		t.Errorf("measure nothing: %v", err)
	}
}
