package cli

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/guard"
	"github.com/ownergraph/ownergraph/internal/printing"
)

func isNotFound(err error) bool { return errors.Is(err, graph.ErrNotFound) }

// TestStoreReads: tree, plan, explain, lint and run work on a live store, and leave it as it
// is.
func TestStoreReads(t *testing.T) {
	d := newSQLite(t)
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"tree", "team/blue"}, 0, "team/blue\n├── project/s/shop\n└── project/s/site\n    └── note/s/todo\n3 objects below it\n"},
		{[]string{"plan", "TEAM/blue"}, 0, "- team/blue\n  - project/s/shop\n  - project/s/site\n    - note/s/todo\n4 objects go, 3 of them in s; 0 are held\n"},
		{[]string{"plan", "project/s/site", "--cascade", "orphan"}, 0, "\n1 object goes; 1 stays and loses an owner; 0 are held\n"},
		{[]string{"explain", "note/todo"}, 0, "note/s/todo is kept by its owner project/s/site"},
		{[]string{"lint"}, 0, "no findings in 5 objects\n"},
		{[]string{"run", "team/blue"}, 0, "gone: 4 of 5 objects, 1 stays\n"},
	} {
		got := call(t, "", append(c.args, "--store", d.flag)...)
		if got.code != c.code || !strings.Contains(got.stdout, c.want) {
			t.Errorf("%v: exit %d, want %d and %q\n%s%s", c.args, got.code, c.code, c.want, got.stdout, got.stderr)
		}
	}
	for name, was := range d.made {
		if now, exists := d.get(t, name); !exists || now.Version != was.Version {
			t.Errorf("%s is %v, was %v", name, now, was)
		}
	}
}

func TestStoreErrors(t *testing.T) {
	d := newSQLite(t)
	empty := t.TempDir()
	for _, c := range []struct {
		args   []string
		code   int
		stderr string
	}{
		{[]string{"tree", "team/green", "--store", d.flag}, 1, "find team/green: not found"},
		{[]string{"delete", "team/green", "--store", d.flag, "--yes"}, 1, "find team/green: not found"},
		{[]string{"lint", "--store", d.flag, "--prefix", "none_"}, 1, "no such table"},
		{[]string{"lint", "--store", "sqlite:" + empty}, 1, "open store: "},
		{[]string{"lint", "--store", "postgres://127.0.0.1:1/x?connect_timeout=1"}, 1, "open store: "},
		{[]string{"lint", "--store", "etcd://127.0.0.1:1", "--kind", "a", "--timeout", "100ms"}, 1, "no answer within --timeout 100ms"},
		{[]string{"approve", "team/blue", "--at-most", "1", "--store", d.flag}, 1, "it is not being deleted"},
		{[]string{"refuse", "team/blue", "--yes", "--store", d.flag}, 1, "no guard holds its deletion"},
		{[]string{"retire", graph.FinalizerOrphan, "--yes", "--store", d.flag}, 1, "retire"},
		{[]string{"follow", "team/blue", "--patience", "50ms", "--store", d.flag}, 3, "the object has no deletion mark"},
	} {
		got := call(t, "", c.args...)
		if got.code != c.code || !strings.Contains(got.stderr, c.stderr) {
			t.Errorf("%v: exit %d, want %d and %q\n%s%s", c.args, got.code, c.code, c.stderr, got.stdout, got.stderr)
		}
	}
	if left := d.left(t); len(left) != 5 {
		t.Errorf("left: %v", left)
	}
}

