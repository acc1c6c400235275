package sqlstore

import (
	"errors"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph/archive"
	"github.com/ownergraph/ownergraph/graph"
)

// TestArchiveSettingsAgree: each Migrate with other settings updates those in the database. One that would leave out a kind
// with entries is refused, and changes nothing.
func TestArchiveSettingsAgree(t *testing.T) {
	onEach(t, func(t *testing.T, d *database) {
		d.mustHandle(t, archiving)
		off := map[graph.Kind]archive.KindConfig{"note": {Off: true}}
		for _, c := range []struct {
			conf         archive.Config
			want, reason string
		}{
			{archive.Config{Keep: time.Hour, Kinds: off}, "", "the same settings"},
			{archive.Config{Keep: time.Minute, Kinds: off}, "", "another time"},
			{archive.Config{Keep: time.Minute, MaxBytes: 99, Kinds: off}, "", "another bound"},
			{archive.Config{Kinds: map[graph.Kind]archive.KindConfig{"note": {Off: true}, "photo": {Off: true}}}, `Kinds["photo"]: Off`, "a kind with entries is left out"},
			{archive.Config{Kinds: map[graph.Kind]archive.KindConfig{"note": {Off: true}, "later": {Off: true}}}, "", "a kind that is not served is left out"},
			{archive.Config{Kinds: map[graph.Kind]archive.KindConfig{"note": {Keep: 3}}}, "", "a kind gets entries, and a time"},
			{archive.Config{Kinds: off}, `Kinds["note"]: Off`, "that kind is left out again"},
		} {
			before := d.stored(t)
			_, err := d.handleOn(t, func(conf *Config) { archiving(conf); conf.Archive.Config = c.conf })
			if (err != nil) != (c.want != "") || err != nil && (!errors.Is(err, graph.ErrRefused) || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "archive_settings")) {
				t.Errorf("%s: %v, want %q", c.reason, err, c.want)
			}
			want := settingsOf(c.conf)
			if c.want != "" {
				want = settingsOf(before.Config)
			}
			if got := settingsOf(d.stored(t).Config); !reflect.DeepEqual(got, want) {
				t.Errorf("%s: the database has %+v, want %+v", c.reason, got, want)
			}
		}
		h := d.mustHandle(t, func(conf *Config) { archiving(conf); conf.Archive.Kinds = nil })
		h.run(t, h.db, h.conf.names().Replace(`DELETE FROM {archive_settings}`))
		if _, err := StoredArchive(t.Context(), h.db, h.conf); !errors.Is(err, graph.ErrRefused) || !strings.Contains(err.Error(), "call Migrate") {
			t.Errorf("without the row: %v", err)
		}
		d.mustHandle(t, archiving) // leaves the kind out after that, as the error says
	})
}

// stored returns the settings in the database.
func (d *database) stored(t *testing.T) *ArchiveConfig {
	t.Helper()
	h := d.withoutMigrate(t)
	a, err := StoredArchive(t.Context(), h.db, h.conf)
	if err != nil || a == nil {
		t.Fatalf("the settings: %v, %v", a, err)
	}
	return a
}

// TestArchiveSettingsTogether: of two first programs at once, the settings of one are there afterwards. The other one lacks a
// table of it, and is refused.
func TestArchiveSettingsTogether(t *testing.T) {
	onEach(t, func(t *testing.T, d *database) {
		d.mustHandle(t, acting)
		var both sync.WaitGroup
		var refused atomic.Int32
		for _, kind := range []graph.Kind{"photo", "bucket"} {
			archiving(&d.conf)
			d.conf.Archive.Tables = map[graph.Kind]Table{kind: {Name: "t_" + string(kind)}}
			h := d.withoutMigrate(t)
			both.Go(func() {
				switch err := h.Migrate(t.Context()); {
				case errors.Is(err, graph.ErrRefused):
					refused.Add(1)
				case err != nil:
					t.Error(err)
				}
			})
		}
		both.Wait()
		if a := d.stored(t); a.Keep != time.Hour || len(a.Tables) != 1 || refused.Load() != 1 {
			t.Errorf("%d are refused, and the settings are %+v", refused.Load(), a)
		}
	})
}

