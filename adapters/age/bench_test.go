package ageseal

import (
	"database/sql"
	"fmt"
	"strings"
	"testing"
	"time"

	"filippo.io/age"

	"github.com/ownergraph/ownergraph/archive"
	"github.com/ownergraph/ownergraph/graph"
)

// benchEntries is the number of entries of a round, and benchBatch that of a batch.
const benchEntries, benchBatch = 2000, 500

// BenchmarkEntry reports the time and the bytes of an entry, in the clear and sealed for one recipient. The row has 500 bytes.
func BenchmarkEntry(b *testing.B) {
	for _, d := range databases {
		for _, sealed := range []bool{false, true} {
			b.Run(fmt.Sprintf("%s/sealed=%t", d.name, sealed), func(b *testing.B) { benchEntry(b, d.open(b), sealed) })
		}
	}
}

func benchEntry(b *testing.B, db *sql.DB, sealed bool) {
	var s archive.Sealing
	if sealed {
		i := newIdentity(b)
		s = New(Config{Kinds: []graph.Kind{"token"}, Recipients: []age.Recipient{i.Recipient()}, Identities: []age.Identity{i}})
	}
	prefix := fmt.Sprintf("bench_%t_%d_", sealed, b.N)
	store := newStore(b, db, prefix, s)
	var took, read time.Duration
	for n := range b.N {
		for first := 0; first < benchEntries; first += benchBatch {
			var writes []graph.Write
			for i := range benchBatch {
				o := mustCreate(b, store, graph.Object{Key: graph.Key{Kind: "token", Name: fmt.Sprint(n, "-", first+i)}})
				mustExec(b, db, fmt.Sprintf(`INSERT INTO %stokens VALUES ('%s', NULL, '%s')`, prefix, o.UID, strings.Repeat("x", 500)))
				writes = append(writes, graph.Write{Type: graph.WriteDelete, Key: o.Key, Options: graph.DeleteOptions{Precondition: graph.Precondition{UID: o.UID, Version: o.Version}}})
			}
			begin := time.Now()
			if _, err := store.Batch(b.Context(), writes); err != nil {
				b.Fatal(err)
			}
			took += time.Since(begin)
		}
	}
	begin := time.Now()
	if _, err := store.Entries(b.Context(), archive.Query{}); err != nil {
		b.Fatal(err)
	}
	read += time.Since(begin)
	x, err := store.Extent(b.Context())
	if err != nil || x.Entries != b.N*benchEntries {
		b.Fatalf("%+v, %v", x, err)
	}
	b.ReportMetric(float64(took.Nanoseconds())/float64(x.Entries), "ns/removal")
	b.ReportMetric(float64(read.Nanoseconds())/float64(archive.MaxPage), "ns/read")
	b.ReportMetric(float64(x.Bytes)/float64(x.Entries), "B/payload")
}