// TestDelete: the user sees the plan, confirms, and sees the progress to the end.
func TestDelete(t *testing.T) {
	for _, c := range []struct {
		reason, stdin string
		args          []string
		program       bool
		code          int
		stderr        string
		left          []string
	}{
		{"the program's collector does the cascade", "yes\n", nil, true, 0, "Delete team/blue? 4 objects go", []string{"red"}},
		{"so does one of this command", "", []string{"--yes", "--act", "--cascade", "foreground"}, false, 0, "", []string{"red"}},
		{"another answer", "y\n", nil, true, 1, "not confirmed: nothing is changed", []string{"blue", "red", "shop", "site", "todo"}},
		{"no answer", "", nil, true, 2, "give --yes", []string{"blue", "red", "shop", "site", "todo"}},
		{"no collector acts", "", []string{"--yes", "--patience"}, false, 3, "does one run on the store?", []string{"red", "shop", "site", "todo"}},
		{"the command does not wait", "", []string{"--yes", "--no-wait"}, false, 0, "", []string{"red", "shop", "site", "todo"}},
	} {
		var d *database
		bounded := slices.Contains(c.args, "--patience")
		got, _ := inTime(func(limit string) result {
			d = newSQLite(t)
			if c.program {
				d.program(t, ownergraph.Config{})
			}
			args := append([]string{"delete", "team/blue", "--store", d.flag}, c.args...)
			if bounded {
				args = append(args, limit)
			}
			return call(t, c.stdin, args...)
		}, func(got result) bool { return !bounded || got.code == c.code && strings.Contains(got.stderr, c.stderr) })
		if got.code != c.code || !strings.Contains(got.stderr, c.stderr) {
			t.Errorf("%s: exit %d, want %d and %q\n%s%s", c.reason, got.code, c.code, c.stderr, got.stdout, got.stderr)
		}
		if !strings.Contains(got.stdout, "\n4 objects go, 3 of them in s; 0 are held\n") || c.code == 0 && c.program && !strings.Contains(got.stdout, "delete team/blue: 4 of 4 gone") {
			t.Errorf("%s: wrote\n%s", c.reason, got.stdout)
		}
		if left := d.left(t); !slices.Equal(left, c.left) {
			t.Errorf("%s: left %v, want %v", c.reason, left, c.left)
		}
	}
}

// TestInterruptedQuestion: an interrupt ends a question that no user answers, and the object
// stays as it is.
func TestInterruptedQuestion(t *testing.T) {
	d := newSQLite(t)
	for _, args := range [][]string{{"delete", "team/blue"}, {"retire", graph.FinalizerHold}, {"refuse", "--record", "r", "--all", "--orphan"}} {
		ctx, cancel := context.WithCancel(t.Context())
		stdin, answers := io.Pipe()
		var stderr interrupting
		stderr.cancel = cancel
		code := Run(ctx, Command, append(args, "--store", d.flag), stdin, io.Discard, &stderr)
		answers.Close()
		if code != printing.ExitFailed || !strings.Contains(stderr.String(), "\nownergraph: interrupted: nothing is changed") {
			t.Errorf("%v: exit %d\n%s", args, code, &stderr)
		}
	}
	if left := d.left(t); len(left) != 5 {
		t.Errorf("left: %v", left)
	}
}

// interrupting is a standard error that interrupts the command at its question.
type interrupting struct {
	strings.Builder
	cancel context.CancelFunc
}

func (i *interrupting) Write(p []byte) (int, error) {
	if strings.Contains(string(p), "Type yes") {
		i.cancel()
	}
	return i.Builder.Write(p)
}

// TestNoPasswordInErrors: an error for a wrong store does not show its value.
func TestNoPasswordInErrors(t *testing.T) {
	for _, c := range []struct{ store, reason string }{
		{"host=db user=u password=geheim dbname=x", "keywords in place of a URL"},
		{"u,geheim", "no scheme"},
		{"postgres://u:geheim%zz@127.0.0.1:1/db", "no URL"},
		{"postgres://u:geheim@127.0.0.1:1/db?sslmode=none", "a wrong setting"},
		{"postgres://u:geheim@127.0.0.1:1/db?connect_timeout=1", "no server"},
		{"etcd://u:geheim%zz@127.0.0.1:1", "no URL"},
	} {
		got := call(t, "", "lint", "--store", c.store)
		if got.code == printing.ExitDone || got.code == printing.ExitFound || strings.Contains(got.stderr, "geheim") {
			t.Errorf("%q: exit %d: %s\n%s", c.store, got.code, c.reason, got.stderr)
		}
	}
}