// TestArchiveSettingsAfter: two first programs have both found no settings. The second one to write them looks again.
func TestArchiveSettingsAfter(t *testing.T) {
	d := newPostgresDatabase(t)
	h := d.mustHandle(t, archiving)
	h.run(t, h.db, h.archiveText(`DELETE FROM {archive_settings}`))
	first, err := h.db.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	h.run(t, first, h.archiveText(`INSERT INTO {archive_settings} (id, config) VALUES (1, '')`))
	var both sync.WaitGroup
	var refused atomic.Int32
	for _, kind := range []graph.Kind{"photo", "bucket"} {
		archiving(&d.conf)
		d.conf.Archive.Tables = map[graph.Kind]Table{kind: {Name: "t_" + string(kind)}}
		one := d.withoutMigrate(t)
		both.Go(func() {
			switch err := one.Migrate(t.Context()); {
			case errors.Is(err, graph.ErrRefused):
				refused.Add(1)
			case err != nil:
				t.Error(err)
			}
		})
	}
	h.awaitLocked(t, 2)
	if err := first.Rollback(); err != nil {
		t.Fatal(err)
	}
	both.Wait()
	if a := d.stored(t); len(a.Tables) != 1 || refused.Load() != 1 {
		t.Errorf("%d are refused, and the settings are %+v", refused.Load(), a)
	}
}

// TestStoredArchive: a store with the stored settings writes entries with their rows, and no settings. It is refused after
// they have changed. A database without an archive has none.
func TestStoredArchive(t *testing.T) {
	onEach(t, func(t *testing.T, d *database) {
		before := d.mustHandle(t, acting)
		if a, err := StoredArchive(t.Context(), before.db, before.conf); a != nil || err != nil {
			t.Errorf("before the step: %v, %v", a, err)
		}
		h := d.withRows(t, `n text`)
		o := h.withRow(t, "p", nil, `'x'`)
		a := d.stored(t)
		if !reflect.DeepEqual(a.Tables, h.conf.Archive.Tables) || a.Keep != h.conf.Archive.Keep || !a.Kinds["note"].Off {
			t.Errorf("the settings: %+v, want %+v", a, h.conf.Archive)
		}
		own := d.mustHandle(t, func(c *Config) { archiving(c); c.Kinds, c.Archive = nil, a })
		own.removes(t, o, graph.DeleteOptions{})
		if e := own.entry(t, o.UID); e.Size < 20 || !e.Explicit || e.Until.IsZero() {
			t.Errorf("the entry: %+v", e)
		}
		wide := h.conf.Archive.Tables["photo"]
		for _, c := range []struct {
			edit          func(*ArchiveConfig)
			field, reason string
		}{
			{func(a *ArchiveConfig) { a.Keep = time.Minute }, "Keep", "the time"},
			{func(a *ArchiveConfig) { a.MaxBytes = 5000 }, "MaxBytes", "the bound"},
			{func(a *ArchiveConfig) { a.Kinds["team"] = archive.KindConfig{Keep: 1} }, `Kinds`, "a kind"},
			{func(a *ArchiveConfig) { wide.Owners = nil; a.Tables["photo"] = wide }, `Tables["photo"]`, "the columns of a table"},
		} {
			a := d.stored(t)
			d.mustHandle(t, func(conf *Config) {
				archiving(conf)
				conf.Archive = d.stored(t)
				conf.Archive.stored = false
				c.edit(conf.Archive)
			})
			_, err := d.handleOn(t, func(conf *Config) { archiving(conf); conf.Archive = a })
			if !errors.Is(err, graph.ErrRefused) || !strings.Contains(err.Error(), "archive: "+c.field) {
				t.Errorf("%s has changed: %v, want %s", c.reason, err, c.field)
			}
		}
		h.run(t, h.db, h.conf.names().Replace(`UPDATE {archive_settings} SET config = '{"keep":1,"later":2}'`))
		if _, err := StoredArchive(t.Context(), h.db, h.conf); !errors.Is(err, graph.ErrRefused) || !strings.Contains(err.Error(), "later") {
			t.Errorf("a setting of a newer program: %v", err)
		}
	})
}
