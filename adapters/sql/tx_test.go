package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"testing"

	"github.com/ownergraph/ownergraph/graph"
)

// withRows adds a table of the user whose rows refer to objects.
func (h *handle) withRows(t *testing.T, onDelete string) (table string) {
	t.Helper()
	table = h.conf.names().Replace("{#meta}") // quoted, with the prefix
	table = h.conf.names().Replace(`"` + "payload_" + table[1:])
	if h.conf.Schema != "" {
		table = `"` + h.conf.Schema + `".` + table
	}
	text := fmt.Sprintf(`CREATE TABLE %s (uid text PRIMARY KEY REFERENCES %s (uid) ON DELETE %s, data text NOT NULL)`,
		table, h.conf.names().Replace("{objects}"), onDelete)
	if _, err := h.db.ExecContext(t.Context(), text); err != nil {
		t.Fatal(err)
	}
	return table
}

func (h *handle) insertRow(ctx context.Context, tx *sql.Tx, table string, uid graph.UID) error {
	_, err := tx.ExecContext(ctx, `INSERT INTO `+table+` VALUES ('`+string(uid)+`', 'photo')`)
	return err
}

func (h *handle) rows(t *testing.T, table string) (n int) {
	t.Helper()
	if err := h.db.QueryRowContext(t.Context(), `SELECT count(*) FROM `+table).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// TestTxTogether commits a row of the user and its object, and a reference to it, in one
// transaction. The watch reports both objects.
func TestTxTogether(t *testing.T) {
	onEach(t, func(t *testing.T, d *database) {
		h := d.mustHandle(t, nil)
		table := h.withRows(t, "CASCADE")
		w := h.watch(t)
		tx, err := h.db.BeginTx(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		x := h.Tx(tx)
		owner, err := x.Create(t.Context(), object("bucket", "one", "b"))
		if err == nil {
			err = h.insertRow(t.Context(), tx, table, owner.UID)
		}
		dep := object("photo", "one", "p")
		dep.Owners = []graph.Owner{{Key: owner.Key}}
		if err == nil {
			dep, err = x.Create(t.Context(), dep)
		}
		if err == nil {
			dep, err = x.Update(t.Context(), graph.Object{Key: dep.Key, Version: dep.Version, Owners: dep.Owners, Finalizers: []string{"x/y"}})
		}
		seen, seeErr := x.Get(t.Context(), dep.Key)
		if err := errors.Join(err, seeErr, tx.Commit()); err != nil {
			t.Fatal(err)
		}
		h.Wake()
		if now, err := h.Get(t.Context(), dep.Key); err != nil || !now.Equal(dep) || !seen.Equal(dep) {
			t.Errorf("read %v, %v, inside %v, want %v", now, err, seen, dep)
		}
		w.until(t, "both are reported", func(events []graph.Event) bool { return len(replayed(events)) == 2 })
		if err := h.Delete(t.Context(), owner.Key, graph.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
		if n := h.rows(t, table); n != 0 {
			t.Errorf("%d rows of the user are left after the deletion of their object", n)
		}
	})
}

// TestTxRollsBack rolls back each sort of write, after an error of the user.
func TestTxRollsBack(t *testing.T) {
	onEach(t, func(t *testing.T, d *database) {
		h := d.mustHandle(t, nil)
		table := h.withRows(t, "CASCADE")
		kept, touched := h.mustCreate(t, object("bucket", "one", "kept")), h.mustCreate(t, object("bucket", "one", "touched"))
		before := h.contentOf(t)
		tx, err := h.db.BeginTx(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		x := h.Tx(tx)
		made, err := x.Create(t.Context(), object("bucket", "one", "made"))
		if err != nil {
			t.Fatal(err)
		}
		_, err = x.Update(t.Context(), graph.Object{Key: touched.Key, Finalizers: []string{"x/y"}})
		err = errors.Join(err, x.Delete(t.Context(), kept.Key, graph.DeleteOptions{}), h.insertRow(t.Context(), tx, table, made.UID), tx.Rollback())
		if err != nil {
			t.Fatal(err)
		}
		if after := h.contentOf(t); !agree(before, after) || h.rows(t, table) != 0 {
			t.Errorf("after a rollback there is %v, want %v", after, before)
		}
	})
}

// TestCreateAll creates many objects with owners at once, and refuses a taken place.
func TestCreateAll(t *testing.T) {
	onEach(t, func(t *testing.T, d *database) {
		h := d.mustHandle(t, nil)
		owner := h.mustCreate(t, object("bucket", "one", "b"))
		list := numbered(700)
		for i := range list {
			list[i].Owners = []graph.Owner{{Key: owner.Key.Place(), Block: i%2 == 0}}
			list[i].Owners[0].UID = owner.UID
			list[i].Owners[0].Scope = ""
		}
		made := h.createMany(t, list)
		for i, o := range made {
			if o.Place() != list[i].Place() || o.UID == "" || o.Version == "" {
				t.Fatalf("result %d is %v, want %s with a UID and a version", i, o, list[i].Key)
			}
			if now, err := h.Get(t.Context(), o.Key); i%50 == 0 && (err != nil || !now.Equal(o) || now.Owners[0].Scope != "one") {
				t.Fatalf("read %v, %v, want %v", now, err, o)
			}
		}
		var n int
		if err := h.db.QueryRowContext(t.Context(), h.conf.names().Replace(`SELECT count(*) FROM {owners} WHERE owner = '`+string(owner.UID)+`'`)).Scan(&n); err != nil || n != 700 {
			t.Errorf("%d rows of owners, %v", n, err)
		}
		tx, err := h.db.BeginTx(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		_, err = h.Tx(tx).CreateAll(t.Context(), []graph.Object{object("photo", "two", "new"), object("photo", "one", "p00003")})
		if !errors.Is(err, graph.ErrConflict) {
			t.Errorf("CreateAll at a taken place: %v", err)
		}
		if err := tx.Rollback(); err != nil {
			t.Fatal(err)
		}
	})
}

// TestUserRows refuses a deletion that a constraint of the user's table forbids, alone and
// in a batch, and changes nothing.
func TestUserRows(t *testing.T) {
	onEach(t, func(t *testing.T, d *database) {
		h := d.mustHandle(t, nil)
		table := h.withRows(t, "RESTRICT")
		o, free := h.mustCreate(t, object("team", "", "held")), h.mustCreate(t, object("team", "", "free"))
		tx, err := h.db.BeginTx(t.Context(), nil)
		if err == nil {
			err = errors.Join(h.insertRow(t.Context(), tx, table, o.UID), tx.Commit())
		}
		if err != nil {
			t.Fatal(err)
		}
		before := h.contentOf(t)
		for name, opts := range map[string]graph.DeleteOptions{
			"exact": {Precondition: graph.Precondition{UID: o.UID, Version: o.Version}}, "any": {},
			"foreground of none": {Propagation: graph.Background},
		} {
			if err := h.Delete(t.Context(), o.Key, opts); !errors.Is(err, graph.ErrRefused) || retryAfter(err) {
				t.Errorf("Delete %s: %v, want ErrRefused", name, err)
			}
		}
		results, err := h.Batch(t.Context(), []graph.Write{deletion(free), deletion(o)})
		if !errors.Is(err, graph.ErrRefused) || retryAfter(err) {
			t.Errorf("Batch: %v, %v, want ErrRefused", results, err)
		}
		if after := h.contentOf(t); !agree(before, after) {
			t.Errorf("refused deletions left %v, want %v", after, before)
		}
	})
}

func retryAfter(err error) bool {
	var later *notDone
	return errors.As(err, &later)
}

func deletion(o graph.Object) graph.Write {
	return graph.Write{Type: graph.WriteDelete, Key: o.Key, Options: graph.DeleteOptions{Precondition: graph.Precondition{UID: o.UID, Version: o.Version}}}
}
