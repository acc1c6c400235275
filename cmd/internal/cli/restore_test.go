package cli

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph/archive"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/printing"
)

// TestRestoreGolden: the plan as text and as JSON, and the result. The plan has names, owners and finalizers, and what stays.
func TestRestoreGolden(t *testing.T) {
	d := newArchived(t)
	d.create(t, graph.Key{Kind: "note", Scope: "s", Name: "own"}, "site")
	d.create(t, graph.Key{Kind: "note", Scope: "s", Name: "two"}, "site", "red")
	if err := d.Patch(t.Context(), d.made["shop"].Key, graph.Precondition{}, graph.Change{AddFinalizer: "example.com/x"}); err != nil {
		t.Fatal(err)
	}
	d.remove(t, "own", nil)
	d.remove(t, "red", nil)
	d.removeBlue(t)
	if err := d.Patch(t.Context(), d.made["shop"].Key, graph.Precondition{}, graph.Change{DropFinalizer: "example.com/x"}); err != nil {
		t.Fatal(err)
	}
	d.remove(t, "two", &graph.Cause{Root: d.made["blue"].Key})
	rename := []string{"restore", "team/blue", "--rename", "project/s/site=old"}
	for _, format := range []string{"text", "json"} {
		got := d.call(t, "", append(rename, "--dry-run", "-o", format)...)
		if got.code != printing.ExitDone || got.stderr != "" {
			t.Errorf("exit %d\n%s", got.code, got.stderr)
		}
		checkGolden(t, "restore-plan-"+format, d.steady(t, got.stdout))
	}
	if left := d.left(t); len(left) != 0 {
		t.Errorf("the plan has restored %v", left)
	}
	d.made["old"] = graph.Object{Key: graph.Key{Kind: "project", Scope: "s", Name: "old", UID: "none"}}
	got := d.call(t, "yes\n", rename...)
	if got.code != printing.ExitDone || !strings.Contains(got.stderr, "Restore team/blue? 5 objects come back; 1 stays away. Type yes to go on") {
		t.Errorf("exit %d\n%s", got.code, got.stderr)
	}
	checkGolden(t, "restore-text", d.steady(t, got.stdout))
	got = d.call(t, "", "restore", d.uid("blue"), "-o", "json")
	lines := strings.Split(d.steady(t, got.stdout), "\n")
	if got.code != printing.ExitDone || !strings.Contains(lines[0], `"schema":"restore/v1"`) {
		t.Errorf("exit %d\n%s%s", got.code, got.stdout, got.stderr)
	}
	checkGolden(t, "restore-progress-json", lines[len(lines)-2]+"\n")
}

// TestRestore: the user sees the plan, confirms, and gets the objects with their rows. An object that is due for collection
// stays, because the command collects nothing.
func TestRestore(t *testing.T) {
	for _, c := range []struct {
		reason, stdin string
		args          []string
		code          int
		stderr        string
		left          []string
	}{
		{"another answer", "y\n", nil, 1, "not confirmed: nothing is changed", []string{"red"}},
		{"no answer", "", nil, 2, "give --yes", []string{"red"}},
		{"the plan alone", "", []string{"--dry-run"}, 0, "", []string{"red"}},
		{"yes", "yes\n", nil, 0, "Restore team/blue? 4 objects come back. Type yes", []string{"blue", "red", "shop", "site", "todo"}},
		{"the flag", "", []string{"--yes"}, 0, "", []string{"blue", "red", "shop", "site", "todo"}},
	} {
		d := newArchived(t)
		d.create(t, graph.Key{Kind: "team", Name: "lost"})
		d.create(t, graph.Key{Kind: "note", Scope: "s", Name: "garbage"}, "lost")
		d.remove(t, "lost", nil)
		d.removeBlue(t)
		got := d.call(t, c.stdin, append([]string{"restore", d.uid("blue")}, c.args...)...)
		if got.code != c.code || !strings.Contains(got.stderr, c.stderr) || !strings.Contains(got.stdout, "\n4 objects come back\n") {
			t.Errorf("%s: exit %d, want %d and %q\n%s%s", c.reason, got.code, c.code, c.stderr, got.stdout, got.stderr)
		}
		if left := d.left(t); !slices.Equal(left, c.left) {
			t.Errorf("%s: left %v, want %v", c.reason, left, c.left)
		}
		if _, there := d.get(t, "garbage"); !there {
			t.Errorf("%s: the restore has collected an object", c.reason)
		}
		if len(c.left) == 1 {
			continue
		}
		todo, _ := d.get(t, "todo")
		if !strings.Contains(got.stdout, d.uid("todo")+" -> note/s/todo "+string(todo.UID)+"\n") || !strings.HasSuffix(got.stdout, "restored: 4 objects\n") {
			t.Errorf("%s: wrote\n%s", c.reason, got.stdout)
		}
		if row := d.text(t, `SELECT body FROM notes WHERE uid = '`+string(todo.UID)+`'`); row != "buy milk" {
			t.Errorf("%s: the row is %q", c.reason, row)
		}
		if again := d.call(t, "", "restore", d.uid("blue")); again.code != printing.ExitDone || !strings.HasSuffix(again.stdout, "restored: 0 objects; 4 were back before\n") {
			t.Errorf("%s: a second restore: exit %d\n%s%s", c.reason, again.code, again.stdout, again.stderr)
		}
	}
}

