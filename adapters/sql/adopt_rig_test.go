package sqlstore

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph/graph"
)

// oldSchema has the tables of an application without this package. A team has buckets, and a bucket has
// photos. A photo may have another photo, and a second bucket. Names that need quotes are in it.
func oldSchema(d Dialect, in string) []string {
	key, ref := "integer PRIMARY KEY", "integer"
	if d == Postgres {
		key, ref = "bigint PRIMARY KEY", "int"
	}
	of := onPostgres(d, in) // SQLite takes no schema there
	return []string{
		`CREATE TABLE ` + in + `"teams" (id ` + key + `, title text, uid text)`,
		`CREATE TABLE ` + in + `"the ""buckets"";" (no ` + key + `, "team id" ` + ref + ` REFERENCES ` + of + `"teams" ON DELETE CASCADE, space text, title text, uid varchar(40))`,
		`CREATE TABLE ` + in + `"photos" (code varchar(20) PRIMARY KEY, bucket ` + ref + ` REFERENCES ` + of + `"the ""buckets"";" ON DELETE CASCADE,
			second ` + ref + ` REFERENCES ` + of + `"the ""buckets"";" ON DELETE SET NULL, parent varchar(20) REFERENCES ` + of + `"photos" ON DELETE CASCADE, title text, uid text)`,
		`CREATE INDEX ` + onSQLite(d, in) + `"photos_uid" ON ` + onPostgres(d, in) + `"photos" (uid)`,
	}
}

// The name of an index has the schema on SQLite, and the table has it on Postgres.
func onSQLite(d Dialect, in string) string {
	if d == SQLite {
		return in
	}
	return ""
}

func onPostgres(d Dialect, in string) string {
	if d == Postgres {
		return in
	}
	return ""
}

// oldTables declares these tables, dependents first.
func oldTables(schema string) []AdoptedTable {
	return []AdoptedTable{
		{Kind: "photo", Schema: schema, Table: "photos", Key: "code", UID: "uid", Name: "title", Scope: `(lower('S'))`, Owners: []AdoptedOwner{
			{Kind: "bucket", Key: "bucket", Block: true, Controller: true}, {Kind: "bucket", Key: "(r.second)"}, {Kind: "photo", Key: "parent"}}},
		{Kind: "bucket", Schema: schema, Table: `the "buckets";`, Key: "no", UID: "uid", Name: "title", Scope: "space", Owners: []AdoptedOwner{{Kind: "team", Key: "team id", Block: true}}},
		{Kind: "team", Schema: schema, Table: "teams", Key: "id", UID: "uid", Name: "(r.title)", Finalizers: []string{"example.com/hold"}},
	}
}

// old is an application without this package, beside a store.
type old struct {
	*handle
	t  *testing.T
	in string // the schema of its tables, with a dot
}

func (h *handle) withOld(t *testing.T) *old {
	t.Helper()
	a := &old{handle: h, t: t}
	if h.conf.Schema != "" {
		a.in = `"` + h.conf.Schema + `".`
	}
	for _, text := range oldSchema(h.conf.Dialect, a.in) {
		a.do(text)
	}
	return a
}

// text puts the names of the tables into a statement.
func (a *old) text(text string) string {
	return strings.NewReplacer("{teams}", a.in+`"teams"`, "{buckets}", a.in+`"the ""buckets"";"`, "{photos}", a.in+`"photos"`).Replace(text)
}

func (a *old) do(text string, args ...any) {
	a.t.Helper()
	if _, err := a.db.ExecContext(a.t.Context(), a.text(text), args...); err != nil {
		a.t.Fatalf("%s: %v", text, err)
	}
}

// fill adds some rows.
func (a *old) fill() {
	a.do(`INSERT INTO {teams} (id, title) VALUES (1, 'red'), (2, 'blue')`)
	a.do(`INSERT INTO {buckets} (no, "team id", space, title) VALUES (10, 1, 's', 'b10'), (11, 2, 's', 'b11'), (12, NULL, 's', 'b12')`)
	a.do(`INSERT INTO {photos} (code, bucket, second, parent, title) VALUES ('a', 10, NULL, NULL, 'pa'), ('b', 10, 11, 'a', 'pb'), ('c', NULL, NULL, 'd', 'pc'), ('d', 12, 12, 'c', 'pd'), ('e''"', 11, NULL, NULL, 'p e')`)
}

func (a *old) tables() []AdoptedTable { return oldTables(a.conf.Schema) }

func (a *old) adopt(c AdoptConfig) AdoptReport {
	a.t.Helper()
	r, err := a.Adopt(a.t.Context(), a.tables(), c)
	if err != nil {
		a.t.Fatalf("adopt: %v", err)
	}
	if !r.Complete {
		a.t.Fatalf("adopt: the last of %d passes has changed something", r.Passes)
	}
	return r
}

