package cli

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/printing"
)

// TestArchiveOfCommand: the commands work on a database with an archive whose settings they do not know. A delete writes the
// entries with the rows.
func TestArchiveOfCommand(t *testing.T) {
	d := newArchived(t)
	for _, args := range [][]string{{"ls"}, {"tree", "team/blue"}, {"plan", "team/blue"}, {"explain", "team/blue"}, {"lint"}, {"top"}} {
		if got := d.call(t, "", args...); got.code != printing.ExitDone {
			t.Errorf("%v: exit %d\n%s%s", args, got.code, got.stdout, got.stderr)
		}
	}
	if got := d.call(t, "", "delete", "team/blue", "--yes", "--act"); got.code != printing.ExitDone {
		t.Fatalf("delete: exit %d\n%s%s", got.code, got.stdout, got.stderr)
	}
	blue, todo := d.entry(t, "blue"), d.entry(t, "todo")
	if !blue.Explicit || blue.Until.Sub(blue.At) != 720*time.Hour || todo.Explicit || todo.Size == 0 {
		t.Errorf("the entries: %+v, %+v", blue, todo)
	}
	if row := d.text(t, `SELECT payload FROM og_archive WHERE uid = '`+d.uid("todo")+`'`); !strings.Contains(row, "buy milk") {
		t.Errorf("the row in the entry is %s", row)
	}
	if n := d.text(t, `SELECT count(*) FROM notes`); n != "0" {
		t.Errorf("%s rows are left", n)
	}
}

// TestPostgresArchive: the same on a real Postgres, and the restore brings the row back.
func TestPostgresArchive(t *testing.T) {
	db, address := newPostgres(t)
	d := &kept{fill(t, db, archiveOfRig(), address), db}
	d.addRow(t)
	if got := d.call(t, "", "delete", "team/blue", "--yes", "--act"); got.code != printing.ExitDone {
		t.Fatalf("delete: exit %d\n%s%s", got.code, got.stdout, got.stderr)
	}
	if row := d.text(t, `SELECT payload FROM og_archive WHERE uid = '`+d.uid("todo")+`'`); !strings.Contains(row, "buy milk") {
		t.Errorf("the row in the entry is %s", row)
	}
	if got := d.call(t, "", "restore", "team/blue", "--yes"); got.code != printing.ExitDone {
		t.Errorf("restore: exit %d\n%s%s", got.code, got.stdout, got.stderr)
	}
	if row := d.text(t, `SELECT n.body FROM notes n JOIN og_objects o ON o.uid = n.uid AND o.name = 'todo'`); row != "buy milk" {
		t.Errorf("the row is %q", row)
	}
}

// TestArchiveGolden: the list and an entry, as text and as JSON. They have no payload.
func TestArchiveGolden(t *testing.T) {
	d := newArchived(t)
	if err := d.Patch(t.Context(), d.made["todo"].Key, graph.Precondition{}, graph.Change{AddFinalizer: "example.com/x"}); err != nil {
		t.Fatal(err)
	}
	d.remove(t, "blue", nil)
	d.remove(t, "shop", &graph.Cause{Root: d.made["blue"].Key})
	d.remove(t, "site", &graph.Cause{Root: d.made["blue"].Key})
	d.remove(t, "todo", &graph.Cause{Root: d.made["blue"].Key, Holder: d.made["red"].Key})
	if err := d.Patch(t.Context(), d.made["todo"].Key, graph.Precondition{}, graph.Change{DropFinalizer: "example.com/x"}); err != nil {
		t.Fatal(err)
	}
	if got := d.call(t, "", "archive", "hold", d.uid("site"), "--by", "legal", "--reason", "case 7", "--until", "2999-01-01T00:00:00Z"); got.code != printing.ExitDone {
		t.Fatalf("hold: exit %d\n%s", got.code, got.stderr)
	}
	if got := d.call(t, "", "restore", "--yes", d.uid("blue")); got.code != printing.ExitDone {
		t.Fatalf("restore: exit %d\n%s%s", got.code, got.stdout, got.stderr)
	}
	for _, c := range []struct {
		name, reason string
		args         []string
	}{
		{"archive-ls", "the newest first", []string{"archive", "ls"}},
		{"archive-show", "finalizers, cause and holder", []string{"archive", "show", d.uid("todo")}},
		{"archive-show-held", "a hold", []string{"archive", "show", "project/site"}},
	} {
		for _, format := range []string{"text", "json"} {
			got := d.call(t, "", append(c.args, "-o", format)...)
			if got.code != printing.ExitDone || got.stderr != "" || strings.Contains(got.stdout, "milk") {
				t.Errorf("%s: exit %d: %s\n%s", c.name, got.code, c.reason, got.stderr)
			}
			text := versions.ReplaceAllString(d.steady(t, got.stdout), "${1}VERSION")
			checkGolden(t, c.name+"-"+format, text)
		}
	}
}