// TestRestoreRefused: a plan that cannot be carried out writes nothing, and names the remedy. The exit code is 3.
func TestRestoreRefused(t *testing.T) {
	d := newArchived(t)
	d.remove(t, "todo", nil)
	d.remove(t, "red", nil)
	d.removeBlue2(t)
	red := d.made["red"].Key
	d.create(t, graph.Key{Kind: "team", Name: "red"})
	d.made["red"], d.made["other"] = graph.Object{Key: red}, d.made["red"]
	for _, c := range []struct {
		args   []string
		code   int
		want   string
		reason string
	}{
		{[]string{d.uid("todo")}, 3, "! note/s/todo cannot come back: no unset owner is there (project/s/site). Restore that one first, or add --detach\n", "the owner is gone"},
		{[]string{string(red.UID)}, 3, "! the name of team/red is taken by team/red " + string(d.made["other"].UID) + ": see --rename\n", "the name is taken"},
		{[]string{string(red.UID), "--rename", string(red.UID) + "=crimson", "--dry-run"}, 0, "+ team/red as team/crimson\n", "another name"},
		{[]string{d.uid("todo"), "--detach", "--dry-run"}, 0, "+ note/s/todo, without its owner project/s/site\n", "without its owner"},
		{[]string{d.uid("todo"), d.uid("blue"), "--dry-run"}, 0, "4 objects come back\n", "with its owner"},
		{[]string{d.uid("todo"), "--detach", "--yes"}, 0, "restored: 1 object\n", "without its owner"},
	} {
		got := d.call(t, "", append([]string{"restore"}, c.args...)...)
		if got.code != c.code || !strings.Contains(got.stdout, c.want) {
			t.Errorf("%v: exit %d, want %d and %q: %s\n%s%s", c.args, got.code, c.code, c.want, c.reason, got.stdout, got.stderr)
		}
	}
	if left := d.left(t); !slices.Equal(left, []string{"red", "todo"}) {
		t.Errorf("left: %v", left)
	}
	if todo, _ := d.get(t, "todo"); len(todo.Owners) != 0 {
		t.Errorf("the detached note: %v", todo)
	}
}

