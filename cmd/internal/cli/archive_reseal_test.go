package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"

	sqlstore "github.com/ownergraph/ownergraph/adapters/sql"
	"github.com/ownergraph/ownergraph/archive"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/printing"
)

// opens reports whether the identities of a file open the entry of the note.
func (d *kept) opens(t *testing.T, identity string) bool {
	t.Helper()
	got := d.call(t, "", "archive", "show", d.uid("todo"), "--identity", identity)
	if got.code != printing.ExitDone {
		t.Fatalf("show: exit %d\n%s", got.code, got.stderr)
	}
	return !strings.Contains(got.stdout, "unreadable")
}

// TestReseal: the user confirms, and then the new identity alone opens the entries. Without the flags and with another answer
// nothing changes.
func TestReseal(t *testing.T) {
	old, now := newKeys(t), newKeys(t)
	d := newSealed(t, old)
	keys := []string{"--identity", old.identity, "--recipients", now.recipients}
	if got := d.call(t, "", append([]string{"archive", "reseal"}, keys...)...); got.code != printing.ExitDone || got.stdout != "resealed: 0 entries\n" || got.stderr != "" {
		t.Errorf("an empty archive: exit %d\n%s%s", got.code, got.stdout, got.stderr)
	}
	d.removeBlue(t)
	question := "Seal 1 entry for the recipients of " + now.recipients + "? Former recipients lose their access. Type yes to go on: "
	for _, c := range []struct {
		stdin  string
		args   []string
		code   int
		want   string
		sealed bool
		reason string
	}{
		{"", keys[2:], 2, "--identity is missing", false, "no identity"},
		{"", keys[:2], 2, "--recipients is missing", false, "no recipients"},
		{"yes\n", []string{"--identity", old.recipients, "--recipients", now.recipients}, 1, "unknown identity type", false, "a broken file, before the question"},
		{"no\n", keys, 1, question, false, "another answer"},
		{"no\n", keys, 1, "\nThe recipients are " + fmt.Sprint(now.recipient) + ".\n", false, "the recipients, to compare"},
		{"", keys, 2, "give --yes", false, "no answer"},
		{"", append(keys, "--yes", "--after", "\x01"), 1, "after: ", false, "no mark"},
		{"yes\n", keys, 0, "resealed: 1 entry\n", true, "yes"},
		{"", append(keys, "--yes"), 3, "kept: note/s/todo " + d.uid("todo") + ": open the sealed payload: age: no identity of this program opens the payload\nresealed: 0 entries; 1 is kept, because it does not open\n", true, "the old identity opens no entry of the first call"},
		{"", []string{"--identity", identitiesOf(t, old, now), "--recipients", now.recipients, "--yes"}, 0, "resealed: 1 entry\n", true, "a second call with both identities"},
	} {
		got := d.call(t, c.stdin, append([]string{"archive", "reseal"}, c.args...)...)
		if got.code != c.code || !strings.Contains(got.stdout+got.stderr, c.want) {
			t.Errorf("%s: exit %d, want %d and %q\n%s%s", c.reason, got.code, c.code, c.want, got.stdout, got.stderr)
		}
		if d.opens(t, now.identity) != c.sealed || d.opens(t, old.identity) == c.sealed {
			t.Errorf("%s: the new identity opens the entry: %t, want %t", c.reason, !c.sealed, c.sealed)
		}
	}
	got := d.call(t, "", "restore", "team/blue", "--yes", "--identity", now.identity)
	if got.code != printing.ExitDone || d.text(t, `SELECT body FROM notes`) != "buy milk" {
		t.Errorf("restore: exit %d\n%s%s", got.code, got.stdout, got.stderr)
	}
	plain := newArchived(t)
	if got := plain.call(t, "", append([]string{"archive", "reseal"}, keys...)...); got.code != printing.ExitDone || got.stdout != "resealed: 0 entries\n" {
		t.Errorf("an archive without sealed kinds: exit %d\n%s%s", got.code, got.stdout, got.stderr)
	}
	if got := call(t, "", append([]string{"archive", "reseal", "--store", newSQLite(t).flag}, keys...)...); got.code != printing.ExitFailed || !strings.Contains(got.stderr, "the store has no archive") {
		t.Errorf("no archive: exit %d\n%s%s", got.code, got.stdout, got.stderr)
	}
}

// notes makes and deletes n notes, and puts the first ones into the clear again, as a program did before the sealing.
func (d *kept) notes(t *testing.T, n, inClear int) {
	t.Helper()
	for i := range n {
		name := fmt.Sprintf("n%03d", i)
		d.create(t, graph.Key{Kind: "note", Scope: "s", Name: name}, "red")
		d.remove(t, name, nil)
	}
	d.exec(t, fmt.Sprintf(`UPDATE og_archive SET sealed = NULL WHERE kind = (SELECT kind FROM og_archive WHERE uid = '%s') AND uid IN (SELECT uid FROM og_archive ORDER BY uid LIMIT %d)`, d.uid("n000"), inClear))
}

