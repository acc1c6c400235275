package sqlstore

import (
	"bytes"
	"context"
	"crypto/aes"
	"crypto/cipher"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph/archive"
	"github.com/ownergraph/ownergraph/graph"
)

// sealingWith seals kinds with a key. A program with a service of keys does the like.
func sealingWith(key byte, kinds ...graph.Kind) archive.Sealing {
	block, err := aes.NewCipher(bytes.Repeat([]byte{key}, 32))
	if err != nil {
		panic(err)
	}
	gcm, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		panic(err)
	}
	return archive.Sealing{
		Kinds: kinds,
		Seal:  func(_ context.Context, plain []byte) ([]byte, error) { return gcm.Seal(nil, nil, plain, nil), nil },
		Open: func(_ context.Context, sealed []byte) ([]byte, error) {
			plain, err := gcm.Open(nil, nil, sealed, nil)
			if err != nil {
				return nil, errors.Join(err, archive.ErrIdentity)
			}
			return plain, nil
		},
	}
}

// sealing is a setting in which the payloads of kinds are sealed.
func sealing(kinds ...graph.Kind) func(*Config) {
	return func(c *Config) { c.Archive.Sealing = sealingWith(1, kinds...) }
}

// secretText is in the payloads of tests, and nowhere else.
const secretText = "s3cret-pass-w0rd"

// holdsText reports whether a column of {archive} has the text.
func (h *handle) holdsText(t *testing.T, text string) bool {
	t.Helper()
	var n int
	query := `SELECT count(*) FROM {archive} a WHERE strpos(a::text, $1) > 0 OR strpos(encode(a.sealed, 'escape'), $1) > 0`
	if h.conf.Dialect == SQLite {
		query = `SELECT count(*) FROM {archive} a WHERE instr(a.labels || coalesce(a.payload, '') || coalesce(a.shape, '') || CAST(coalesce(a.sealed, '') AS TEXT), $1) > 0`
	}
	if err := h.db.QueryRowContext(t.Context(), h.conf.names().Replace(query), text).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n > 0
}

