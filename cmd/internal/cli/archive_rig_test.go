package cli

import (
	"database/sql"
	"strings"
	"testing"
	"time"

	sqlstore "github.com/ownergraph/ownergraph/adapters/sql"
	"github.com/ownergraph/ownergraph/archive"
	"github.com/ownergraph/ownergraph/graph"
)

// archiveOfRig are the settings of a program that the command does not know: the payload of a note is its row.
func archiveOfRig() sqlstore.Config {
	return sqlstore.Config{Policies: true, Archive: &sqlstore.ArchiveConfig{
		Config: archive.Config{Keep: 720 * time.Hour}, Tables: map[graph.Kind]sqlstore.Table{"note": {Name: "notes"}},
	}}
}

// newArchived is newSQLite with an archive. The note has a row.
func newArchived(t *testing.T) *kept {
	t.Helper()
	db, address := newFile(t)
	d := &kept{fill(t, db, archiveOfRig(), address), db}
	d.addRow(t)
	return d
}

// addRow makes the table of the payloads, with the row of the note.
func (d *kept) addRow(t *testing.T) {
	t.Helper()
	d.exec(t, `CREATE TABLE notes (uid text PRIMARY KEY REFERENCES og_objects (uid) ON DELETE CASCADE, body text)`)
	d.exec(t, `INSERT INTO notes VALUES ('`+d.uid("todo")+`', 'buy milk')`)
}

// kept is a database with an archive.
type kept struct {
	*database
	db *sql.DB
}

func (d *kept) exec(t *testing.T, text string) {
	t.Helper()
	if _, err := d.db.ExecContext(t.Context(), text); err != nil {
		t.Fatal(err)
	}
}

func (d *kept) text(t *testing.T, query string) (text string) {
	t.Helper()
	if err := d.db.QueryRowContext(t.Context(), query).Scan(&text); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return text
}

// removeBlue deletes the team blue as a user, and what it owns as an engine, one after another.
func (d *kept) removeBlue(t *testing.T) {
	t.Helper()
	d.remove(t, "blue", nil)
	for _, name := range []string{"shop", "site", "todo"} {
		d.remove(t, name, &graph.Cause{Root: d.made["blue"].Key})
	}
}

func (d *kept) remove(t *testing.T, name string, cause *graph.Cause) {
	t.Helper()
	if err := d.Delete(t.Context(), d.made[name].Key, graph.DeleteOptions{Cause: cause}); err != nil {
		t.Fatal(err)
	}
}

func (d *kept) uid(name string) string { return string(d.made[name].UID) }

// entry returns the entry of an object of the rig.
func (d *kept) entry(t *testing.T, name string) archive.Entry {
	t.Helper()
	page, err := d.Entries(t.Context(), archive.Query{UIDs: []graph.UID{d.made[name].UID}})
	if err != nil || len(page.Entries) != 1 {
		t.Fatalf("%s has %d entries, %v", name, len(page.Entries), err)
	}
	return page.Entries[0]
}

func (d *kept) call(t *testing.T, stdin string, args ...string) result {
	t.Helper()
	return call(t, stdin, append(args, "--store", d.flag)...)
}

// steady replaces what differs between runs: times, and UIDs by their names. A restored object is new-NAME.
func (d *kept) steady(t *testing.T, text string) string {
	t.Helper()
	for name, o := range d.made {
		text = strings.ReplaceAll(text, string(o.UID), "uid-of-"+name)
		if now, exists := d.get(t, name); exists && now.UID != o.UID {
			text = strings.ReplaceAll(text, string(now.UID), "new-uid-of-"+name)
		}
	}
	return steady(text)
}