// TestRestoreNotEnded: a root that lives, or waits for a finalizer, is no purged one. The plan tells its state, and the same
// command restores it after its end.
func TestRestoreNotEnded(t *testing.T) {
	d := newArchived(t)
	if err := d.Patch(t.Context(), d.made["blue"].Key, graph.Precondition{}, graph.Change{AddFinalizer: "example.com/x"}); err != nil {
		t.Fatal(err)
	}
	d.removeBlue(t)
	marked := "! team/blue cannot come back: it has not ended. It has a deletion mark, and waits for example.com/x. Call the command again after its end\n"
	for _, c := range []struct {
		args   []string
		code   int
		want   string
		reason string
	}{
		{[]string{"team/blue"}, 3, marked, "a marked object by its name"},
		{[]string{d.uid("blue")}, 3, marked, "a marked object by its UID"},
		{[]string{"team/blue@" + d.uid("blue"), d.uid("blue")}, 3, marked + "0 objects come back; 1 root is refused\n", "a marked object by its key, twice"},
		{[]string{d.uid("blue"), "-o", "json"}, 3, `"refused":[{"key":{"kind":"team","name":"blue","uid":"` + d.uid("blue") + `"},"why":"it has not ended"}]`, "the form"},
		{[]string{d.uid("red")}, 3, "! team/red cannot come back: it has not ended, and has no deletion mark\n", "a living object by its UID"},
		{[]string{"team/red"}, 1, "no entry has this name", "a living object by its name"},
		{[]string{"team/red@" + d.uid("blue")}, 1, "not found", "a key with the UID of another object"},
		{[]string{"none"}, 1, "no object with this UID has ended", "no such UID"},
	} {
		got := d.call(t, "", append([]string{"restore"}, c.args...)...)
		if got.code != c.code || !strings.Contains(got.stdout+got.stderr, c.want) {
			t.Errorf("%v: exit %d, want %d and %q: %s\n%s%s", c.args, got.code, c.code, c.want, c.reason, got.stdout, got.stderr)
		}
	}
	if err := d.Patch(t.Context(), d.made["blue"].Key, graph.Precondition{}, graph.Change{DropFinalizer: "example.com/x"}); err != nil {
		t.Fatal(err)
	}
	if got := d.call(t, "", "restore", "team/blue", "--yes"); got.code != printing.ExitDone || !strings.HasSuffix(got.stdout, "restored: 4 objects\n") {
		t.Errorf("after the end: exit %d\n%s%s", got.code, got.stdout, got.stderr)
	}
}

// removeBlue2 is removeBlue without the note, which has ended before.
func (d *kept) removeBlue2(t *testing.T) {
	t.Helper()
	d.remove(t, "blue", nil)
	for _, name := range []string{"shop", "site"} {
		d.remove(t, name, &graph.Cause{Root: d.made["blue"].Key})
	}
}

// TestRestoreNames: a name stands for the one entry that was not restored. Several ones are listed with their UIDs.
func TestRestoreNames(t *testing.T) {
	d := newArchived(t)
	first := d.made["red"].Key
	d.remove(t, "red", nil)
	d.create(t, graph.Key{Kind: "team", Name: "red"})
	second := d.made["red"].Key
	d.remove(t, "red", nil)
	d.create(t, graph.Key{Kind: "team", Name: "a@b"})
	d.remove(t, "a@b", nil)
	for _, c := range []struct {
		args   []string
		code   int
		want   []string
		reason string
	}{
		{[]string{"team/red"}, 1, []string{"ambiguous: give the UID of one: " + string(second.UID) + " (team/red, ended ", string(first.UID)}, "two entries"},
		{[]string{"team/none"}, 1, []string{"find entry team/none: not found: no entry has this name"}, "no entry"},
		{[]string{"note/red"}, 1, []string{"not found: no entry has this name"}, "another kind"},
		{[]string{"team/a@b", "--dry-run"}, 0, []string{"1 object comes back"}, "a name with an @"},
		{[]string{"team/red@" + string(first.UID), "--dry-run"}, 0, []string{"+ team/red\n"}, "a key"},
		{[]string{"note/red@" + string(first.UID), "--dry-run"}, 1, []string{"this UID is that of team/red"}, "a key of another kind"},
		{[]string{string(first.UID), "--yes"}, 0, []string{"restored: 1 object\n"}, "a UID"},
		{[]string{"team/red", "--dry-run"}, 3, []string{"the name of team/red is taken"}, "the other one"},
		{[]string{`team/"a@b"`, "--dry-run"}, 0, []string{"1 object comes back"}, "a name in quotes"},
		{[]string{string(second.UID), "--rename", "team/red=red2", "--yes"}, 0, []string{"restored: 1 object\n"}, "the other one by its UID"},
		{[]string{"teams/red"}, 1, []string{"ambiguous: each entry of this name was restored: give the UID of one: ", string(first.UID)}, "nothing is left, by a plural"},
		{[]string{"team/a@b", "--yes"}, 0, []string{"restored: 1 object\n"}, "a name"},
		{[]string{"team/a@b", "--yes"}, 0, []string{"restored: 0 objects; 1 was back before\n"}, "the same command, as after an interrupt"},
	} {
		got := d.call(t, "", append([]string{"restore"}, c.args...)...)
		for _, want := range c.want {
			if got.code != c.code || !strings.Contains(got.stdout+got.stderr, want) {
				t.Errorf("%v: exit %d, want %d and %q: %s\n%s%s", c.args, got.code, c.code, want, c.reason, got.stdout, got.stderr)
			}
		}
	}
}