// versions has the version of an object, which differs between runs.
var versions = regexp.MustCompile(`(version"?:? +"?)[^",\n]+`)

// TestArchivePages: the filters select, and each page tells the next one.
func TestArchivePages(t *testing.T) {
	d := newArchived(t)
	if got := d.call(t, "", "archive", "ls"); got.code != printing.ExitDone || got.stdout != "no entries\n" {
		t.Errorf("an empty archive: exit %d\n%s%s", got.code, got.stdout, got.stderr)
	}
	d.removeBlue(t)
	mark := regexp.MustCompile(`--after (\S+)`)
	var uids []string
	after := ""
	for range 4 {
		got := d.call(t, "", "archive", "ls", "--limit", "1", "--after", after)
		line := strings.Fields(strings.Split(got.stdout, "\n")[1])
		uids = append(uids, line[2])
		if m := mark.FindStringSubmatch(got.stdout); m != nil {
			after = m[1]
		} else if len(uids) != 4 {
			t.Errorf("page %d tells no next one:\n%s", len(uids), got.stdout)
		}
	}
	if want := []string{d.uid("todo"), d.uid("site"), d.uid("shop"), d.uid("blue")}; !slices.Equal(uids, want) {
		t.Errorf("the pages have %v, want %v", uids, want)
	}
	for _, c := range []struct {
		args   []string
		want   int
		reason string
	}{
		{[]string{"--explicit"}, 1, "the objects that users deleted"}, {[]string{"--of-kind", "project"}, 2, "a kind"},
		{[]string{"--name", "site"}, 1, "a name"}, {[]string{"--scope", "s"}, 3, "a scope"}, {[]string{"-n", "s", "--of-kind", "note"}, 1, "the flag of kubectl"},
	} {
		got := d.call(t, "", append([]string{"archive", "ls"}, c.args...)...)
		if n := strings.Count(got.stdout, "\n") - 1; got.code != printing.ExitDone || n != c.want {
			t.Errorf("%v: exit %d, %d entries, want %d: %s\n%s", c.args, got.code, n, c.want, c.reason, got.stdout)
		}
	}
}