// TestResealPages: more entries than a page has. Some are in the clear, and some are sealed for others. The JSON has a line for
// each page, and the answer is the number of the entries.
func TestResealPages(t *testing.T) {
	old, now, third := newKeys(t), newKeys(t), newKeys(t)
	d := newSealed(t, old)
	const n, inClear = sqlstore.MaxReseal + 20, 5
	d.notes(t, n, inClear)
	got := d.call(t, fmt.Sprintf("%d\n", n), "archive", "reseal", "--identity", old.identity, "--recipients", now.recipients, "-o", "json")
	if want := fmt.Sprintf("Seal %d entries, %d of them in the clear, for", n, inClear); got.code != printing.ExitDone || !strings.Contains(got.stderr, want) || !strings.Contains(got.stderr, fmt.Sprintf("Type %d to go on", n)) {
		t.Fatalf("exit %d\n%s%s", got.code, got.stdout, got.stderr)
	}
	lines := strings.Split(strings.TrimSpace(got.stdout), "\n")
	var more []string
	for i, text := range lines {
		var line jsonReseal
		if err := json.Unmarshal([]byte(text), &line); err != nil {
			t.Fatal(err)
		}
		last := i == len(lines)-1
		if want := min((i+1)*sqlstore.MaxReseal, n); line.Schema != "reseal/v1" || line.Sealed != want || line.Kept != 0 || (line.End == "done") != last || (line.More == "") != last || last && line.InClear != inClear {
			t.Errorf("line %d is %s, want %d entries", i, text, want)
		}
		more = append(more, line.More)
	}
	if len(lines) != 2 {
		t.Errorf("%d lines for 2 pages", len(lines))
	}
	got = d.call(t, "", "archive", "reseal", "--identity", old.identity, "--recipients", third.recipients, "--yes", "--limit", "2")
	if got.code != printing.ExitFound || strings.Count(got.stdout, "kept: ") != 2 || !strings.Contains(got.stdout, fmt.Sprintf("\n... and %d more: see --limit\nresealed: 0 entries; %d are kept, because they do not open\n", n-2, n)) {
		t.Errorf("exit %d\n%s%s", got.code, got.stdout, got.stderr)
	}
	got = d.call(t, "", "archive", "reseal", "--identity", now.identity, "--recipients", third.recipients, "--yes", "--after", more[0])
	if got.code != printing.ExitDone || !strings.HasSuffix(got.stdout, "resealed: 20 entries\n") {
		t.Errorf("behind a mark: exit %d\n%s%s", got.code, got.stdout, got.stderr)
	}
}

// TestResealGolden: the texts and the form, with an entry that is kept.
func TestResealGolden(t *testing.T) {
	old, now, foreign := newKeys(t), newKeys(t), newKeys(t)
	d := newSealed(t, foreign)
	d.removeBlue(t)
	d.exec(t, `UPDATE og_archive SET uid = 'zzz' WHERE uid = '`+d.uid("todo")+`'`) // bound to another entry
	d.create(t, graph.Key{Kind: "note", Scope: "s", Name: "own"}, "red")
	got := d.call(t, "", "delete", "note/s/own", "--yes", "--recipients", old.recipients)
	if got.code != printing.ExitDone {
		t.Fatalf("delete: exit %d\n%s", got.code, got.stderr)
	}
	for _, format := range []string{"text", "json"} {
		got := d.call(t, "yes\n", "archive", "reseal", "--identity", identitiesOf(t, old, foreign), "--recipients", now.recipients, "-o", format)
		if got.code != printing.ExitFound {
			t.Errorf("exit %d\n%s", got.code, got.stderr)
		}
		text := d.steady(t, got.stdout)
		if format == "text" {
			text = d.steady(t, got.stderr) + text
		}
		text = strings.ReplaceAll(strings.ReplaceAll(text, now.recipients, "FILE"), d.flag, "STORE")
		text = recipientOfText.ReplaceAllString(text, "RECIPIENT")
		checkGolden(t, "archive-reseal-"+format, uidOfText.ReplaceAllString(text, "sealed for uid ${1}"))
		old = now
	}
}

var recipientOfText = regexp.MustCompile(`age1[0-9a-z]+`)

// uidOfText is the UID in the reason of a payload that is bound to another entry.
var uidOfText = regexp.MustCompile(`sealed for uid \\?"([^"\\]+)\\?"`)