// TestRestoreRename: each rename means one restored object, and gives a name and maybe a scope.
func TestRestoreRename(t *testing.T) {
	d := newArchived(t)
	d.removeBlue(t)
	for _, c := range []struct {
		renames []string
		code    int
		want    string
		reason  string
	}{
		{[]string{"project/s/site=t/site2"}, 0, "+ project/s/site as project/t/site2, owned by team/blue\n", "another scope and name"},
		{[]string{d.uid("site") + "=site2", "team/blue=navy"}, 0, "+ project/s/site as project/s/site2, owned by team/navy\n", "two renames"},
		{[]string{"project/s/none=x"}, 1, "the restore brings back no such object", "a misspelt name"},
		{[]string{"project/s/site=a", d.uid("site") + "=b"}, 1, "has another new name", "two names for one object"},
		{[]string{"project/s/site="}, 2, "want UID=[SCOPE/]NAME", "no name"},
		{[]string{"=x"}, 2, "want UID=[SCOPE/]NAME", "no object"},
		{[]string{"project/s/site=a=b"}, 2, "want UID=[SCOPE/]NAME", "two signs"},
		{[]string{"project/s/site=a/b/c"}, 2, "want UID=[SCOPE/]NAME", "two slashes"},
		{[]string{"project/s/site=/b"}, 2, "want UID=[SCOPE/]NAME", "an empty scope"},
	} {
		args := []string{"restore", d.uid("blue"), "--dry-run"}
		for _, r := range c.renames {
			args = append(args, "--rename", r)
		}
		got := d.call(t, "", args...)
		if got.code != c.code || !strings.Contains(got.stdout+got.stderr, c.want) || c.code != 0 && got.stdout != "" {
			t.Errorf("%v: exit %d, want %d and %q: %s\n%s%s", c.renames, got.code, c.code, c.want, c.reason, got.stdout, got.stderr)
		}
	}
}

// TestRestoreWaits: a marked object under the set is waited for, and named. The restore ends once it has ended, and brings
// it back.
func TestRestoreWaits(t *testing.T) {
	d := newArchived(t)
	drop := graph.Change{DropFinalizer: "example.com/x"}
	if err := d.Patch(t.Context(), d.made["todo"].Key, graph.Precondition{}, graph.Change{AddFinalizer: "example.com/x"}); err != nil {
		t.Fatal(err)
	}
	d.removeBlue(t)
	got := d.call(t, "", "restore", "team/blue", "--yes", "--patience", "500ms")
	text := "note/s/todo has a deletion mark: the restore waits for its end, and for example.com/x\n"
	if got.code != printing.ExitFound || !strings.Contains(got.stdout, "! "+text) || !strings.Contains(got.stdout, "waiting: "+text) || !strings.HasSuffix(got.stdout, "restored: 3 objects\n") ||
		!strings.Contains(got.stderr, "the restore has not ended. Call the command again") || !strings.Contains(got.stderr, text) {
		t.Errorf("exit %d\n%s%s", got.code, got.stdout, got.stderr)
	}
	ended := make(chan result, 1)
	go func() { ended <- d.call(t, "", "restore", d.uid("blue"), "--yes", "-o", "json", "--patience", "1m") }()
	if err := d.Patch(t.Context(), d.made["todo"].Key, graph.Precondition{}, drop); err != nil {
		t.Fatal(err)
	}
	got = <-ended
	lines := strings.Split(strings.TrimSpace(got.stdout), "\n")
	var last jsonRestored
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &last); err != nil || got.code != printing.ExitDone || last.End != "done" || len(last.Back) != 4 || last.Created != 1 {
		t.Errorf("exit %d, %v\n%s%s", got.code, err, got.stdout, got.stderr)
	}
	if row := d.text(t, `SELECT count(*) FROM notes`); row != "1" {
		t.Errorf("%s rows are back", row)
	}
}