// TestArchiveHold: a hold refuses a purge, and protects a living object. It ends by its holder.
func TestArchiveHold(t *testing.T) {
	d := newArchived(t)
	d.removeBlue(t)
	blue, red := d.uid("blue"), d.uid("red")
	for _, c := range []struct {
		args   []string
		code   int
		want   string
		reason string
	}{
		{[]string{"hold", blue, "--by", "legal", "--reason", "case 7"}, 0, "legal holds team/blue\n", "an entry"},
		{[]string{"purge", blue, "--yes"}, 1, `"legal" holds it`, "a held entry stays"},
		{[]string{"hold", red, "--by", "legal", "--reason", "case 8"}, 0, "legal holds team/red\n", "a living object by its UID"},
		{[]string{"hold", "team/red@" + red, "--by", "other", "--reason", "case 9"}, 0, "other holds team/red\n", "a living object by its key"},
		{[]string{"hold", "team/red@" + blue, "--by", "legal", "--reason", "x"}, 1, "this UID is that of team/blue", "a key with the UID of another object"},
		{[]string{"hold", "team/blue@" + red, "--by", "legal", "--reason", "x"}, 1, "not found", "a living object at another place"},
		{[]string{"hold", "none", "--by", "legal", "--reason", "x"}, 1, "neither an entry nor an object has this UID", "no such UID"},
		{[]string{"end-hold", red, "--by", "third"}, 1, "has none", "a holder without a hold"},
		{[]string{"end-hold", red, "--by", "legal"}, 0, "the hold of legal on team/red has ended\n", "the first hold of two"},
	} {
		got := d.call(t, "", append([]string{"archive"}, c.args...)...)
		if got.code != c.code || !strings.Contains(got.stdout+got.stderr, c.want) {
			t.Errorf("%v: exit %d, want %d and %q: %s\n%s%s", c.args, got.code, c.code, c.want, c.reason, got.stdout, got.stderr)
		}
	}
	if o, _ := d.get(t, "red"); !o.HasFinalizer(graph.FinalizerProtect) {
		t.Error("the living object is not protected")
	}
	d.call(t, "", "archive", "end-hold", red, "--by", "other")
	if o, _ := d.get(t, "red"); o.HasFinalizer(graph.FinalizerProtect) {
		t.Error("the protection stays after the last hold")
	}
}

// TestArchivePurge: entries go after a question with their number. Without arguments those go whose time is over.
func TestArchivePurge(t *testing.T) {
	d := newArchived(t)
	d.removeBlue(t)
	d.remove(t, "red", nil)
	count := func() string { return d.text(t, `SELECT count(*) FROM og_archive`) }
	for _, c := range []struct {
		stdin  string
		args   []string
		code   int
		want   string
		left   string
		reason string
	}{
		{"no\n", []string{d.uid("red")}, 1, "Purge 1 entry: team/red? No restore brings the objects back. Type yes", "5", "another answer"},
		{"", []string{d.uid("red")}, 2, "give --yes", "5", "no answer"},
		{"yes\n", []string{d.uid("red"), "none"}, 1, "find entry none: not found", "5", "one of two has no entry"},
		{"yes\n", []string{d.uid("red"), "team/red@" + d.uid("red")}, 0, "purged: 1 entry\n", "4", "one entry by two names"},
		{"yes\n", nil, 0, "Purge 0 entries whose time is over?", "4", "no time is over"},
	} {
		got := d.call(t, c.stdin, append([]string{"archive", "purge"}, c.args...)...)
		if got.code != c.code || !strings.Contains(got.stdout+got.stderr, c.want) || count() != c.left {
			t.Errorf("%v: exit %d, want %d and %q, %s are left: %s\n%s%s", c.args, got.code, c.code, c.want, count(), c.reason, got.stdout, got.stderr)
		}
	}
	d.exec(t, `UPDATE og_archive SET until = 1 WHERE until <> 0`)
	got := d.call(t, "yes\n", "archive", "purge")
	if got.code != printing.ExitDone || !strings.Contains(got.stderr, "Purge 4 entries whose time is over?") || got.stdout != "purged: 4 entries\n" || count() != "0" {
		t.Errorf("exit %d, %s are left\n%s%s", got.code, count(), got.stdout, got.stderr)
	}
}

