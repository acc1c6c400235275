package sqlstore

import (
	"fmt"
	"testing"

	"github.com/ownergraph/ownergraph/archive"
	"github.com/ownergraph/ownergraph/graph"
)

// TestSealedInTheLog: no page of the write-ahead log of Postgres has a sealed payload in the clear, after a removal and a
// reseal. The same search finds a payload that is not sealed. The table of the user is unlogged, so that the log has its rows from the
// archive alone.
func TestSealedInTheLog(t *testing.T) {
	for _, sealed := range []bool{true, false} {
		h := newPostgresDatabase(t).withRows(t, `n text`, func(c *Config) {
			if sealed {
				sealing("photo")(c)
			}
		})
		h.run(t, h.db, `ALTER TABLE `+h.photos()+` SET UNLOGGED`)
		secret := fmt.Sprintf("%s-%s-%t", secretText, h.conf.Schema, sealed)
		var writes []graph.Write
		for i := range 20 {
			writes = append(writes, deletion(h.withRow(t, fmt.Sprint("p", i), nil, quoteText(secret))))
		}
		from := h.walPlace(t)
		h.batchOf(t, writes[:10]...)
		for _, w := range writes[10:] {
			h.removes(t, graph.Object{Key: w.Key}, graph.DeleteOptions{})
		}
		if sealed {
			if out := h.resealing(t, 2, 1).resealAll(t, archive.MaxPage/10); out.Sealed != len(writes) {
				t.Errorf("%+v", out)
			}
		}
		if got := h.walHas(t, from, secret); got == sealed {
			t.Errorf("sealed %t: the log has the payload: %t", sealed, got)
		}
	}
}

func (h *handle) walPlace(t *testing.T) (lsn string) {
	t.Helper()
	if err := h.db.QueryRowContext(t.Context(), `SELECT pg_current_wal_insert_lsn()::text`).Scan(&lsn); err != nil {
		t.Fatal(err)
	}
	return lsn
}

// walHas searches the log from a place on. Each file of it has 16 MiB.
func (h *handle) walHas(t *testing.T, from, text string) bool {
	t.Helper()
	var n int
	if err := h.db.QueryRowContext(t.Context(), `WITH s AS (SELECT setting::bigint AS size FROM pg_settings WHERE name = 'wal_segment_size'),
		f AS (SELECT DISTINCT pg_walfile_name($1::pg_lsn + n * s.size) AS name FROM s, generate_series(0, (SELECT ceil((pg_current_wal_insert_lsn() - $1::pg_lsn) / s.size)::int FROM s)) n
			WHERE $1::pg_lsn + n * s.size <= pg_current_wal_insert_lsn() OR pg_walfile_name($1::pg_lsn + n * s.size) = pg_walfile_name(pg_current_wal_insert_lsn()))
		SELECT count(*) FROM f WHERE position(convert_to($2, 'UTF8') IN pg_read_binary_file('pg_wal/' || f.name)) > 0`, from, text).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n > 0
}