// TestRestoreHeld: a name that is taken after the plan refuses the restore, or holds its object and is named.
func TestRestoreHeld(t *testing.T) {
	d := newArchived(t)
	d.removeBlue(t)
	var out strings.Builder
	asked := &onQuestion{do: func() { d.create(t, graph.Key{Kind: "project", Scope: "s", Name: "site"}) }}
	code := Run(t.Context(), Command, []string{"restore", d.uid("blue"), "--store", d.flag}, strings.NewReader("yes\n"), &out, asked)
	if code != printing.ExitFailed || !strings.Contains(asked.String(), "restore: 1 name is taken: ") || len(d.left(t)) != 2 {
		t.Errorf("exit %d, left %v\n%s%s", code, d.left(t), &out, asked)
	}
	key := func(name, uid string) graph.Key {
		return graph.Key{Kind: "note", Name: name, UID: graph.UID(uid)}
	}
	r := archive.Result{Created: 1, Restored: map[graph.UID]graph.Key{"u1": key("a", "n1")}, Held: []archive.Taken{{Member: key("b", "u2"), By: key("b", "n2")}}}
	out.Reset()
	err := newApp(Command, nil, &out, nil).writeRestored(&r, archive.Progress{}, "held", 0)
	if want := "u1 -> note/a n1\nheld: note/b, because of the name of note/b n2\nrestored: 1 object; 1 held\n"; err != nil || out.String() != want {
		t.Errorf("%v, wrote\n%s", err, &out)
	}
}

// onQuestion is a standard error that does something at the question of a command.
type onQuestion struct {
	strings.Builder
	do func()
}

func (q *onQuestion) Write(p []byte) (int, error) {
	if strings.Contains(string(p), "Type yes") {
		q.do()
	}
	return q.Builder.Write(p)
}

// TestRestoreText: --limit bounds each part, and each reason has its remedy.
func TestRestoreText(t *testing.T) {
	entry := func(name string) *archive.Entry {
		return &archive.Entry{Object: graph.Object{Key: graph.Key{Kind: "note", Name: name, UID: graph.UID(name)}}, Restored: graph.Key{UID: "again"}, Unreadable: "the column x is gone"}
	}
	made := archive.Plan{Set: archive.Set{
		Members: []archive.Member{{Entry: entry("a"), Name: "a"}, {Entry: entry("b"), Name: "b"}},
		Refused: []archive.Left{{Entry: &archive.Entry{Object: graph.Object{Key: graph.Key{UID: "gone"}}}, Why: archive.Purged}},
		Left:    []archive.Left{{Entry: entry("c"), Why: archive.PayloadUnreadable}},
	}}
	want := "+ note/a\n... and 1 more: see --limit\n- note/c stays away: its payload cannot be read: the column x is gone\n! gone cannot come back: its entry is purged\n" +
		"2 objects come back; 1 stays away; 1 root is refused\n"
	if got := restoreText(&made, 1); got != want {
		t.Errorf("wrote\n%s\nwant\n%s", got, want)
	}
	if got := refusedText(&archive.Left{Entry: entry("d"), Why: archive.EndedAgain}); !strings.HasSuffix(got, "Give its UID: again") {
		t.Errorf("an object that ended again: %s", got)
	}
	if err := restoreFailed(&archive.RefusedError{Refused: made.Refused}); !errors.As(err, new(*archive.RefusedError)) || strings.Contains(err.Error(), "again") {
		t.Errorf("a refusal: %v", err)
	}
}
