package sqlstore

import (
	"errors"
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph/graph"
)

// TestAdoptDeclarations: a wrong declaration is an error that names the kind, the table and the field.
// Nothing is done then.
func TestAdoptDeclarations(t *testing.T) {
	photo := func(list []AdoptedTable) *AdoptedTable { return &list[0] }
	for _, tc := range []struct {
		edit   func(list []AdoptedTable)
		want   string // in the error
		unlike Dialect
		reason string
	}{
		{func(l []AdoptedTable) { photo(l).Kind = "nothing" }, `kind nothing: table "photos": Kind`, DialectUnset, "the store does not serve it"},
		{func(l []AdoptedTable) { photo(l).Kind = "bucket" }, `table "the \"buckets\";": Kind: another declaration`, DialectUnset, "a kind has one table"},
		{func(l []AdoptedTable) {
			photo(l).Kind, photo(l).Table, photo(l).Key = "note", "teams", "id"
			l[0].Owners = nil
		}, `kind team: table "teams": Table: kind note has it`, DialectUnset, "a table has one kind"},
		{func(l []AdoptedTable) { photo(l).Table = "" }, `Table: empty`, DialectUnset, "it is needed"},
		{func(l []AdoptedTable) { photo(l).Table = `photos"; DROP TABLE photos; --` }, `Table: it does not exist`, DialectUnset, "a name is quoted"},
		{func(l []AdoptedTable) { photo(l).Table = "no\x00" }, `NUL`, DialectUnset, "no database has such a name"},
		{func(l []AdoptedTable) { photo(l).Table = "og_objects" }, `Table: it is a table of the store`, DialectUnset, "its rows are the objects"},
		{func(l []AdoptedTable) { photo(l).Table = "og_members" }, `Table: it is a table of the store`, DialectUnset, "its rows are the members of groups"},
		{func(l []AdoptedTable) { photo(l).Table = "of photos" }, `Table: it is no table`, DialectUnset, "a view has no rows"},
		{func(l []AdoptedTable) { photo(l).Schema = "elsewhere" }, `kind photo: table "photos"`, DialectUnset, "there is no such schema, or another file"},
		{func(l []AdoptedTable) { photo(l).Key = "" }, `Key: empty`, DialectUnset, "it is needed"},
		{func(l []AdoptedTable) { photo(l).Key = "none" }, `Key: there is no column "none"`, DialectUnset, "it is misspelt"},
		{func(l []AdoptedTable) { photo(l).Key = "title" }, `Key: column title has no unique key`, DialectUnset, "two rows may have one title"},
		{func(l []AdoptedTable) { photo(l).UID = "" }, `UID: empty`, DialectUnset, "it is needed"},
		{func(l []AdoptedTable) { photo(l).UID = "none" }, `UID: there is no column "none"`, DialectUnset, "it was not added"},
		{func(l []AdoptedTable) { photo(l).UID = "bucket" }, `UID: column bucket is`, DialectUnset, "a number is no UID"},
		{func(l []AdoptedTable) { photo(l).UID = "code" }, `UID: it is the column of Key`, DialectUnset, "the keys would be overwritten"},
		{func(l []AdoptedTable) { l[1].UID = "small" }, `UID: column small is character varying(20), want text`, SQLite, "a UID is longer"},
		{func(l []AdoptedTable) { photo(l).Name = "" }, `Name: empty`, DialectUnset, "it is needed"},
		{func(l []AdoptedTable) { photo(l).Name = "none" }, `Name: none: `, DialectUnset, "a quoted name that is no column is text for SQLite"},
		{func(l []AdoptedTable) { photo(l).Name = "(r.none)" }, `Name: (r.none): `, DialectUnset, "so is the column of an expression"},
		{func(l []AdoptedTable) { photo(l).Name = "(r.title" }, `Name: (r.title: `, DialectUnset, "this is no expression"},
		{func(l []AdoptedTable) { photo(l).Scope = "" }, `Scope: empty, and the kind is scoped`, DialectUnset, "the store would refuse each object"},
		{func(l []AdoptedTable) { l[2].Scope = "title" }, `Scope: given, and the kind is global`, DialectUnset, "the store would refuse each object"},
		{func(l []AdoptedTable) { photo(l).Finalizers = []string{"x", "x"} }, `Finalizers: `, DialectUnset, "a finalizer stands once"},
		{func(l []AdoptedTable) { photo(l).Owners[0].Kind = "nothing" }, `Owners[0].Kind: "nothing": no declaration has it`, DialectUnset, "the owner has no table"},
		{func(l []AdoptedTable) { l[0].Kind = "note" }, `Owners[2].Kind: "photo": no declaration has it`, DialectUnset, "its own kind is another one"},
		{func(l []AdoptedTable) { l[0].Kind, l[0].Owners[2].Kind = "note", "note" }, `Owners[2].Kind: note may not own`, DialectUnset, "the kind has no dependents"},
		{func(l []AdoptedTable) { photo(l).Owners[1].Key = "" }, `Owners[1].Key: empty`, DialectUnset, "it is needed"},
		{func(l []AdoptedTable) { photo(l).Owners[1].Key = "none" }, `Owners[1].Key: none: `, DialectUnset, "it is misspelt"},
		{func(l []AdoptedTable) { photo(l).Owners[0].Key = "title" }, `Owners[0].Key: title: `, SQLite, "text is no number"},
	} {
		onEach(t, func(t *testing.T, d *database) {
			if d.conf.Dialect == tc.unlike {
				return
			}
			a := d.mustHandle(t, nil).withOld(t)
			a.fill()
			a.do(`CREATE VIEW ` + a.in + `"of photos" AS SELECT * FROM {photos}`)
			if d.conf.Dialect == Postgres {
				defer a.do(`DROP VIEW ` + a.in + `"of photos"`)
				a.do(`ALTER TABLE {buckets} ADD small varchar(20)`)
			}
			a.mustGroup(t, "g") // it makes og_members
			before := a.state()
			list := a.tables()
			tc.edit(list)
			r, err := a.Adopt(t.Context(), list, AdoptConfig{})
			if !errors.Is(err, graph.ErrInvalid) || !strings.Contains(err.Error(), tc.want) || r.Passes != 0 {
				t.Errorf("%v, want %q: %s", err, tc.want, tc.reason)
			}
			if a.state() != before {
				t.Errorf("%s: something is done", tc.want)
			}
		})
	}
}

