package sqlstore

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/ownergraph/ownergraph/archive"
	"github.com/ownergraph/ownergraph/graph"
)

// storedSettings are the settings of archive.Config in the database. MaxBytes is the bound itself, and Kinds has no empty
// settings, so that equal settings are equal texts.
type storedSettings struct {
	Keep     time.Duration             `json:"keep"` // nanoseconds
	MaxBytes int                       `json:"maxBytes"`
	Kinds    map[graph.Kind]storedKind `json:"kinds,omitempty"`
}

type storedKind struct {
	Keep time.Duration `json:"keep,omitempty"`
	Off  bool          `json:"off,omitempty"`
}

func settingsOf(c archive.Config) storedSettings {
	out := storedSettings{Keep: c.Keep, MaxBytes: c.Bound(), Kinds: map[graph.Kind]storedKind{}}
	for kind, k := range c.Kinds {
		if k != (archive.KindConfig{}) {
			out.Kinds[kind] = storedKind(k)
		}
	}
	return out
}

func (s storedSettings) config() archive.Config {
	out := archive.Config{Keep: s.Keep, MaxBytes: s.MaxBytes, Kinds: make(map[graph.Kind]archive.KindConfig, len(s.Kinds))}
	for kind, k := range s.Kinds {
		out.Kinds[kind] = archive.KindConfig(k)
	}
	return out
}

// declared is what the database has of the settings of an archive.
type declared struct {
	settings *storedSettings // nil for none
	tables   map[graph.Kind]declaredTable
}

// declaredTable is a row of {payloads}.
type declaredTable struct {
	source string // of Config.sources
	config string // of Table, as JSON, "" for none
}

// declaredOf returns the settings of the Config, as the database has them.
func (c Config) declaredOf() (declared, error) {
	settings := settingsOf(c.Archive.Config)
	out := declared{&settings, map[graph.Kind]declaredTable{}}
	for kind, source := range c.sources() {
		var text []byte
		if t, ok := c.Archive.Tables[kind]; ok {
			var err error
			if text, err = json.Marshal(t); err != nil {
				return out, fmt.Errorf("archive: Tables[%q]: %w", kind, err)
			}
		}
		out.tables[kind] = declaredTable{source, string(text)}
	}
	return out, nil
}

// declareArchive notes the settings in the database. A program that would keep less is refused: one that lacks a
// table or the sealing of a kind, names another one, or leaves a kind out. Its removals would lose the rows or the entries, or
// store payloads in the clear.
//
//test:by TestArchiveTablesAgree TestSealedKindsAgree TestArchiveSettingsAgree TestArchiveSettingsTogether
func (s *Store) declareArchive(ctx context.Context) error {
	own, err := s.conf.declaredOf()
	if err != nil {
		return err
	}
	field := ""
	err = s.retry(ctx, func() (err error) {
		field, err = s.compareDeclared(ctx, &conn{s: s}, own)
		return err
	})
	switch {
	case err != nil || field == "":
		return err
	case s.conf.Archive.stored:
		return fmt.Errorf("archive: %s: it has changed in the database since StoredArchive: %w", field, graph.ErrRefused)
	}
	return s.transact(ctx, func(ses *session) error { return ses.declareArchive(ctx, own) })
}

// declareArchive locks the row of the settings before it compares them again, because another program may be first.
func (ses *session) declareArchive(ctx context.Context, own declared) error {
	text, err := json.Marshal(own.settings)
	if err != nil {
		return err
	}
	exec := func(text string, args ...any) {
		if err == nil {
			_, err = ses.c.exec(ctx, ses.s.archiveText(text), args...)
		}
	}
	exec(`INSERT INTO {archive_settings} (id, config) VALUES (1, $1) ON CONFLICT DO NOTHING`, string(text))
	exec(`UPDATE {archive_settings} SET config = config WHERE id = 1`)
	if err == nil {
		_, err = ses.s.compareDeclared(ctx, &ses.c, own)
	}
	exec(`UPDATE {archive_settings} SET config = $1 WHERE id = 1`, string(text))
	for _, kind := range slices.Sorted(maps.Keys(own.tables)) {
		exec(`INSERT INTO {payloads} (kind, source, config) VALUES ($1, $2, $3) ON CONFLICT (kind) DO UPDATE SET config = excluded.config`,
			string(kind), own.tables[kind].source, own.tables[kind].config)
	}
	return err
}

// compareDeclared compares the settings of the Config with those that the database has. It returns the first field that
// differs, or "". The error is that of a setting that would keep less.
func (s *Store) compareDeclared(ctx context.Context, c *conn, own declared) (field string, err error) {
	has, err := s.readDeclared(ctx, c)
	if err != nil {
		return "", err
	}
	for _, kind := range slices.Sorted(maps.Keys(has.tables)) {
		if source := has.tables[kind].source; own.tables[kind].source != source {
			return "", fmt.Errorf("archive: Tables[%q]: %s, and the database has %s: a program that gives the table or the sealing up deletes its row of %s first: %w",
				kind, orNone(own.tables[kind].source), cutText(source), s.archiveText(`{payloads}`), graph.ErrRefused)
		}
	}
	if has.settings == nil {
		return "settings", nil
	}
	kinds, err := s.checkedKinds(ctx, c)
	if err != nil {
		return "", err
	}
	for _, kind := range slices.Sorted(maps.Keys(own.settings.Kinds)) {
		if own.settings.Kinds[kind].Off && !has.settings.Kinds[kind].Off && kinds.serves(kind) {
			return "", fmt.Errorf("archive: Kinds[%q]: Off, and the database keeps entries of the kind: a program that leaves it out deletes the row of %s first: %w",
				kind, s.archiveText(`{archive_settings}`), graph.ErrRefused)
		}
	}
	return own.differs(has), nil
}

