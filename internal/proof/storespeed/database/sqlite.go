package database

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	_ "modernc.org/sqlite" // the driver "sqlite"
)

// Pragmas are those of every connection to SQLite, of each side.
const Pragmas = "_pragma=busy_timeout(10000)&_pragma=journal_mode(WAL)&_pragma=synchronous(NORMAL)&_pragma=foreign_keys(1)&_txlock=immediate"

// sqlite keeps each database in a file of its own folder.
type sqlite struct {
	dir    string
	copies int
}

// SQLite returns a maker of files in a temporary folder.
func SQLite() (Maker, error) {
	dir, err := os.MkdirTemp("", "storespeed-sqlite-")
	if err != nil {
		return nil, fmt.Errorf("make the folder of sqlite: %w", err)
	}
	return &sqlite{dir: dir}, nil
}

func (s *sqlite) Name() string { return "sqlite" }

func (s *sqlite) Close() error { return os.RemoveAll(s.dir) }

func openFile(path string) (*sql.DB, error) {
	db, err := sql.Open("sqlite", "file:"+path+"?"+Pragmas)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	return limit(db), nil
}

func (s *sqlite) Template(ctx context.Context, name string, fill func(ctx context.Context, db *sql.DB) error) error {
	path := filepath.Join(s.dir, name)
	if _, err := os.Stat(path); err == nil {
		return nil
	}
	db, err := openFile(path + ".part")
	if err != nil {
		return err
	}
	err = fill(ctx, db)
	if err == nil {
		_, err = db.ExecContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)")
	}
	if err = errors.Join(err, db.Close()); err != nil {
		return fmt.Errorf("fill the database %s: %w", name, err)
	}
	return os.Rename(path+".part", path)
}

func (s *sqlite) Copy(_ context.Context, name string) (*Database, error) {
	s.copies++
	dir := filepath.Join(s.dir, fmt.Sprintf("copy-%d", s.copies))
	if err := os.Mkdir(dir, 0o755); err != nil {
		return nil, err
	}
	path := filepath.Join(dir, "db")
	if err := copyFile(path, filepath.Join(s.dir, name)); err != nil {
		return nil, fmt.Errorf("copy the database %s: %w", name, err)
	}
	open := func() (*sql.DB, error) { return openFile(path) }
	db, err := open()
	if err != nil {
		return nil, err
	}
	return &Database{DB: db, Open: open, DSN: path, drop: func() error { return os.RemoveAll(dir) }}, nil
}

// copyFile writes the copy to the disk, so that the system does not do so during the
// measurement.
func copyFile(to, from string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.Create(to)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	if err == nil {
		err = out.Sync()
	}
	return errors.Join(err, out.Close())
}