// TestArchiveErrors: wrong usage is 2, and a failure is 1. A store without an archive and a cluster say so.
func TestArchiveErrors(t *testing.T) {
	d, plain := newArchived(t), newSQLite(t)
	d.removeBlue(t)
	for _, c := range []struct {
		args   []string
		code   int
		want   string
		reason string
	}{
		{[]string{"archive"}, 2, "want ls, show, hold, end-hold, purge or reseal", "no subcommand"},
		{[]string{"archive", "lss"}, 2, `unknown command "lss" for "ownergraph archive". Do you mean ls?`, "an unknown subcommand"},
		{[]string{"archive", "ls"}, 2, "--store is missing", "no store"},
		{[]string{"archive", "ls", "--context", "x"}, 2, "a cluster has no archive", "a cluster"},
		{[]string{"restore", "u", "--context", "x"}, 2, "a cluster has no archive", "a cluster"},
		{[]string{"archive", "ls", "--store", plain.flag}, 1, "the store has no archive", "no archive"},
		{[]string{"restore", "u", "--store", plain.flag}, 1, "the store has no archive", "no archive"},
		{[]string{"archive", "ls", "--store", d.flag, "--limit", "0"}, 2, "want a number from 1 to 1000", "a page of nothing"},
		{[]string{"archive", "ls", "--store", d.flag, "--after", "x"}, 1, "After", "no mark of a page"},
		{[]string{"archive", "show", "--store", d.flag, "u"}, 1, "find entry u: not found", "no entry"},
		{[]string{"archive", "show", "--store", d.flag, "a/b/c/d"}, 2, "want KIND[.GROUP]/[SCOPE/]NAME", "no name"},
		{[]string{"archive", "hold", "--store", d.flag, "u", "--reason", "x"}, 2, "--by is missing", "a hold of no holder"},
		{[]string{"archive", "hold", "--store", d.flag, "u", "--by", "x"}, 2, "--reason is missing", "a hold for no reason"},
		{[]string{"archive", "hold", "--store", d.flag, "u", "--by", "x", "--reason", "y", "--until", "noon"}, 2, "want a time", "no time"},
		{[]string{"archive", "hold", "--store", d.flag, "u", "--by", "x", "--reason", "y", "--until", "2001-01-01T00:00:00Z"}, 2, "the time is over", "a hold that is over"},
		{[]string{"archive", "hold", "--store", d.flag, "team/blue", "--by", "x", "--reason", "y"}, 2, "want UID or KIND", "a name may mean several objects"},
		{[]string{"archive", "end-hold", "--store", d.flag, "u"}, 2, "--by is missing", "an end of all holds"},
		{[]string{"archive", "purge", "--store", d.flag, "team/blue", "--yes"}, 2, "want UID or KIND", "a name may mean several entries"},
		{[]string{"restore", "--store", d.flag, "u", "--rename", "x"}, 2, "want UID=[SCOPE/]NAME", "a rename to nothing"},
		{[]string{"restore", "--store", d.flag, "u", "--dry-run", "--yes"}, 2, "dry-run", "a plan needs no answer"},
	} {
		got := call(t, "", c.args...)
		if got.code != c.code || !strings.Contains(got.stderr, c.want) || got.stdout != "" {
			t.Errorf("%v: exit %d, want %d and %q: %s\n%s%s", c.args, got.code, c.code, c.want, c.reason, got.stdout, got.stderr)
		}
	}
}

// TestCompleteEntries: a shell gets the UIDs of entries with their objects. Restore leaves the restored ones out.
func TestCompleteEntries(t *testing.T) {
	d := newArchived(t)
	d.removeBlue(t)
	for _, c := range []struct {
		args   []string
		want   int
		reason string
	}{
		{[]string{"archive", "show"}, 4, "all entries"}, {[]string{"restore"}, 4, "none was restored"},
		{[]string{"archive", "show", d.uid("blue")}, 0, "show takes one entry"}, {[]string{"restore", d.uid("blue")}, 3, "further roots"},
	} {
		got := call(t, "", append(append([]string{"__complete"}, c.args...), "--store", d.flag, "")...)
		if n := strings.Count(got.stdout, ", ended "); got.code != 0 || n != c.want {
			t.Errorf("%v: exit %d, %d entries, want %d: %s\n%s", c.args, got.code, n, c.want, c.reason, got.stdout)
		}
	}
	d.call(t, "", "restore", "--yes", d.uid("blue"))
	if got := call(t, "", "__complete", "restore", "--store", d.flag, ""); strings.Contains(got.stdout, ", ended ") {
		t.Errorf("restored entries:\n%s", got.stdout)
	}
}
