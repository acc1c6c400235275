package bare

import (
	"context"
	"database/sql"
	"fmt"
)

// foreign is a table whose rows refer to their parent. An index finds the children.
var foreign = []string{
	`CREATE TABLE tree (uid TEXT PRIMARY KEY, parent TEXT REFERENCES tree (uid) ON DELETE CASCADE, scope TEXT NOT NULL, name TEXT NOT NULL)`,
	`CREATE INDEX tree_parent ON tree (parent)`,
}

// FillForeign makes the table with a row for each object, which has the same UID.
func FillForeign(ctx context.Context, db *sql.DB, rows []Row) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback() // after the commit it has no effect
	for _, text := range foreign {
		if _, err := tx.ExecContext(ctx, text); err != nil {
			return err
		}
	}
	st, err := tx.PrepareContext(ctx, `INSERT INTO tree (uid, parent, scope, name) VALUES ($1, $2, $3, $4)`)
	if err != nil {
		return err
	}
	defer st.Close()
	for i := range rows {
		r := &rows[i]
		parent := sql.NullString{String: r.Owner, Valid: r.Owner != ""}
		if _, err := st.ExecContext(ctx, r.UID, parent, r.Scope, r.Name); err != nil {
			return fmt.Errorf("insert %s: %w", r.UID, err)
		}
	}
	return tx.Commit()
}

// DeleteForeign deletes the root. The foreign keys delete all other rows.
func DeleteForeign(ctx context.Context, db *sql.DB) error {
	changed, err := db.ExecContext(ctx, `DELETE FROM tree WHERE parent IS NULL`)
	return exactly(1, changed, err)
}
