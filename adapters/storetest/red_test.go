package storetest

import (
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph/internal/portion"
)

const redStore = "STORETEST_RED_STORE"

// redPatience is for failing stores in real time. A slow machine needs less for a report.
const redPatience = time.Second

// TestRedStore is TestMemory without histories. Another test can make it run a
// failing store.
func TestRedStore(t *testing.T) {
	switch name := os.Getenv(redStore); name {
	case "":
		testLaws(t, Config{New: memorySubject})
	case "forgetful":
		Test(t, Config{New: newForgetful, Patience: redPatience})
	case "owned twice":
		Test(t, Config{New: func(tb TB) Subject { return deleting(ownedTwice)(tb, memorySubject(tb)) }, Patience: redPatience})
	default:
		name, few := strings.CutPrefix(name, fewPromises)
		all := slices.Concat(broadBugs(), mutants())
		m := all[slices.IndexFunc(all, func(m mutant) bool { return m.name == name })]
		c := Config{New: func(tb TB) Subject { return m.plant(tb, memorySubject(tb)) }, Patience: redPatience}
		if few {
			c.Without = []Promise{StillVersions, SingleReports, Compaction, BrokenConnections, Rewinds, SickKinds, ChangingKinds, Labels}
		}
		Test(t, c)
	}
}

// fewPromises begins the name of a store that makes few promises.
const fewPromises = "few promises: "

// red returns the output of go test for a failing store.
func red(t *testing.T, store string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], append([]string{"-test.run=^TestRedStore$", "-rapid.nofailfile"}, args...)...)
	cmd.Env = append(os.Environ(), redStore+"="+store)
	out, err := cmd.CombinedOutput()
	if _, failed := err.(*exec.ExitError); !failed {
		t.Fatalf("go test: %v, want it to fail:\n%s", err, out)
	}
	return string(out)
}

// TestRed checks the output of go test for a store that breaks a law.
func TestRed(t *testing.T) {
	text := red(t, "forgetful")
	for _, c := range []struct {
		want   string
		times  int
		reason string
	}{
		{"--- FAIL: TestRedStore/read/marked (", 1, "the law that is broken"},
		{"law read/marked is broken\n", 1, "and its text"},
		{"            why it matters: an object that is being deleted", 1, "and the reason"},
		{"--- FAIL: TestRedStore/watch/compaction (", 1, "a law without its hook is not passed"},
		{"not proven: no Compact hook", 2, "and says so, and so does the other law that needs it"},
		{"TestRedStore/delete/marks", 0, "a law that rests on a broken one has no red line of its own"},
		{" that rest on read/marked, which is not kept: mend that first", 1, "but is counted"},
		{"level 2, ", 1, "by the summary"},
		{"model and engine: not run, since read/marked is broken", 1, "histories would show the same bug again"},
	} {
		if n := strings.Count(text, c.want); n != c.times {
			t.Errorf("%q is there %d times, want %d: %s\n%s", c.want, n, c.times, c.reason, text)
		}
	}
}

// TestRedOnce checks that go test prints each broken law once, the cause first,
// also with -v.
func TestRedOnce(t *testing.T) {
	t.Parallel()
	line := regexp.MustCompile(`law (\S+) is broken|law (\S+): not proven`)
	for _, m := range portion.Of(5, broadBugs()) {
		for _, args := range [][]string{nil, {"-test.v"}} {
			text := red(t, m.name, args...)
			seen := map[string]bool{}
			for i, match := range line.FindAllStringSubmatch(text, -1) {
				law := match[1] + match[2]
				if i == 0 && law != m.law {
					t.Errorf("%s: the first red line is of %s, want %s: %s", m.name, law, m.law, m.reason)
				}
				if seen[law] {
					t.Errorf("%s %q: %s is printed twice:\n%s", m.name, args, law, text)
				}
				seen[law] = true
			}
			if n := strings.Count(text, "why it matters: "); n == 0 || n > len(seen) {
				t.Errorf("%s: %d reasons for %d laws:\n%s", m.name, n, len(seen), text)
			}
		}
	}
}

// screen is the number of lines of a small terminal, and width that of its columns.
const (
	screen = 24
	width  = 80
)

// lastScreen returns the last rows of a text on a terminal.
func lastScreen(text string) string {
	var rows []string
	for _, line := range strings.Split(strings.TrimRight(text, "\n"), "\n") {
		for len(line) > width {
			rows, line = append(rows, line[:width]), line[width:]
		}
		rows = append(rows, line)
	}
	return strings.Join(rows[max(0, len(rows)-screen):], "")
}

// TestLastScreen checks that the last screen of a terminal has the law to mend first, with its
// diagnosis, although the store owes few laws and breaks many.
func TestLastScreen(t *testing.T) {
	t.Parallel()
	for _, m := range portion.Of(5, broadBugs()) {
		text := red(t, fewPromises+m.name)
		end := lastScreen(text)
		for _, want := range []string{"mend first: " + m.law, "expected: ", "seen: ", "because: "} {
			if !strings.Contains(end, want) {
				t.Errorf("%s: the last screen lacks %q:\n%s", m.name, want, text)
			}
		}
		if n := strings.Count(text, "not owed: "); n != 1 {
			t.Errorf("%s: %d lines about laws that are not owed, want one:\n%s", m.name, n, text)
		}
		if n := strings.Count(text, lacks); n != 1 || !strings.Contains(text, ", an archive (") {
			t.Errorf("%s: %d lines about powers, want one with the archive:\n%s", m.name, n, text)
		}
		for _, line := range strings.Split(text, "\n") {
			if strings.Contains(line, "not owed: ") && len(line) > 6*width {
				t.Errorf("%s: the laws that are not owed take more than six rows: %s", m.name, line)
			}
		}
	}
}

// TestRedHistory checks the output of go test for a store that keeps every law and
// fails in a history. The steps are printed once, with the command to run the
// history again.
func TestRedHistory(t *testing.T) {
	t.Parallel()
	// On a busy machine, a history with a cancelled write may pass. The first history of this
	// seed fails, and has none.
	text := red(t, "owned twice", "-rapid.seed=3391714", "-rapid.checks=200")
	for _, c := range []struct {
		want   string
		times  int
		reason string
	}{
		{"--- FAIL: TestRedStore/model (", 1, "the histories that fail"},
		{"the steps:\n", 1, "the steps that lead there"},
		{"the model: ", 1, "and the expected objects"},
		{"[rapid]", 0, "no draws, because the steps show them"},
		{`to run it again: go test -run="TestRedStore/model" -rapid.seed=`, 1, "and how to try again"},
		{"engine: not run", 1, "it would show the same bug again"},
	} {
		if n := strings.Count(text, c.want); n != c.times {
			t.Errorf("%q is there %d times, want %d: %s\n%s", c.want, n, c.times, c.reason, text)
		}
	}
	if n := len(stepsOf(strings.ReplaceAll(text, "            ", ""))); n < 3 || n > 5 {
		t.Errorf("%d steps, want 3 to 5:\n%s", n, text)
	}
	seed := regexp.MustCompile(`-rapid\.seed=\d+`).FindString(text)
	if again := red(t, "owned twice", "-test.run=TestRedStore/model", "-rapid.shrinktime=1ms", seed); !strings.Contains(again, "Get(") || !strings.Contains(again, seed) {
		t.Errorf("%s does not run it again:\n%s", seed, again)
	}
}
