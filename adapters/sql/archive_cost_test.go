package sqlstore

import (
	"context"
	"flag"
	"fmt"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/archive"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/restore"
)

var archiveObjects = flag.Int("archive.objects", 10_000, "the objects of BenchmarkArchive, a multiple of 1,000")

// BenchmarkArchive compares a cascade with an archive and without one, and a restore with CreateAll of the same objects. Each
// object has a row of 200 bytes, which its removal takes along. The times are those of one object. The ratios are of one
// run: restore/create, and the bytes of an entry with its indexes.
func BenchmarkArchive(b *testing.B) {
	for _, name := range sortedNames(newDatabases) {
		for _, archived := range []bool{false, true} {
			b.Run(fmt.Sprintf("%s/archive=%t", name, archived), func(b *testing.B) {
				var c archiveCost
				for n := range b.N {
					c.measure(b, newDatabases[name](b), archived, n)
				}
				each := func(d time.Duration, unit string) {
					b.ReportMetric(float64(d.Nanoseconds())/float64(b.N*(*archiveObjects)), unit)
				}
				each(c.creates, "ns/create")
				each(c.cascades, "ns/cascade")
				if archived {
					each(c.restores, "ns/restore")
					b.ReportMetric(c.restores.Seconds()/c.creates.Seconds(), "restore/create")
					b.ReportMetric(float64(c.bytes)/float64(b.N*(*archiveObjects)), "B/entry")
				}
			})
		}
	}
}

// archiveCost has the sums of all rounds.
type archiveCost struct {
	creates, cascades, restores time.Duration
	bytes                       int64
}

func (c *archiveCost) measure(b *testing.B, d *database, archived bool, n int) {
	b.Helper()
	edit := func(c *Config) {
		acting(c)
		if archived {
			archiving(c)
		}
		c.Poll = 0 // the default, as a program has it
	}
	h := d.mustHandle(b, edit)
	photos := Table{Schema: map[Dialect]string{Postgres: h.conf.Schema}[h.conf.Dialect], Name: "photos"}
	exec := func(text string, args ...any) {
		if _, err := h.db.ExecContext(b.Context(), text, args...); err != nil {
			b.Fatal(err)
		}
	}
	exec(h.conf.names().Replace(`CREATE TABLE ` + photos.place(h.conf, "photos") + ` (uid text PRIMARY KEY REFERENCES {objects} (uid) ON DELETE CASCADE, body text)`))
	if archived {
		h.conf.Archive.Tables = map[graph.Kind]Table{"photo": photos}
		h = d.mustHandle(b, func(c *Config) { edit(c); c.Archive.Tables = map[graph.Kind]Table{"photo": photos} })
		if err := h.Migrate(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
	col, stop := h.withCollector(b)
	defer stop()
	owner, err := h.Create(b.Context(), object("bucket", "one", fmt.Sprint("owner-", n)))
	if err != nil {
		b.Fatal(err)
	}
	begin := time.Now()
	for first := 0; first < *archiveObjects; first += maxWrites {
		h.createWithRows(b, photos.place(h.conf, "photos"), owner, first)
	}
	c.creates += time.Since(begin)
	c.delete(b, h, owner)
	if archived {
		c.bytes += h.archiveBytes(b)
		c.restore(b, col, owner)
	}
}

// withCollector runs a collector on the store, which sees all creations, as that of a program does.
func (h *handle) withCollector(b *testing.B) (col *ownergraph.Collector, stop func()) {
	b.Helper()
	col, err := ownergraph.New(h.Store, ownergraph.Config{Policies: true})
	if err != nil {
		b.Fatal(err)
	}
	ctx, cancel := context.WithCancel(b.Context())
	done := make(chan error, 1)
	go func() { done <- col.Run(ctx) }()
	if err := col.Synced(ctx); err != nil {
		b.Fatal(err)
	}
	return col, func() { cancel(); <-done }
}

// delete runs the cascade of an owner.
func (c *archiveCost) delete(b *testing.B, h *handle, owner graph.Object) {
	b.Helper()
	begin := time.Now()
	if err := h.Delete(b.Context(), owner.Key, graph.DeleteOptions{}); err != nil {
		b.Fatal(err)
	}
	for left := 1; left > 0; <-time.After(5 * time.Millisecond) {
		if err := h.db.QueryRowContext(b.Context(), h.conf.names().Replace(`SELECT count(*) FROM {objects}`)).Scan(&left); err != nil {
			b.Fatal(err)
		}
	}
	c.cascades += time.Since(begin)
}

func (c *archiveCost) restore(b *testing.B, col *ownergraph.Collector, owner graph.Object) {
	b.Helper()
	if _, err := col.WaitIdle(b.Context()); err != nil { // it has seen the cascade
		b.Fatal(err)
	}
	begin := time.Now()
	result, err := restore.Run(b.Context(), col, archive.Request{Roots: []graph.UID{owner.UID}}, nil)
	if err != nil || result.Created != 1+*archiveObjects {
		b.Fatalf("%d objects are back: %v", result.Created, err)
	}
	c.restores += time.Since(begin)
}

// createWithRows creates 1,000 objects, and one row of the user for each, in one transaction.
func (h *handle) createWithRows(b *testing.B, table string, owner graph.Object, first int) {
	b.Helper()
	var list []graph.Object
	for i := range maxWrites {
		o := object("photo", "one", fmt.Sprint(first+i))
		o.Owners = refTo(owner)
		list = append(list, o)
	}
	tx, err := h.db.BeginTx(b.Context(), nil)
	if err != nil {
		b.Fatal(err)
	}
	made, err := h.Tx(tx).CreateAll(b.Context(), list)
	if err != nil {
		b.Fatal(err)
	}
	var uids []string
	for _, o := range made {
		uids = append(uids, string(o.UID))
	}
	owned, err := h.list(uids)
	if err != nil {
		b.Fatal(err)
	}
	text := `INSERT INTO ` + table + ` SELECT value, printf('%0200d', 7) FROM json_each(?)`
	if h.conf.Dialect == Postgres {
		text = `INSERT INTO ` + table + ` SELECT u, repeat('0123456789', 20) FROM unnest($1::text[]) u`
	}
	if _, err := tx.ExecContext(b.Context(), text, owned); err != nil {
		b.Fatal(err)
	}
	if err := tx.Commit(); err != nil {
		b.Fatal(err)
	}
}

// archiveBytes returns the size of the tables of the archive with their indexes. SQLite has it in pages of its own table.
func (h *handle) archiveBytes(b *testing.B) (n int64) {
	b.Helper()
	text := `SELECT pg_total_relation_size('{archive}') + pg_total_relation_size('{archive_owners}') + pg_total_relation_size('{trails}')`
	if h.conf.Dialect == SQLite {
		text = `SELECT coalesce(sum(pgsize), 0) FROM dbstat WHERE name LIKE 'og_archive%' OR name LIKE 'og_trails%'`
	}
	if err := h.db.QueryRowContext(b.Context(), h.conf.names().Replace(text)).Scan(&n); err != nil {
		b.Logf("the size of the archive: %v", err)
	}
	return n
}