// TestActAfterYes: without a confirmation no object goes, not even one whose owner is gone.
func TestActAfterYes(t *testing.T) {
	d := newSQLite(t)
	if err := d.Delete(t.Context(), d.made["blue"].Key, graph.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	got := call(t, "no\n", "delete", "team/red", "--act", "--store", d.flag)
	if left := d.left(t); got.code != printing.ExitFailed || !slices.Equal(left, []string{"red", "shop", "site", "todo"}) {
		t.Errorf("exit %d, left %v\n%s%s", got.code, left, got.stdout, got.stderr)
	}
	got = call(t, "yes\n", "delete", "team/red", "--act", "--store", d.flag)
	if left := d.left(t); got.code != printing.ExitDone || slices.Contains(left, "red") {
		t.Errorf("exit %d, left %v\n%s%s", got.code, left, got.stdout, got.stderr)
	}
}

// TestFollowHeld: a held deletion ends the wait, with the reason.
func TestFollowHeld(t *testing.T) {
	d := newSQLite(t)
	d.program(t, ownergraph.Config{})
	if err := d.Patch(t.Context(), d.made["todo"].Key, graph.Precondition{}, graph.Change{AddFinalizer: "example.com/x"}); err != nil {
		t.Fatal(err)
	}
	key := d.made["blue"].Key
	if err := d.Delete(t.Context(), key, graph.DeleteOptions{Propagation: graph.Foreground}); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the note is marked", func() bool { o, _ := d.get(t, "todo"); return o.Deleting })
	if got, ok := inTime(func(limit string) result {
		return call(t, "", "follow", "team/blue", "--store", d.flag, "--patience", limit)
	}, func(got result) bool {
		return got.code == printing.ExitFound && strings.Contains(got.stderr, "note/s/todo: finalizers hold it (example.com/x)") && strings.Contains(got.stdout, "1 held, 2 blocked; ")
	}); !ok {
		t.Errorf("exit %d\n%s%s", got.code, got.stdout, got.stderr)
	}
}

// guarded returns the settings of a program that guards teams.
func guarded(phases ...guard.Phase) ownergraph.Config {
	return ownergraph.Config{Guards: []guard.Guard{{Name: "teams", Kinds: []graph.Kind{"team"}, Always: true, Phases: phases}}}
}

// deleteGuarded deletes the team blue, and waits until its guard has refused.
func (d *database) deleteGuarded(t *testing.T) {
	t.Helper()
	has := func(name string) bool { o, _ := d.get(t, "blue"); return o.HasFinalizer(name) }
	eventually(t, "the guard covers the team", func() bool { return has(graph.FinalizerHold) && has(graph.FinalizerNew) })
	if err := d.Delete(t.Context(), d.made["blue"].Key, graph.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the guard has refused", func() bool { return !has(graph.FinalizerNew) })
}

// fingerprint returns that of the plan of the deletion of the team blue.
func (d *database) fingerprint(t *testing.T) string {
	t.Helper()
	got := call(t, "", "plan", "team/blue", "-v", "--store", d.flag)
	_, fingerprint, _ := strings.Cut(got.stdout, "\nfingerprint ")
	return strings.TrimSpace(fingerprint)
}

// TestApprove: an approval of this command lets a cascade of the program begin.
func TestApprove(t *testing.T) {
	d := newSQLite(t)
	c := d.program(t, guarded())
	d.deleteGuarded(t)
	got := call(t, "", "approve", "team/blue", "--at-most", "2", "--store", d.flag)
	if got.code != printing.ExitFailed || !strings.Contains(got.stderr, "3 objects would end, and the bound is 2") {
		t.Errorf("a bound that is too low: exit %d\n%s", got.code, got.stderr)
	}
	got = call(t, "", "approve", "team/blue", "--fingerprint", strings.Repeat("0123", 16), "--store", d.flag)
	if got.code != printing.ExitFailed || !strings.Contains(got.stderr, "plan changed") {
		t.Errorf("another plan: exit %d\n%s", got.code, got.stderr)
	}
	if left := d.left(t); len(left) != 5 {
		t.Errorf("left: %v", left)
	}
	got = call(t, "", "approve", "team/blue", "--fingerprint", d.fingerprint(t), "--store", d.flag)
	if got.code != printing.ExitDone || got.stdout != "approved: team/blue\n" {
		t.Errorf("the plan: exit %d\n%s%s", got.code, got.stdout, got.stderr)
	}
	if err := c.Await(t.Context(), d.made["blue"].Key); err != nil {
		t.Fatal(err)
	}
	if left := d.left(t); !slices.Equal(left, []string{"red"}) {
		t.Errorf("left: %v", left)
	}
}

// TestApproveForeground: the deletion of a root with phases is repeated in the foreground.
func TestApproveForeground(t *testing.T) {
	for _, foreground := range []bool{false, true} {
		d := newSQLite(t)
		d.program(t, guarded(guard.Phase{Kinds: []graph.Kind{"note"}}))
		d.deleteGuarded(t)
		if err := d.Patch(t.Context(), d.made["todo"].Key, graph.Precondition{}, graph.Change{AddFinalizer: "example.com/x"}); err != nil {
			t.Fatal(err)
		}
		args := []string{"approve", "team/blue", "--at-most", "3", "--store", d.flag}
		if foreground { // the plan of another run of this command has the same fingerprint
			args = []string{"approve", "team/blue", "--fingerprint", d.fingerprint(t), "--store", d.flag, "--foreground"}
		}
		if got := call(t, "", args...); got.code != printing.ExitDone {
			t.Fatalf("exit %d\n%s", got.code, got.stderr)
		}
		eventually(t, "the note is marked", func() bool { o, _ := d.get(t, "todo"); return o.Deleting })
		o, exists := d.get(t, "blue")
		if exists != foreground || foreground && o.Propagation() != graph.Foreground {
			t.Errorf("foreground %v: the team exists %v: %v", foreground, exists, o)
		}
	}
}

// TestRefuse: the root goes, and its dependents stay.
func TestRefuse(t *testing.T) {
	d := newSQLite(t)
	d.program(t, guarded())
	d.deleteGuarded(t)
	if got := call(t, "no\n", "refuse", "team/blue", "--store", d.flag); got.code != printing.ExitFailed {
		t.Errorf("not confirmed: exit %d\n%s", got.code, got.stderr)
	}
	if o, _ := d.get(t, "blue"); o.Propagation() != graph.Unset || !o.HasFinalizer(graph.FinalizerHold) {
		t.Errorf("not confirmed: %v", o)
	}
	got := call(t, "yes\n", "refuse", "team/blue", "--store", d.flag)
	if got.code != printing.ExitDone || got.stdout != "refused: team/blue goes, and its dependents stay\n" {
		t.Errorf("exit %d\n%s%s", got.code, got.stdout, got.stderr)
	}
	eventually(t, "the team is gone", func() bool { _, exists := d.get(t, "blue"); return !exists })
	if left := d.left(t); !slices.Equal(left, []string{"red", "shop", "site", "todo"}) {
		t.Errorf("left: %v", left)
	}
	if o, _ := d.get(t, "site"); len(o.Owners) != 0 {
		t.Errorf("site is %v", o)
	}
}

// TestPause: a program that begins after a pause of this command obeys it, and one that
// begins after the end of the pause works. A program that runs obeys within 10 s: the tests
// of the library check that.
func TestPause(t *testing.T) {
	d := newSQLite(t)
	if got := call(t, "", "pause", "--all", "--record", "app", "--store", d.flag, "--unchecked"); got.code != printing.ExitDone || got.stdout != "paused in record \"app\": everything\n" {
		t.Fatalf("exit %d\n%s%s", got.code, got.stdout, got.stderr)
	}
	if got := call(t, "", "pause", "--of-kind", "teams", "--record", "app", "--store", d.flag); got.code != printing.ExitFailed || got.stdout != "" ||
		!strings.Contains(got.stderr, `--of-kind "teams": the store has no such kind: want one of note, project, team`) {
		t.Errorf("a pause of no kind: exit %d\n%s%s", got.code, got.stdout, got.stderr)
	}
	if got := call(t, "", "pause", "--all", "--record", "a/b", "--store", d.flag); got.code != printing.ExitUsage || !strings.Contains(got.stderr, "'/' is not allowed there") {
		t.Errorf("no name of a record: exit %d\n%s%s", got.code, got.stdout, got.stderr)
	}
	for _, verb := range [][]string{{"pause", "--unchecked"}, {"resume"}} {
		if got := call(t, "", append(verb, "--of-kind", "team", "--record", "app", "--store", d.flag)...); got.code != printing.ExitDone {
			t.Errorf("%s of a kind: exit %d\n%s", verb, got.code, got.stderr)
		}
	}
	c := d.program(t, ownergraph.Config{Record: "app"})
	eventually(t, "the program obeys", func() bool {
		p := c.Paused()
		return len(p) == 1 && p[0].What.All
	})
	if got := call(t, "", "delete", "team/blue", "--store", d.flag, "--yes", "--patience", "300ms"); got.code != printing.ExitFound {
		t.Errorf("delete under a pause: exit %d\n%s", got.code, got.stderr)
	}
	if left := d.left(t); !slices.Equal(left, []string{"red", "shop", "site", "todo"}) {
		t.Errorf("left: %v", left)
	}
	again := []string{"delete", "project/s/shop", "--store", d.flag, "--yes", "--act", "--record", "app", "--cascade", "foreground", "--patience"}
	if got, ok := inTime(func(limit string) result { return call(t, "", append(again, limit)...) }, func(got result) bool {
		return got.code == printing.ExitFound && strings.Contains(got.stderr, "project/s/shop: the engine is paused (everything)")
	}); !ok {
		t.Errorf("delete --act under a pause: exit %d\n%s", got.code, got.stderr)
	}
	if got := call(t, "", "resume", "--all", "--record", "app", "--store", d.flag); got.code != printing.ExitDone {
		t.Fatalf("exit %d\n%s", got.code, got.stderr)
	}
	d.program(t, ownergraph.Config{Record: "app"})
	eventually(t, "the cascade goes on", func() bool { return len(d.left(t)) == 1 })
}

// TestRetire: the finalizers of a removed guard go, except that of a held deletion.
func TestRetire(t *testing.T) {
	d := newSQLite(t)
	t.Run("with the guard", func(t *testing.T) {
		d.program(t, guarded())
		d.deleteGuarded(t)
		eventually(t, "the guard covers the other team", func() bool { o, _ := d.get(t, "red"); return o.HasFinalizer(graph.FinalizerHold) })
	})
	got := call(t, "yes\n", "retire", graph.FinalizerHold, "--store", d.flag)
	if got.code != printing.ExitFound || got.stdout != "retired: taken off 1 object\nleft: team/blue\n" {
		t.Errorf("exit %d\n%s%s", got.code, got.stdout, got.stderr)
	}
	if o, _ := d.get(t, "red"); len(o.Finalizers) > 0 {
		t.Errorf("red is %v", o)
	}
	if o, _ := d.get(t, "blue"); !o.HasFinalizer(graph.FinalizerHold) {
		t.Errorf("blue is %v", o)
	}
	call(t, "", "approve", "team/blue", "--at-most", "3", "--store", d.flag)
	got = call(t, "", "retire", graph.FinalizerHold, "--yes", "--store", d.flag)
	if got.code != printing.ExitDone || got.stdout != "retired: taken off 0 objects\n" {
		t.Errorf("nothing is left: exit %d\n%s%s", got.code, got.stdout, got.stderr)
	}
}

// TestRetireQuestion: the question counts the objects that lose the finalizer, and those that go
// at once without it.
func TestRetireQuestion(t *testing.T) {
	d := newSQLite(t)
	for name, marked := range map[string]bool{"blue": true, "red": false, "site": true} {
		o, _ := d.get(t, name)
		change := graph.Change{AddFinalizer: "x.io/gone"}
		if err := d.Patch(t.Context(), o.Key, graph.Precondition{}, change); err != nil {
			t.Fatal(err)
		}
		if name == "site" {
			if err := d.Patch(t.Context(), o.Key, graph.Precondition{}, graph.Change{AddFinalizer: "x.io/other"}); err != nil {
				t.Fatal(err)
			}
		}
		if marked {
			if err := d.Delete(t.Context(), o.Key, graph.DeleteOptions{Propagation: graph.Background}); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, c := range []struct{ finalizer, want, reason string }{
		{"x.io/gone", "Take x.io/gone off 3 objects? Without it the deletion of 1 object ends at once.", "blue has no other finalizer"},
		{"x.io/other", "Take x.io/other off 1 object? Type", "site has another one"},
		{"x.io/typo", "Take x.io/typo off 0 objects? Type", "no object has it"},
	} {
		got := call(t, "no\n", "retire", c.finalizer, "--store", d.flag)
		if got.code != printing.ExitFailed || !strings.Contains(got.stderr, c.want) {
			t.Errorf("exit %d, %q, want %q: %s", got.code, got.stderr, c.want, c.reason)
		}
	}
	if left := d.left(t); len(left) != 5 {
		t.Errorf("%q are left after three questions", left)
	}
}

// TestDeletionKeepsItsPropagation: another deletion of a marked object changes its
// propagation only if the user says so.
func TestDeletionKeepsItsPropagation(t *testing.T) {
	d := newSQLite(t)
	key := d.made["blue"].Key
	if err := d.Delete(t.Context(), key, graph.DeleteOptions{Propagation: graph.Foreground}); err != nil {
		t.Fatal(err)
	}
	again := []string{"delete", "team/blue", "--yes", "--no-wait", "--store", d.flag}
	if got := call(t, "", again...); got.code != printing.ExitDone {
		t.Fatalf("exit %d\n%s", got.code, got.stderr)
	}
	if o, exists := d.get(t, "blue"); !exists || o.Propagation() != graph.Foreground {
		t.Errorf("without the flag: exists %v: %v", exists, o)
	}
	if got := call(t, "", append(again, "--cascade", "orphan")...); got.code != printing.ExitDone {
		t.Fatalf("exit %d\n%s", got.code, got.stderr)
	}
	if o, exists := d.get(t, "blue"); !exists || o.Propagation() != graph.Orphan {
		t.Errorf("with the flag: exists %v: %v", exists, o)
	}
}

// TestForeignDatabase: a database without the tables of a store fails at once, with the cause. A
// collector would try to watch it until the end of --timeout.
func TestForeignDatabase(t *testing.T) {
	file := filepath.Join(t.TempDir(), "other.db")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"lint"}, {"delete", "team/blue", "--yes"}, {"retire", "example.com/x", "--yes"}, {"approve", "--record", "app"}, {"pause", "--record", "app", "--all"},
	} {
		got := call(t, "", append(args, "--timeout", "0", "--store", "sqlite:"+file)...)
		if want := "open store: look for its tables: "; got.code != printing.ExitFailed || !strings.Contains(got.stderr, want) || !strings.Contains(got.stderr, "no such table") {
			t.Errorf("%v: exit %d, %s, want %s", args, got.code, got.stderr, want)
		}
	}
}
