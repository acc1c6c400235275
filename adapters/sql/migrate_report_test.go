package sqlstore

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
)

// TestMigrateReports: Migrate with a Logger names the foreign keys that have findings.
func TestMigrateReports(t *testing.T) {
	onEach(t, func(t *testing.T, d *database) {
		h := d.mustHandle(t, nil)
		h.define(t, teamsTable, projectsTable("NOT NULL", "ON DELETE RESTRICT"), `CREATE TABLE [notes] (about text REFERENCES {objects} (uid))`)
		var log bytes.Buffer
		again := d.mustHandle(t, func(c *Config) { c.Logger = slog.New(slog.NewTextHandler(&log, nil)) })
		if err := again.Migrate(t.Context()); err != nil {
			t.Fatal(err)
		}
		for _, c := range []struct {
			want   []string
			reason string
		}{
			{[]string{"level=WARN", "refuses background and orphan deletions", "projects.team_id refers to ", "ON DELETE RESTRICT"}, "the team goes first"},
			{[]string{"level=WARN", "no index", "projects.team_id"}, "each removal of a team reads all projects"},
			{[]string{"level=WARN", "a row without an object", "notes.about"}, "no deletion removes the note"},
			{[]string{"level=WARN", "no index", "notes.about"}, "each removal reads all notes"},
		} {
			n := 0
			for line := range strings.Lines(log.String()) {
				found := true
				for _, part := range c.want {
					found = found && strings.Contains(line, part)
				}
				if found {
					n++
				}
			}
			if n != 1 {
				t.Errorf("%d lines have %q, want one of two calls in a minute: %s\n%s", n, c.want, c.reason, &log)
			}
		}
	})
}