// one reads one value.
func (a *old) one(text string, args ...any) string {
	a.t.Helper()
	var v sql.NullString
	if err := a.db.QueryRowContext(a.t.Context(), a.text(text), args...).Scan(&v); err != nil {
		a.t.Fatalf("%s: %v", text, err)
	}
	return v.String
}

// objects returns the objects of the store, by UID.
func (h *handle) objects(ctx context.Context, tb testing.TB) map[graph.UID]graph.Object {
	tb.Helper()
	all := map[graph.UID]graph.Object{}
	err := h.transact(ctx, func(ses *session) error {
		kinds, err := h.readKinds(ctx, &ses.c)
		if err != nil {
			return err
		}
		return h.tables.page(ctx, &ses.c, 0, 0, nil, 1<<30, func(r *row) error {
			r.object.Kind = kinds.byID[r.kind].info.Kind
			all[r.object.UID] = r.object
			return nil
		})
	})
	if err != nil {
		tb.Fatal(err)
	}
	return all
}

// expected returns the model: the notation of the objects that the rows demand, each with its owners.
func (a *old) expected() []string {
	a.t.Helper()
	names := map[string]string{} // of each row, by table and key
	var list []string
	read := func(text string, add func(v []string)) {
		rows, err := a.db.QueryContext(a.t.Context(), a.text(text))
		if err != nil {
			a.t.Fatal(err)
		}
		defer rows.Close()
		for rows.Next() {
			var v [8]sql.NullString
			if err := rows.Scan(&v[0], &v[1], &v[2], &v[3], &v[4], &v[5], &v[6], &v[7]); err != nil {
				a.t.Fatal(err)
			}
			texts := make([]string, len(v))
			for i := range v {
				texts[i] = v[i].String
			}
			add(texts)
		}
		if err := rows.Err(); err != nil {
			a.t.Fatal(err)
		}
	}
	var dependents []func()
	add := func(table, kind string, v []string, owners ...string) {
		at := graph.Key{Kind: graph.Kind(kind), Scope: v[2], Name: v[1]}.PlaceString() + "@" + v[7]
		names[table+v[0]] = at
		dependents = append(dependents, func() {
			refs := map[string]bool{}
			for _, o := range owners {
				if names[o] != "" {
					refs[names[o]] = true
				}
			}
			list = append(list, at+" -> "+strings.Join(slices.Sorted(maps.Keys(refs)), ", "))
		})
	}
	read(`SELECT id, title, '', NULL, NULL, NULL, NULL, uid FROM {teams}`, func(v []string) { add("t", "team", v) })
	read(`SELECT no, title, space, "team id", NULL, NULL, NULL, uid FROM {buckets}`, func(v []string) { add("b", "bucket", v, "t"+v[3]) })
	read(`SELECT code, title, 's', bucket, second, parent, NULL, uid FROM {photos}`, func(v []string) { add("p", "photo", v, "b"+v[3], "b"+v[4], "p"+v[5]) })
	for _, d := range dependents {
		d()
	}
	slices.Sort(list)
	return list
}

// actual returns the notation of the objects in the store.
func (a *old) actual() (list []string) {
	for _, o := range a.objects(a.t.Context(), a.t) {
		refs := make([]string, 0, len(o.Owners))
		for _, r := range o.Owners {
			if r.Unresolved {
				a.t.Errorf("%s: owner %s is unresolved", o.Key, r.Key)
			}
			refs = append(refs, r.PlaceString()+"@"+string(r.UID))
		}
		slices.Sort(refs)
		list = append(list, o.PlaceString()+"@"+string(o.UID)+" -> "+strings.Join(refs, ", "))
	}
	slices.Sort(list)
	return list
}

// check compares the store with the model.
func (a *old) check(when string) {
	a.t.Helper()
	want, got := a.expected(), a.actual()
	for _, s := range want {
		if _, is := slices.BinarySearch(got, s); !is {
			a.t.Errorf("%s: missing: %s", when, s)
		}
	}
	for _, s := range got {
		if _, is := slices.BinarySearch(want, s); !is {
			a.t.Errorf("%s: not in the model: %s", when, s)
		}
	}
}

// state is the content of the store and of the rows, to compare two moments.
func (a *old) state() string {
	a.t.Helper()
	all := a.objects(a.t.Context(), a.t)
	var text strings.Builder
	for _, o := range slices.SortedFunc(maps.Values(all), func(x, y graph.Object) int { return cmp.Compare(x.UID, y.UID) }) {
		fmt.Fprintln(&text, o)
	}
	for _, q := range []string{`SELECT count(*) FROM {log}`, `SELECT count(*) FROM {owners}`} {
		fmt.Fprintln(&text, a.one(a.conf.names().Replace(q)))
	}
	return text.String() + strings.Join(a.expected(), "\n")
}