// labelled gives an object a label with the secret.
func (h *handle) labelled(t *testing.T, o graph.Object) graph.Object {
	t.Helper()
	o, err := h.Label(t.Context(), o.Key, graph.Precondition{}, map[string]string{"secret": secretText})
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// TestSealed: each way to remove an object of a sealed kind writes a sealed payload, with the row and the labels. They come back.
func TestSealed(t *testing.T) {
	onEach(t, func(t *testing.T, d *database) {
		h := d.withRows(t, `n text`, sealing("photo", "bucket"))
		bucket := h.mustCreate(t, object("bucket", "one", "b"))
		for i, c := range []struct {
			finalizers []string
			end        func(o graph.Object)
			reason     string
		}{
			{nil, func(o graph.Object) { h.removes(t, o, graph.DeleteOptions{}) }, "a deletion"},
			{nil, func(o graph.Object) {
				h.batch(t, o, graph.DeleteOptions{}, h.withRow(t, "sealed neighbour", nil, quoteText(secretText)), h.mustCreate(t, object("team", "", "neighbour")))
			}, "a batch of sealed and other kinds"},
			{[]string{"x/y"}, func(o graph.Object) {
				h.removes(t, o, graph.DeleteOptions{})
				h.mustPatch(t, o, graph.Change{DropFinalizer: "x/y"})
			}, "a patch"},
			{[]string{"x/y"}, func(o graph.Object) {
				h.removes(t, o, graph.DeleteOptions{})
				if _, err := h.Update(t.Context(), graph.Object{Key: o.Key}); err != nil {
					t.Fatal(err)
				}
			}, "an update"},
			{nil, func(o graph.Object) {
				h.within(t, func(tx *Tx) error { return tx.Delete(t.Context(), o.Key, graph.DeleteOptions{}) })
			}, "a transaction of the user"},
		} {
			o := h.labelled(t, h.withRow(t, fmt.Sprint("p", i), []graph.Owner{withPolicy(bucket, graph.OnDeleteRelease)}, quoteText(secretText)))
			for _, f := range c.finalizers {
				h.mustPatch(t, o, graph.Change{AddFinalizer: f})
			}
			c.end(o)
			e := h.entry(t, o.UID)
			if !e.Sealed || e.Unreadable != "" || e.Size < len(secretText) || !e.Explicit || c.reason != "an update" && len(h.entries(t, archive.Query{Owners: []graph.UID{bucket.UID}, UIDs: []graph.UID{o.UID}})) != 1 {
				t.Errorf("%s: the entry %+v", c.reason, e)
			}
			if h.holdsText(t, secretText) {
				t.Errorf("%s: the archive has the secret", c.reason)
			}
			key := h.mustRestore(t, item(o))[0]
			if got := h.rowOf(t, key.UID, "n"); !strings.Contains(got, secretText) {
				t.Errorf("%s: the row is %s", c.reason, got)
			}
			page, err := h.Select(t.Context(), graph.SelectRequest{Kind: "photo", Selector: "secret=" + secretText})
			if err != nil || len(page.Objects) != i+1 {
				t.Errorf("%s: the labels: %v, %v", c.reason, page, err)
			}
		}
		bucket = h.labelled(t, bucket)
		h.removes(t, bucket, graph.DeleteOptions{})
		if e := h.entry(t, bucket.UID); !e.Sealed || h.holdsText(t, secretText) {
			t.Errorf("a kind without a table: %+v", e)
		}
		h.mustRestore(t, item(bucket))
	})
}

// TestSealedRows: a sealed row comes back with each value, as one in the clear.
func TestSealedRows(t *testing.T) {
	onEach(t, func(t *testing.T, d *database) { d.keepsHostileRow(t, sealing("photo")) })
}

// TestSealedAsMemory: random calls on sealed kinds leave the same entries as in adapters/memory.
func TestSealedAsMemory(t *testing.T) {
	onEach(t, func(t *testing.T, d *database) { d.isAsMemory(t, 4, sealing("team", "bucket", "photo")) })
}

// TestSealedBatch: a batch that is larger than a statement of sealed rows removes all, and each payload is its own.
func TestSealedBatch(t *testing.T) {
	onEach(t, func(t *testing.T, d *database) {
		h := d.withRows(t, `n text`, sealing("photo"))
		var list []graph.Object
		var writes []graph.Write
		var items []archive.Item
		for i := range 2*maxSealed + 3 {
			o := h.withRow(t, fmt.Sprint("p", i), nil, quoteText(fmt.Sprint(secretText, i)))
			list, writes, items = append(list, o), append(writes, deletion(o)), append(items, item(o))
			if i%5 == 0 {
				writes = append(writes, deletion(h.mustCreate(t, object("team", "", fmt.Sprint("t", i)))))
			}
		}
		h.batchOf(t, writes...)
		if h.rowsIn(t, `{archive}`) != len(writes) || h.rowsIn(t, h.photos()) != 0 || h.holdsText(t, secretText) {
			t.Fatalf("%d entries, %d rows", h.rowsIn(t, `{archive}`), h.rowsIn(t, h.photos()))
		}
		for i, k := range h.mustRestore(t, items...) {
			if got := h.rowOf(t, k.UID, "n"); !strings.Contains(got, fmt.Sprint(secretText, i)) || k.Name != list[i].Name {
				t.Errorf("%s has the row %s", k, got)
			}
		}
	})
}

// TestSealFails: a payload that cannot be sealed keeps its object and the row, by each way.
func TestSealFails(t *testing.T) {
	onEach(t, func(t *testing.T, d *database) {
		broken := errors.New("the service of keys has no answer")
		fails := false
		h := d.withRows(t, `n text`, sealing("photo"), func(c *Config) {
			seal := c.Archive.Sealing.Seal
			c.Archive.MaxBytes = 1000
			c.Archive.Sealing.Seal = func(ctx context.Context, b []byte) ([]byte, error) {
				if fails {
					return nil, broken
				}
				return seal(ctx, b)
			}
		})
		a, b, team := h.withRow(t, "a", nil, quoteText("x")), h.withRow(t, "b", nil, quoteText("x")), h.mustCreate(t, object("team", "", "t"))
		large := h.withRow(t, "large", nil, quoteText(strings.Repeat("x", 1001)))
		fails = true
		one := h.Delete(t.Context(), a.Key, graph.DeleteOptions{})
		results, many := h.Batch(t.Context(), []graph.Write{deletion(a), deletion(b)})
		many = errors.Join(append(results, many)...)
		for reason, err := range map[string]error{"a deletion": one, "a batch": many} {
			if !errors.Is(err, graph.ErrRefused) || !errors.Is(err, broken) || !strings.Contains(err.Error(), "photo/one/a") {
				t.Errorf("%s: %v, want ErrRefused with the cause and the object", reason, err)
			}
		}
		fails = false
		restorer := d.mustHandle(t, func(c *Config) {
			archiving(c)
			c.Archive.Tables, c.Archive.Sealing = h.conf.Archive.Tables, archive.Sealing{Kinds: []graph.Kind{"photo"}, Open: h.conf.Archive.Sealing.Open}
		})
		if err := restorer.Delete(t.Context(), a.Key, graph.DeleteOptions{}); !errors.Is(err, graph.ErrRefused) || !strings.Contains(err.Error(), "Sealing.Seal is nil") {
			t.Errorf("a program without recipients: %v", err)
		}
		if err := h.Delete(t.Context(), large.Key, graph.DeleteOptions{}); !errors.Is(err, graph.ErrRefused) || !strings.Contains(err.Error(), "Archive.MaxBytes (1000)") {
			t.Errorf("a payload above the bound: %v", err)
		}
		if h.rowsIn(t, `{archive}`) != 0 || h.rowsIn(t, h.photos()) != 3 || h.rowsIn(t, `{objects}`) != 4 {
			t.Errorf("%d entries, %d rows, %d objects", h.rowsIn(t, `{archive}`), h.rowsIn(t, h.photos()), h.rowsIn(t, `{objects}`))
		}
		h.batchOf(t, deletion(a), deletion(b), deletion(team))
	})
}

// TestSealedRowChanges: a transaction changes the row, and commits after the removal of the object has begun. The sealed
// payload is the last row.
func TestSealedRowChanges(t *testing.T) {
	for _, strict := range []bool{true, false} {
		h := newPostgresDatabase(t).withRows(t, `n integer`, sealing("photo"), func(c *Config) { c.Strict = strict })
		for i, batch := range []bool{false, true} {
			o, neighbour := h.withRow(t, fmt.Sprint("p", i), nil, `1`), h.withRow(t, fmt.Sprint("q", i), nil, `1`)
			h.removesBehindChange(t, o, neighbour, batch)
			if got := h.rowOf(t, h.mustRestore(t, item(o))[0].UID, "n"); got != "2" {
				t.Errorf("strict %t, batch %t: the row has %s", strict, batch, got)
			}
		}
	}
}

// TestStoredSealing: a program that does not know the functions reads the database, and removes no object of a sealed kind.
func TestStoredSealing(t *testing.T) {
	onEach(t, func(t *testing.T, d *database) {
		h := d.mustHandle(t, func(c *Config) { archiving(c); sealing("photo")(c) })
		photo, bucket := h.mustCreate(t, object("photo", "one", "p")), h.mustCreate(t, object("bucket", "one", "b"))
		a, err := StoredArchive(t.Context(), h.db, h.conf)
		if err != nil || !slices.Equal(a.Sealing.Kinds, []graph.Kind{"photo"}) {
			t.Fatalf("the settings: %+v, %v", a, err)
		}
		own := d.mustHandle(t, func(c *Config) { archiving(c); c.Archive = a })
		if err := own.Delete(t.Context(), photo.Key, graph.DeleteOptions{}); !errors.Is(err, graph.ErrRefused) || !strings.Contains(err.Error(), "Sealing.Seal is nil") {
			t.Errorf("the deletion of a sealed kind: %v", err)
		}
		if _, err := own.Get(t.Context(), photo.Key); err != nil {
			t.Errorf("the object is gone: %v", err)
		}
		own.removes(t, bucket, graph.DeleteOptions{})
	})
}

// TestSealedKindsAgree: Migrate refuses a program that would store the payloads of a sealed kind in the clear.
func TestSealedKindsAgree(t *testing.T) {
	onEach(t, func(t *testing.T, d *database) {
		d.mustHandle(t, func(c *Config) { archiving(c); sealing("photo")(c) })
		for _, c := range []struct {
			kinds   []graph.Kind
			refused bool
			reason  string
		}{
			{[]graph.Kind{"photo"}, false, "the same kind"},
			{nil, true, "no kind"},
			{[]graph.Kind{"bucket"}, true, "another kind"},
			{[]graph.Kind{"photo", "bucket"}, false, "a further kind"},
			{[]graph.Kind{"photo"}, true, "the further kind is missing"},
		} {
			_, err := d.handleOn(t, func(conf *Config) { archiving(conf); sealing(c.kinds...)(conf) })
			if (err != nil) != c.refused || c.refused && (!errors.Is(err, graph.ErrRefused) || !strings.Contains(err.Error(), "sealed")) {
				t.Errorf("%s: %v", c.reason, err)
			}
		}
	})
}

// TestSealedStatements: a sealing of other kinds changes no statement of a removal. A sealed one takes three, and one of many
// objects takes no more.
func TestSealedStatements(t *testing.T) {
	h := newPostgresDatabase(t).withRows(t, `n text`, sealing("photo"))
	pg, plain := h.tables.(*postgresTables), newPostgres(func() Config { c := h.conf; c.Archive.Sealing = archive.Sealing{}; return c }()).(*postgresTables)
	for _, name := range []string{"plain" + withArchive, "plainall" + withArchive} {
		if a, b := strings.Count(pg.text[name], "$"), strings.Count(plain.text[name], "$"); a == 0 || a != b {
			t.Errorf("%s has %d arguments, and %d without sealing", name, a, b)
		}
	}
	h = newPostgresDatabase(t).withRows(t, `n text`, sealing("photo"))
	team, one := h.mustCreate(t, object("team", "", "t")), h.withRow(t, "one", nil, quoteText("x"))
	if n := h.statementsOf(t, func() error { return h.Delete(t.Context(), team.Key, graph.DeleteOptions{}) }); n != 1 {
		t.Errorf("a deletion of another kind takes %d statements", n)
	}
	single := h.statementsOf(t, func() error { return h.Delete(t.Context(), one.Key, graph.DeleteOptions{}) })
	var counts []int64
	for _, n := range []int{2, maxSealed} {
		var writes []graph.Write
		for i := range n {
			writes = append(writes, deletion(h.withRow(t, fmt.Sprint(n, "-", i), nil, quoteText("x"))))
		}
		counts = append(counts, h.statementsOf(t, func() error { _, err := h.Batch(t.Context(), writes); return err }))
	}
	if counts[0] != counts[1] {
		t.Errorf("batches of 2 and of %d take %d statements", maxSealed, counts)
	}
	t.Logf("statements: a sealed deletion %d, a batch %d", single, counts[1])
}