// TestAdoptBatches: the size of a batch has bounds.
func TestAdoptBatches(t *testing.T) {
	onEach(t, func(t *testing.T, d *database) {
		a := d.mustHandle(t, nil).withOld(t)
		for _, batch := range []int{-1, maxAdoptBatch + 1} {
			if _, err := a.Adopt(t.Context(), a.tables(), AdoptConfig{Batch: batch}); !errors.Is(err, graph.ErrInvalid) || !strings.Contains(err.Error(), "Batch") {
				t.Errorf("batch %d: %v", batch, err)
			}
		}
		if r, err := a.Adopt(t.Context(), nil, AdoptConfig{}); err != nil || !r.Complete {
			t.Errorf("no tables: %+v, %v", r, err)
		}
	})
}

// TestAdoptFindings: a wrong row is a finding that names the kind, the table, the row and the column.
// Every other row is adopted. Once the row is right, the next run adopts it.
func TestAdoptFindings(t *testing.T) {
	const stray = "3OCNMEW5E2WLQB5IE4EFUDZ32375R"
	for _, tc := range []struct {
		do, mend string
		want     string
		reason   string
	}{
		{`UPDATE {photos} SET title = NULL WHERE code = 'a'`, `UPDATE {photos} SET title = 'pa' WHERE code = 'a'`, `row "a": column title`, "a row without a name"},
		{`UPDATE {buckets} SET title = 'x' || char(10) WHERE no = 10`, `UPDATE {buckets} SET title = 'b10' WHERE no = 10`, `row "10": column title`, "an invalid name"},
		{`UPDATE {buckets} SET space = '' WHERE no = 10`, `UPDATE {buckets} SET space = 's' WHERE no = 10`, `row "10": column space`, "a row without a scope"},
		{`UPDATE {buckets} SET title = 'b11' WHERE no = 10`, `UPDATE {buckets} SET title = 'b10' WHERE no = 11`, `row "11": column title`, "two rows have one name: the first one has it"},
		{`UPDATE {photos} SET uid = '` + stray + `' WHERE code = 'a'`, `UPDATE {photos} SET uid = NULL WHERE code = 'a'`, `row "a": column uid`, "no object has the UID"},
		{`UPDATE {photos} SET uid = 'ä' WHERE code = 'a'`, `UPDATE {photos} SET uid = NULL WHERE code = 'a'`, `row "a": column uid`, "this is no UID"},
		{`UPDATE {photos} SET parent = 'a' WHERE code = 'a'`, `UPDATE {photos} SET parent = NULL WHERE code = 'a'`, `row "a": column parent: it names the row itself`, "an object cannot own itself"},
		{`UPDATE {buckets} SET space = 't' WHERE no = 12`, `UPDATE {photos} SET bucket = NULL, second = NULL WHERE bucket = 12`, `row "d": column bucket: its owner bucket/t/b12 is in another scope than photo/s/pd`, "the engine never deletes such a dependent"},
	} {
		onEach(t, func(t *testing.T, d *database) {
			a := d.mustHandle(t, nil).withOld(t)
			a.fill()
			do := tc.do
			if d.conf.Dialect == Postgres {
				do = strings.ReplaceAll(do, "char(10)", "chr(10)")
			}
			a.do(do)
			for range 2 {
				r, err := a.Adopt(t.Context(), a.tables(), AdoptConfig{Batch: 2})
				if !errors.Is(err, graph.ErrInvalid) || r.Findings == 0 || !r.Complete || len(r.Errors) != int(r.Findings) {
					t.Fatalf("%s: %+v, %v", tc.reason, r, err)
				}
				text := errors.Join(r.Errors...).Error()
				if !strings.Contains(text, tc.want) || !strings.Contains(text, "adopt kind ") || !strings.Contains(text, `: table `) {
					t.Errorf("%s: %s, want %s", tc.reason, text, tc.want)
				}
			}
			a.do(tc.mend)
			a.adopt(AdoptConfig{})
			a.check(tc.reason)
		})
	}
}