// differs returns the first field of the settings that differs, or "".
func (d declared) differs(from declared) string {
	switch {
	case d.settings.Keep != from.settings.Keep:
		return "Keep"
	case d.settings.MaxBytes != from.settings.MaxBytes:
		return "MaxBytes"
	}
	for _, kind := range slices.Sorted(maps.Keys(d.settings.Kinds)) {
		if d.settings.Kinds[kind] != from.settings.Kinds[kind] {
			return fmt.Sprintf("Kinds[%q]", kind)
		}
	}
	if len(d.settings.Kinds) != len(from.settings.Kinds) {
		return "Kinds"
	}
	for _, kind := range slices.Sorted(maps.Keys(d.tables)) {
		if d.tables[kind] != from.tables[kind] {
			return fmt.Sprintf("Tables[%q]", kind)
		}
	}
	return ""
}

// readDeclared reads the settings in the database.
func (s *Store) readDeclared(ctx context.Context, c *conn) (declared, error) {
	out := declared{tables: map[graph.Kind]declaredTable{}}
	text := ""
	found, err := c.one(ctx, s.archiveText(`SELECT config FROM {archive_settings} WHERE id = 1`), nil, &text)
	if err != nil {
		return out, err
	}
	if found {
		out.settings = &storedSettings{}
		if err := decodeExactly(text, out.settings); err != nil {
			return out, fmt.Errorf("archive: the row of %s: %w: %w", s.archiveText(`{archive_settings}`), err, graph.ErrRefused)
		}
	}
	err = c.each(ctx, s.archiveText(`SELECT kind, source, config FROM {payloads} ORDER BY kind`), nil, func(rows *sql.Rows) error {
		var kind graph.Kind
		var t declaredTable
		err := rows.Scan(&kind, &t.source, &t.config)
		out.tables[kind] = t
		return err
	})
	return out, err
}

// decodeExactly refuses a field that this program does not know, such as one of a newer program.
func decodeExactly(text string, into any) error {
	d := json.NewDecoder(strings.NewReader(text))
	d.DisallowUnknownFields()
	return d.Decode(into)
}

// StoredArchive returns the settings of the archive that the database has, nil for tables without an archive. A program
// that does not know them, such as a command, opens the store with them:
//
//	c.Archive, err = sqlstore.StoredArchive(ctx, db, c)
//	c.Policies = c.Policies || c.Archive != nil
//
// The result names the sealed kinds, and has no functions of archive.Sealing. The caller sets them. Without Seal the store
// refuses to remove an object of these kinds.
//
// Of the Config it uses Dialect, Schema and Prefix. A Migrate with the result writes no settings, and refuses those that have
// changed in the meantime.
//
// Errors: those of New, and ErrRefused for tables of a newer version and for settings that it cannot read.
//
//test:by TestStoredArchive TestStoredSealing
func StoredArchive(ctx context.Context, db *sql.DB, c Config) (*ArchiveConfig, error) {
	s, err := New(db, Config{Dialect: c.Dialect, Schema: c.Schema, Prefix: c.Prefix, RetryLimit: c.RetryLimit})
	if err != nil {
		return nil, err
	}
	var out *ArchiveConfig
	err = s.retry(ctx, func() (err error) {
		out, err = s.storedArchive(ctx, &conn{s: s})
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read the settings of the archive: %w", err)
	}
	return out, nil
}

func (s *Store) storedArchive(ctx context.Context, c *conn) (*ArchiveConfig, error) {
	version, err := s.tables.schema(ctx, c)
	switch {
	case err != nil || version < archiveSchema:
		return nil, err
	case version > archiveSchema:
		return nil, newer(version)
	}
	has, err := s.readDeclared(ctx, c)
	switch {
	case err != nil:
		return nil, err
	case has.settings == nil:
		return nil, fmt.Errorf("%s has no row: call Migrate with Config.Archive: %w", s.archiveText(`{archive_settings}`), graph.ErrRefused)
	}
	out := &ArchiveConfig{Config: has.settings.config(), Tables: make(map[graph.Kind]Table, len(has.tables)), stored: true}
	for kind, stored := range has.tables {
		if strings.HasSuffix(stored.source, sealedMark) {
			out.Sealing.Kinds = append(out.Sealing.Kinds, kind)
		}
		if stored.config == "" {
			continue
		}
		var t Table
		if err := decodeExactly(stored.config, &t); err != nil {
			return nil, fmt.Errorf("the table of %q in %s: %w: %w", kind, s.archiveText(`{payloads}`), err, graph.ErrRefused)
		}
		out.Tables[kind] = t
	}
	slices.Sort(out.Sealing.Kinds)
	return out, nil
}

func orNone(text string) string {
	if text == "" {
		return "none"
	}
	return cutText(text)
}