// TestCompleteReseal: a shell gets the subcommand and its flags, and file names behind those.
func TestCompleteReseal(t *testing.T) {
	for _, c := range []struct {
		args         []string
		want, reason string
	}{
		{[]string{"archive", "res"}, "reseal\tSeal old entries for new recipients\n:4\n", "the subcommand"},
		{[]string{"archive", "reseal", "--iden"}, "--identity\tfile with identities of age", "a flag"},
		{[]string{"archive", "reseal", "--identity", ""}, ":0\n", "a file"},
	} {
		got := call(t, "", append([]string{"__complete"}, c.args...)...)
		if got.code != printing.ExitDone || !strings.HasPrefix(got.stdout, c.want) {
			t.Errorf("%v: exit %d, %q, want %q: %s", c.args, got.code, got.stdout, c.want, c.reason)
		}
	}
}

// breaking is a database whose reseal fails at a page.
type breaking struct {
	keyless
	at, calls int
}

func (f *breaking) Reseal(ctx context.Context, after string, limit int) (sqlstore.Resealed, error) {
	if f.calls++; f.calls == f.at {
		return sqlstore.Resealed{}, errors.New("the disk is full")
	}
	return f.keyless.Reseal(ctx, after, limit)
}

// TestResealBrokenOff: an error names the mark of the page, and a call from there seals the rest.
func TestResealBrokenOff(t *testing.T) {
	old, now := newKeys(t), newKeys(t)
	d := newSealed(t, old)
	d.notes(t, sqlstore.MaxReseal+1, 0)
	for _, c := range []struct {
		at     int
		want   string
		reason string
	}{
		{1, "the disk is full. Call the command again", "the first page"},
		{2, "the disk is full. Resealed so far: 100 entries. Go on with --after ", "the second page"},
	} {
		var out strings.Builder
		a := newApp(Command, nil, &out, nil)
		a.source.store = storeFlags{url: d.flag, keys: keyFlags{recipients: now.recipients, identity: identitiesOf(t, old, now)}}
		err := a.openArchive(t.Context(), func(ctx context.Context, s *archived) error {
			s.opened.Store = &breaking{keyless: keyless{s.opened.Store.(*sqlstore.Store)}, at: c.at}
			return s.reseal(ctx, &resealFlags{})
		})
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Fatalf("%s: %v, want %q", c.reason, err, c.want)
		}
		if c.at == 1 {
			continue
		}
		mark := strings.TrimPrefix(err.Error(), c.want)
		got := d.call(t, "", "archive", "reseal", "--identity", old.identity, "--recipients", now.recipients, "--yes", "--after", mark)
		if got.code != printing.ExitDone || got.stdout != "resealed: 1 entry\n" {
			t.Errorf("behind the mark: exit %d\n%s%s", got.code, got.stdout, got.stderr)
		}
	}
}

var _ archive.Store = &breaking{}

// TestPostgresReseal: deletion, reseal and restore on a real Postgres.
func TestPostgresReseal(t *testing.T) {
	db, address := newPostgres(t)
	old, now := newKeys(t), newKeys(t)
	d := &kept{fill(t, db, sealingOfRig(old), address), db}
	d.addRow(t)
	for _, c := range []struct {
		args   []string
		code   int
		want   string
		reason string
	}{
		{[]string{"delete", "note/s/todo", "--yes"}, 1, "give --recipients FILE", "no recipients"},
		{[]string{"delete", "team/blue", "--yes", "--act", "--recipients", old.recipients}, 0, "4 of 4 gone", "with recipients"},
		{[]string{"restore", "team/blue", "--dry-run"}, 0, "- note/s/todo stays away: its payload cannot be read: it is sealed: give --identity FILE\n", "no identity"},
		{[]string{"archive", "reseal", "--yes", "--identity", old.identity, "--recipients", now.recipients}, 0, "resealed: 1 entry\n", "new recipients"},
		{[]string{"restore", "team/blue", "--dry-run", "--identity", old.identity}, 0, "no identity of this program opens the payload", "the old identity"},
		{[]string{"restore", "team/blue", "--yes", "--identity", now.identity}, 0, "restored: 4 objects\n", "the new identity"},
	} {
		got := d.call(t, "", c.args...)
		if got.code != c.code || !strings.Contains(got.stdout+got.stderr, c.want) {
			t.Errorf("%v: exit %d, want %d and %q: %s\n%s%s", c.args, got.code, c.code, c.want, c.reason, got.stdout, got.stderr)
		}
	}
	d.mustBeSealed(t)
	if row := d.text(t, `SELECT n.body FROM notes n JOIN og_objects o ON o.uid = n.uid AND o.name = 'todo'`); row != "buy milk" {
		t.Errorf("the row is %q", row)
	}
}
