package cli

import (
	"context"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/printing"
)

// widen adds notes to the team blue.
func (d *database) widen(t *testing.T, notes int) {
	t.Helper()
	for i := range notes {
		d.create(t, graph.Key{Kind: "note", Scope: "wide", Name: fmt.Sprintf("n%04d", i)}, "blue")
	}
}

// TestActCounts: the line of a deletion that this command carries out counts its writes, also that
// of the deletion itself. A deletion that another program carries out shows none.
func TestActCounts(t *testing.T) {
	d := newSQLite(t)
	d.widen(t, 496)
	got := call(t, "", "delete", "team/blue", "--store", d.flag, "--yes", "--act")
	m := regexp.MustCompile(`delete team/blue: 500 of 500 gone; .* (\d+) writes, `).FindStringSubmatch(got.stdout)
	if got.code != printing.ExitDone || m == nil {
		t.Fatalf("exit %d\n%s%s", got.code, got.stdout, got.stderr)
	}
	if n, _ := strconv.Atoi(m[1]); n < 500 {
		t.Errorf("%d writes, want at least the 500 deletes:\n%s", n, got.stdout)
	}
	d.program(t, ownergraph.Config{})
	got = call(t, "", "delete", "team/red", "--store", d.flag, "--yes")
	if got.code != printing.ExitDone || !strings.Contains(got.stdout, "delete team/red: 1 of 1 gone; ") || strings.Contains(got.stdout[strings.Index(got.stdout, "gone; "):], "write") {
		t.Errorf("by the program: exit %d\n%s%s", got.code, got.stdout, got.stderr)
	}
}

// TestFollowNamesHeld: a deletion that does not go on names the first held objects and counts the
// others. An object that waits for a write of the program is not held.
func TestFollowNamesHeld(t *testing.T) {
	d := newSQLite(t)
	d.widen(t, 20)
	for i := range 11 {
		if err := d.Patch(t.Context(), d.made[fmt.Sprintf("n%04d", i)].Key, graph.Precondition{}, graph.Change{AddFinalizer: "example.com/x"}); err != nil {
			t.Fatal(err)
		}
	}
	if err := d.Delete(t.Context(), d.made["blue"].Key, graph.DeleteOptions{Propagation: graph.Foreground}); err != nil {
		t.Fatal(err)
	}
	follow := func(limit string) result {
		return call(t, "", "follow", "team/blue", "--store", d.flag, "--patience", limit)
	}
	if got, ok := inTime(follow, func(got result) bool {
		return got.code == printing.ExitFound && strings.Contains(got.stderr, "objects wait for a collector: does one run on the store?") && !strings.Contains(got.stderr, "Held") && strings.Contains(got.stdout, "24 left, 1 blocked; ")
	}); !ok {
		t.Errorf("no program: exit %d\n%s%s", got.code, got.stdout, got.stderr)
	}
	ctx, stop := context.WithCancel(t.Context())
	c, err := ownergraph.New(d.Store, ownergraph.Config{})
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- c.Run(ctx) }()
	if _, err := c.WaitIdle(t.Context()); err != nil {
		t.Fatal(err)
	}
	stop()
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	if got, ok := inTime(follow, func(got result) bool {
		return got.code == printing.ExitFound && strings.Count(got.stderr, "finalizers hold it (example.com/x)") == 8 && strings.Contains(got.stderr, "  ... and 4 more objects\n") && strings.Contains(got.stdout, "12 left, 11 held, 1 blocked; ")
	}); !ok {
		t.Errorf("finalizers hold the notes: exit %d\n%s%s", got.code, got.stdout, got.stderr)
	}
}

// TestPauseOfNothing: a pause that stops nothing, and the end of a pause that does not exist, are
// errors. They change nothing, and say how the user goes on.
func TestPauseOfNothing(t *testing.T) {
	d := newSQLite(t)
	refused := func(reason, want string, args ...string) {
		t.Helper()
		got := call(t, "", append(args, "--store", d.flag)...)
		if got.code != printing.ExitFailed || got.stdout != "" || !strings.Contains(got.stderr, want) {
			t.Errorf("%s: exit %d\n%s%s", reason, got.code, got.stdout, got.stderr)
		}
	}
	refused("no collector runs yet", `record "app": no collector has announced itself in it. A collector announces itself when it begins: check the name. To pause before the first start`, "pause", "--record", "app", "--all")
	refused("no record", `record "app": there is no such record, so it has no pause`, "resume", "--record", "app", "--all")
	refused("a deletion under no record", "no collector has announced itself", "delete", "team/red", "--yes", "--act", "--record", "app")
	if _, err := d.ReadRecord(t.Context(), "app"); !isNotFound(err) {
		t.Errorf("the record: %v", err)
	}
	d.program(t, ownergraph.Config{Record: "app"})
	eventually(t, "the program announces itself", func() bool { _, err := d.ReadRecord(t.Context(), "app"); return err == nil })
	refused("a misspelt record", `record "typo": no collector`, "pause", "--record", "typo", "--all")
	refused("a misspelt scope", `--scope "nosuch": the store has no object in this scope. To pause all the same, add --unchecked`, "pause", "--record", "app", "--scope", "nosuch")
	refused("a pause that is not there", `record "app": it has no pause of scope s, and no other one`, "resume", "--record", "app", "--scope", "s")
	for _, c := range []struct {
		reason string
		args   []string
	}{
		{"a scope with objects", []string{"pause", "--record", "app", "--scope", "s"}},
		{"a scope that the user means", []string{"pause", "--record", "app", "--scope", "later", "--unchecked"}},
		{"the objects without a scope", []string{"pause", "--record", "app", "--global"}},
		{"a pause that is there, of a scope that is not", []string{"resume", "--record", "app", "--scope", "later"}},
		{"a record that the user means", []string{"pause", "--record", "soon", "--all", "--unchecked"}},
	} {
		if got := call(t, "", append(c.args, "--store", d.flag)...); got.code != printing.ExitDone {
			t.Errorf("%s: exit %d\n%s%s", c.reason, got.code, got.stdout, got.stderr)
		}
	}
	refused("another pause", `it has no pause of everything. Its pauses: scope s, the global objects`, "resume", "--record", "app", "--all")
}