// TestAdoptKeys: rows whose keys no argument can name, and too many findings.
func TestAdoptKeys(t *testing.T) {
	a := newSQLiteDatabase(t).mustHandle(t, nil).withOld(t)
	a.fill()
	a.do(`INSERT INTO {photos} (code, title) VALUES (NULL, 'x'), (x'01', 'y'), (CAST(x'ff41' AS text), 'z'), ('long' || printf('%.2000c', 'x'), 'w'), ('', 'v')`)
	r, err := a.Adopt(t.Context(), a.tables(), AdoptConfig{Batch: 1})
	if !errors.Is(err, graph.ErrInvalid) || r.Findings != 5 || r.Created != 10 {
		t.Errorf("%+v, %v, want 5 findings and 10 objects", r, err)
	}
	a.do(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300) INSERT INTO {photos} (code, title) SELECT 'n' || i, '' FROM n`)
	if r, err = a.Adopt(t.Context(), a.tables(), AdoptConfig{}); err == nil || r.Findings != 305 || len(r.Errors) != maxAdoptErrors {
		t.Errorf("%d findings, %d errors, %v", r.Findings, len(r.Errors), err)
	}
}

// TestAdoptRefused: a trigger of the user refuses one row. Only that row is a finding.
func TestAdoptRefused(t *testing.T) {
	onEach(t, func(t *testing.T, d *database) {
		a := d.mustHandle(t, nil).withOld(t)
		a.fill()
		check := `CREATE TRIGGER no BEFORE UPDATE ON photos WHEN old.code = 'b' BEGIN SELECT RAISE(ABORT, 'hands off'); END`
		if d.conf.Dialect == Postgres {
			check = `ALTER TABLE {photos} ADD CHECK (code <> 'b' OR uid IS NULL)`
		}
		a.do(check)
		r, err := a.Adopt(t.Context(), a.tables(), AdoptConfig{})
		if !errors.Is(err, graph.ErrRefused) || r.Findings != 1 || r.Created != 9 || !strings.Contains(err.Error(), `row "b": column uid`) {
			t.Errorf("%+v, %v", r, err)
		}
	})
}

// TestAdoptRenamed: old code changes the name of a row, or makes a row with a former key and another
// name. The object keeps its name, and the row is a finding.
func TestAdoptRenamed(t *testing.T) {
	for _, do := range []string{`UPDATE {photos} SET title = 'other' WHERE code = 'b'`, `DELETE FROM {photos} WHERE code = 'b'; INSERT INTO {photos} (code, bucket, title) VALUES ('b', 12, 'other')`} {
		onEach(t, func(t *testing.T, d *database) {
			a := d.mustHandle(t, nil).withOld(t)
			a.fill()
			a.adopt(AdoptConfig{})
			uid := a.one(`SELECT uid FROM {photos} WHERE code = 'b'`)
			for _, text := range strings.Split(do, ";") {
				a.do(text)
			}
			r, err := a.Adopt(t.Context(), a.tables(), AdoptConfig{})
			if !errors.Is(err, graph.ErrInvalid) || r.Findings != 1 || r.Deleted != 0 || !strings.Contains(err.Error(), `row "b": column title: the name is "other" in the scope "s", and the object is photo/s/pb@`) {
				t.Errorf("%+v, %v", r, err)
			}
			if is := a.one(`SELECT uid FROM {photos} WHERE code = 'b'`); is != uid {
				t.Errorf("the row has the UID %s, and had %s", is, uid)
			}
		})
	}
}
