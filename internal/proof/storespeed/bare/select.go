package bare

import (
	"context"
	"database/sql"
	"fmt"
)

// Select reads the columns of a listing into Go values, in one statement and in the order
// of the table.
func Select(ctx context.Context, db *sql.DB, dialect string, want int) error {
	seq := "seq"
	if dialect == "sqlite" {
		seq = "0"
	}
	list, err := db.QueryContext(ctx, `SELECT id, kind, uid, scope, name, pos, `+seq+`, body FROM og_objects ORDER BY id`)
	if err != nil {
		return fmt.Errorf("select the objects: %w", err)
	}
	defer list.Close()
	n := 0
	var id, kind, pos, number int64
	var uid, scope, name string
	var body []byte
	for ; list.Next(); n++ {
		if err := list.Scan(&id, &kind, &uid, &scope, &name, &pos, &number, &body); err != nil {
			return err
		}
	}
	if err := list.Err(); err != nil {
		return err
	}
	if n != want {
		return fmt.Errorf("select read %d objects, want %d", n, want)
	}
	return nil
}
